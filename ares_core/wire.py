"""Which provider formats there are, which one a body is in, and under which names tools go out and come back."""

from __future__ import annotations

import logging
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from msgspec.structs import replace

from ares_core.calls import Result, ToolCall
from ares_core.counts import counted
from ares_core.errors import UsageError, WireError
from ares_core.formats import CHOICES, Definition, Definitions, NameRule, Turn, WireFormat
from ares_core.streams import Content, gathered, is_silent, parsed
from ares_core.tools import Tool
from ares_core.wirenames import sent_keys, wire_names, with_keys

log = logging.getLogger("ares")

Tools = Iterable[Tool] | Mapping[str, Tool]
"""The tools in scope; a mapping has them by the names that the scope knows them by."""

_Named = tuple[tuple[str, Tool], ...]
_FIRST_EVENTS = 50
_REMEMBERED = 16


class Wires:
    """The formats of one Ares. Of two with one name the first counts.

    ``models`` has the profile of each model, by a pattern of its name; only a profile with ``text_calls``, or asking
    for the wire ``text``, lets calls be read out of text.
    """

    def __init__(self, formats: Iterable[WireFormat] = (), models: Mapping[str, Any] | None = None) -> None:
        self.formats: dict[str, WireFormat] = {}
        for wire_format in formats:
            self.formats.setdefault(wire_format.name, wire_format)
        self.models = dict(models or {})
        self._names: dict[tuple[_Named, NameRule], dict[str, str]] = {}
        self._published: dict[tuple[Any, ...], Definitions] = {}

    def names(self) -> list[str]:
        """Give the names of the formats, in order."""
        return sorted(self.formats)

    def format(self, wire: str) -> WireFormat:
        """Give a format by name."""
        if wire in self.formats:
            return self.formats[wire]
        raise WireError(f"there is no wire format {wire!r}; {self._known()}")

    def _known(self) -> str:
        names = ", ".join(self.names())
        return f"name it with wire= (--wire): {names}" if names else "install ares-plugin-wires to have some formats"

    def parse(self, body: Any, wire: str | None = None, tools: Tools = (), model: str | None = None) -> Turn:
        """Read what a model said: a dict, JSON or event-stream text, or an iterable of its chunks.

        Calls carry the names that the tools have here, wherever the name on the wire belongs to one of them. ``model``
        is the one that was asked, for its profile; without it the body says which it was. Raises ``WireError`` only
        for a body that no format knows, or that is not even JSON.
        """
        given = gathered(body)
        named = _named(tools)
        if wire == "text":
            self.format(wire)
            return self._text_calls(self._text_turn(given), "any", named)
        content = parsed(given) if isinstance(given, str) else given
        wire_format = self.format(wire) if wire else self._recognised(content)
        if wire_format and isinstance(content, str):
            if content.lstrip("\ufeff \t\r\n").startswith(("{", "[")):
                reason = "the body is no whole JSON: it is cut off or broken"
                return Turn(outcome="failed", wire=wire_format.name, reason=reason)
            content = [] if is_silent(content) else content
        if wire_format is None or isinstance(content, str):
            if wire is not None:
                raise WireError(f"wire format {wire!r} does not know {_shape(content)}")
            raise WireError(f"no wire format knows {_shape(content)}; {self._known()}")
        turn = self._real(_turn(wire_format, content), named)
        dialect = self.dialect(model or turn.model)
        return self._text_calls(turn, dialect, named) if dialect else turn

    def answer(self, turn: Turn, results: Sequence[Result]) -> list[dict[str, Any]]:
        """Give the messages that go back to the provider: its own, then one answer for each call, in order."""
        if len(results) != len(turn):
            raise UsageError(
                f"give one result for each call: the turn has {counted(len(turn), 'call')}, and {len(results)} came"
            )
        if turn.native is None and not turn:
            return []
        told = [_told(result) for result in results] if turn.outcome == "truncated" else results
        return self.format(turn.wire).write(turn, told)

    def definitions(self, tools: Tools, wire: str, tool_choice: str | None = None, strict: bool = False) -> Definitions:
        """Publish tools in a provider's dialect, in the order of their names.

        ``tool_choice`` is ``"auto"``, ``"none"``, ``"required"`` or the name of a tool. ``strict`` asks for the
        provider's strict mode, for the tools whose schema allows it.
        """
        named = _named(tools)
        key = (named, wire, tool_choice, strict)
        known = self._published.get(key)
        if known is None:
            known = _remember(self._published, key, self._publish(named, wire, tool_choice, strict))
        return Definitions(known, known.request, known.lost, known.prompt)

    def wire_names(self, tools: Tools, wire: str) -> dict[str, str]:
        """Give the name on the wire of each tool in scope."""
        return dict(self._table(_named(tools), wire))

    def real_names(self, tools: Tools, wire: str) -> dict[str, str]:
        """Give the tool's name for each name on the wire."""
        return {sent: name for name, sent in self._table(_named(tools), wire).items()}

    def names_sent(self, tools: Tools) -> dict[str, list[str]]:
        """Give the names on any wire that differ from the tools' own, each with the tools that it may mean."""
        found: dict[str, list[str]] = {}
        for wire in {wire_format.names: name for name, wire_format in self.formats.items()}.values():
            for name, sent in self._table(_named(tools), wire).items():
                if sent != name and name not in found.setdefault(sent, []):
                    found[sent].append(name)
        return found

    def _table(self, named: _Named, wire: str) -> dict[str, str]:
        key = (named, self.format(wire).names)
        known = self._names.get(key)
        if known is None:
            known = _remember(self._names, key, wire_names({name: tool.aliases for name, tool in named}, key[1]))
        return known

    def _publish(self, named: _Named, wire: str, choice: str | None, strict: bool) -> Definitions:
        names, wire_format = self._table(named, wire), self.format(wire)
        if choice is not None and choice not in CHOICES and choice not in names:
            raise UsageError(
                f"tool_choice is {choice!r}; give one of {', '.join(CHOICES)}, or the name of a tool in scope"
            )
        tools = [
            Definition(names[name], tool.description, with_keys(tool.parameters, _keys(wire_format, tool)))
            for name, tool in sorted(named, key=_first)
        ]
        return wire_format.definitions(tools, choice if choice in CHOICES else names.get(choice or ""), strict)

    def _recognised(self, content: Content) -> WireFormat | None:
        if isinstance(content, str):
            return None
        for part in [content] if isinstance(content, Mapping) else content[:_FIRST_EVENTS]:
            for wire_format in self.formats.values():
                if wire_format.recognises(part):
                    return wire_format
        return None

    def _real(self, turn: Turn, named: _Named) -> Turn:
        """Give the calls the names that their tools have here, and their arguments those that the tools know."""
        if not turn.calls or not named or turn.wire not in self.formats:
            return turn
        real = {sent: name for name, sent in self._table(named, turn.wire).items() if sent != name}
        calls = [_renamed(call, real) for call in turn.calls]
        wire_format = self.formats[turn.wire]
        if getattr(wire_format, "keys", None) is not None:
            tools = dict(named)
            calls = [_with_real_keys(call, _keys(wire_format, tools.get(call.name))) for call in calls]
        return replace(turn, calls=tuple(calls))

    def dialect(self, model: str) -> str | None:
        """Give the dialect in which a model writes calls as text, if its profile says that it does."""
        dialect = self._profiled(model, "text_calls")
        return "any" if dialect is True else dialect or None

    def context(self, model: str) -> int | None:
        """Give how many tokens a model can read, if its profile says so."""
        tokens: int | None = self._profiled(model, "context_tokens")
        return tokens

    def _profiled(self, model: str, what: str) -> Any:
        from fnmatch import fnmatchcase

        profile = next((self.models[pattern] for pattern in self.models if model and fnmatchcase(model, pattern)), None)
        return profile.get(what) if isinstance(profile, Mapping) else getattr(profile, what, None)

    def _text_turn(self, given: Content) -> Turn:
        content = parsed(given) if isinstance(given, str) else given
        wire_format = self._recognised(content)
        if wire_format is not None and not isinstance(content, str):
            return _turn(wire_format, content)
        if isinstance(given, str):
            return Turn(text=given, wire="text", native={"role": "assistant", "content": given})
        raise WireError(f"no wire format knows {_shape(content)}; give the text itself, or a body with it in")

    def _text_calls(self, turn: Turn, dialect: str, named: _Named) -> Turn:
        reader = getattr(self.formats.get("text"), "calls_in", None)
        if reader is None or turn.calls or turn.outcome != "final":
            return self._real(turn, named)
        table = self._table(named, "text")
        found: Turn = reader(turn, dialect, _knower([*table, *table.values()]) if table else None)
        return self._real(found, named)


