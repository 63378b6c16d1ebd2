/* Batch-ensemble value iteration, reading "pairs", with exact evaluation of every episode's policy.
 *
 * usage: PROGRAM river|sea BATCHES EPISODES RUNS; prints: CPU seconds, mean regret.
 * It plans only what changed, as the library does; with -DPLAIN it plans everything each time.
 */
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define GOLDEN 0x9E3779B97F4A7C15ull
#define STRIDE 0xD1342543DE82EF95ull
#define PADDING 1.0

enum { H = 20, MOST_S = 20, A = 2, B = 3, MOST_L = 64 };

/* The model: one group of tables for all stages, or one for each. */
static int S, G, L;
static double chance[H][MOST_S][A][B], cumulative[H][MOST_S][A][B], loss_of[H][MOST_S][A];
static int length[H][MOST_S][A], next_of[H][MOST_S][A][B], reached[H][MOST_S], n_reached[H];
static int earliest[MOST_S];
static double slack[H];

/* What is remembered, and the plan. */
static double counts[H][MOST_S][A][MOST_L], sums[H][MOST_S][A][MOST_L];
static double arrivals[H][MOST_S][A][B][MOST_L];
static int batch_of[H][MOST_S][A], known[H][MOST_S][A], successors[H][MOST_S][A][B];
static int fresh[H][MOST_S], n_fresh[H], is_fresh[H][MOST_S];
static int leads[H][MOST_S], edge_state[H * MOST_S * A * B], next_edge[H * MOST_S * A * B], n_edges;
static int policy[H][MOST_S], kept[H][MOST_S], agenda[2][MOST_S], marks[MOST_S], stamp;
static double values[H + 1][MOST_S], worth[H + 1][MOST_S];
static int64_t visits[H * MOST_S * A];

static inline uint64_t mix(uint64_t word) {
    word = (word ^ (word >> 30)) * 0xBF58476D1CE4E5B9ull;
    word = (word ^ (word >> 27)) * 0x94D049BB133111EBull;
    return word ^ (word >> 31);
}

static inline double uniform(uint64_t *stream) {
    *stream += GOLDEN;
    return (double)(int64_t)(mix(*stream) >> 11) * 0x1p-53;
}

static void put(int g, int s, int a, int next, double p, double loss) {
    int i = length[g][s][a]++;
    chance[g][s][a][i] = p;
    cumulative[g][s][a][i] = p + (i ? cumulative[g][s][a][i - 1] : 0.0);
    next_of[g][s][a][i] = next;
    loss_of[g][s][a] = loss;
}

static void make_river(void) {
    S = 6, G = 1;
    for (int s = 0; s < S; s++) {
        put(0, s, 0, s ? s - 1 : 0, 1.0, s ? 1.0 : 0.995);
        double loss = s == S - 1 ? 0.0 : 1.0;
        if (s == 0) {
            put(0, s, 1, 0, 0.4, loss), put(0, s, 1, 1, 0.6, loss);
        } else if (s == S - 1) {
            put(0, s, 1, s - 1, 0.4, loss), put(0, s, 1, s, 0.6, loss);
        } else {
            put(0, s, 1, s - 1, 0.05, loss), put(0, s, 1, s, 0.6, loss);
            put(0, s, 1, s + 1, 0.35, loss);
        }
    }
}

static void make_sea(void) {
    S = H, G = H;
    for (int h = 0; h < H; h++) {
        slack[h] = h == H - 1 ? 0.0 : -1.0; /* no return exceeds 1 */
        for (int s = 0; s < S; s++) {
            int right = (int)(mix(42 + h * S + s) & 1), last = s == S - 1;
            put(h, s, right, last ? s : s + 1, 1.0, 1.0 + 0.01 / S - last);
            put(h, s, 1 - right, s ? s - 1 : 0, 1.0, 1.0);
        }
    }
}

static void find_reached(void) {
    int now[MOST_S] = {1};
    for (int s = 0; s < S; s++) earliest[s] = H;
    for (int h = 0; h < H; h++) {
        int then[MOST_S] = {0}, g = G == 1 ? 0 : h;
        for (int s = 0; s < S; s++) {
            if (!now[s]) continue;
            reached[h][n_reached[h]++] = s;
            if (earliest[s] > h) earliest[s] = h;
            for (int a = 0; a < A; a++)
                for (int i = 0; i < length[g][s][a]; i++) then[next_of[g][s][a][i]] = 1;
        }
        memcpy(now, then, sizeof now);
    }
}

static inline double value_of(int g, int s, int a, const double *ahead) {
    double value = loss_of[g][s][a];
    for (int i = 0; i < length[g][s][a]; i++) value += chance[g][s][a][i] * ahead[next_of[g][s][a][i]];
    return value;
}

static double optimum(void) {
    for (int h = H - 1; h >= 0; h--)
        for (int s = 0; s < S; s++) {
            double left = value_of(G == 1 ? 0 : h, s, 0, worth[h + 1]);
            double right = value_of(G == 1 ? 0 : h, s, 1, worth[h + 1]);
            worth[h][s] = left < right ? left : right;
        }
    return worth[0][0];
}

static double evaluate(void) {
    for (int h = H - 1; h >= 0; h--)
        for (int i = 0; i < n_reached[h]; i++) {
            int s = reached[h][i];
            worth[h][s] = value_of(G == 1 ? 0 : h, s, kept[h][s], worth[h + 1]);
        }
    return worth[0][0];
}

