"""A small NATS server for tests: queue groups, answers that nobody is there, headers; no clusters, no permissions.

It speaks INFO CONNECT PING PONG SUB UNSUB PUB HPUB MSG HMSG. ``stop`` cuts all connections, ``start`` takes new ones at
the same port. ``hold`` swallows messages to subjects that begin so, as a network that loses them would.
"""

from __future__ import annotations

import asyncio
import json
import random
import socket
import threading
from collections.abc import Callable
from typing import Any

NOBODY = b"NATS/1.0 503\r\n\r\n"


class Session:
    """One connection."""

    def __init__(self, broker: Broker, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._broker, self._reader, self.writer = broker, reader, writer
        self.subs: dict[str, tuple[list[str], str]] = {}

    async def serve(self) -> None:
        info = {"version": "2.9.0", "headers": True, "max_payload": self._broker.max_payload, "proto": 1}
        if self._broker.token:
            info["auth_required"] = True
        self.writer.write(b"INFO " + json.dumps(info).encode() + b"\r\n")
        while line := await self._reader.readline():
            verb, *words = line.decode().split(" ") if not line.startswith(b"CONNECT") else ("CONNECT", line.decode())
            if not await self._follow(verb.strip().upper(), [word.strip() for word in words]):
                break

    async def _follow(self, verb: str, words: list[str]) -> bool:
        if verb == "CONNECT":
            given = json.loads(words[0].partition(" ")[2])
            if self._broker.token and given.get("auth_token") != self._broker.token:
                self.writer.write(b"-ERR 'Authorization Violation'\r\n")
                return False
        elif verb == "PING":
            self.writer.write(b"PONG\r\n")
        elif verb == "SUB":
            self.subs[words[-1]] = (words[0].split("."), words[1] if len(words) == 3 else "")
        elif verb == "UNSUB":
            self.subs.pop(words[0], None)
        elif verb in ("PUB", "HPUB"):
            await self._publish(verb, words)
        return True

    async def _publish(self, verb: str, words: list[str]) -> None:
        sizes = words[-2:] if verb == "HPUB" else words[-1:]
        body = (await self._reader.readexactly(int(sizes[-1]) + 2))[:-2]
        if len(body) > self._broker.max_payload:
            self.writer.write(b"-ERR 'Maximum Payload Violation'\r\n")
            return
        reply = words[1] if len(words) > 1 + len(sizes) else ""
        if not self._broker.deliver(words[0], reply, body) and reply:
            self._broker.deliver(reply, "", NOBODY, header=len(NOBODY))

    def send(self, sid: str, subject: str, reply: str, body: bytes, header: int) -> None:
        words = [
            "HMSG" if header else "MSG",
            subject,
            sid,
            *([reply] if reply else []),
            *([str(header)] if header else []),
        ]
        self.writer.write(" ".join([*words, str(len(body))]).encode() + b"\r\n" + body + b"\r\n")


class Broker:
    """The server, in a thread of its own."""

    def __init__(self, token: str = "", max_payload: int = 1_048_576) -> None:
        self.token = token
        self.max_payload = max_payload
        self.hold = ""
        self.watch: Callable[[bytes], Any] = len
        self._sessions: set[Session] = set()
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, daemon=True)
        self._thread.start()
        self._place = socket.socket()  # so that nobody else gets the port while nothing is served there
        self._place.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        self._place.bind(("127.0.0.1", 0))
        self.port: int = self._place.getsockname()[1]
        self._server: asyncio.Server | None = None
        self.start()

    @property
    def url(self) -> str:
        return f"nats://{self.token + '@' if self.token else ''}127.0.0.1:{self.port}"

    def _run(self, work: Any) -> Any:
        return asyncio.run_coroutine_threadsafe(work, self._loop).result(timeout=60)

    def start(self) -> None:
        self._server = self._run(
            asyncio.start_server(self._serve, "127.0.0.1", self.port, limit=2**20, reuse_address=True)
        )

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        session = Session(self, reader, writer)
        self._sessions.add(session)
        try:
            await session.serve()
        except (OSError, asyncio.IncompleteReadError, asyncio.CancelledError):
            pass
        finally:
            self._sessions.discard(session)
            writer.close()

    def deliver(self, subject: str, reply: str, body: bytes, header: int = 0) -> bool:
        """Give a message to all who hear its subject, of a queue group to one; gives whether anybody did."""
        self.watch(body)
        if self.hold and subject.startswith(self.hold):
            return True
        words = subject.split(".")
        groups: dict[str, list[tuple[Session, str]]] = {}
        for session in self._sessions:
            for sid, (wanted, queue) in session.subs.items():
                if fits(words, wanted):
                    groups.setdefault(queue or f"alone {id(session)} {sid}", []).append((session, sid))
        for members in groups.values():
            session, sid = random.choice(members)
            session.send(sid, subject, reply, body, header)
        return bool(groups)

    def stop(self) -> None:
        self._run(self._stop())

    async def _stop(self) -> None:
        if self._server is not None:
            self._server.close()
        await asyncio.sleep(0.05)
        while self._sessions:
            for session in self._sessions:
                session.writer.transport.abort()
            await asyncio.sleep(0.01)

    def close(self) -> None:
        self.stop()
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()
        self._place.close()


def fits(subject: list[str], wanted: list[str]) -> bool:
    if wanted[-1:] == [">"]:
        return len(subject) >= len(wanted) and fits(subject[: len(wanted) - 1], wanted[:-1])
    return len(subject) == len(wanted) and all(
        theirs in ("*", ours) for ours, theirs in zip(subject, wanted, strict=True)
    )
