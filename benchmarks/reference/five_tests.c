/* The five tests of the Batch Ensemble paper, by a program that shares nothing with the library.
 *
 * Everything is written out as its paper defines it, with whole histories and no short cuts, and with
 * random numbers of its own. Losses; regret is the sum of gaps; ties are broken at random.
 *
 * usage: five_tests RULE TEST HORIZON RUNS SEED
 * prints: mean regret and its standard error.
 */
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_ARMS = 10, MOST_STEPS = 20000, MOST_SUBSETS = 2000, MOST_BATCHES = 32 };

/* ---- random numbers: xoshiro256** of Blackman and Vigna ---- */
static uint64_t word[4];
static uint64_t rotated(uint64_t x, int k) { return (x << k) | (x >> (64 - k)); }
static uint64_t bits(void) {
    uint64_t result = rotated(word[1] * 5, 7) * 9, shifted = word[1] << 17;
    word[2] ^= word[0]; word[3] ^= word[1]; word[1] ^= word[2]; word[0] ^= word[3];
    word[2] ^= shifted; word[3] = rotated(word[3], 45);
    return result;
}
static void seed(uint64_t number) {
    for (int i = 0; i < 4; i++) {
        number += 0x9E3779B97F4A7C15ull;
        uint64_t z = (number ^ (number >> 30)) * 0xBF58476D1CE4E5B9ull;
        z = (z ^ (z >> 27)) * 0x94D049BB133111EBull;
        word[i] = z ^ (z >> 31);
    }
}
static double uniform(void) { return ((bits() >> 11) + 0.5) * 0x1p-53; } /* in (0, 1) */
static int below(int n) { return (int)(uniform() * n); }
static double exponential(void) { return -log(uniform()); }
static double normal(void) { return sqrt(2 * exponential()) * cos(2 * M_PI * uniform()); }
static double gamma_draw(double shape) { /* Marsaglia and Tsang (2000), shape at least 1 */
    double d = shape - 1.0 / 3.0, c = 1 / sqrt(9 * d);
    for (;;) {
        double x = normal(), v = pow(1 + c * x, 3);
        if (v > 0 && log(uniform()) < x * x / 2 + d - d * v + d * log(v)) return d * v;
    }
}
static double beta_draw(double a, double b) {
    double x = gamma_draw(a);
    return x / (x + gamma_draw(b));
}

/* ---- the arms ---- */
static int test, arms;
static double mu[MOST_ARMS];
static void draw_arms(void) {
    static const double first[] = {0.001, 0.15, 0.2, 0.25, 0.3};
    arms = test == 1 ? 5 : 10;
    for (int a = 0; a < arms; a++)
        mu[a] = test == 1 ? first[a] : test == 2 ? 0.90 + 0.01 * a : uniform();
}
static double loss_of(int a) {
    if (test <= 3) return uniform() < mu[a];
    return test == 4 ? mu[a] + normal() : mu[a] * exponential();
}

/* ---- what has been seen ---- */
static int n[MOST_ARMS], horizon;
static double history[MOST_ARMS][MOST_STEPS];
static double sum_of(const double *x, int count) {
    double sum = 0;
    for (int i = 0; i < count; i++) sum += x[i];
    return sum;
}
static double total[MOST_ARMS], squares[MOST_ARMS];
static double mean_of(int a) { return total[a] / n[a]; }

static int lowest(const double *index) {
    int chosen = 0, tied = 0;
    for (int a = 0; a < arms; a++) {
        if (a && index[a] > index[chosen]) continue;
        tied = (a && index[a] == index[chosen]) ? tied + 1 : 1;
        if (below(tied) == 0) chosen = a;
    }
    return chosen;
}

