/* UCB1 with each arm's mean and 1/sqrt(n) kept, and small logarithms looked up: the same rule and
 * the same work at each step.
 */
#include "loop.h"

#define TABLE 4096

static double *counts, *sums, *means_seen, *widths, *indices, logs[TABLE];

static void room(void) {
    counts = malloc(sizeof(double) * arms);
    sums = malloc(sizeof(double) * arms);
    means_seen = malloc(sizeof(double) * arms);
    widths = malloc(sizeof(double) * arms);
    indices = malloc(sizeof(double) * arms);
    for (int number = 1; number < TABLE; number++) logs[number] = log(number);
}

static void reset(void) {
    memset(counts, 0, sizeof(double) * arms);
    memset(sums, 0, sizeof(double) * arms);
    memset(means_seen, 0, sizeof(double) * arms);
    for (int arm = 0; arm < arms; arm++) widths[arm] = INFINITY;
}

static inline int select_arm(int64_t step, uint64_t *stream) {
    int64_t number = step > 2 ? step : 2;
    double factor = sqrt(2.0 * (number < TABLE ? logs[number] : log(number)));
    double least = INFINITY;
    int best = 0, tied = 0;
    for (int arm = 0; arm < arms; arm++) {
        double index = means_seen[arm] - factor * widths[arm];
        indices[arm] = index;
        if (index < least) {
            least = index;
            best = arm;
            tied = 1;
        } else if (index == least) {
            tied++;
        }
    }
    return tied == 1 ? best : lowest(indices, stream);
}

static inline void update(int arm, double loss) {
    counts[arm] += 1.0;
    sums[arm] += loss;
    means_seen[arm] = sums[arm] / counts[arm];
    widths[arm] = 1.0 / sqrt(counts[arm]);
}