def _turn(wire_format: WireFormat, content: Mapping[str, Any] | list[Mapping[str, Any]]) -> Turn:
    try:
        body = content if isinstance(content, Mapping) else wire_format.assemble(content)
        return _in_turn(wire_format.read(body), body.get("id") or body.get("responseId"))
    except WireError:
        raise
    except Exception as error:
        log.warning("wire format %s could not read a body", wire_format.name, exc_info=True)
        reason = f"the body is no sound {wire_format.name} body ({type(error).__name__}: {error})"
        return Turn(outcome="failed", wire=wire_format.name, reason=reason[:300])


def _in_turn(turn: Turn, response: Any) -> Turn:
    """Let the calls say which response they came in: a provider may give the same call ids again in the next one."""
    if not turn or not isinstance(response, str) or not response:
        return turn
    return replace(turn, calls=tuple(replace(call, turn=call.turn or response[:200]) for call in turn))


def _told(result: Result) -> Result:
    """Tell the model why its call was cut off, which the call itself can't show."""
    if result.error is None or result.error.code != "truncated_arguments":
        return result
    why = "Your answer was cut off before the call was whole, most likely at the output limit: send a smaller call."
    return replace(result, text=f"{result.text}\n{why}")


def _named(tools: Tools) -> _Named:
    if isinstance(tools, Mapping):
        return tuple(tools.items())
    return tuple((tool.name, tool) for tool in tools)


