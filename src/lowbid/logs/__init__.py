"""Read logs of decisions that were recorded elsewhere."""

from lowbid.logs._log import Log
from lowbid.logs._log import refuse as refuse
from lowbid.logs._read import Names as Names
from lowbid.logs._read import read_lines as read_lines
from lowbid.logs._read import read_log

__all__ = ["Log", "read_log"]