static inline int choose(int g, int h, int s, uint64_t *stream) {
    double bids[A];
    const double *ahead = values[h + 1];
    for (int a = 0; a < A; a++) {
        double lowest = INFINITY;
        for (int j = 0; j < L; j++) {
            double count = counts[g][s][a][j], total = 0.0;
            if (count > 0.0) {
                total = sums[g][s][a][j] + count * slack[h];
                for (int i = 0; i < known[g][s][a]; i++)
                    total += arrivals[g][s][a][i][j] * ahead[successors[g][s][a][i]];
                total /= count + PADDING;
            }
            if (total < lowest) lowest = total;
        }
        bids[a] = lowest;
    }
    int action = bids[1] < bids[0];
    if (bids[0] == bids[1]) action = (int)(uniform(stream) * 2);
    double value = bids[action] > 0.0 ? bids[action] : 0.0;
    int changed = value != values[h][s];
    policy[h][s] = action;
    values[h][s] = value;
    return changed;
}

static inline int put_due(int h, int due, int s) {
    if (marks[s] == stamp || earliest[s] > h) return due;
    marks[s] = stamp;
    agenda[h % 2][due] = s;
    return due + 1;
}

static void plan(int everything, uint64_t *stream) {
    int changed = 0;
    for (int h = H - 1; h >= 0; h--) {
        int g = G == 1 ? 0 : h, due = 0;
        stamp++;
        if (everything) {
            for (int s = 0; s < S; s++) due = put_due(h, due, s);
        } else {
            for (int i = 0; i < n_fresh[g]; i++) due = put_due(h, due, fresh[g][i]);
            for (int i = 0; i < changed; i++)
                for (int e = leads[g][agenda[(h + 1) % 2][i]]; e >= 0; e = next_edge[e])
                    due = put_due(h, due, edge_state[e]);
        }
        changed = 0;
        for (int i = 0; i < due; i++) {
            int s = agenda[h % 2][i];
            if (choose(g, h, s, stream)) agenda[h % 2][changed++] = s;
        }
    }
    for (int g = 0; g < G; g++) {
        for (int i = 0; i < n_fresh[g]; i++) is_fresh[g][fresh[g][i]] = 0;
        n_fresh[g] = 0;
    }
}

static inline void update(int g, int s, int a, double loss, int next) {
    int j = batch_of[g][s][a], i = 0, all = known[g][s][a];
    batch_of[g][s][a] = j + 1 < L ? j + 1 : 0;
    counts[g][s][a][j] += 1.0;
    sums[g][s][a][j] += loss;
    while (i < all && successors[g][s][a][i] != next) i++;
    if (i == all) {
        successors[g][s][a][i] = next;
        known[g][s][a] = all + 1;
        edge_state[n_edges] = s;
        next_edge[n_edges] = leads[g][next];
        leads[g][next] = n_edges++;
    }
    arrivals[g][s][a][i][j] += 1.0;
    if (!is_fresh[g][s]) {
        is_fresh[g][s] = 1;
        fresh[g][n_fresh[g]++] = s;
    }
}

static void reset(void) {
    memset(counts, 0, sizeof counts), memset(sums, 0, sizeof sums);
    memset(arrivals, 0, sizeof arrivals), memset(batch_of, 0, sizeof batch_of);
    memset(known, 0, sizeof known), memset(leads, -1, sizeof leads);
    memset(n_fresh, 0, sizeof n_fresh), memset(is_fresh, 0, sizeof is_fresh);
    memset(values, 0, sizeof values), memset(visits, 0, sizeof visits);
    memset(kept, -1, sizeof kept);
    n_edges = 0;
}

static int keep_policy(void) {
    int changed = 0;
    for (int h = 0; h < H; h++)
        for (int i = 0; i < n_reached[h]; i++) {
            int s = reached[h][i];
            if (policy[h][s] != kept[h][s]) changed = 1, kept[h][s] = policy[h][s];
        }
    return changed;
}

int main(int argc, char **argv) {
    if (argc != 5) return 2;
    strcmp(argv[1], "sea") ? make_river() : make_sea();
    L = atoi(argv[2]);
    if (L < 1 || L > MOST_L) return 2;
    int64_t episodes = atoll(argv[3]), runs = atoll(argv[4]);
    find_reached();
    double best = optimum(), regret = 0.0, lost = 0.0;
    struct timespec begin, end;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &begin);
    for (int64_t run = 0; run < runs; run++) {
        uint64_t key = mix(1 + run * GOLDEN), stream = mix(2 + run * GOLDEN);
        reset();
        for (int64_t k = 1; k <= episodes; k++) {
#ifdef PLAIN
            plan(1, &stream);
#else
            plan(k == 1, &stream);
#endif
            if (keep_policy()) lost = evaluate() - best;
            regret += lost;
            int s = 0;
            for (int h = 0; h < H; h++) {
                int g = G == 1 ? 0 : h, a = policy[h][s], place = (h * S + s) * A + a, i = 0;
                uint64_t draws = mix(key + (uint64_t)(place + 1) * GOLDEN) + visits[place]++ * STRIDE;
                if (length[g][s][a] > 1) {
                    double at = uniform(&draws);
                    while (i + 1 < length[g][s][a] && at >= cumulative[g][s][a][i]) i++;
                }
                int next = next_of[g][s][a][i];
                update(g, s, a, loss_of[g][s][a], next);
                s = next;
            }
        }
    }
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &end);
    printf("%.9f %.17g\n", (end.tv_sec - begin.tv_sec) + 1e-9 * (end.tv_nsec - begin.tv_nsec),
           regret / runs);
    return 0;
}
