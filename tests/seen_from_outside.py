"""What a process that is started now sees of a store."""

import subprocess
import sys


def requests_in(url):
    """The request ids in the log of bandit "b"."""
    program = (
        "import lowbid, sys\n"
        "for entry in lowbid.open(*sys.argv[1:]).log():\n"
        "    print(entry.fields.get('request_id', ''))"
    )
    command = [sys.executable, "-c", program, url, "b"]
    found = subprocess.run(command, capture_output=True, text=True, check=True)
    return found.stdout.split()
