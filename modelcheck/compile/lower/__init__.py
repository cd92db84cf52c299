"""A model's terms and steps as LLVM IR."""
