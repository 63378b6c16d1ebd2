"""``lowbid``, the command, and ``python -m lowbid``, which is the same."""

import sys


def main() -> int:
    """Run the command line; Ctrl-C prints a message from the first import on."""
    try:
        from lowbid.cli import main as run

        return run()
    except KeyboardInterrupt:
        print("lowbid: stopped", file=sys.stderr)
        return 130


if __name__ == "__main__":
    sys.exit(main())
