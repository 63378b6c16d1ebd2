/* The simulation loop of Batch Ensemble in C: the limit that the compiled Python loop is
 * measured against. Same rule, same random streams, same work at each step.
 *
 * usage: batch_ensemble ARMS BATCHES HORIZON RUNS
 * prints: CPU seconds, mean regret
 */
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define GOLDEN 0x9E3779B97F4A7C15ull
#define STRIDE 0xD1342543DE82EF95ull

static inline uint64_t mix(uint64_t word) {
    word = (word ^ (word >> 30)) * 0xBF58476D1CE4E5B9ull;
    word = (word ^ (word >> 27)) * 0x94D049BB133111EBull;
    return word ^ (word >> 31);
}

static inline double uniform(uint64_t *stream) {
    *stream += GOLDEN;
    return (double)(int64_t)(mix(*stream) >> 11) * 0x1p-53;
}

static inline int lowest(const double *index, int arms, uint64_t *stream) {
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

int main(int argc, char **argv) {
    if (argc != 5) return 2;
    int arms = atoi(argv[1]), batches = atoi(argv[2]), horizon = atoi(argv[3]), runs = atoi(argv[4]);
    double *sums = malloc(sizeof(double) * arms * batches);
    double *estimates = malloc(sizeof(double) * arms * batches);
    int64_t *counts = malloc(sizeof(int64_t) * arms * batches);
    double *index = malloc(sizeof(double) * arms), *means = malloc(sizeof(double) * arms);
    int64_t *next = malloc(sizeof(int64_t) * arms), *pulls = malloc(sizeof(int64_t) * arms);
    for (int a = 0; a < arms; a++) means[a] = 0.1 + 0.8 * a / (arms > 1 ? arms - 1 : 1);

    struct timespec begin, end;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &begin);
    double regret = 0.0;
    for (int run = 0; run < runs; run++) {
        uint64_t key = mix(1 + run * GOLDEN), stream = mix(2 + run * GOLDEN);
        memset(sums, 0, sizeof(double) * arms * batches);
        memset(estimates, 0, sizeof(double) * arms * batches);
        memset(counts, 0, sizeof(int64_t) * arms * batches);
        memset(index, 0, sizeof(double) * arms);
        memset(next, 0, sizeof(int64_t) * arms);
        memset(pulls, 0, sizeof(int64_t) * arms);
        for (int step = 1; step <= horizon; step++) {
            int arm = lowest(index, arms, &stream);
            uint64_t losses = mix(key + (uint64_t)(arm + 1) * GOLDEN) + pulls[arm] * STRIDE;
            double loss = uniform(&losses) < means[arm] ? 1.0 : 0.0;
            int64_t batch = next[arm], at = (int64_t)arm * batches + batch;
            next[arm] = batch + 1 < batches ? batch + 1 : 0;
            sums[at] += loss;
            counts[at] += 1;
            double before = estimates[at], now = sums[at] / (counts[at] + 2.0);
            estimates[at] = now;
            if (now <= index[arm]) {
                index[arm] = now;
            } else if (before == index[arm]) {
                const double *row = estimates + (int64_t)arm * batches;
                double least = row[0];
                for (int j = 1; j < batches; j++) least = row[j] < least ? row[j] : least;
                index[arm] = least;
            }
            pulls[arm]++;
            regret += means[arm] - means[0];
        }
    }
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &end);
    printf("%.9f %.17g\n", (end.tv_sec - begin.tv_sec) + 1e-9 * (end.tv_nsec - begin.tv_nsec),
           regret / runs);
    return 0;
}
