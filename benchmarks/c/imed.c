/* IMED for coins: the least evidence against an arm, given the lowest mean of all. */
#include "tangents.h"

static inline double index_at(int arm, double x, double *slope) {
    double mean = means_seen[arm], count = counts[arm];
    if (mean <= x) {
        *slope = 0.0;
        return log(count);
    }
    *slope = count * steepness(mean, x);
    return count * divergence(mean, x) + log(count);
}

static inline int select_arm(int64_t step, uint64_t *stream) {
    (void)step;
    double least = means_seen[0];
    for (int arm = 1; arm < arms; arm++) least = means_seen[arm] < least ? means_seen[arm] : least;
    return lowest_lazily(least, stream);
}
