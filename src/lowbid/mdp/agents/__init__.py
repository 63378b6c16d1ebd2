"""The rules by which agents learn, one file each. `__all__` is the registry."""

from lowbid.mdp.agents.batch_ensemble_value_iteration import BatchEnsembleValueIteration
from lowbid.mdp.agents.batch_q_learning import BatchQLearning
from lowbid.mdp.agents.certainty_equivalence import CertaintyEquivalence
from lowbid.mdp.agents.double_q_learning import DoubleQLearning
from lowbid.mdp.agents.ebql import EBQL
from lowbid.mdp.agents.ensemble_rlsvi import EnsembleRLSVI
from lowbid.mdp.agents.eqo import EQO
from lowbid.mdp.agents.lsvi_phe import LSVIPHE
from lowbid.mdp.agents.padded_counts import PaddedCounts
from lowbid.mdp.agents.psrl import PSRL
from lowbid.mdp.agents.q_learning import QLearning
from lowbid.mdp.agents.rlsvi import RLSVI
from lowbid.mdp.agents.russo_rlsvi import RussoRLSVI
from lowbid.mdp.agents.ucb_q import UCBQ
from lowbid.mdp.agents.ucbvi import UCBVI
from lowbid.mdp.agents.vibe import VIBE

__all__ = [
    "EBQL",
    "EQO",
    "LSVIPHE",
    "PSRL",
    "RLSVI",
    "UCBQ",
    "UCBVI",
    "VIBE",
    "BatchEnsembleValueIteration",
    "BatchQLearning",
    "CertaintyEquivalence",
    "DoubleQLearning",
    "EnsembleRLSVI",
    "PaddedCounts",
    "QLearning",
    "RussoRLSVI",
]
