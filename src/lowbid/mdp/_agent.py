"""An agent for any loop: ask it for actions, and report their outcomes."""

from __future__ import annotations

import contextlib
import functools
import os
from collections.abc import Callable, Sequence
from typing import Any, Self

import numpy as np
import numpy.typing as npt

from lowbid._arrays import Ints
from lowbid._compile import Kernel, When, compiling, interpreted, with_numbers
from lowbid._random import key, stream_of_run
from lowbid._require import (
    invalid,
    require,
    require_finite,
    require_flag,
    require_value,
    require_whole,
)
from lowbid.errors import InvalidValueError
from lowbid.mdp import _agent_settings as settings
from lowbid.mdp._base import Rule
from lowbid.mdp._problem import Problem, problem_of
from lowbid.mdp._seen import Seen, known_after
from lowbid.mdp._tables import read_first
from lowbid.mdp._tabular import Tabular
from lowbid.mdp._visits import Visits
from lowbid.mdp.agents import BatchEnsembleValueIteration


class Agent:
    """An agent that learns by a rule in an environment of your own.

    An episode is ``begin(state)``, then ``act()`` and ``update(...)`` in turn. The whole episode is
    planned when it begins.

    Parameters
    ----------
    n_states : int
        States are 0, 1, 2, ...
    n_actions : int or list of int
        The number of actions, or a list with the number of actions of each state.
    horizon : int
        The largest number of stages in an episode.
    rule : Rule, optional
        By default ``BatchEnsembleValueIteration()``.
    seed : int
        0 or larger; determines the rule's randomness.
    reward_range, loss_range : (float, float)
        One of the two: the lowest and the highest reward, or loss, per step. Optimistic rules start
        from the best value in the range.
    best_return : float, optional
        The highest return from any stage onwards, if it is less than the sum of the best rewards.
        Give it if you know it.
    bounded : bool
        Whether values outside the range are refused. With unbounded noise, give the range of the
        means and set this to False.
    stationary : bool
        Whether all stages are alike, so that rules can pool what they learn at each.
    ends : bool
        Whether an episode can end before the last stage, as games do; report that with
        ``update(..., next_state=None)``.
    first : int or array, optional
        The first state, or the probability of each, if it is known; some rules use it.
    successors : int, optional
        The largest number of different states that can follow an action; a small number saves
        memory.
    episodes : int, optional
        The number of episodes, for rules that must know it.
    compiled : {"background", "now", "never"}, optional
        When the rule is compiled; this does not affect its actions. "background": it runs
        uncompiled at first, about a hundred times slower, and switches to compiled code between two
        calls as soon as that is ready; no call waits for it. "now": before the constructor returns,
        which takes half a second unless it was done before on this machine. "never": not at all. By
        default, the value of the environment variable ``LOWBID_COMPILED``, or "background".

    Notes
    -----
    Given the outcomes of `simulate`, an agent takes the same actions as its first run with the same
    seed. Agents are not thread-safe.

    Examples
    --------
    >>> from lowbid import mdp
    >>> agent = mdp.Agent(n_states=3, n_actions=2, horizon=4, reward_range=(0, 1), seed=0)
    >>> for _ in range(50):
    ...     state = 0
    ...     agent.begin(state)
    ...     for _ in range(4):  # action 1 moves on, and pays in state 2
    ...         action = agent.act()
    ...         reward = float(state == 2 and action == 1)
    ...         state = min(state + 1, 2) if action == 1 else 0
    ...         agent.update(reward=reward, next_state=state)
    >>> [int(agent.policy[stage, min(stage, 2)]) for stage in range(4)]
    [1, 1, 1, 1]
    """

    def __init__(
        self,
        n_states: int,
        n_actions: int | Sequence[int],
        horizon: int,
        rule: Rule | None = None,
        seed: int = 0,
        *,
        reward_range: settings.Range | None = None,
        loss_range: settings.Range | None = None,
        best_return: float | None = None,
        bounded: bool = True,
        stationary: bool = True,
        ends: bool = False,
        first: int | npt.ArrayLike | None = None,
        successors: int | None = None,
        episodes: int | None = None,
        compiled: When | None = None,
    ) -> None:
        states = require_whole("n_states", n_states)
        counts = settings.actions_of(n_actions, states)
        kind, given = settings.range_of(reward_range, loss_range)
        require(
            best_return is None or kind == "reward",
            "best_return goes with reward_range; it does not apply to losses.",
        )
        stages = require_whole("horizon", horizon)
        if best_return is not None:
            least = given[0] * (stages if given[0] > 0.0 else 1)
            require_finite("best_return", best_return, above=least, or_equal=True)
        chances = None if first is None else read_first(first, states)
        for name, flag in (("bounded", bounded), ("stationary", stationary), ("ends", ends)):
            require_flag(name, flag)
        if ends:
            settings.require_zero(kind, given)
            counts = np.append(counts, 1)
            chances = None if chances is None else np.append(chances, 0.0)
        problem = problem_of(
            counts,
            stages,
            reward_range=given if kind == "reward" else (given[0] - given[1], 0.0),
            best_return=best_return,
            first=chances,
            stationary=stationary,
            successors=None if successors is None else require_whole("successors", successors),
            episodes=episodes,
        )
        if successors is None:
            settings.require_room(BatchEnsembleValueIteration() if rule is None else rule, problem)
        self._setup(problem, rule, seed, kind, compiled)
        self._allowed = given if bounded else (-np.inf, np.inf)
        self._origin = given[0] if kind == "loss" else 0.0
        self._ends = bool(ends)

    @classmethod
    def for_model(
        cls,
        model: Tabular,
        rule: Rule | None = None,
        seed: int = 0,
        episodes: int | None = None,
        compiled: When | None = None,
    ) -> Self:
        """Create an agent that knows as much about a model as a rule in `simulate`.

        It plans only for states that can be reached, and refuses others.
        """
        if not isinstance(model, Tabular):
            raise invalid("model", model, "give one such as mdp.RiverSwim().")
        agent = cls.__new__(cls)
        kind = "reward" if model.has_rewards else "loss"
        agent._setup(model.problem(episodes), rule, seed, kind, compiled)
        return agent

    def _setup(
        self, problem: Problem, rule: Rule | None, seed: int, kind: str, compiled: When | None
    ) -> None:
        self._compiled = settings.read_when(compiled)
        self.rule = BatchEnsembleValueIteration() if rule is None else rule
        if not isinstance(self.rule, Rule):
            raise invalid("rule", rule, "give an object such as mdp.PSRL().")
        self._kind, self._given = kind, problem
        self._allowed, self._origin, self._ends = (-np.inf, np.inf), 0.0, False
        with self._in_compile_mode():
            self._parameters, self._problem, self._state = self.rule.start(problem)
        self._stream = stream_of_run(key(seed, self.rule.stream_name), 0)
        self._episode, self._stage, self._s, self._action = 0, -1, 0, -1
        self._bound: dict[str, Callable[..., Any]] = {}
        if self._compiled == "now":
            self._prepare_plan()
            self._bind("act", 0, 0)
            self._bind("update", 0, 0, 0, 0.0, 0)

    @property
    def episode(self) -> int:
        """The number of episodes started."""
        return self._episode

    @property
    def stage(self) -> int | None:
        """The stage at which an action is due, from 0; None between episodes."""
        return self._stage if self._stage >= 0 else None

    @property
    def problem(self) -> Problem:
        """The description of the problem that the rule is given."""
        return self._problem

    @property
    def state(self) -> Any:
        """The rule's state: everything that it has learned."""
        return self._state

    @property
    def n_states(self) -> int:
        """The number of states, without the end."""
        return self._problem.n_states - int(self._ends)

    @property
    def policy(self) -> Ints:
        """The actions planned for the current or the last episode, (stage, state)."""
        return self._state.policy[:, : self.n_states].copy()

    def begin(self, state: int) -> None:
        """Start an episode, and plan it."""
        if self._stage >= 0:
            raise InvalidValueError(
                f"episode {self._episode} is under way, at stage {self._stage}; call end() first."
            )
        self._s = self._read_state("state", state, 0)
        self._call("plan", self._episode + 1)
        self._episode, self._stage, self._action = self._episode + 1, 0, -1

    def act(self) -> int:
        """The action to take now; the same if called again before `update`."""
        if self._stage < 0:
            raise InvalidValueError("no episode is under way; call begin(state) first.")
        if self._action < 0:
            action = self._call("act", self._stage, self._s)
            most = self._problem.actions[self._s]
            if not 0 <= action < most:
                raise InvalidValueError(
                    f"{self.rule.name} chose action {action} in state {self._s}, which has actions "
                    f"0 to {most - 1}."
                )
            self._action = int(action)
        return self._action

    def update(
        self,
        *bare: Any,
        reward: float | None = None,
        loss: float | None = None,
        next_state: int | None = None,
    ) -> None:
        """Report the outcome of the action.

        Parameters
        ----------
        reward, loss : float
            Whichever the agent was created for.
        next_state : int, or None
            The state that followed; None if the episode ended, which needs ``ends=True``. After
            the last stage the episode is over in any case.
        """
        if self._action < 0:
            raise InvalidValueError("no action is waiting for its outcome; call act() first.")
        value = self._read_value(bare, reward, loss)
        over = next_state is None
        if over and not self._ends:
            raise InvalidValueError(
                "next_state is None; give the next state, or make the agent with ends=True if "
                "episodes can end early."
            )
        next_s = self._problem.n_states - 1
        if not over:
            next_s = self._read_state("next_state", next_state, self._stage + 1)
        self._require_room(next_s)
        self.take_in(value, next_s)
        while over and self._stage >= 0:  # after the end, every reward is 0
            self.act()
            self.take_in(self._problem.best_reward, next_s)

    def end(self) -> None:
        """Stop an episode early; the rest of it is not learned from."""
        self._stage = self._action = -1

    def take_in(self, loss: float, next_s: int) -> None:
        """Record an outcome without checks: an internal loss, and a state."""
        self._call("update", self._stage, self._s, self._action, loss, next_s)
        last = self._stage + 1 == self._problem.horizon
        self._stage, self._s, self._action = -1 if last else self._stage + 1, next_s, -1

    def _read_state(self, name: str, state: Any, stage: int) -> int:
        whole = isinstance(state, int | np.integer) and not isinstance(state, bool)
        if not whole or not 0 <= state < self.n_states:
            raise invalid(name, state, f"give a whole number from 0 to {self.n_states - 1}.")
        possible = bool(self._problem.earliest[state] <= stage)
        allowed = f"the model cannot be there at stage {stage}; give its real state."
        require_value(name, int(state), possible, allowed)
        return int(state)

    def _read_value(self, bare: tuple[Any, ...], reward: Any, loss: Any) -> float:
        """The reported value as a loss, or a clear error."""
        kind, other = (reward, loss) if self._kind == "reward" else (loss, reward)
        if bare or other is not None or kind is None:
            raise InvalidValueError(
                f"this agent takes {self._kind}s; use update({self._kind}=..., next_state=...)."
            )
        require_finite(self._kind, kind, above=-np.inf)
        low, high = self._allowed
        if not low <= kind <= high:
            raise invalid(
                self._kind,
                kind,
                f"the range is from {low:g} to {high:g}; give the agent the right one, or "
                "bounded=False if only means lie in it.",
            )
        if self._kind == "reward":
            return self._problem.best_reward - float(kind)
        return float(kind) - self._origin

    def _require_room(self, next_s: int) -> None:
        """Refuse more successors than the rule has room for."""
        state, group = self._state, 0 if self._problem.groups == 1 else self._stage
        if isinstance(getattr(state, "visits", None), Visits):
            place = (group, self._s, self._action)
            known = state.visits.successors[place][: state.visits.known[place]]
        elif isinstance(getattr(state, "seen", None), Seen):
            known = known_after(state.seen, self._problem, group, self._s, self._action)
        else:
            return
        require(
            next_s in known or len(known) < self._problem.successors,
            f"state {self._s} and action {self._action} have led to {len(known)} different states, "
            f"as many as successors allows; make the agent with a larger number.",
        )

    def _call(self, name: str, *numbers: Any) -> Any:
        """Call a function of the rule."""
        function = self._bound.get(name) or self._bind(name, *numbers)
        return function(*numbers)

    def _bind(self, name: str, *numbers: Any) -> Callable[..., Any]:
        """A function of the rule, as one of the numbers that change from call to call.

        While it is not compiled, the next call tries again to switch to compiled code.
        """
        function = getattr(self.rule.functions, name)
        given = (self._parameters, self._problem, self._state, *numbers, self._stream)
        is_final = True
        # Planning takes long, so it is called in the way that does not keep other threads waiting.
        if isinstance(function, Kernel) and self.rule.compiled and name != "plan":
            with self._in_compile_mode():
                bound, is_final = function.bind(*given)
        else:
            bound = functools.partial(self._call_plain, function, given)
        if is_final:
            self._bound[name] = bound
        return bound

    def _prepare_plan(self) -> None:
        """Compile planning."""
        plan = self.rule.functions.plan
        if isinstance(plan, Kernel) and self.rule.compiled:
            given = (self._parameters, self._problem, self._state, 1, self._stream)
            plan.native("Call", given, wait=True)

    def _call_plain(
        self, function: Callable[..., Any], arguments: tuple[Any, ...], *numbers: Any
    ) -> Any:
        """Call a function as it is."""
        with self._in_compile_mode():
            return with_numbers(function, arguments, *numbers)

    def _in_compile_mode(self) -> contextlib.AbstractContextManager[None]:
        """Compile kernels at the time set by `compiled`; for a rule in plain Python, never."""
        return compiling(self._compiled) if self.rule.compiled else interpreted()

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "_bound": {}}

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write a file from which `load` restores an agent that continues as this one would.

        The file is replaced atomically.
        """
        from lowbid.mdp._saved_agent import write_agent

        write_agent(self, path)

    @classmethod
    def load(
        cls,
        path: str | os.PathLike[str],
        *,
        rule: Rule | None = None,
        compiled: When | None = None,
    ) -> Self:
        """Read a file that `save` wrote.

        If the rule has been changed since, so that what was saved does not fit it, the error names
        the lowbid that wrote the file.

        Parameters
        ----------
        path : path
            The file.
        rule : Rule, optional
            The rule, if it is not part of lowbid: code is not stored in the file.
        compiled : {"background", "now", "never"}, optional
            When the rule is compiled, as for a new agent.
        """
        from lowbid.mdp._saved_agent import read_agent

        return read_agent(cls, path, rule, settings.read_when(compiled))