def _first(pair: tuple[str, Tool]) -> str:
    return pair[0]


def _renamed(call: ToolCall, real: Mapping[str, str]) -> ToolCall:
    name = real.get(call.name)
    return replace(call, name=name) if name else call


def _keys(wire_format: WireFormat, tool: Tool | None) -> Mapping[str, str]:
    rule = getattr(wire_format, "keys", None)
    return sent_keys(tool.parameters, rule) if tool is not None and rule is not None else {}


def _with_real_keys(call: ToolCall, keys: Mapping[str, str]) -> ToolCall:
    if not keys or not isinstance(call.arguments, Mapping):
        return call
    real = {sent: key for key, sent in keys.items()}
    return replace(call, arguments={real.get(key, key): value for key, value in call.arguments.items()})


def _knower(names: Iterable[str]) -> Callable[[str], bool]:
    """Tell whether a name belongs to a tool, with no regard for case, separators and the word ``functions``."""
    known = {_bare(name) for name in names}
    return lambda name: _bare(name) in known


def _bare(name: str) -> str:
    return re.sub(r"[\W_]+", "", name.removeprefix("functions.")).casefold()


def _shape(content: Content) -> str:
    if isinstance(content, str):
        return f"this text: {content[:80]!r}" if content.strip() else "an empty body"
    first = content if isinstance(content, Mapping) else content[0] if content else {}
    keys = ", ".join(str(key)[:40] for key in list(first)[:8])
    return f"a {'body' if first is content else 'stream'} with the keys {keys or '(none)'}"


def _remember(memory: dict[Any, Any], key: Any, value: Any) -> Any:
    if len(memory) >= _REMEMBERED:
        memory.pop(next(iter(memory)), None)
    memory[key] = value
    return value
