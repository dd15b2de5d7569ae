"""Results of tools, recorded once and replayed: what a test needs of the world, in a file that people can read."""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable, Mapping
from contextvars import ContextVar
from pathlib import Path
from types import TracebackType
from typing import Any, Literal, Self

from msgspec import to_builtins

from ares_core.call.deadline import DeadlineReached
from ares_core.call.plain import plain
from ares_core.call.redact import Redactor, secret_values
from ares_core.calls import Failure, Result, ToolCall
from ares_core.errors import ToolError, UsageError
from ares_core.hookspecs import hookimpl
from ares_core.protocols import Host, Layer
from ares_core.schema import compile_schema

Mode = Literal["record", "replay", "strict"]
INNERMOST = 1_000_000
_inside: ContextVar[bool] = ContextVar("ares_recorder_inside", default=False)
Entry = dict[str, Any]


class Recorder:
    """A plugin that keeps what tools gave in a file (``record``), and gives it again (``replay``, ``strict``).

    Calls are told apart by tool and arguments; the same call several times replays its outcomes in order. A replayed
    tool never runs: a call that was not recorded fails, and when the block ends an ``AssertionError`` shows how it
    differs from the nearest recorded one. ``strict`` also wants every recorded call to be made. Secrets are blacked
    out before they reach the file. ``tools`` limits it to those tools; calls that a recorded tool makes itself belong
    to its result.

    Example::

        def test_finds_the_page(ares):
            ares.add("ares_plugin_search")
            with Recorder("tests/search.json", "replay") as recorder:
                ares.add(recorder)
                assert ares.call_sync("web_search", {"query": "ares"}).data["count"] == 3
    """

    def __init__(self, path: str | Path, mode: Mode = "replay", *, tools: tuple[str, ...] = ()) -> None:
        if mode not in ("record", "replay", "strict"):
            raise UsageError(f"mode is {mode!r}; write 'record', 'replay' or 'strict'")
        self.path = Path(path)
        self.__name__ = f"recorder_{self.path.stem}"
        self.mode = mode
        self.misses: list[str] = []
        self._tools = tools
        self._secrets: dict[str, Any] = {}
        self._redactor = Redactor()
        self._host: Host | None = None
        self._entries: list[Entry] = [] if mode == "record" else _read(self.path)
        self._unused = list(self._entries) if mode != "record" else []

    @hookimpl
    def register_middleware(self, host: Host) -> list[Layer]:
        """Stand between the tools and everything around them."""
        self._host = host
        self._redactor = Redactor(host.settings.results.redact)
        return [Layer("recorder", "tool_execution", self._run, INNERMOST, self._tools)]

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        if self.mode == "record" and error is None:
            self.save()
        if error is None:
            self.check()
        elif self.misses:
            error.add_note("\n".join(self.misses))

    def save(self) -> None:
        """Write the file."""
        self.path.parent.mkdir(parents=True, exist_ok=True)
        text = json.dumps({"format": 1, "calls": self._entries}, indent=2, ensure_ascii=False, sort_keys=True)
        self.path.write_text(f"{text}\n", "utf-8")

    def check(self) -> None:
        """Fail if a call was missing in the file, or in ``strict`` mode one of the file was not made."""
        problems = list(self.misses)
        if self.mode == "strict":
            problems += [f"recorded in {self.path}, but not called: {_signature(entry)}" for entry in self._unused]
        if problems:
            raise AssertionError("\n".join(problems))

    async def _run(self, call: ToolCall, next_call: Callable[[], Awaitable[Any]]) -> Any:
        if _inside.get():
            return await next_call()
        wanted = {"tool": call.name, "arguments": self._hidden(call, call.arguments)}
        if self.mode != "record":
            return self._replay(wanted)
        entry: Entry = dict(wanted)
        self._entries.append(entry)
        token = _inside.set(True)
        try:
            return await self._recorded(call, next_call, entry)
        finally:
            _inside.reset(token)

    async def _recorded(self, call: ToolCall, next_call: Callable[[], Awaitable[Any]], entry: Entry) -> Any:
        try:
            answer = await next_call()
        except DeadlineReached:
            entry["timeout"] = True
            raise
        except Exception as error:
            entry["error"] = self._hidden(call, to_builtins(_failure(call.name, error)))
            raise
        if isinstance(answer, Result):
            kept = {"success": answer.success, "data": plain(answer.data), "text": answer.text}
            kept["error"] = None if answer.error is None else to_builtins(answer.error)
            entry["result"] = self._hidden(call, kept)
        else:
            entry["data"] = self._hidden(call, plain(answer))
        return answer

    def _replay(self, wanted: Entry) -> Any:
        found = next((entry for entry in self._unused if _signature(entry) == _signature(wanted)), None)
        if found is None:
            return self._miss(wanted)
        self._unused.remove(found)
        if found.get("timeout"):
            raise DeadlineReached
        if "error" in found:
            return Result(False, error=_as_failure(found["error"]))
        if "result" in found:
            kept = found["result"]
            error = None if kept["error"] is None else _as_failure(kept["error"])
            return Result(kept["success"], kept["data"], error, kept["text"])
        return found["data"]

    def _miss(self, wanted: Entry) -> Result:
        text = f"not recorded in {self.path}: {_signature(wanted)}\n{self._nearest(wanted)}"
        self.misses.append(text)
        return Result(False, error=Failure("tool_error", text, blame="tool"))

    def _nearest(self, wanted: Entry) -> str:
        import difflib

        same = [entry for entry in self._entries if entry["tool"] == wanted["tool"]]
        if not same:
            return f"It holds calls of {', '.join(sorted({entry['tool'] for entry in self._entries})) or 'nothing'}."
        if any(_signature(entry) == _signature(wanted) for entry in same):
            return "It is recorded, but fewer times than it is called."
        lines = _lines(wanted)
        near = max(same, key=lambda entry: difflib.SequenceMatcher(None, _lines(entry), lines).ratio())
        return "\n".join(difflib.unified_diff(_lines(near), lines, "recorded", "called", lineterm=""))

    def _hidden(self, call: ToolCall, value: Any) -> Any:
        if call.name not in self._secrets:
            tool = self._host.registry.get(call.name) if self._host else None
            self._secrets[call.name] = compile_schema(tool.parameters, tool=call.name).secrets if tool else ()
        return self._redactor.data(value, secret_values(call.arguments, self._secrets[call.name]))


