"""``python -m lowbid`` is the same as ``lowbid``."""

import sys

from lowbid.cli import main

sys.exit(main())
