/* Batch Ensemble with a fixed number of batches. With -DWINNER the lone arm of lowest index is
 * remembered until an index changes, as the library does; without, all arms are looked at in each
 * step. With -DSUMS nothing but sums and counts is kept of a batch, as in the library, and estimates
 * are worked out again. */
#include "loop.h"

static double *sums, *estimates, *indices;
static int64_t *counts, *next_batch;
static int winner = -1;

static void room(void) {
    sums = malloc(sizeof(double) * arms * batches);
    estimates = malloc(sizeof(double) * arms * batches);
    counts = malloc(sizeof(int64_t) * arms * batches);
    indices = malloc(sizeof(double) * arms);
    next_batch = malloc(sizeof(int64_t) * arms);
}

static void reset(void) {
    memset(sums, 0, sizeof(double) * arms * batches);
    memset(estimates, 0, sizeof(double) * arms * batches);
    memset(counts, 0, sizeof(int64_t) * arms * batches);
    memset(indices, 0, sizeof(double) * arms);
    memset(next_batch, 0, sizeof(int64_t) * arms);
    winner = -1;
}

static inline int select_arm(int64_t step, uint64_t *stream) {
    (void)step;
#ifdef WINNER
    if (winner >= 0) return winner;
    uint64_t before = *stream;
    int arm = lowest(indices, stream);
    if (*stream == before) winner = arm; /* no tie was drawn */
    return arm;
#else
    return lowest(indices, stream);
#endif
}

static inline void update(int arm, double loss) {
    int64_t batch = next_batch[arm], at = (int64_t)arm * batches + batch;
    next_batch[arm] = batch + 1 < batches ? batch + 1 : 0;
    sums[at] += loss;
    counts[at] += 1;
#ifdef SUMS
    double before = counts[at] > 1 ? (sums[at] - loss) / (counts[at] + 1.0) : 0.0;
    double now = sums[at] / (counts[at] + 2.0);
#else
    double before = estimates[at], now = sums[at] / (counts[at] + 2.0);
    estimates[at] = now;
#endif
    if (now < indices[arm]) {
        winner = -1;
        indices[arm] = now;
    } else if (before == indices[arm] && now > indices[arm]) {
        winner = -1;
#ifdef SUMS
        double least = INFINITY;
        for (int64_t j = (int64_t)arm * batches; j < ((int64_t)arm + 1) * batches; j++) {
            double estimate = counts[j] > 0 ? sums[j] / (counts[j] + 2.0) : 0.0;
            least = estimate < least ? estimate : least;
        }
#else
        const double *row = estimates + (int64_t)arm * batches;
        double least = row[0];
        for (int j = 1; j < batches; j++) least = row[j] < least ? row[j] : least;
#endif
        indices[arm] = least;
    }
}
