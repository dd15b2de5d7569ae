"""The calls that a worker has taken: each told of while it runs, and what came of it kept for a while."""

from __future__ import annotations

import asyncio
import logging
import re
import time
from collections import OrderedDict
from typing import Any

import msgspec
from msgspec import Raw

from ares_core import Ares, Failure, Result, ToolCall, within
from ares_plugin_workers.link import Link
from ares_plugin_workers.messages import Alive, Answer, Call, Started, Unreadable, encode, encode_data, read_data

log = logging.getLogger("ares.plugin.workers")
MOST = 1_000
"""Calls at a time; beyond that they are sent back."""
HOLD = 5.0
"""Seconds that a held call waits to be told to begin."""
QUICK = 0.05
"""What takes less says nothing before its answer."""
EVERY = 0.4
KEPT, KEPT_BYTES, KEPT_SECONDS = 1_000, 64_000_000, 60.0
_FRAME = re.compile(r'<data from="[^"]*" trust="none">\n(.*)\n</data>', re.DOTALL)
_NOT_EXECUTED = "Not executed."


class Job:
    """One call."""

    def __init__(self, jobs: Jobs, reply: str, call: Call) -> None:
        self._jobs = jobs
        self.reply = reply
        self.call = call
        self.taken_at = self._told_at = time.monotonic()
        self._said_started = False
        self._begin: asyncio.Future[Raw] = asyncio.get_running_loop().create_future()
        self.task = asyncio.get_running_loop().create_task(self._run())

    def go(self, arguments: Raw) -> None:
        """Begin, once."""
        if self.call.hold and not self._begin.done():
            self._begin.set_result(Raw(bytes(arguments)))

    def cancel(self) -> None:
        """Stop it."""
        self.task.cancel()

    def tell(self) -> None:
        """Say that it is there: a call that is held still waits, any other runs."""
        self._told_at = time.monotonic()
        is_held = self.call.hold and not self._begin.done()
        started = is_held or not self._said_started
        self._said_started = True
        self._jobs.link.send(self.reply, Started(self._jobs.worker) if started else Alive())

    def beat(self, now: float) -> None:
        """Give a sign of life, if it is time for one."""
        if now - self._told_at > EVERY or not self._said_started and now - self.taken_at > QUICK:
            self.tell()

    async def _run(self) -> None:
        try:
            arguments = self.call.arguments
            if self.call.hold:
                self.tell()
                arguments = await asyncio.wait_for(self._begin, HOLD)
            self._jobs.finish(self, self._jobs.answer_to(await self._called(arguments)))
        except (asyncio.CancelledError, TimeoutError):
            self._jobs.drop(self)
        except Exception as error:
            log.exception("a call of %s could not be run", self.call.tool[:100])
            message = f"The worker could not run it ({type(error).__name__}); its log has the details."
            self._jobs.finish(self, encode(Answer(False, error=Failure("internal_error", message, blame="tool"))))

    async def _called(self, arguments: Raw) -> Result:
        call = self.call
        try:
            given = read_data(arguments)
        except Unreadable as error:
            return Result(False, error=Failure("malformed_arguments", f"The arguments can't be read: {error}."))
        wish = ToolCall(call.tool, given, call.id, call.key, None, call.turn)
        timeout = call.timeout if call.timeout > 0 else None
        if not call.heard:
            return await self._jobs.ares.call(wish, session=call.session, timeout=timeout)
        with within(self.reply):  # so that what it tells of its progress is known as this call's
            return await self._jobs.ares.call(wish, session=call.session, timeout=timeout)


