"""A PostgreSQL server for tests: the one that is named, or a private one, or a reason why not."""

import contextlib
import os
import shutil
import subprocess
import tempfile
import urllib.parse
from pathlib import Path

NAMED = "LOWBID_TEST_POSTGRESQL"
REQUIRED = "LOWBID_POSTGRESQL_REQUIRED"


def programs():
    """The folder of the server's programs, or None."""
    found = shutil.which("initdb")
    debian = sorted(Path("/usr/lib/postgresql").glob("*/bin/initdb"))
    return Path(found).resolve().parent if found else debian[-1].parent if debian else None


def reason_for_none():
    """Why there can be no server here; empty if there can."""
    if os.environ.get(NAMED) or programs() is not None:
        return ""
    return f"no PostgreSQL: name a server in {NAMED}, or install Debian's postgresql"


@contextlib.contextmanager
def server():
    """The URL of a server, without the name of a database, while the block lasts."""
    if os.environ.get(NAMED):
        yield os.environ[NAMED]
        return
    with private_server() as (url, _):
        yield url


@contextlib.contextmanager
def private_server():
    """The URL of a server of our own and its process, while the block lasts."""
    with _empty_folder() as folder:
        _as_server(
            "initdb", "-D", "data", "-A", "trust", "-U", "lowbid", "--no-sync", folder=folder
        )
        with _started(folder):
            process = int((folder / "data" / "postmaster.pid").read_text().split()[0])
            yield f"postgresql://lowbid@/postgres?host={folder}", process


@contextlib.contextmanager
def standby(url):
    """The folder of a server that follows a private one, while the block lasts; it is stopped."""
    with _empty_folder() as folder:
        primary = ("-h", str(folder_of(url)), "-U", "lowbid")
        _as_server("pg_basebackup", "-D", "data", "-R", "-N", *primary, folder=folder)
        yield folder


@contextlib.contextmanager
def _empty_folder():
    folder = Path(tempfile.mkdtemp(prefix="lowbid-postgresql-"))
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)


@contextlib.contextmanager
def _started(folder):
    start(folder)
    try:
        yield
    finally:
        stop(folder)


def start(folder):
    """Start the server of a folder."""
    # Tests kill clients, never the machine, so nothing needs to be on disk.
    options = f"-k {folder} -c listen_addresses='' -c max_connections=60 -c fsync=off"
    _as_server("pg_ctl", "-D", "data", "-w", "-l", "log", "-o", options, "start", folder=folder)


def stop(folder):
    """Stop the server of a folder at once, if it runs."""
    if (folder / "data" / "postmaster.pid").exists():
        _as_server("pg_ctl", "-D", "data", "-m", "immediate", "stop", folder=folder)


def promote(folder):
    """Make a standby a server of its own."""
    _as_server("pg_ctl", "-D", "data", "-w", "promote", folder=folder)


def folder_of(url):
    """The folder of a private server."""
    return Path(urllib.parse.parse_qs(urllib.parse.urlsplit(url).query)["host"][0])


def restart(url):
    """Restart a private server at once, as after a crash: all connections are cut."""
    restart = ("-D", "data", "-w", "-l", "log", "-m", "immediate", "restart")
    _as_server("pg_ctl", *restart, folder=folder_of(url))


def _as_server(program, *arguments, folder):
    """Run a program of the server, which refuses to run as root, in a folder that is its own."""
    command = [str(programs() / program), *arguments]
    if os.getuid() == 0:
        user = "postgres" if Path("/var/lib/postgresql").exists() else "nobody"
        shutil.chown(folder, user)
        command = ["setpriv", f"--reuid={user}", "--clear-groups", "--", *command]
    with tempfile.TemporaryFile() as output:
        done = subprocess.run(command, cwd=folder, stdout=output, stderr=output, timeout=120)
        output.seek(0)
        assert done.returncode == 0, output.read().decode()
