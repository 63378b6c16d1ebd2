from lowbid.experiments.paper import HORIZON, RUNS, Plan, choose

DEFAULTS = choose([])


def test_long_plans_leave_mars_out_at_the_longest_horizon():
    plan = Plan(DEFAULTS, HORIZON, RUNS, 0, tests=["test-1"], long=True)
    lengths = {each.horizon: "MARS" in each.policies for each in plan.long_cases()}
    assert lengths == {20_000: True, 200_000: False}