/* ---- indices: the arm of lowest index is played; -infinity before the first loss ---- */
static double divergence(double m, double q) { /* of the test's family */
    if (test == 4) return (m - q) * (m - q) / 2;
    if (test == 5) return m / q - 1 - log(m / q);
    double one = m > 0 ? m * log(m / q) : 0, zero = m < 1 ? (1 - m) * log((1 - m) / (1 - q)) : 0;
    return one + zero;
}
static double kl_bound(int a, double budget) {
    double m = mean_of(a);
    if (test == 4) return m - sqrt(2 * budget / n[a]);
    if (m == 0) return 0;
    double low = 0, high = m;
    for (int i = 0; i < 45; i++) {
        double middle = (low + high) / 2;
        if (n[a] * divergence(m, middle) <= budget) high = middle; else low = middle;
    }
    return high;
}
static double kinf(int a, double q) { /* max over l in [0, 1/q] of mean log(1 + l (X - q)) */
    if (q >= mean_of(a)) return 0;
    if (q <= 0) return INFINITY;
    double low = 0, high = 1 / q;
    for (int i = 0; i < 40; i++) { /* the function is concave: bisect its slope */
        double l = (low + high) / 2, slope = 0;
        for (int j = 0; j < n[a]; j++) slope += (history[a][j] - q) / (1 + l * (history[a][j] - q));
        if (slope > 0) low = l; else high = l;
    }
    double value = 0;
    for (int j = 0; j < n[a]; j++) value += log(1 + low * (history[a][j] - q));
    return value / n[a];
}

/* ---- MARS: the index is set when an arm is played, and kept until it is played again ---- */
static int subsets, members[MOST_ARMS][MOST_SUBSETS];
static double member_sum[MOST_ARMS][MOST_SUBSETS], kept_index[MOST_ARMS];
static void mars_update(int a, double loss) {
    double least = INFINITY, smallest = INFINITY;
    for (int j = 0; j < subsets; j++) {
        if (bits() >> 63) { members[a][j]++; member_sum[a][j] += loss; }
        if (members[a][j]) least = fmin(least, member_sum[a][j] / members[a][j]);
    }
    for (int i = 0; i < n[a]; i++) smallest = fmin(smallest, history[a][i]);
    if (pow(2, n[a]) >= subsets) kept_index[a] = least;
    else kept_index[a] = uniform() < pow(2, n[a]) / subsets ? smallest : -INFINITY;
}

/* ---- Batch Ensemble ---- */
static int batches, count[MOST_ARMS][MOST_BATCHES];
static double batch_sum[MOST_ARMS][MOST_BATCHES];
static void give(int a, int batch, double loss) { count[a][batch]++; batch_sum[a][batch] += loss; }
static void deal_again(void) {
    memset(count, 0, sizeof count);
    memset(batch_sum, 0, sizeof batch_sum);
    for (int a = 0; a < arms; a++)
        for (int i = 0; i < n[a]; i++) give(a, i % batches, history[a][i]);
}
static void feed_smallest(int a, double loss) {
    int smallest = 0;
    for (int j = 1; j < batches; j++) if (count[a][j] < count[a][smallest]) smallest = j;
    give(a, smallest, loss);
}
static double lowest_batch(int a) {
    double index = INFINITY;
    for (int j = 0; j < batches; j++) index = fmin(index, batch_sum[a][j] / (count[a][j] + 2));
    return index;
}

/* ---- duels of sub-samples, in rounds ---- */
static int queue[MOST_ARMS], queued, round_number, leader;
static void choose_leader(void) {
    int best = -1, tied = 0, before = leader, before_tied = 0;
    for (int a = 0; a < arms; a++) {
        int better = best < 0 || n[a] > n[best] || (n[a] == n[best] && mean_of(a) < mean_of(best));
        int equal = !better && n[a] == n[best] && mean_of(a) == mean_of(best);
        if (!better && !equal) continue;
        if (better) { tied = 0; before_tied = 0; }
        if (a == before) before_tied = 1;
        if (below(++tied) == 0) best = a; else if (better) best = a;
    }
    leader = before_tied ? before : best;
}
static void next_round(int last_block, int forced) {
    round_number++;
    queued = 0;
    if (round_number == 1) {
        for (int a = 0; a < arms; a++) queue[queued++] = a;
    } else {
        choose_leader();
        for (int a = 0; a < arms; a++) {
            if (a == leader || n[a] == n[leader]) continue;
            int others = n[leader] - n[a], first = last_block ? others : below(others + 1);
            int wins = total[a] <= sum_of(history[leader] + first, n[a]) + 1e-9;
            if (wins || (forced && n[a] < sqrt(log(round_number)))) queue[queued++] = a;
        }
        if (!queued) queue[queued++] = leader;
    }
    for (int i = queued - 1; i > 0; i--) { /* in random order */
        int j = below(i + 1), other = queue[i];
        queue[i] = queue[j];
        queue[j] = other;
    }
}

/* ---- the rules ---- */
static const char *rule;
static int is(const char *name) { return !strcmp(rule, name); }
static int starts(const char *name) { return !strncmp(rule, name, strlen(name)); }

