/* Arms whose index is a convex function of one number x: most are not worked out, since a tangent
 * taken earlier is above another arm's index. A policy defines `index_at`.
 */
#include "loop.h"

#define UNKNOWN (-1.7976931348623157e308)
#define MARGIN 1e-14
#define LIKELIEST 4

static double *counts, *sums, *means_seen;
static double *points, *heights, *intercepts, *slopes, *indices;

static inline double index_at(int arm, double x, double *slope);

static void room(void) {
    double **arrays[] = {&counts,     &sums,   &means_seen, &points, &heights,
                         &intercepts, &slopes, &indices};
    for (int i = 0; i < 8; i++) *arrays[i] = malloc(sizeof(double) * arms);
}

static void reset(void) {
    for (int arm = 0; arm < arms; arm++) {
        counts[arm] = sums[arm] = means_seen[arm] = slopes[arm] = indices[arm] = 0.0;
        points[arm] = NAN;
        heights[arm] = intercepts[arm] = -INFINITY;
    }
}

static inline void update(int arm, double loss) {
    counts[arm] += 1.0;
    sums[arm] += loss;
    means_seen[arm] = sums[arm] / counts[arm];
    points[arm] = NAN;
    intercepts[arm] = UNKNOWN;
    slopes[arm] = 0.0;
}

static inline int first_to_work_out(double x) {
    double least = INFINITY;
    int unknown = -1;
    for (int arm = 0; arm < arms; arm++)
        if (indices[arm] <= least) {
            int known = points[arm] == x;
            if (indices[arm] < least || !known) {
                least = indices[arm];
                unknown = known ? -1 : arm;
            }
        }
    return least == -INFINITY ? -1 : unknown;
}

static inline int next_to_work_out(double x, int place, double least) {
    for (int arm = place; arm < arms; arm++)
        if (indices[arm] <= least && points[arm] != x) return arm;
    return -1;
}

static inline int lowest_lazily(double x, uint64_t *stream) {
    for (int arm = 0; arm < arms; arm++)
        indices[arm] = points[arm] == x ? heights[arm] : intercepts[arm] + slopes[arm] * x;
    double least = INFINITY;
    int done = 0, arm = first_to_work_out(x);
    while (arm >= 0) {
        double slope, height = index_at(arm, x, &slope);
        points[arm] = x;
        heights[arm] = indices[arm] = height;
        if (isfinite(height) && isfinite(slope)) {
            double rise = slope * x;
            slopes[arm] = slope;
            intercepts[arm] = height - rise - MARGIN * (fabs(height) + fabs(rise));
        } else {
            slopes[arm] = 0.0;
            intercepts[arm] = UNKNOWN;
        }
        if (height < least) least = height;
        done++;
        arm = done < LIKELIEST ? first_to_work_out(x)
                               : next_to_work_out(x, done > LIKELIEST ? arm + 1 : 0, least);
    }
    return lowest(indices, stream);
}

static inline double log_ratio(double a, double b, double difference) {
    return 0.5 * b < a && a < 2.0 * b ? log1p(difference / b) : log(a / b);
}

/* The Kullback-Leibler divergence of coins, and its derivative in y. */
static inline double divergence(double x, double y) {
    double sum = 0.0;
    if (x > 0.0) {
        if (y <= 0.0) return INFINITY;
        sum += x * log_ratio(x, y, x - y);
    }
    if (x < 1.0) {
        if (y >= 1.0) return INFINITY;
        sum += (1.0 - x) * log_ratio(1.0 - x, 1.0 - y, y - x);
    }
    return sum > 0.0 ? sum : 0.0;
}

static inline double steepness(double x, double y) {
    if (y >= x) return 0.0;
    return y > 0.0 ? (y - x) / (y * (1.0 - y)) : -INFINITY;
}
