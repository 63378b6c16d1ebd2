"""Decisions over HTTP: shared bandits behind an API, with keys and a web page to watch them on.

The way of a request
--------------------
uvicorn reads it, within the limits of `_connection_limits`. `Gate` checks the key (`Guard`),
receives the body, and times the answer. `DecisionRouter` answers the bulk of the traffic: its
routes read their body themselves. The others go through FastAPI. A route makes a call of
`lowbid.shared`, such as `Decide`, and hands it to the bandit (`SharedBandit.submit_async`), whose
queue commits it together with those of other requests; the answer comes back through a future.
Views and changes, which may take a while, run in a thread. Errors become problem documents in
`_problems`.

The service has no rule of its own, and no queue: what a decision is, what an outcome is answered
with, and how many decisions may be pending is known in `lowbid.shared` alone.
"""

from lowbid._optional import installable
from lowbid.errors import MissingPackageError

try:
    from lowbid.service._app import create_app as create_app
    from lowbid.service._service_limits import Limits as Limits
except ModuleNotFoundError as error:
    raise MissingPackageError(
        installable(f"the service needs {error.name}; type: pip install 'lowbid[serve]'")
    ) from error

__all__ = ["Limits", "create_app"]
