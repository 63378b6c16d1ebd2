"""The file that `lowbid init --sweep` writes."""

SWEEP_TEMPLATE = """\
# A sweep for lowbid: run it with `lowbid sweep FILE`, see the plan with `--dry-run`.
# It can be stopped at any time; the same command continues, even if lines were added meanwhile.

title = "My sweep"
horizons = [1_000, 10_000]  # steps in a run; each horizon is simulated separately
runs = 100                  # independent runs in each cell
seeds = [0]                 # every cell is played with each seed

# Instead of a fixed number of runs: the first `runs` decide how many further ones a cell needs for
# a mean that is precise to 5%, and are then left out, so that intervals stay valid.
# precision = 0.05
# most_runs = 10_000

# Settings are chosen on some environments (names or groups) and judged on others.
# This line must come before the tables below.
tune = { on = ["choosing"], judge = ["judging"] }

# Policies: one table each. A list gives several values, a table {from, to, step} or {from, to,
# count, log} a range; all combinations are played.
[[policies]]
policy = "batch-ensemble"
name = "ensemble"            # its name in tables, followed by the parameters that vary
padding = [1, 2, 4]
batches = { from = 2, to = 4, step = 1 }

# These pairs only:
[[policies]]
policy = "batch-ensemble"
name = "schedules"
pairs = [
  { batches = "log(0.4)", growth = "append" },
  { batches = "log(0.6, 2)", growth = "redistribute" },
]

[[policies]]
policy = "batch-likelihood"

# A slow rule: a fifth of the runs, and no horizon beyond 1,000 steps.
[[policies]]
policy = "besa"
longest = 1_000
share = 0.2

# A rule that must know the range of the losses is told the range, and plays where there is one.
# Other facts: lowest, gaussian, exponential, gap, horizon.
[[policies]]
policy = "ucb1"
told = "range"

# Environments: a family and its parameters, one number per arm or one for all.
[[environments]]
name = "three close arms"
group = "choosing"
family = "bernoulli"
mean = [0.1, 0.12, 0.2]

# One environment per combination in `each`. With random- before the family, n_arms new arms
# are drawn in each run.
[[environments]]
name = "random arms"
group = "choosing"
family = "random-gaussian"
each = { n_arms = [5, 20], sd = [0.5, 1.0] }

# Four environments, each with five arms that are drawn once.
[[environments]]
name = "drawn"
group = "judging"
family = "random-bernoulli"
n_arms = 5
draws = 4

# Also: family = "paper" with test = 1 to 5; family = "empirical" with values (and counts);
# rewards = true if the numbers are rewards; outliers = { value = 1e6, chance = 1e-4 }.
"""
