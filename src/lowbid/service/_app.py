"""The service as one ASGI app: the API, its documentation, and the page."""

from __future__ import annotations

import contextlib
from collections.abc import AsyncIterator
from typing import Any

from fastapi import FastAPI
from starlette.responses import JSONResponse

from lowbid._version import __version__
from lowbid.service import _problems
from lowbid.service._gate import Gate
from lowbid.service._guard import Guard
from lowbid.service._hosted import Experiments
from lowbid.service._line_streams import Streams
from lowbid.service._metrics import Metrics
from lowbid.service._models import named_schemas
from lowbid.service._service_limits import Limits
from lowbid.service.routes import (
    HEALTH,
    PAGE,
    Context,
    DecisionRouter,
    correction_routes,
    decision_routes,
    experiment_routes,
    health_routes,
    page_routes,
    view_routes,
)
from lowbid.shared.stores import Store, store_at

_ABOUT = """\
Decisions over HTTP, made by bandits that any number of servers share.

Create an experiment with its arms, request decisions, and report their outcomes. Requests are safe
to repeat: decisions by their `request_id`, outcomes by the id of their decision.
"""


def create_app(store: str | Store, *, keys: bool = True, limits: Limits | None = None) -> FastAPI:
    """Create the service on a store.

    Parameters
    ----------
    store : str
        The store's URL, as for `lowbid.open`.
    keys : bool
        Whether requests need keys. Without keys, anybody who can reach the port may do anything;
        only requests for localhost, 127.0.0.1 and [::1] are answered.
    limits : Limits, optional
        How much one request may ask for.
    """
    at, limits = store_at(store), limits or Limits()
    with at.transaction(write=True):  # creates the store's tables, or raises an error at once
        pass
    experiments = Experiments(at)
    metrics = Metrics(experiments)
    guard, streams = Guard(at if keys else None), Streams(limits.streams)
    context = Context(experiments, guard, limits, metrics, streams)

    @contextlib.asynccontextmanager
    async def lifespan(_: FastAPI) -> AsyncIterator[None]:
        yield
        experiments.close()
        at.close()

    app = FastAPI(
        title="lowbid",
        version=__version__,
        description=_ABOUT,
        lifespan=lifespan,
        openapi_url=None,  # /openapi.json needs a key too, and /docs must work without a network
        docs_url=None,
        redoc_url=None,
    )
    app.state.experiments = experiments
    _problems.install(app)
    decisions = decision_routes(context)
    app.router.routes.extend(decisions)
    for routes in (health_routes, experiment_routes, correction_routes, view_routes, page_routes):
        app.include_router(routes(context))
    app.add_middleware(DecisionRouter, routes=decisions)  # behind the gate
    app.add_middleware(
        Gate,
        guard=guard,
        limits=limits,
        metrics=metrics,
        public=[*HEALTH, *PAGE],
    )

    @app.get("/openapi.json", include_in_schema=False)
    async def openapi() -> JSONResponse:
        return JSONResponse(_described(app))

    return app


def _described(app: FastAPI) -> dict[str, Any]:
    """The OpenAPI document, with keys and problem documents."""
    if app.openapi_schema is None:
        schema = FastAPI.openapi(app)
        parts = schema.setdefault("components", {})
        parts.setdefault("schemas", {}).update(named_schemas())
        parts["securitySchemes"] = {"key": {"type": "http", "scheme": "bearer"}}
        schema["security"] = [{"key": []}]
        for path in ("/healthz", "/readyz"):
            schema["paths"][path]["get"]["security"] = []
        app.openapi_schema = schema
    return app.openapi_schema
