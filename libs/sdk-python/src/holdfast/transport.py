"""Requests over HTTP with the standard library. Give ``Holdfast`` a transport of your own for proxies and the like."""

from __future__ import annotations

import http.client
import io
import os
import selectors
import socket
import ssl
import threading
import time
from dataclasses import dataclass, field
from types import TracebackType
from typing import Any, Callable, Iterator, Mapping, Protocol, cast
from urllib.parse import urlsplit

from ._addresses import origin_of
from .version import __version__


@dataclass(frozen=True)
class Request:
    method: str
    url: str
    #: May have secrets and tokens, so that no text of a request shows them.
    headers: Mapping[str, str] = field(repr=False)
    #: For everything, from the connection to the end of the body; of a stream to the end of the headers.
    timeout_seconds: float
    body: bytes | None = field(default=None, repr=False)
    is_stream: bool = False


class Response:
    """What was received. A stream is read line by line, or by ``read``, and closed by ``with`` or ``close``."""

    def __init__(
        self,
        status: int,
        headers: Mapping[str, str],
        body: bytes | io.BufferedIOBase = b"",
        *,
        end: Callable[[], object] | None = None,
    ) -> None:
        self.status = status
        self._end = end
        #: Names are in lower case; several of one name are joined by commas.
        self.headers = {name.lower(): value for name, value in headers.items()}
        self._body: io.BufferedIOBase = io.BytesIO(body) if isinstance(body, bytes) else body

    def read(self, size: int = -1) -> bytes:
        return self._body.read(size)

    def __iter__(self) -> Iterator[bytes]:
        return iter(self._body)

    def close(self) -> None:
        self._body.close()
        if self._end:
            self._end()

    def __enter__(self) -> Response:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"<Response {self.status}>"


class Transport(Protocol):
    def send(self, request: Request) -> Response:
        """Follows no redirects.

        :raises OSError: when there was no whole response in time
        """
        ...

    def close(self) -> None: ...


#: Servers and proxies close connections that nothing uses, most of them later than this.
_IDLE_SECONDS = 4.0
_MAX_IDLE = 32


class HttpTransport:
    """Keeps connections open for the next request. Threads may share it; a forked process has connections of its own.

    :param ssl_context: by default ``ssl.create_default_context()``, which reads ``SSL_CERT_FILE``
    """

    def __init__(self, ssl_context: ssl.SSLContext | None = None) -> None:
        self._ssl_context = ssl_context or ssl.create_default_context()
        self._lock = threading.Lock()
        self._idle: list[tuple[str, float, http.client.HTTPConnection]] = []
        self._process = os.getpid()

    def send(self, request: Request) -> Response:
        deadline = time.monotonic() + request.timeout_seconds
        parts = urlsplit(request.url)
        target = f"{parts.path or '/'}?{parts.query}" if parts.query else parts.path or "/"
        headers = {"user-agent": f"holdfast-python/{__version__}", **request.headers}
        connection = self._connection(request.url, request.timeout_seconds)
        try:
            connection.request(request.method, target, body=request.body, headers=headers)
            reader = _Deadline(deadline)
            # Each read of the response gets what is left of the time; a slow one must not begin it again.
            connection.response_class = cast("type[http.client.HTTPResponse]", reader.response_class)
            response = connection.getresponse()
            if reader.has_ended:
                raise http.client.IncompleteRead(b"")
            received = _joined(response)
            # The text of an error ends within the limit.
            if request.is_stream and response.status < 300:
                reader.deadline = None
                return Response(response.status, received, response, end=connection.close)
            body = response.read()
        except http.client.HTTPException as error:
            connection.close()
            raise ConnectionError(f"{type(error).__name__}: the response was cut off, or none of HTTP") from error
        except BaseException:
            connection.close()
            raise
        if response.will_close:
            connection.close()
        else:
            self._keep(request.url, connection)
        return Response(response.status, received, body)

    def close(self) -> None:
        with self._lock:
            idle, self._idle = self._idle, []
        for _, _, connection in idle:
            connection.close()

    def _connection(self, url: str, timeout_seconds: float) -> http.client.HTTPConnection:
        origin = origin_of(url)
        now = time.monotonic()
        with self._lock:
            if self._process != os.getpid():
                # Those of the process before the fork are that one's.
                self._process, self._idle = os.getpid(), []
            old = [one for one in self._idle if now - one[1] > _IDLE_SECONDS]
            self._idle = [one for one in self._idle if now - one[1] <= _IDLE_SECONDS]
            found = next((one for one in reversed(self._idle) if one[0] == origin), None)
            if found:
                self._idle.remove(found)
        for _, _, connection in old:
            connection.close()
        if found and not _is_closed(found[2].sock):
            found[2].sock.settimeout(timeout_seconds)
            return found[2]
        if found:
            found[2].close()
        parts = urlsplit(url)
        host = parts.hostname or ""
        if parts.scheme == "https":
            return http.client.HTTPSConnection(host, parts.port, timeout=timeout_seconds, context=self._ssl_context)
        return http.client.HTTPConnection(host, parts.port, timeout=timeout_seconds)

    def _keep(self, url: str, connection: http.client.HTTPConnection) -> None:
        with self._lock:
            if len(self._idle) < _MAX_IDLE:
                self._idle.append((origin_of(url), time.monotonic(), connection))
                return
        connection.close()


class _Deadline:
    """Gives each read from a socket what is left until the deadline; None is as long as it takes."""

    def __init__(self, deadline: float | None) -> None:
        self.deadline = deadline
        #: http.client takes headers that are cut off for whole ones.
        self.has_ended = False

    def response_class(self, sock: socket.socket, *args: Any, **options: Any) -> http.client.HTTPResponse:
        response = http.client.HTTPResponse(sock, *args, **options)
        response.fp.close()
        response.fp = io.BufferedReader(_TimedReader(sock, self))
        return response


class _TimedReader(io.RawIOBase):
    def __init__(self, sock: socket.socket, limit: _Deadline) -> None:
        self._sock = sock
        self._limit = limit
        # It keeps the socket open until it is closed itself, also after the connection was.
        self._raw = sock.makefile("rb", buffering=0)

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        deadline = self._limit.deadline
        left = None if deadline is None else deadline - time.monotonic()
        if left is not None and left <= 0:
            raise TimeoutError("no whole response in time")
        self._sock.settimeout(left)
        count = self._raw.readinto(buffer) or 0
        self._limit.has_ended = count == 0
        return count

    def close(self) -> None:
        self._raw.close()
        super().close()


def _is_closed(sock: socket.socket | None) -> bool:
    """Between two responses there is nothing to read, except for the end of the connection."""
    if sock is None:
        return True
    with selectors.DefaultSelector() as selector:
        selector.register(sock, selectors.EVENT_READ)
        return bool(selector.select(0))


def _joined(response: http.client.HTTPResponse) -> dict[str, str]:
    headers: dict[str, str] = {}
    for name, value in response.getheaders():
        name = name.lower()
        headers[name] = f"{headers[name]}, {value}" if name in headers else value
    return headers
