/* UCB1 with each arm's mean and 1/sqrt(n) kept: the same rule and the same work at each step. */
#include "loop.h"

static double *counts, *sums, *means_seen, *widths, *indices;

static void room(void) {
    counts = malloc(sizeof(double) * arms);
    sums = malloc(sizeof(double) * arms);
    means_seen = malloc(sizeof(double) * arms);
    widths = malloc(sizeof(double) * arms);
    indices = malloc(sizeof(double) * arms);
}

static void reset(void) {
    memset(counts, 0, sizeof(double) * arms);
    memset(sums, 0, sizeof(double) * arms);
    memset(means_seen, 0, sizeof(double) * arms);
    for (int arm = 0; arm < arms; arm++) widths[arm] = INFINITY;
}

static inline int select_arm(int64_t step, uint64_t *stream) {
    double factor = sqrt(2.0 * log(step > 2 ? step : 2));
    for (int arm = 0; arm < arms; arm++) indices[arm] = means_seen[arm] - factor * widths[arm];
    return lowest(indices, stream);
}

static inline void update(int arm, double loss) {
    counts[arm] += 1.0;
    sums[arm] += loss;
    means_seen[arm] = sums[arm] / counts[arm];
    widths[arm] = 1.0 / sqrt(counts[arm]);
}
