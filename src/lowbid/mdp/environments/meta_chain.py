"""MetaChain: go left into noise of positive or negative mean, or right to the end."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from lowbid._require import invalid, require_finite, require_whole
from lowbid.mdp._tabular import Tabular

LEFT = 0


class MetaChain(Tabular):
    r"""Small chains side by side, in which overestimation and underestimation are both harmful.

    An episode starts in A_i, for a uniform i. Action 1 ends it without reward. Action 0 leads to
    B_i, also without reward, where each of several actions ends it with a reward
    :math:`N(\mu_i, 1)`. Going left is optimal where :math:`\mu_i > 0`. A rule that overestimates
    maxima goes left too often, one that underestimates them too rarely.

    Parameters
    ----------
    means : tuple of float
        The :math:`\mu_i`.
    n_actions : int
        The number of actions in each B_i.

    Notes
    -----
    The states are A_1, A_2, ..., then B_1, B_2, ..., then the end. The numbers have not been
    checked against the text of the reference.

    Examples
    --------
    >>> from lowbid import mdp
    >>> round(mdp.MetaChain().optimum, 5)  # (.2 + .4 + .6) / 6
    0.2

    References
    ----------
    .. [1] O. Peer, C. Tessler, N. Merlis, R. Meir (2021). Ensemble bootstrapping for Q-learning.
       ICML.
    """

    def __init__(
        self,
        means: tuple[float, ...] = (-0.6, -0.4, -0.2, 0.2, 0.4, 0.6),
        n_actions: int = 10,
    ) -> None:
        if not isinstance(means, Sequence) or isinstance(means, str) or not means:
            raise invalid("means", means, "give numbers, such as (-0.2, 0.2).")
        for mean in means:
            require_finite("a mean", mean, above=-np.inf)
        most = max(2, require_whole("n_actions", n_actions))
        self.means, self._ends = tuple(means), n_actions
        chains = len(means)
        table = np.zeros((2 * chains + 1, most, 2 * chains + 1))
        table[:, :, -1] = 1.0
        rewards, sd = np.zeros((2 * chains + 1, most)), np.zeros((2 * chains + 1, most))
        for chain, mean in enumerate(means):
            table[chain, LEFT, -1], table[chain, LEFT, chains + chain] = 0.0, 1.0
            rewards[chains + chain], sd[chains + chain] = mean, 1.0
        super().__init__(
            table,
            rewards=rewards,
            horizon=2,
            first=np.append(np.full(chains, 1.0 / chains), np.zeros(chains + 1)),
            best_reward=max(0.0, *means),
            noise="gaussian",
            sd=sd,
            actions=[2] * chains + [n_actions] * chains + [1],
        )

    @property
    def given(self) -> dict[str, Any]:
        """The parameters."""
        return {"means": list(self.means), "n_actions": self._ends}
