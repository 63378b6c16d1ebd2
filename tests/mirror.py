"""Which test file a module of the package has: its namesake, or one that is named here."""

from pathlib import Path

TESTS = Path(__file__).resolve().parent
FOLDERS = {"_evidence": "evidence", "_random": "random", "_compile": "compile"}
# What a module is tested by, where that is not its namesake.
ELSEWHERE = {
    "_compile/_arguments.py": "compile/test_native.py",
    "_compile/_arithmetic.py": "compile/test_language.py",
    "_compile/_builtins.py": "compile/test_language.py",
    "_compile/_code.py": "compile/test_language.py",
    "_compile/_expressions.py": "compile/test_language.py",
    "_compile/_function.py": "compile/test_language.py",
    "_compile/_library.py": "compile/test_language.py",
    "_compile/_machine.py": "compile/test_native.py",
    "_compile/_module.py": "compile/test_language.py",
    "_compile/_values.py": "compile/test_language.py",
    "_compile/_variables.py": "compile/test_language.py",
    "contextual/_merge.py": "contextual/test_policies.py",
    "contextual/_modelled.py": "contextual/test_policies.py",
    "contextual/_policy.py": "contextual/test_policies.py",
    "contextual/lin_ts.py": "contextual/test_ridge.py",
    "contextual/lin_ucb.py": "contextual/test_ridge.py",
    "contextual/linear_acb.py": "contextual/test_ridge.py",
    "contextual/linear_batch_ensemble.py": "contextual/test_ridge.py",
    "contextual/_registry.py": "test_discovery.py",
    "contextual/_predictions.py": "online/test_by_features.py",
    "environments/_featured.py": "contextual/test_problems.py",
    "simulation/_features.py": "contextual/test_problems.py",
    "environments/_path.py": "environments/test_drifting.py",
    "environments/exponential_by_mean.py": "environments/test_exponential.py",
    "environments/exponential_by_rate.py": "environments/test_exponential.py",
    "environments/given_means.py": "environments/test_paths.py",
    "environments/random_walk.py": "environments/test_paths.py",
    "environments/wave.py": "environments/test_paths.py",
    "environments/_wrapped.py": "environments/test_rewards.py",
    "online/_gains.py": "online/test_compare.py",
    "online/_contexts.py": "online/test_by_features.py",
    "online/_views.py": "online/test_bandit.py",
    "policies/_batches.py": "policies/test_batch_ensemble.py",
    "policies/_ensemble.py": "policies/test_batch_ensemble.py",
    "policies/_wrapper.py": "policies/test_clipped.py",
    "shared/fleet/_bandit.py": "shared/fleet/test_fleet.py",
    "shared/fleet/_exchange.py": "shared/fleet/test_fleet.py",
    "shared/fleet/_member.py": "shared/fleet/test_fleet.py",
    "shared/fleet/_open.py": "shared/fleet/test_fleet.py",
    "shared/fleet/_settings.py": "shared/fleet/test_fleet.py",
    "shared/_agreement.py": "shared/test_open.py",
    "shared/_calls.py": "shared/test_model.py",
    "shared/_decision.py": "shared/test_shared_bandit.py",
    "shared/_memory.py": "shared/test_shared_bandit.py",
    "shared/_deciding.py": "shared/test_model.py",
    "shared/_idempotency.py": "shared/test_shared_bandit.py",
    "shared/_refusals.py": "shared/test_shared_bandit.py",
    "shared/_reporting.py": "shared/test_model.py",
    "shared/as_data.py": "service/test_experiments.py",
    "shared/_bandit_settings.py": "shared/test_open.py",
    "shared/_sticky.py": "shared/test_shared_bandit.py",
    "shared/_bandit_summary.py": "shared/test_shared_bandit.py",
    "shared/stores/_before_forks.py": "shared/test_forks.py",
    "shared/stores/_connections.py": "shared/test_shared_log.py",
    "shared/stores/_interface.py": "testing/test_stores.py",
    "shared/stores/_postgresql_connection.py": "shared/stores/test_postgresql.py",
    "shared/stores/_sqlite_connection.py": "shared/stores/test_sqlite.py",
    "shared/stores/_sql.py": "testing/test_stores.py",
    "testing/_behaviour.py": "testing/test_policies.py",
    "testing/_promises.py": "testing/test_policies.py",
}


def test_of(module: str) -> Path:
    """The test file of a module, which is named from the package's folder on."""
    path = Path(module)
    folder = "/".join(FOLDERS.get(part, part) for part in path.parent.parts)
    return TESTS / ELSEWHERE.get(module, f"{folder}/test_{path.stem.lstrip('_')}.py")
