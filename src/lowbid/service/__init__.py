"""Decisions over HTTP: shared bandits behind an API, with keys and a web page to watch them on."""

from lowbid.errors import MissingPackageError

try:
    from lowbid.service._app import create_app as create_app
    from lowbid.service._limits import Limits as Limits
except ModuleNotFoundError as error:
    raise MissingPackageError(
        f"the service needs {error.name}; type: pip install 'lowbid[serve]'"
    ) from error

__all__ = ["Limits", "create_app"]
