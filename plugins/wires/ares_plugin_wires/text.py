"""Calls written into text, for models and servers that have no other way.

Ares asks this format only if the model's profile says so (``models."qwen*".text_calls``) or the caller names the wire.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from ares_core import Definition, Definitions, NameRule, Result, Turn, replace

from .calls import as_json, mapping, mappings, text_of, unique_ids, words
from .results import told_in_words
from .schemas import publish

_PROMPT = """\
You can call tools. To call one, answer with nothing but

<tool_call>
{"name": "<name of the tool>", "arguments": {<its arguments>}}
</tool_call>

once for each call. The results come in <tool_response> tags. These are the tools, as JSON Schemas:

<tools>
%s
</tools>"""


class Text:
    """Calls written as text in a message of whatever provider."""

    name = "text"
    names = NameRule()

    def recognises(self, part: Mapping[str, Any]) -> bool:
        """Recognise nothing: text is read as calls only when someone says so."""
        return False

    def assemble(self, events: Sequence[Mapping[str, Any]]) -> Mapping[str, Any]:
        """Join the texts of events."""
        return {"role": "assistant", "content": "".join(words(event.get("content")) for event in events)}

    def read(self, body: Mapping[str, Any]) -> Turn:
        """Read a message that has its text under ``content``."""
        text = text_of(body.get("content"))
        native = {"role": "assistant", "content": text}
        return self.calls_in(Turn(text=text, wire=self.name, native=native), "any", None)

    def calls_in(self, turn: Turn, dialect: str, known: Callable[[str], bool] | None) -> Turn:
        """Give the turn with the calls that its text holds; without any it stays as it is."""
        from .dialects import calls_in_text

        calls, rest = calls_in_text(turn.text, dialect, known)
        if not calls:
            return replace(turn, text=rest)
        ids = unique_ids([None] * len(calls), None)
        named = tuple(replace(call, id=identifier) for call, identifier in zip(calls, ids, strict=True))
        return replace(turn, calls=named, text=rest, outcome="calls", wire=self.name)

    def write(self, turn: Turn, results: Sequence[Result]) -> list[dict[str, Any]]:
        """Give the model's message as it was, and all results in one message of the user's, in its provider's form."""
        pairs = zip(turn.calls, results, strict=True)
        answers = [
            f"<tool_response>\n{as_json({'name': call.name, 'content': told_in_words(result)})}\n</tool_response>"
            for call, result in pairs
        ]
        native = turn.native if isinstance(turn.native, list) else [turn.native]
        return [*native, *([_users_words("\n".join(answers), native[-1:])] if answers else [])]

    def definitions(self, tools: Sequence[Definition], choice: str | None, strict: bool) -> Definitions:
        """Publish tools as functions, and as words for the system prompt (``prompt``)."""
        items, lost = publish(tools, strict=False)
        functions = [{"type": "function", "function": item} for item in items]
        chosen = "" if choice in (None, "auto") else _told_choice(choice or "")
        lost += ["strict mode: there is none for calls written as text"] if strict else []
        lost += [f"tool_choice {choice!r}: it is only asked for in words"] if chosen and choice != "none" else []
        prompt = "" if choice == "none" else _PROMPT % "\n".join(as_json(item) for item in functions) + chosen
        return Definitions([] if choice == "none" else functions, {}, lost, prompt)


def _users_words(text: str, native: list[Any]) -> dict[str, Any]:
    """Say something as the user, in the form of the provider that the model's message is from."""
    said = mapping(native[0]) if native else {}
    if "parts" in said:
        return {"role": "user", "parts": [{"text": text}]}
    blocks = mappings(said.get("content")) if isinstance(said.get("content"), list) else []
    in_blocks = bool(blocks) and all("type" not in block for block in blocks)
    return {"role": "user", "content": [{"text": text}] if in_blocks else text}


def _told_choice(choice: str) -> str:
    return "\n\nAnswer with a tool call." if choice == "required" else f"\n\nAnswer with a call of the tool {choice}."
