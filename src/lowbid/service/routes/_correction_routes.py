"""Corrections: outcomes with other values, and times that do not count."""

from __future__ import annotations

from typing import Any

from fastapi import APIRouter, Request
from starlette.responses import JSONResponse

from lowbid.service._models import PROBLEMS, Amendments, OutcomeAnswer, VoidedAnswer, VoidedTime
from lowbid.service._problems import ProblemError
from lowbid.service.routes._context import Context
from lowbid.service.routes._decision_routes import kind_of
from lowbid.shared import SharedBandit


def correction_routes(context: Context) -> APIRouter:
    """Correct outcomes. Both routes may replay the log, which takes a while for a long one."""
    router, guard = APIRouter(tags=["experiments"], responses=PROBLEMS), context.guard

    @router.post("/v1/experiments/{name}/amend", response_model=OutcomeAnswer)
    async def amend(request: Request, name: str, wanted: Amendments) -> JSONResponse:
        """Give outcomes of decisions other values, such as after a refund.

        Answers null for those that count as corrected, "removed" and "unknown" as for outcomes, and
        "late" for decisions that were given up by `expiry`.
        """
        caller = guard.require(request, "admin", name)
        if len(wanted.outcomes) > context.limits.outcomes:
            raise ProblemError(
                422, "too-many", f"there are {len(wanted.outcomes):,} outcomes; one request may "
                f"amend at most {context.limits.outcomes:,}.", "outcomes",
            )  # fmt: skip
        bandit = await context.bandit(name)
        answers = await context.run(name, _amend, bandit, wanted, caller.name)
        return JSONResponse({"answers": answers})

    @router.post("/v1/experiments/{name}/void", response_model=VoidedAnswer)
    async def void(request: Request, name: str, wanted: VoidedTime) -> JSONResponse:
        """Let the outcomes of a span of time not count, such as of an outage."""
        caller = guard.require(request, "admin", name)
        bandit = await context.bandit(name)
        count = await context.run(name, _void, bandit, wanted, caller.name)
        return JSONResponse({"voided": count})

    return router


def _amend(bandit: SharedBandit, wanted: Amendments, actor: str) -> list[Any]:
    kind = kind_of(wanted.outcomes)
    values: list[Any] = [e.reward if kind == "rewards" else e.loss for e in wanted.outcomes]
    ids = [each.decision for each in wanted.outcomes]
    if kind == "rewards":
        return bandit.amend_many(ids, rewards=values, reason=wanted.reason, actor=actor)
    return bandit.amend_many(ids, losses=values, reason=wanted.reason, actor=actor)


def _void(bandit: SharedBandit, wanted: VoidedTime, actor: str) -> int:
    return bandit.void(since=wanted.since, until=wanted.until, reason=wanted.reason, actor=actor)
