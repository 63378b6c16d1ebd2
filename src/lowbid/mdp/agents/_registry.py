# What was found by its file, for type checkers; written by tests/test_discovery.py.
# ruff: noqa
# fmt: off
from lowbid.mdp.agents.batch_ensemble_value_iteration import BatchEnsembleValueIteration as BatchEnsembleValueIteration
from lowbid.mdp.agents.batch_q_learning import BatchQLearning as BatchQLearning
from lowbid.mdp.agents.certainty_equivalence import CertaintyEquivalence as CertaintyEquivalence
from lowbid.mdp.agents.double_q_learning import DoubleQLearning as DoubleQLearning
from lowbid.mdp.agents.ebql import EBQL as EBQL
from lowbid.mdp.agents.ensemble_rlsvi import EnsembleRLSVI as EnsembleRLSVI
from lowbid.mdp.agents.eqo import EQO as EQO
from lowbid.mdp.agents.lsvi_phe import LSVIPHE as LSVIPHE
from lowbid.mdp.agents.padded_counts import PaddedCounts as PaddedCounts
from lowbid.mdp.agents.psrl import PSRL as PSRL
from lowbid.mdp.agents.q_learning import QLearning as QLearning
from lowbid.mdp.agents.rlsvi import RLSVI as RLSVI
from lowbid.mdp.agents.russo_rlsvi import RussoRLSVI as RussoRLSVI
from lowbid.mdp.agents.ucb_q import UCBQ as UCBQ
from lowbid.mdp.agents.ucbvi import UCBVI as UCBVI
from lowbid.mdp.agents.vibe import VIBE as VIBE
__all__ = ['BatchEnsembleValueIteration', 'BatchQLearning', 'CertaintyEquivalence', 'DoubleQLearning', 'EBQL', 'EnsembleRLSVI', 'EQO', 'LSVIPHE', 'PaddedCounts', 'PSRL', 'QLearning', 'RLSVI', 'RussoRLSVI', 'UCBQ', 'UCBVI', 'VIBE']
