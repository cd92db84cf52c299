/* Two-phase commit: the states and steps of models/twophase.model with Manager = N.

   A state is a word of 5N + 4 bits.  gcc -O3 -march=native -DN=9 -DBUG=0 */
#if N < 1 || N > 12
#error "a state must fit in a word"
#endif
enum { WORDS = 1, MOST_SUCCESSORS = 2 + 4 * N };
#include "search.h"

enum { WORKING, PREPARED, COMMITTED, ABORTED };
enum {
  STAGE = 0,                      /* two bits a manager */
  DECISION = 2 * N,
  HEARD = DECISION + 2,           /* transaction.prepared */
  SENT = HEARD + N,               /* network.prepared */
  MAY_COMMIT = SENT + N,
  MUST_ABORT = MAY_COMMIT + 1
};

/* The lower bits of all stages. */
#define LOW (UINT64_C(0x5555555555555555) & MASK(2 * N))

static inline State *put(State *out, uint64_t word) {
  out->word[0] = word;
  return out + 1;
}

static inline uint64_t with_stage(uint64_t s, int manager, uint64_t stage) {
  return (s & ~((uint64_t)3 << 2 * manager)) | stage << 2 * manager;
}

static int successors(State state, State *out) {
  uint64_t s = state.word[0];
  State *next = out;
  if ((s >> DECISION & 3) == 0) {
    uint64_t heard = s >> HEARD & MASK(N), sent = s >> SENT & MASK(N);
    if (__builtin_popcountll(heard) >= N - BUG)
      next = put(next, s | (uint64_t)COMMITTED << DECISION | BIT(MAY_COMMIT));
    next = put(next, s | (uint64_t)ABORTED << DECISION | BIT(MUST_ABORT));
    for (uint64_t left = sent; left; left &= left - 1)
      next = put(next, s | (left & -left) << HEARD);
  }
  for (uint64_t left = LOW & ~(s | s >> 1); left; left &= left - 1) {
    int manager = __builtin_ctzll(left) / 2;
    next = put(next, with_stage(s, manager, PREPARED) | BIT(SENT + manager));
    next = put(next, with_stage(s, manager, ABORTED));
  }
  if (s & BIT(MAY_COMMIT))
    for (int m = 0; m < N; m++) next = put(next, with_stage(s, m, COMMITTED));
  if (s & BIT(MUST_ABORT))
    for (int m = 0; m < N; m++) next = put(next, with_stage(s, m, ABORTED));
  return next - out;
}

static int good(State state) {
  uint64_t low = state.word[0] & LOW, high = state.word[0] >> 1 & LOW;
  return !(high & low) || !(high & ~low);
}
