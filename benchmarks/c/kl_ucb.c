/* KL-UCB for coins: the lowest mean that the arm's losses do not speak against too much. */
#include "tangents.h"

static inline double lowest_mean(double x, double budget) {
    if (budget <= 0.0 || x <= 0.0) return x;
    if (x >= 1.0) return exp(-budget);
    if (budget > 700.0 * x) return 0.0;
    double y = x - sqrt(2.0 * budget * (x < 0.5 ? x * (1.0 - x) : 0.25));
    double log_y = log(x) - 1.0 - budget / x;
    if (y > 0.0) log_y = fmax(log_y, log(y));
    for (int i = 0; i < 64; i++) {
        y = exp(log_y);
        double excess = divergence(x, y) - budget;
        if (excess <= 0.0 || y >= x) break;
        double step = excess * (1.0 - y) / (x - y);
        log_y += step;
        if (step * x <= 1e-7 * (x - y)) break;
    }
    return fmin(exp(log_y), x);
}

static inline double index_at(int arm, double x, double *slope) {
    double mean = means_seen[arm], index = lowest_mean(mean, x / counts[arm]);
    if (index >= mean) {
        *slope = 0.0;
        return mean;
    }
    *slope = 1.0 / (counts[arm] * steepness(mean, index));
    return index;
}

static inline int select_arm(int64_t step, uint64_t *stream) {
    return lowest_lazily(log(step), stream);
}
