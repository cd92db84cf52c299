"""The checker beside others: same models, same machine, same run. See README.md."""
