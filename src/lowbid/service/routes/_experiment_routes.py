"""Experiments: create, list, read and change them, and look inside."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import APIRouter, Query, Request
from starlette.concurrency import run_in_threadpool
from starlette.responses import JSONResponse, Response, StreamingResponse

from lowbid.errors import (
    InvalidValueError,
    LowbidError,
    StoreUnavailableError,
    UnknownNameError,
)
from lowbid.experiments.names import policy_of_text
from lowbid.service._guard import Caller
from lowbid.service._line_streams import in_portions, log_in_portions
from lowbid.service._models import PROBLEMS, ArmChange, Changes, NewExperiment
from lowbid.service._problems import ProblemError, problem_of
from lowbid.service.routes._context import Context
from lowbid.shared import SharedBandit
from lowbid.shared import as_data as views

Confidence = Annotated[float, Query(gt=0.0, lt=1.0, allow_inf_nan=False)]


def experiment_routes(context: Context) -> APIRouter:
    """Create, list, read and change experiments."""
    router, guard = APIRouter(tags=["experiments"], responses=PROBLEMS), context.guard

    @router.get("/v1/experiments")
    async def all_of_them(request: Request) -> JSONResponse:
        """List the experiments that the key is for.

        An experiment that cannot be opened has only its name and its `trouble`.
        """
        caller = guard.caller(request)
        if "read" not in caller.roles and "admin" not in caller.roles:
            guard.require(request, "read")  # raises the problem
        return JSONResponse(await run_in_threadpool(_lines, context, caller))

    @router.post("/v1/experiments", status_code=201)
    async def make(request: Request, wanted: NewExperiment) -> JSONResponse:
        """Create an experiment. Answers 200 if it exists already and the settings agree."""
        caller = guard.require(request, "admin", wanted.name)
        if len(wanted.arms) > context.limits.arms:
            raise ProblemError(
                422, "too-many", f"there are {len(wanted.arms):,} arms; an experiment may have "
                f"at most {context.limits.arms:,}.", "arms",
            )  # fmt: skip
        was_there = await run_in_threadpool(context.experiments.exists, wanted.name)
        settings = settings_of(wanted)
        bandit = await run_in_threadpool(
            lambda: context.experiments.make(wanted.name, **settings, actor=caller.name)
        )
        found = await run_in_threadpool(views.described, bandit)
        return JSONResponse(found, 200 if was_there else 201)

    @router.get("/v1/experiments/{name}")
    async def read(request: Request, name: str) -> JSONResponse:
        """An experiment, with its settings."""
        guard.require(request, "read", name)
        return await context.shown(name, views.described)

    @router.patch("/v1/experiments/{name}")
    async def change(request: Request, name: str, wanted: Changes) -> JSONResponse:
        """Change settings, or archive the experiment, which stops it making decisions."""
        caller = guard.require(request, "admin", name)
        changes = wanted.model_dump(exclude_unset=True)
        bandit = await context.bandit(name)
        await context.run(name, _change, bandit, changes, caller)
        return await context.shown(name, views.described)

    @router.post("/v1/experiments/{name}/arms")
    async def change_arm(request: Request, name: str, wanted: ArmChange) -> JSONResponse:
        """Add, pause, resume or remove an arm. What was learned about a removed arm is lost."""
        caller = guard.require(request, "admin", name)
        bandit = await context.bandit(name)
        await context.run(name, _change_arm, context, bandit, wanted, caller)
        return await context.shown(name, views.described)

    return router


def view_routes(context: Context) -> APIRouter:
    """Look inside experiments."""
    router, guard = APIRouter(tags=["views"], responses=PROBLEMS), context.guard

    @router.get("/v1/experiments/{name}/explain")
    async def explain(request: Request, name: str) -> JSONResponse:
        """Why the next arm would be chosen: each arm's index and its batches."""
        guard.require(request, "read", name)
        return await context.shown(name, views.explanation)

    @router.get("/v1/experiments/{name}/recommend")
    async def recommend(request: Request, name: str, confidence: Confidence = 0.95) -> JSONResponse:
        """The arm to keep if the experiment ended now, and whether that is certain."""
        guard.require(request, "read", name)
        return await context.shown(name, views.recommendation, confidence)

    @router.get("/v1/experiments/{name}/lift")
    async def lift(request: Request, name: str, confidence: Confidence = 0.95) -> JSONResponse:
        """How much better the policy does than the control arm, measured on the holdout."""
        guard.require(request, "read", name)
        return await context.shown(name, views.lift, confidence)

    @router.get("/v1/experiments/{name}/overview")
    async def overview(request: Request, name: str, confidence: Confidence = 0.95) -> JSONResponse:
        """Everything the page shows, as of one moment."""
        guard.require(request, "read", name)
        return await context.shown(name, views.overview, confidence)

    @router.get("/v1/experiments/{name}/snapshot")
    async def snapshot(request: Request, name: str) -> Response:
        """The state of the bandit, as `lowbid.Bandit.from_json` reads it."""
        guard.require(request, "read", name)
        bandit = await context.bandit(name)
        text = await context.run(name, bandit.to_json)
        return Response(text, media_type="application/json")

    @router.get("/v1/experiments/{name}/pending")
    async def pending(request: Request, name: str) -> StreamingResponse:
        """The decisions whose outcomes are pending, one JSON object per line."""
        guard.require(request, "read", name)
        bandit = await context.bandit(name)
        found = await context.run(name, bandit.pending)
        portions = in_portions({"id": each.id, "arm": each.arm} for each in found)
        return context.streamed(name, portions)

    @router.get("/v1/experiments/{name}/log")
    async def log(
        request: Request, name: str, after: Annotated[int, Query(ge=0, le=2**62)] = 0
    ) -> StreamingResponse:
        """The events after the number `after`, one JSON object per line.

        They are read in portions: the last is the last one at the time when its turn comes.
        """
        guard.require(request, "read", name)
        bandit = await context.bandit(name)
        return context.streamed(name, log_in_portions(bandit, after))

    return router


