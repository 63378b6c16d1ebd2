"""The page docs/commands.md, every command's own help: ``python -m lowbid.cli._document``."""

from __future__ import annotations

import contextlib
import io
import os

from lowbid.cli import commands, main


def page() -> str:
    """The whole page."""
    parts = ["# Commands", "<!-- made by: python -m lowbid.cli._document > docs/commands.md -->"]
    parts.append(help_of())
    parts += [f"## lowbid {name}\n\n{section(name)}" for name in commands()]
    parts += ["## Next step", "**Next:** [sweeps](sweeps.md): many simulations, one command."]
    return "\n\n".join(parts)


def section(name: str) -> str:
    """The help of a command and of its actions."""
    actions = getattr(commands()[name], "ACTIONS", ())
    return "\n\n".join([help_of(name), *(help_of(name, action) for action in actions)])


def help_of(*command: str) -> str:
    """What ``--help`` prints, as a block of the page."""
    out = io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.suppress(SystemExit):
        main([*command, "--help"])
    return f"```text\n{out.getvalue().strip()}\n```"


if __name__ == "__main__":
    os.environ["COLUMNS"] = "80"
    print(page())
