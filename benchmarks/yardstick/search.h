/* A breadth-first search by hand: how fast exact search of a model can be on one core.

   A yardstick, not a checker: no traces, and a model is a C file.  Before it includes this one
   the model defines WORDS and MOST_SUCCESSORS, and after it

     successors(s, out)   writes the successors of s to out, and returns how many
     good(s)              whether the invariant holds

   The initial state is all zeros.  What makes it fast, in the order of how much it brings:

   (1) Latency is hidden.  The successors of a batch of states are computed first, then the table
       slots that they hash to are fetched, then the states that those slots point to, and only
       then is anything compared.  No step waits for the memory of the step before.
   (2) A slot is a word of 24 bits of the hash (the tag) and 40 bits of index into the arena, so
       that nearly every mismatch is seen without looking at a state.
   (3) The arena is the queue: states stand in it once, in the order of discovery, and a level
       of the search is a range of it.  It is reserved once and never copied.
   (4) Both lie on huge pages where the system has them.
   (5) A successor that equals its state is counted and goes no further.

   Prints: distinct, generated, depth, seconds, bytes per state, verdict. */
#define _GNU_SOURCE
#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <time.h>

typedef struct { uint64_t word[WORDS]; } State;

#define BIT(position) ((uint64_t)1 << (position))
#define MASK(width) (BIT(width) - 1)

static int successors(State s, State *out);
static int good(State s);

static inline int equal(const State *a, const State *b) {
  uint64_t difference = 0;
  for (int i = 0; i < WORDS; i++) difference |= a->word[i] ^ b->word[i];
  return difference == 0;
}

static inline uint64_t hash_of(const State *s) {
  uint64_t hash = 0x9e3779b97f4a7c15u;
  for (int i = 0; i < WORDS; i++) {
    __uint128_t product = (__uint128_t)(s->word[i] ^ hash) * 0xda942042e4dd58b5u;
    hash = (uint64_t)product ^ (uint64_t)(product >> 64);
  }
  return hash;
}

static void *reserve(size_t bytes) {
  int flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE;
  void *at = mmap(NULL, bytes, PROT_READ | PROT_WRITE, flags, -1, 0);
  if (at == MAP_FAILED) { perror("mmap"); exit(3); }
  madvise(at, bytes, MADV_HUGEPAGE);                      /* (4); without them it is only slower */
  return at;
}

/* A slot is 0, or a tag above the index of a state plus one. */
enum { INDEX_BITS = 40 };
#define INDEX(slot) (((slot) & MASK(INDEX_BITS)) - 1)
#define TAG(hash) ((hash) & ~MASK(INDEX_BITS))

static State *arena;
static uint64_t distinct;
static uint64_t *table, table_mask;

static void double_table(void) {
  munmap(table, (table_mask + 1) * sizeof *table);
  table_mask = 2 * table_mask + 1;
  table = reserve((table_mask + 1) * sizeof *table);
  enum { AHEAD = 16 };
  for (uint64_t i = 0; i < distinct; i++) {
    if (i + AHEAD < distinct)
      __builtin_prefetch(&table[hash_of(&arena[i + AHEAD]) & table_mask], 1);
    uint64_t hash = hash_of(&arena[i]), at = hash & table_mask;
    while (table[at]) at = (at + 1) & table_mask;
    table[at] = TAG(hash) | (i + 1);
  }
}

/* Whether s is new; then it is in the arena and in the table. */
static inline int insert(const State *s, uint64_t hash) {
  uint64_t at = hash & table_mask;
  for (uint64_t slot; (slot = table[at]); at = (at + 1) & table_mask)
    if (TAG(slot) == TAG(hash) && equal(&arena[INDEX(slot)], s)) return 0;
  arena[distinct] = *s;
  table[at] = TAG(hash) | ++distinct;
  return 1;
}

enum { BATCH = 64, FIRST_TABLE = 1 << 16 };

int main(void) {
  struct timespec start, end;
  clock_gettime(CLOCK_MONOTONIC, &start);

  arena = reserve((size_t)1 << 36);
  table_mask = FIRST_TABLE - 1;
  table = reserve(FIRST_TABLE * sizeof *table);
  static State found[BATCH * MOST_SUCCESSORS];
  static uint64_t hashes[BATCH * MOST_SUCCESSORS];

  State initial = {{0}};
  insert(&initial, hash_of(&initial));
  uint64_t generated = 1, level_end = 1;
  int depth = 1, violated = !good(initial);
  for (uint64_t first = 0; first < distinct && !violated;) {
    if (first == level_end) { depth++; level_end = distinct; }
    uint64_t last = first + BATCH < level_end ? first + BATCH : level_end;
    int n = 0;
    for (; first < last; first++) {
      State s = arena[first], *next = found + n;
      int all = successors(s, next);
      generated += all;
      for (int i = 0; i < all; i++) {                     /* (5) */
        State t = next[i];
        found[n] = t;
        n += !equal(&t, &s);
      }
    }

    while ((distinct + n) * 4 > (table_mask + 1) * 3) double_table();
    for (int i = 0; i < n; i++) {                         /* (1) */
      hashes[i] = hash_of(&found[i]);
      __builtin_prefetch(&table[hashes[i] & table_mask], 1);
    }
    for (int i = 0; i < n; i++) {
      uint64_t slot = table[hashes[i] & table_mask];
      if (slot && TAG(slot) == TAG(hashes[i])) __builtin_prefetch(&arena[INDEX(slot)]);
    }
    for (int i = 0; i < n; i++)
      if (insert(&found[i], hashes[i]) && !good(found[i])) violated = 1;
    if (violated) depth++;                                /* where the violation is */
  }

  clock_gettime(CLOCK_MONOTONIC, &end);
  double seconds = (end.tv_sec - start.tv_sec) + (end.tv_nsec - start.tv_nsec) / 1e9;
  double bytes = (double)(distinct * sizeof *arena + (table_mask + 1) * sizeof *table) / distinct;
  printf("%" PRIu64 "\t%" PRIu64 "\t%d\t%.3f\t%.1f\t%s\n", distinct, generated, depth, seconds,
         bytes, violated ? "violation" : "ok");
  return 0;
}