def settings_of(wanted: NewExperiment) -> dict[str, Any]:
    """The arguments of `lowbid.open` for a new experiment."""
    settings = wanted.model_dump(exclude_none=True, exclude={"name", "policy"})
    if wanted.policy is not None:
        try:
            settings["policy"] = policy_of_text(wanted.policy)
        except LowbidError as error:
            message = f"'policy': {error}"
            raise InvalidValueError(message, field="policy", value=wanted.policy) from error
    return settings


def _lines(context: Context, caller: Caller) -> dict[str, Any]:
    found = []
    for name in context.experiments.names():
        if not caller.sees(name):
            continue
        try:
            found.append(views.listed(context.experiments.get(name)))
        except UnknownNameError:  # deleted meanwhile
            context.experiments.drop(name)
        except StoreUnavailableError:
            raise
        except LowbidError as error:  # the others are listed nevertheless
            found.append({"name": name, "trouble": problem_of(error).detail})
    return {"experiments": found}


def _change(bandit: SharedBandit, changes: dict[str, Any], caller: Caller) -> None:
    archived = changes.pop("archived", None)
    if "holdout" in changes and changes["holdout"] is None:
        changes["holdout"] = 0.0
    if "sticky" in changes and changes["sticky"] is None:
        changes["sticky"] = False
    if changes:
        bandit.change(actor=caller.name, **changes)
    if archived is not None:
        bandit.archive(archived, actor=caller.name)
    if not changes and archived is None:
        raise InvalidValueError("there is nothing to change; give a setting, such as holdout.")


def _change_arm(context: Context, bandit: SharedBandit, wanted: ArmChange, caller: Caller) -> None:
    if wanted.change == "add" and len(bandit.arms) + len(bandit.paused) >= context.limits.arms:
        raise ProblemError(
            422, "too-many",
            f"an experiment may have at most {context.limits.arms:,} arms; remove one.",
            "arm",
        )  # fmt: skip
    act = {
        "add": bandit.add_arm,
        "pause": bandit.pause_arm,
        "resume": bandit.resume_arm,
        "remove": bandit.remove_arm,
    }[wanted.change]
    act(wanted.arm, actor=caller.name)