class Jobs:
    """All calls of one worker."""

    def __init__(self, ares: Ares, link: Link, worker: str, name: str, most_bytes: int) -> None:
        self.ares = ares
        self.link = link
        self.worker = worker
        self._name = name
        self._most_bytes = most_bytes
        self._running: dict[str, Job] = {}
        self._kept: OrderedDict[str, tuple[float, bytes]] = OrderedDict()
        self._kept_bytes = 0

    def take(self, reply: str, call: Call) -> None:
        """Take a call, or send it back; one that is known is not begun again."""
        if reply in self._running or reply in self._kept:
            return
        if len(self._running) >= MOST:
            message = f"The worker has {MOST} calls to run already. Not executed."
            self.link.send(reply, Answer(False, error=Failure("queue_full", message, retriable=True, blame="world")))
            return
        self._running[reply] = Job(self, reply, call)

    def find(self, reply: str) -> Job | None:
        """Give a call that runs."""
        return self._running.get(reply)

    def repeat(self, reply: str) -> bool:
        """Say again what came of a call, if that is known."""
        known = self._kept.get(reply)
        if known is not None:
            self.link.send_body(reply, known[1])
        return known is not None

    def finish(self, job: Job, answer: bytes) -> None:
        """Say what came of a call, and keep it in case that nobody hears it."""
        self.drop(job)
        self.link.send_body(job.reply, answer)
        self._kept[job.reply] = (time.monotonic(), answer)
        self._kept_bytes += len(answer)
        while len(self._kept) > KEPT or self._kept_bytes > KEPT_BYTES:
            self._forget_oldest()

    def drop(self, job: Job) -> None:
        """Forget a call that nobody waits for."""
        self._running.pop(job.reply, None)

    def _forget_oldest(self) -> None:
        _, (_, answer) = self._kept.popitem(last=False)
        self._kept_bytes -= len(answer)

    async def beat(self, seconds: float) -> None:
        """Give signs of life for what takes long, and forget what is old."""
        while True:
            await asyncio.sleep(seconds)
            now = time.monotonic()
            for job in list(self._running.values()):
                job.beat(now)
            while self._kept and next(iter(self._kept.values()))[0] < now - KEPT_SECONDS:
                self._forget_oldest()

    async def end(self, patience: float) -> None:
        """Wait for what runs; what takes longer is cancelled."""
        if self._running:
            await asyncio.wait([job.task for job in self._running.values()], timeout=patience)
        for job in list(self._running.values()):
            job.cancel()

    def answer_to(self, result: Result) -> bytes:
        """Write what came of a call, whole; what is too large is a failure that says so."""
        data = encode_data(result.data)
        if len(data) <= self._most_bytes:
            body = encode(Answer(
                result.success, Raw(data), _told(result), _text(result, data), _metadata(result.metadata, self._name)
            ))  # fmt: skip
            if len(body) <= self._most_bytes:
                return body
        message = (
            f"It ran, but its result has {len(data)} bytes, and the worker may send {self._most_bytes} "
            "(workers.max_message_bytes). Ask for less."
        )
        return encode(Answer(False, error=Failure("tool_error", message, blame="tool")))


def _told(result: Result) -> Failure | None:
    """Give the failure, with the word that nothing was executed, which stands in the text only."""
    failure = result.error
    if failure is None or _NOT_EXECUTED not in result.text or _NOT_EXECUTED in failure.message:
        return failure
    return msgspec.structs.replace(failure, message=f"{failure.message} {_NOT_EXECUTED}")


def _text(result: Result, data: bytes) -> str:
    """Give the text that a formatter or the tool wrote, without the frame that the caller's side puts around it."""
    if not result.success:
        return ""
    framed = _FRAME.fullmatch(result.text)
    text = framed[1] if framed else result.text
    default = result.data if isinstance(result.data, str) else data.decode()
    return "" if text == default else text


def _metadata(metadata: dict[str, Any], worker: str) -> dict[str, Any]:
    """Give what is known of the run here; the caller's side adds its own times."""
    given = {key: value for key, value in metadata.items() if key not in ("duration_ms", "attempts")}
    given |= {"worker": worker, "worker_ms": metadata.get("duration_ms", 0.0)}
    try:
        known: dict[str, Any] = msgspec.json.decode(encode_data(given))
    except (TypeError, ValueError):
        return {"worker": worker, "worker_ms": given["worker_ms"]}
    return known
