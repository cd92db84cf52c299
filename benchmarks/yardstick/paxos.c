/* Paxos: the states and steps of models/paxos.model with Acceptor = A, BALLOTS = B, Value = V.

   The first word holds what acceptors know and all messages but the promises; the second holds
   those.  A report takes four bits: 0 silent, 1 free, 2 + (ballot - 1) * V + value - 1 voted.
   gcc -O3 -march=native -DA=3 -DB=3 -DV=2 -DBUG=0 */
#if V > 3 || B > 6 || A * B > 16 || B * V > 14 || A * 7 + B * 3 + A * B > 64
#error "a state must fit in two words"
#endif
enum { WORDS = 2, MOST_SUCCESSORS = B + B * V + 2 * A * B };
#include "search.h"

enum {
  JOINED = 0,                     /* three bits an acceptor */
  LAST = JOINED + 3 * A,          /* four bits an acceptor; 0 stands for free here */
  PREPARES = LAST + 4 * A,
  PROPOSALS = PREPARES + B,       /* two bits a ballot, 0 for none */
  VOTES = PROPOSALS + 2 * B       /* a bit for each acceptor, ballot by ballot */
};
enum { SILENT, FREE, VOTED };

static inline unsigned get(uint64_t word, int at, int width) { return word >> at & MASK(width); }

static inline uint64_t set(uint64_t word, int at, int width, uint64_t value) {
  return (word & ~(MASK(width) << at)) | value << at;
}

/* Ballots count from 0 here, but not in `joined`, where 0 stands for none. */
static inline int may_propose(uint64_t promises, int b, unsigned value) {
  unsigned reports[A];
  int promised = 0, free = 0;
  for (int a = 0; a < A; a++) {
    reports[a] = get(promises, 4 * (b * A + a), 4);
    promised += reports[a] != SILENT;
    free += reports[a] == FREE;
  }
  if (2 * promised <= A) return 0;
  if (BUG || 2 * free > A) return 1;
  for (int a = 0; a < A; a++) {
    if (reports[a] < VOTED || (reports[a] - VOTED) % V + 1 != value) continue;
    unsigned top = (reports[a] - VOTED) / V;
    int no_newer = free;
    for (int o = 0; o < A; o++) no_newer += reports[o] >= VOTED && (reports[o] - VOTED) / V <= top;
    if (2 * no_newer > A) return 1;
  }
  return 0;
}

static int successors(State s, State *out) {
  uint64_t w = s.word[0], promises = s.word[1];
  State *next = out;
#define PUT(first, second) *next++ = (State){{first, second}}
  for (int b = 0; b < B; b++) {
    unsigned proposal = get(w, PROPOSALS + 2 * b, 2);
    PUT(w | BIT(PREPARES + b), promises);
    if (!proposal)
      for (unsigned v = 1; v <= V; v++)
        if (may_propose(promises, b, v)) PUT(w | (uint64_t)v << (PROPOSALS + 2 * b), promises);
    for (int a = 0; a < A; a++) {
      int joined = get(w, JOINED + 3 * a, 3);
      uint64_t joins = set(w, JOINED + 3 * a, 3, b + 1);
      if (w & BIT(PREPARES + b) && b + 1 > joined) {
        uint64_t last = get(w, LAST + 4 * a, 4);
        PUT(joins, promises | (last ? last : FREE) << 4 * (b * A + a));
      }
      if (proposal && b + 1 >= joined)
        PUT(set(joins, LAST + 4 * a, 4, VOTED + b * V + proposal - 1) | BIT(VOTES + b * A + a),
            promises);
    }
  }
  return next - out;
}

static int good(State s) {
  unsigned chosen = 0;
  for (int b = 0; b < B; b++) {
    if (2 * __builtin_popcount(get(s.word[0], VOTES + b * A, A)) <= A) continue;
    unsigned value = get(s.word[0], PROPOSALS + 2 * b, 2);
    if (chosen && chosen != value) return 0;
    chosen = value;
  }
  return 1;
}
