"""The transport, against a server whose bytes each test chooses."""

from __future__ import annotations

import socket
import threading
import time
import unittest
from typing import Callable

from holdfast import HttpTransport, Request

Script = Callable[[socket.socket, int], None]
OK = b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\nETag: a\r\netag: b\r\n\r\nok"


class Server:
    """Calls ``script`` for each request, with the connection and the number of the request."""

    def __init__(self, script: Script) -> None:
        self.connections = 0
        self.requests: list[bytes] = []
        self._script = script
        self._listener = socket.create_server(("127.0.0.1", 0))
        threading.Thread(target=self._accept, daemon=True).start()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._listener.getsockname()[1]}/path?q=1"

    def close(self) -> None:
        self._listener.close()

    def _accept(self) -> None:
        while True:
            try:
                connection, _ = self._listener.accept()
            except OSError:
                return
            self.connections += 1
            threading.Thread(target=self._serve, args=(connection,), daemon=True).start()

    def _serve(self, connection: socket.socket) -> None:
        with connection:
            while True:
                received = b""
                while b"\r\n\r\n" not in received:
                    part = connection.recv(65536)
                    if not part:
                        return
                    received += part
                self.requests.append(received)
                try:
                    self._script(connection, len(self.requests))
                except OSError:
                    return


class Transport(unittest.TestCase):
    def setUp(self) -> None:
        self.transport = HttpTransport()
        self.addCleanup(self.transport.close)

    def serve(self, script: Script) -> Server:
        server = Server(script)
        self.addCleanup(server.close)
        return server

    def get(self, server: Server, timeout_seconds: float = 5, is_stream: bool = False) -> bytes:
        with self.transport.send(
            Request("GET", server.url, {"x-one": "1"}, timeout_seconds, is_stream=is_stream)
        ) as response:
            return response.read()

    def test_uses_a_connection_again(self) -> None:
        server = self.serve(lambda connection, _: connection.sendall(OK))
        self.assertEqual([self.get(server), self.get(server)], [b"ok", b"ok"])
        self.assertEqual(server.connections, 1)
        self.assertTrue(server.requests[1].startswith(b"GET /path?q=1 HTTP/1.1\r\n"))
        self.assertIn(b"x-one: 1\r\n", server.requests[1])

    def test_joins_headers_of_one_name(self) -> None:
        server = self.serve(lambda connection, _: connection.sendall(OK))
        self.assertEqual(self.transport.send(Request("GET", server.url, {}, 5)).headers["etag"], "a, b")

    def test_does_not_use_a_connection_that_the_server_has_closed(self) -> None:
        def script(connection: socket.socket, _: int) -> None:
            connection.sendall(OK)
            connection.shutdown(socket.SHUT_RDWR)

        server = self.serve(script)
        self.assertEqual(self.get(server), b"ok")
        time.sleep(0.1)
        self.assertEqual(self.get(server), b"ok")
        self.assertEqual(server.connections, 2)

    def test_a_response_that_is_cut_off_is_an_error(self) -> None:
        starts = (b"", b"HTTP/1.1 200 OK\r\n", b"HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nok", b"nonsense\r\n\r\n")
        for start in starts:

            def script(connection: socket.socket, _: int, start: bytes = start) -> None:
                connection.sendall(start)
                connection.shutdown(socket.SHUT_RDWR)

            with self.subTest(start), self.assertRaises(OSError):
                self.get(self.serve(script))

    def test_a_body_until_the_end_of_the_connection_is_read_whole(self) -> None:
        def script(connection: socket.socket, _: int) -> None:
            connection.sendall(b"HTTP/1.1 200 OK\r\nConnection: close\r\n\r\nsome")
            connection.sendall(b" more")
            connection.shutdown(socket.SHUT_RDWR)

        self.assertEqual(self.get(self.serve(script)), b"some more")

    def test_the_time_limit_is_for_the_whole_response_though_each_part_comes_soon(self) -> None:
        def drip(start: bytes) -> Script:
            def script(connection: socket.socket, _: int) -> None:
                connection.sendall(start)
                for _ in range(100):
                    connection.sendall(b"x")
                    time.sleep(0.05)

            return script

        for start in (b"HTTP/1.1 200 OK\r\nX-Slow: ", b"HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n"):
            server = self.serve(drip(start))
            began = time.monotonic()
            with self.subTest(start), self.assertRaises(TimeoutError):
                self.get(server, timeout_seconds=0.3)
            self.assertLess(time.monotonic() - began, 3)

    def test_a_stream_may_take_longer_than_the_limit_which_is_for_its_begin(self) -> None:
        def script(connection: socket.socket, _: int) -> None:
            connection.sendall(b"HTTP/1.1 200 OK\r\nConnection: close\r\n\r\ndata: 1\n")
            time.sleep(0.6)
            connection.sendall(b"data: 2\n")
            connection.shutdown(socket.SHUT_RDWR)

        request = Request("GET", self.serve(script).url, {}, 0.3, is_stream=True)
        with self.transport.send(request) as response:
            self.assertEqual(list(response), [b"data: 1\n", b"data: 2\n"])
    def test_a_stream_that_is_left_early_ends_its_connection(self) -> None:
        ended = threading.Event()

        def script(connection: socket.socket, _: int) -> None:
            connection.sendall(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n8\r\ndata: 1\n\r\n")
            if connection.recv(1) == b"":
                ended.set()

        with self.transport.send(Request("GET", self.serve(script).url, {}, 5, is_stream=True)) as response:
            self.assertEqual(next(iter(response)), b"data: 1\n")
        self.assertTrue(ended.wait(5))

    def test_the_limit_is_for_the_begin_of_a_stream_and_for_the_whole_text_of_an_error(self) -> None:
        def failed(connection: socket.socket, _: int) -> None:
            connection.sendall(b"HTTP/1.1 503 Unavailable\r\nContent-Length: 9\r\n\r\nx")
            time.sleep(1)

        with self.assertRaises(TimeoutError):
            self.get(self.serve(failed), timeout_seconds=0.3, is_stream=True)
        silent = self.serve(lambda connection, _: time.sleep(1))
        with self.assertRaises(TimeoutError):
            self.get(silent, timeout_seconds=0.3, is_stream=True)

    def test_threads_share_it(self) -> None:
        server = self.serve(lambda connection, _: connection.sendall(OK))
        results: list[bytes] = []
        threads = [threading.Thread(target=lambda: results.append(self.get(server))) for _ in range(16)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(results, [b"ok"] * 16)
