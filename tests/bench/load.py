"""The load, in a process of its own: `load.py PORT PATH CONNECTIONS SECONDS`, a request a line on standard input.

A line is the JSON body of a POST to PATH, or ``GET``, a target and headers, parted by tabs.

Every connection stays open and sends its next request when the last is answered. Prints one line of JSON.
"""

import asyncio
import json
import sys
import time

import uvloop

GRACE_S = 30


def request(path: bytes, line: bytes) -> bytes:
    """Write a request."""
    if line.startswith(b"GET\t"):
        _, target, *headers = line.split(b"\t")
        return b"\r\n".join([b"GET %s HTTP/1.1" % target, b"Host: bench", *headers, b"", b""])
    head = b"POST %s HTTP/1.1\r\nHost: bench\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n"
    return head % (path, len(line)) + line


class Load:
    """What all connections share: the requests as bytes, what to send next, what was answered."""

    def __init__(self, path: str, bodies: list[bytes], until: float) -> None:
        self.requests = [request(path.encode(), body) for body in bodies]
        self.until, self.sent, self.answered, self.last = until, 0, 0, 0.0
        self.wrong: list[str] = []

    def next(self) -> bytes | None:
        self.last = time.perf_counter()
        if self.last >= self.until:
            return None
        self.sent += 1
        return self.requests[self.sent % len(self.requests)]


class Connection(asyncio.Protocol):
    """One connection kept open: a request, its whole answer, the next request."""

    def __init__(self, load: Load, closed: asyncio.Future[None]) -> None:
        self.load, self.closed, self.buffer = load, closed, b""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self.transport = transport
        self.send()

    def send(self) -> None:
        request = self.load.next()
        if request is None:
            self.transport.close()
        else:
            self.transport.write(request)  # type: ignore[attr-defined]

    def data_received(self, data: bytes) -> None:
        self.buffer += data
        head, found, body = self.buffer.partition(b"\r\n\r\n")
        if not found:
            return
        length = int(head.lower().partition(b"content-length:")[2].partition(b"\r\n")[0])
        if len(body) < length:
            return
        if head[9:12] != b"200":
            self.load.wrong.append(self.buffer[:500].decode(errors="replace"))
        self.load.answered += 1
        self.buffer = b""
        self.send()

    def connection_lost(self, error: Exception | None) -> None:
        if not self.closed.done():
            self.closed.set_result(None)


async def run(port: int, path: str, connections: int, seconds: float, bodies: list[bytes]) -> dict[str, object]:
    loop = asyncio.get_running_loop()
    start = time.perf_counter()
    load = Load(path, bodies, start + seconds)
    ends: list[asyncio.Future[None]] = [loop.create_future() for _ in range(connections)]
    for end in ends:
        await loop.create_connection(lambda end=end: Connection(load, end), "127.0.0.1", port)  # type: ignore[misc]
    await asyncio.wait_for(asyncio.gather(*ends), seconds + GRACE_S)
    return {
        "sent": load.sent,
        "answered": load.answered,
        "seconds": load.last - start,
        "cpu": time.process_time(),
        "wrong": load.wrong[:3],
    }


if __name__ == "__main__":
    given = sys.stdin.buffer.read().splitlines()
    warm = time.process_time()
    result = uvloop.run(run(int(sys.argv[1]), sys.argv[2], int(sys.argv[3]), float(sys.argv[4]), given))
    result["cpu"] = float(str(result["cpu"])) - warm
    print(json.dumps(result))