def _read(path: Path) -> list[Entry]:
    try:
        document = json.loads(path.read_text("utf-8"))
        entries: list[Entry] = document["calls"]
        return [entry for entry in entries if {"tool", "arguments"} <= entry.keys()]
    except FileNotFoundError:
        raise UsageError(f"there is no {path} to replay; make it once with mode='record'") from None
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise UsageError(f"{path} is no recording ({error}); make it again with mode='record'") from None


def _signature(entry: Entry) -> str:
    return f"{entry['tool']} {json.dumps(entry['arguments'], sort_keys=True, ensure_ascii=False)}"


def _lines(entry: Entry) -> list[str]:
    return json.dumps(entry["arguments"], indent=1, sort_keys=True, ensure_ascii=False).splitlines()


def _failure(tool: str, error: Exception) -> Failure:
    if isinstance(error, ToolError):
        words = f"{error.words}\n{error.said}" if error.said else error.words
        return Failure(error.code, words, retriable=error.retriable, blame=error.blame)
    return Failure("tool_error", f"{tool!r} failed with {type(error).__name__}: {error}.", blame="tool")


def _as_failure(kept: Mapping[str, Any]) -> Failure:
    return Failure(kept["code"], kept["message"], retriable=kept["retriable"], blame=kept["blame"])
