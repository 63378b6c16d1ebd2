"""Run a command, and print what it took as a line of JSON: python launch.py COMMAND ...

This runs in a separate, small process: on Linux, the peak memory of a process starts at that of its
parent.
"""

import json
import os
import subprocess
import sys
import time


def main():
    began = time.perf_counter()
    with subprocess.Popen(sys.argv[1:], stdout=subprocess.DEVNULL) as process:
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    clock = time.perf_counter() - began
    unit = 1 << 20 if sys.platform == "darwin" else 1 << 10
    took = {
        "processor": usage.ru_utime + usage.ru_stime,
        "clock": clock,
        "peak": usage.ru_maxrss / unit,
    }
    print(json.dumps(took))
    return process.returncode


if __name__ == "__main__":
    sys.exit(main())
