"""A port that leads to a PostgreSQL server, for tests of networks and servers that fail."""

import contextlib
import socket
import threading
import urllib.parse

import pytest


class Proxy:
    """Passes on what clients and the server say; subclasses say what is lost on the way."""

    def __init__(self, url):
        self._ends, self._threads = [], []
        psycopg = pytest.importorskip("psycopg")
        known = psycopg.conninfo.conninfo_to_dict(url)
        self._host, self._server = known["host"], int(known.get("port", 5432))
        self._listener = socket.create_server(("127.0.0.1", 0))
        here = {"host": "127.0.0.1", "port": str(self._listener.getsockname()[1])}
        self.url = "postgresql://?" + urllib.parse.urlencode({**known, **here})
        self._start(self._listen)

    def passed_on(self, data, connection, from_client):
        """What to pass on of a message, and whether its connection lasts."""
        raise NotImplementedError

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self._listener.shutdown(socket.SHUT_RDWR)
        for end in self._ends:
            with contextlib.suppress(OSError):
                end.shutdown(socket.SHUT_RDWR)
        for thread in self._threads:
            thread.join(20)
        for end in [self._listener, *self._ends]:
            end.close()

    def _start(self, work, *given):
        self._threads.append(threading.Thread(target=work, args=given, daemon=True))
        self._threads[-1].start()

    def _listen(self):
        while True:
            try:
                client, _ = self._listener.accept()
            except OSError:
                return
            if self._host.startswith("/"):
                server = socket.socket(socket.AF_UNIX)
                server.connect(f"{self._host}/.s.PGSQL.{self._server}")
            else:
                server = socket.create_connection((self._host, self._server))
            self._ends += [client, server]
            number = len(self._ends) // 2
            self._start(self._forward, client, server, number, True)
            self._start(self._forward, server, client, number, False)

    def _forward(self, source, target, connection, from_client):
        with contextlib.suppress(OSError):
            lasts = True
            while lasts and (data := source.recv(65536)):
                data, lasts = self.passed_on(data, connection, from_client)
                target.sendall(data)
        for end in (source, target):
            with contextlib.suppress(OSError):
                end.shutdown(socket.SHUT_RDWR)
