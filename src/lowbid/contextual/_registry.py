# What was found by its file, for type checkers; written by tests/test_discovery.py.
# ruff: noqa
# fmt: off
from lowbid.contextual.lin_ts import LinTS as LinTS
from lowbid.contextual.lin_ucb import LinUCB as LinUCB
from lowbid.contextual.linear_acb import LinearACB as LinearACB
from lowbid.contextual.linear_batch_ensemble import LinearBatchEnsemble as LinearBatchEnsemble
from lowbid.contextual.linear_imed import LinearIMED as LinearIMED
from lowbid.contextual.linear_med import LinearMED as LinearMED
__all__ = ['LinTS', 'LinUCB', 'LinearACB', 'LinearBatchEnsemble', 'LinearIMED', 'LinearMED']
