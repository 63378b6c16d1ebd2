/* What the loops in C share: the random streams of the library, ties broken at random, a clock.
 *
 * A policy is a file that includes this one and defines `room`, `reset`, `select_arm` and `update`.
 * first. usage: PROGRAM ARMS BATCHES HORIZON RUNS; prints: CPU seconds, mean regret.
 */
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define GOLDEN 0x9E3779B97F4A7C15ull
#define STRIDE 0xD1342543DE82EF95ull

static int arms, batches;

static inline uint64_t mix(uint64_t word) {
    word = (word ^ (word >> 30)) * 0xBF58476D1CE4E5B9ull;
    word = (word ^ (word >> 27)) * 0x94D049BB133111EBull;
    return word ^ (word >> 31);
}

static inline double uniform(uint64_t *stream) {
    *stream += GOLDEN;
    return (double)(int64_t)(mix(*stream) >> 11) * 0x1p-53;
}

static inline int lowest(const double *index, uint64_t *stream) {
    double least = index[0];
    int arm = 0, tied = 1;
    for (int other = 1; other < arms; other++) {
        if (index[other] < least) {
            least = index[other];
            arm = other;
            tied = 1;
        } else if (index[other] == least) {
            tied++;
        }
    }
    if (tied == 1) return arm;
    int rank = (int)(uniform(stream) * tied);
    while (rank > 0)
        if (index[++arm] == least) rank--;
    return arm;
}

/* A policy's four functions. */
static void room(void);
static void reset(void);
static inline int select_arm(int64_t step, uint64_t *stream);
static inline void update(int arm, double loss);

int main(int argc, char **argv) {
    if (argc != 5) return 2;
    arms = atoi(argv[1]);
    batches = atoi(argv[2]);
    int64_t horizon = atoll(argv[3]), runs = atoll(argv[4]);
    double *means = malloc(sizeof(double) * arms);
    int64_t *pulls = malloc(sizeof(int64_t) * arms);
    for (int a = 0; a < arms; a++) means[a] = 0.1 + 0.8 * a / (arms > 1 ? arms - 1 : 1);
    room();

    struct timespec begin, end;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &begin);
    double regret = 0.0;
    for (int64_t run = 0; run < runs; run++) {
        uint64_t key = mix(1 + run * GOLDEN), stream = mix(2 + run * GOLDEN);
        memset(pulls, 0, sizeof(int64_t) * arms);
        reset();
        for (int64_t step = 1; step <= horizon; step++) {
            int arm = select_arm(step, &stream);
            uint64_t losses = mix(key + (uint64_t)(arm + 1) * GOLDEN) + pulls[arm] * STRIDE;
            double loss = uniform(&losses) < means[arm] ? 1.0 : 0.0;
            update(arm, loss);
            pulls[arm]++;
            regret += means[arm] - means[0];
        }
    }
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &end);
    printf("%.9f %.17g\n", (end.tv_sec - begin.tv_sec) + 1e-9 * (end.tv_nsec - begin.tv_nsec),
           regret / runs);
    return 0;
}
