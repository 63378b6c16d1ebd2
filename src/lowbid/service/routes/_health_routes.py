"""Whether the server is alive and ready, and its metrics for Prometheus."""

from __future__ import annotations

from fastapi import APIRouter, Request
from prometheus_client import CONTENT_TYPE_LATEST
from starlette.concurrency import run_in_threadpool
from starlette.responses import JSONResponse, Response

from lowbid.errors import LowbidError
from lowbid.service._models import PROBLEMS
from lowbid.service._problems import ProblemError
from lowbid.service.routes._context import Context

# The addresses that need no key.
HEALTH = [(method, path) for path in ("/healthz", "/readyz") for method in ("GET", "HEAD")]


def health_routes(context: Context) -> APIRouter:
    """Health, readiness and metrics."""
    router = APIRouter(tags=["health"])

    @router.head("/healthz", include_in_schema=False)
    @router.get("/healthz")
    async def alive() -> JSONResponse:
        """Whether the server answers at all. Needs no key."""
        return JSONResponse({"status": "alive"})

    @router.head("/readyz", include_in_schema=False)
    @router.get("/readyz", responses={503: PROBLEMS["5XX"]})
    async def ready() -> JSONResponse:
        """Whether the store can be reached. Needs no key."""
        try:
            await run_in_threadpool(context.experiments.names)
        except LowbidError:
            # Where the store is, and why it fails, is for the server's log.
            raise ProblemError(503, "not-ready", "the store cannot be reached.") from None
        return JSONResponse({"status": "ready"})

    @router.get("/metrics", responses=PROBLEMS, response_class=Response)
    async def metrics(request: Request) -> Response:
        """Metrics of this server, in Prometheus' text format."""
        context.guard.require(request, "read")
        text = await run_in_threadpool(context.metrics.exposition)
        return Response(text, media_type=CONTENT_TYPE_LATEST)

    return router
