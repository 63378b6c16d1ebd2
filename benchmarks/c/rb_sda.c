/* RB-SDA: rounds of duels with a random block of the leader's losses. Each arm has room for all
 * steps of a run, so that nothing is ever moved. */
#include "loop.h"

#define ROUNDING 1e-12
#define ROOM 65536 /* steps of a run, at most */

static double *history, *totals, *sizes, origin;
static int64_t *counts, round_number;
static int *queue, waiting, leader;

static void room(void) {
    history = malloc(sizeof(double) * arms * ROOM);
    totals = malloc(sizeof(double) * arms);
    sizes = malloc(sizeof(double) * arms);
    counts = malloc(sizeof(int64_t) * arms);
    queue = malloc(sizeof(int) * arms);
}

static void reset(void) {
    memset(totals, 0, sizeof(double) * arms);
    memset(sizes, 0, sizeof(double) * arms);
    memset(counts, 0, sizeof(int64_t) * arms);
    origin = NAN;
    round_number = waiting = 0;
    leader = -1;
}

static inline int integer(uint64_t *stream, int64_t n) { return (int)(uniform(stream) * n); }

static inline int at_most(double a, double b, double size) { return a <= b + ROUNDING * size; }

static inline double sum_of_first(int arm, int64_t n) {
    return n > 0 ? history[(int64_t)arm * ROOM + n - 1] : 0.0;
}

static inline int as_good(int arm, int best) {
    return counts[arm] == counts[best] &&
           at_most(totals[arm], totals[best], sizes[arm] + sizes[best]);
}

static inline int choose_leader(uint64_t *stream) {
    int best = 0;
    for (int arm = 1; arm < arms; arm++) {
        int64_t more = counts[arm] - counts[best];
        if (more > 0 || (more == 0 && totals[arm] < totals[best])) best = arm;
    }
    if (leader >= 0 && as_good(leader, best)) return leader;
    int tied = 0, chosen = best;
    for (int arm = 0; arm < arms; arm++)
        if (as_good(arm, best)) {
            tied++;
            if (tied == 1 || integer(stream, tied) == 0) chosen = arm;
        }
    return chosen;
}

static inline int duel(int arm, uint64_t *stream) {
    int64_t n = counts[arm], first = integer(stream, counts[leader] - n + 1);
    double block = sum_of_first(leader, first + n) - sum_of_first(leader, first);
    return at_most(totals[arm], block, sizes[arm] + sizes[leader]);
}

static inline int fight(uint64_t *stream) {
    leader = choose_leader(stream);
    int winners = 0;
    for (int arm = 0; arm < arms; arm++)
        if (counts[arm] < counts[leader] && duel(arm, stream)) queue[winners++] = arm;
    if (winners == 0) queue[winners++] = leader;
    return winners;
}

static inline int select_arm(int64_t step, uint64_t *stream) {
    (void)step;
    if (waiting == 0) {
        if (++round_number == 1) {
            for (int arm = 0; arm < arms; arm++) queue[arm] = arm;
            waiting = arms;
        } else {
            waiting = fight(stream);
        }
        for (int i = waiting - 1; i > 0; i--) {
            int j = integer(stream, i + 1), arm = queue[i];
            queue[i] = queue[j];
            queue[j] = arm;
        }
    }
    return queue[waiting - 1];
}

static inline void update(int arm, double loss) {
    if (isnan(origin)) origin = loss;
    loss -= origin;
    totals[arm] += loss;
    sizes[arm] += fabs(loss);
    history[(int64_t)arm * ROOM + counts[arm]++] = totals[arm];
    if (waiting > 0 && queue[waiting - 1] == arm) waiting--;
}
