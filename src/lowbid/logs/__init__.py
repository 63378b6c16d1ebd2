"""Read logs of decisions that were recorded elsewhere."""

from lowbid.logs._log import Log
from lowbid.logs._read import read_log

__all__ = ["Log", "read_log"]