static double index_of(int a, int t, double best_mean) {
    if (starts("batch")) return lowest_batch(a);
    if (starts("mars")) return n[a] ? kept_index[a] : -INFINITY;
    if (is("npts")) { /* weights of a flat Dirichlet law over the losses and one of 0 */
        double weights = exponential(), weighted = 0;
        for (int i = 0; i < n[a]; i++) {
            double weight = exponential();
            weights += weight;
            weighted += weight * history[a][i];
        }
        return weighted / weights;
    }
    if (is("thompson") && test <= 3) return beta_draw(1 + total[a], 1 + n[a] - total[a]);
    if (!n[a]) return -INFINITY;
    double m = mean_of(a), variance = fmax(0, squares[a] / n[a] - m * m);
    if (is("thompson")) return test == 4 ? m + normal() / sqrt(n[a]) : total[a] / gamma_draw(n[a]);
    if (is("ucb1")) return m - sqrt(2 * log(t) / n[a]);
    if (is("ucb-v")) return m - sqrt(2 * variance * log(t) / n[a]) - 3 * log(t) / n[a];
    if (is("kl-ucb")) return kl_bound(a, log(t));
    if (is("kl-ucb-loglog")) return kl_bound(a, log(t) + 3 * log(log(t)));
    if (is("imed")) return n[a] * kinf(a, best_mean) + log(n[a]);
    fprintf(stderr, "unknown rule %s\n", rule);
    exit(2);
}

static int choose(int t) {
    if (starts("rb-sda") || starts("lb-sda")) {
        if (!queued) next_round(starts("lb"), strstr(rule, "forced") != NULL);
        return queue[--queued];
    }
    double share = 0; /* batch-log-0.3-append: floor(0.3 log t) batches, at least one */
    if (sscanf(rule, "batch-log-%lf", &share) == 1) {
        int wanted = (int)fmax(1, floor(share * log(t)));
        if (wanted > batches) {
            batches = wanted;
            if (strstr(rule, "redistribute")) deal_again();
        }
    }
    double index[MOST_ARMS], best_mean = INFINITY;
    for (int a = 0; a < arms; a++) if (n[a]) best_mean = fmin(best_mean, mean_of(a));
    for (int a = 0; a < arms; a++) index[a] = index_of(a, t, best_mean);
    return lowest(index);
}

static void take_in(int a, double loss) {
    history[a][n[a]++] = loss;
    total[a] += loss;
    squares[a] += loss * loss;
    if (starts("mars")) mars_update(a, loss);
    if (!starts("batch")) return;
    if (strstr(rule, "append")) feed_smallest(a, loss);
    else give(a, (n[a] - 1) % batches, loss);
}

static double regret_of_a_run(void) {
    memset(n, 0, sizeof n);
    memset(total, 0, sizeof total);
    memset(squares, 0, sizeof squares);
    memset(members, 0, sizeof members);
    memset(member_sum, 0, sizeof member_sum);
    memset(count, 0, sizeof count);
    memset(batch_sum, 0, sizeof batch_sum);
    queued = round_number = 0;
    leader = -1;
    batches = 1;
    sscanf(rule, "batch-%d", &batches);
    if (starts("mars")) sscanf(rule, "mars-%d", &subsets);
    draw_arms();
    double least = INFINITY, regret = 0;
    for (int a = 0; a < arms; a++) least = fmin(least, mu[a]);
    for (int t = 1; t <= horizon; t++) {
        int a = choose(t);
        take_in(a, loss_of(a));
        regret += mu[a] - least;
    }
    return regret;
}

int main(int argc, char **argv) {
    if (argc != 6) return 2;
    rule = argv[1];
    test = atoi(argv[2]);
    horizon = atoi(argv[3]);
    int runs = atoi(argv[4]);
    if (test < 1 || test > 5 || horizon < 1 || horizon > MOST_STEPS || runs < 2) return 2;
    double sum = 0, sum_of_squares = 0;
    for (int run = 0; run < runs; run++) {
        seed(1000003ull * (uint64_t)atoi(argv[5]) + (uint64_t)run);
        double regret = regret_of_a_run();
        sum += regret;
        sum_of_squares += regret * regret;
    }
    double mean = sum / runs, variance = (sum_of_squares - runs * mean * mean) / (runs - 1);
    printf("%.4f %.4f\n", mean, sqrt(variance / runs));
    return 0;
}
