"""river: its bandit policies in lowbid, and lowbid's in river."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from lowbid._optional import needing
from lowbid._require import invalid
from lowbid.adapters._guest import GuestPolicy
from lowbid.errors import InvalidValueError
from lowbid.online import Bandit
from lowbid.policies import Policy

with needing("river", "this adapter needs river: pip install 'lowbid[river]'"):
    from river import bandit as river_bandit


class FromRiver(GuestPolicy):
    """A river policy, to be played by lowbid.

    Each run gets a clone with its own seed, so results depend only on lowbid's seed.

    Parameters
    ----------
    policy : river.bandit.base.Policy
        The policy; it is not modified.
    zero_loss_reward : float
        The reward it receives for a loss of 0: it sees ``zero_loss_reward - loss``.
    name : str, optional
        Its name in results; by default its class name.

    Examples
    --------
    >>> import lowbid
    >>> from lowbid.adapters.river import FromRiver
    >>> from river import bandit
    >>> policies = [FromRiver(bandit.UCB(delta=1)), lowbid.UniformPlay()]
    >>> result = lowbid.simulate(policies, lowbid.Bernoulli([0.1, 0.9]), horizon=100, runs=5)
    >>> [row.policy for row in result.summary()]
    ['UCB from river', 'UniformPlay']
    """

    def __init__(self, policy: Any, zero_loss_reward: float = 1.0, name: str | None = None) -> None:
        if not isinstance(policy, river_bandit.base.Policy):
            raise invalid("policy", policy, "give a policy of river, not its class.")
        if isinstance(policy, river_bandit.base.ContextualPolicy):
            raise InvalidValueError(
                f"{type(policy).__name__} needs a context, and lowbid's environments have none."
            )
        super().__init__(name or f"{type(policy).__name__} from river", zero_loss_reward)
        self.policy = policy

    def player(self, n_arms: int, seed: int) -> _RiverPlayer:
        """A clone of the policy."""
        seeded = {"seed": seed} if "seed" in self.policy._get_params() else {}
        return _RiverPlayer(self.policy.clone(seeded), n_arms)


class _RiverPlayer:
    def __init__(self, policy: Any, n_arms: int) -> None:
        self.policy, self.arms = policy, range(n_arms)
        self.learn = policy.update

    def choose(self) -> Any:
        return self.policy.pull(self.arms)


class RiverPolicy(river_bandit.base.Policy):
    """A lowbid policy, for river's loops: ``pull`` and ``update``.

    Parameters
    ----------
    policy : Policy, optional
        As for `lowbid.Bandit`.
    reward_range : (float, float), optional
        The smallest and the largest reward, for policies that need to know them.
    burn_in : int
        As for all river policies: each arm is first pulled this many times.
    seed : int
        Determines the policy's random numbers.

    Notes
    -----
    Arms that are not offered to ``pull`` are paused, and new ones are added.

    Examples
    --------
    >>> import lowbid
    >>> from lowbid.adapters.river import RiverPolicy
    >>> policy = RiverPolicy(lowbid.UCB1(), reward_range=(0, 1))
    >>> for _ in range(100):
    ...     arm = policy.pull(["a", "b"])
    ...     policy.update(arm, float(arm == "b"))
    >>> policy.ranking
    ['b', 'a']
    """

    def __init__(
        self,
        policy: Policy | None = None,
        reward_range: tuple[float, float] | None = None,
        burn_in: int = 0,
        seed: int = 0,
    ) -> None:
        super().__init__(burn_in=burn_in)
        self.policy, self.reward_range, self.seed = policy, reward_range, seed
        self._bandit: Bandit | None = None
        self._offered: list[Any] = []

    def _pull(self, arm_ids: Sequence[Any]) -> Any:
        return self._for(arm_ids).select()

    def update(self, arm_id: Any, reward: float) -> None:
        """Record the reward of an arm."""
        bandit = self._for([arm_id] if self._bandit is None else self._offered)
        if arm_id not in bandit.arms and arm_id not in bandit.paused:
            bandit.add_arm(arm_id)
            self._offered = bandit.arms
        bandit.update(arm_id, reward=reward)
        super().update(arm_id, reward)  # type: ignore[no-untyped-call]

    def _for(self, arm_ids: Sequence[Any]) -> Bandit:
        """The bandit, with these arms to choose from."""
        offered = list(arm_ids)
        if self._bandit is None:
            options = {"reward_range": self.reward_range}
            self._bandit = Bandit(offered, self.policy, self.seed, **options)  # type: ignore[arg-type]
        elif offered != self._offered:
            for arm in offered:
                if arm in self._bandit.paused:
                    self._bandit.resume_arm(arm)
                elif arm not in self._bandit.arms:
                    self._bandit.add_arm(arm)
            for arm in set(self._bandit.arms) - set(offered):
                self._bandit.pause_arm(arm)
        self._offered = offered
        return self._bandit
