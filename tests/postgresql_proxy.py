"""A port that leads to a PostgreSQL server, for tests of networks and servers that fail."""

import contextlib
import random
import socket
import threading
import urllib.parse

import pytest


class Proxy:
    """Passes on what clients and the server say; subclasses say what is lost on the way."""

    def __init__(self, url):
        self._ends, self._threads, self._connections = set(), [], 0
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
        for end in list(self._ends):
            with contextlib.suppress(OSError):
                end.shutdown(socket.SHUT_RDWR)
        for thread in self._threads:
            thread.join(20)
        self._listener.close()

    def _start(self, work, *given):
        self._threads.append(threading.Thread(target=work, args=given, daemon=True))
        self._threads[-1].start()

    def _listen(self):
        while True:
            try:
                client, _ = self._listener.accept()
            except OSError:
                return
            self._connections += 1
            self._start(self._serve, client, self._connections)

    def _serve(self, client, connection):
        try:
            server = self._connected()
        except OSError:  # the server is away
            client.close()
            return
        ends = client, server
        self._ends.update(ends)
        back = threading.Thread(target=self._forward, args=(server, client, connection, False))
        back.start()
        self._forward(client, server, connection, True)
        back.join()
        self._ends.difference_update(ends)
        for end in ends:
            end.close()

    def _connected(self):
        if not self._host.startswith("/"):
            return socket.create_connection((self._host, self._server))
        server = socket.socket(socket.AF_UNIX)
        try:
            server.connect(f"{self._host}/.s.PGSQL.{self._server}")
        except OSError:
            server.close()
            raise
        return server

    def _forward(self, source, target, connection, from_client):
        with contextlib.suppress(OSError):
            lasts = True
            while lasts and (data := source.recv(65536)):
                data, lasts = self.passed_on(data, connection, from_client)
                target.sendall(data)
        for end in (source, target):
            with contextlib.suppress(OSError):
                end.shutdown(socket.SHUT_RDWR)


class CuttingProxy(Proxy):
    """Cuts connections in the middle of a message.

    Some cuts come before the server has the message, some before the client has the answer.
    """

    def __init__(self, url, seed):
        self.cutting, self.cuts = False, 0
        self._chance = random.Random(seed)
        super().__init__(url)

    def passed_on(self, data, connection, from_client):
        if self.cutting and self._chance.random() < 0.01:
            self.cuts += 1
            return data[: self._chance.randrange(len(data) + 1)], False
        return data, True
