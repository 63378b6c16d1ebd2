"""What was logged elsewhere, read in one place."""

from lowbid.logs._log import Log
from lowbid.logs._read import read_log

__all__ = ["Log", "read_log"]
