"""The base class of rules: parameters, and a few functions on a state."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ClassVar, NamedTuple

from lowbid._compile import kernel
from lowbid._parameters import Parameterised, adopt_functions, fields_of, plain
from lowbid._random import Stream
from lowbid._require import require_flag
from lowbid.errors import InvalidValueError
from lowbid.mdp._problem import Problem
from lowbid.policies import About


@kernel
def follow_policy(
    parameters: Any, problem: Problem, state: Any, stage: int, s: int, stream: Stream
) -> int:
    """Take the action that was planned."""
    return state.policy[stage, s]


@kernel
def no_exploration(parameters: Any, problem: Problem, episode: int) -> float:
    """Never take an action that was not planned."""
    return 0.0


class Kernels(NamedTuple):
    """The functions that make up a rule.

    Attributes
    ----------
    init
        ``init(parameters, problem)`` creates the state before the first episode. It is a named
        tuple of arrays; one of them is `policy`, (stage, state).
    plan
        ``plan(parameters, problem, state, episode, stream)`` writes the actions of the whole
        episode, counted from 1, into ``state.policy``.
    update
        ``update(parameters, problem, state, stage, s, action, loss, next_s, stream)`` records the
        outcome of an action. It may change the policy for this stage, but not for later ones: the
        policy of an episode is fixed when it begins, so its value is exact.
    act
        ``act(parameters, problem, state, stage, s, stream)`` returns the action to take now: the
        planned one, except for exploration.
    exploration
        ``exploration(parameters, problem, episode)`` is the probability with which `act` takes a
        uniform action instead of the planned one.
    """

    init: Callable[..., Any]
    plan: Callable[..., Any]
    update: Callable[..., Any]
    act: Callable[..., Any] = follow_policy
    exploration: Callable[..., Any] = no_exploration


class Rule(Parameterised):
    """Base class of all rules by which agents learn.

    A rule is a frozen dataclass of its parameters; it holds no state. Its behaviour is defined by
    a few functions: either kernels, named in the class attribute `kernels`, which are compiled, or
    methods ``init``, ``plan`` and ``update`` (and optionally ``act`` and ``exploration``), which
    run as plain Python. Both have the same signatures (see `Kernels`): the first argument,
    `parameters`, is `self` in a method.

    Rules draw random numbers only from the stream they are given, change a state only by writing
    into its arrays, and never raise.
    """

    about: ClassVar[About]
    kernels: ClassVar[Kernels]
    # Whether the rule must know how many episodes will be played.
    needs_episodes: ClassVar[bool] = False

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        adopt_functions(cls, Kernels)

    @classmethod
    def variants(cls) -> list[Rule]:
        """Representative objects of the class, for tests and tables: the defaults, and variants."""
        return [cls()]

    @property
    def functions(self) -> Kernels:
        """The functions of this object; in most classes they do not depend on the object."""
        return self.kernels

    def for_problem(self, problem: Problem) -> Problem:
        """The problem as this rule sees it; a field `stationary` decides if stages are pooled."""
        if self.needs_episodes and problem.episodes == 0:
            raise InvalidValueError(
                f"{self.name} must know the number of episodes; give episodes=..., or choose a "
                "rule that does not need it, such as BatchEnsembleValueIteration()."
            )
        pooled = getattr(self, "stationary", None)
        if pooled is None:
            return problem
        require_flag("stationary", pooled)
        return problem._replace(groups=1 if pooled else problem.horizon)

    def parameters(self, problem: Problem) -> Any:
        """The parameters as the kernels read them: by default the fields, as a named tuple."""
        if not self.compiled:
            return self
        values = {field.name: plain(self, field) for field in fields_of(self)}
        if "stationary" in values:
            values["stationary"] = problem.groups == 1
        return self.Parameters(**values)

    def start(self, problem: Problem) -> tuple[Any, Problem, Any]:
        """The parameters and the problem that the kernels read, and the state before the start."""
        problem = self.for_problem(problem)
        parameters = self.parameters(problem)
        return parameters, problem, self.functions.init(parameters, problem)
