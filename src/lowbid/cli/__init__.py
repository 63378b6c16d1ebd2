"""The command line: one file per command.

A command is a module of this package with a docstring, whose first line is its help, and two
functions: ``configure(parser)`` adds its arguments, and ``run(arguments)`` does the work and
returns the exit code. Modules whose names begin with an underscore are not commands.
"""

from __future__ import annotations

import argparse
import importlib
import os
import pkgutil
import sys
from collections.abc import Sequence
from types import ModuleType

from lowbid._terminal import coloured
from lowbid._version import __version__
from lowbid.cli._letters import write_whatever_the_terminal
from lowbid.cli._parser import Parser
from lowbid.errors import LowbidError


def commands() -> dict[str, ModuleType]:
    """All commands, by name."""
    names = sorted(m.name for m in pkgutil.iter_modules(__path__) if not m.name.startswith("_"))
    return {name: importlib.import_module(f"{__name__}.{name}") for name in names}


def parser() -> argparse.ArgumentParser:
    """The parser of the whole command line."""
    main = Parser(
        prog="lowbid",
        description="Stochastic multi-armed bandits, built around Batch Ensemble.",
    )
    main.add_argument("--version", action="version", version=f"lowbid {__version__}")
    subparsers = main.add_subparsers(title="commands", metavar="command", required=True)
    for name, module in commands().items():
        text = (module.__doc__ or "").strip()
        command = subparsers.add_parser(name, help=text.partition("\n")[0], description=text)
        module.configure(command)
        command.set_defaults(run=module.run)
    return main


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line; returns the exit code."""
    write_whatever_the_terminal()
    try:
        if not (sys.argv[1:] if arguments is None else arguments):
            parser().print_help(sys.stderr)
            return 2
        given = parser().parse_args(arguments)
        code = int(given.run(given))
        sys.stdout.flush()
        return code
    except LowbidError as error:
        print(f"{coloured('lowbid:', 'red', sys.stderr)} {error}", file=sys.stderr)
        return 2
    except BrokenPipeError:  # the reader, such as `head`, has stopped reading
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except OSError as error:  # for example, a full disk
        place = "" if error.filename is None else f"{error.filename}: "
        print(f"lowbid: {place}{error.strerror or error}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        print("lowbid: stopped", file=sys.stderr)
        return 130
