"""Which parts of a text the model says itself: not its thoughts, not what it quotes."""

from __future__ import annotations

import re
from bisect import bisect_right

Span = tuple[int, int]

_THOUGHTS = (
    ("<think>", "</think>"), ("<thinking>", "</thinking>"), ("<thought>", "</thought>"), ("[THINK]", "[/THINK]"),
    ("<seed:think>", "</seed:think>"), ("<mm:think>", "</mm:think>"), ("◁think▷", "◁/think▷"),
    ("<|START_THINKING|>", "<|END_THINKING|>"), ("<|begin_of_thought|>", "<|end_of_thought|>"),
    ("<|start_of_thought|>", "<|end_of_thought|>"), ("<|channel>thought", "<channel|>"),
    ("<thoughts>", "</thoughts>"), ("<reasoning>", "</reasoning>"), ("<analysis>", "</analysis>"),
    ("<reflection>", "</reflection>"), ("<scratchpad>", "</scratchpad>"), ("<antThinking>", "</antThinking>"),
    ("<inner_monologue>", "</inner_monologue>"),
)  # fmt: skip
_QUOTED = (
    ("<tool_response>", "</tool_response>"), ("<tool_result>", "</tool_result>"), ("<tool_output>", "</tool_output>"),
    ("<tool_results>", "</tool_results>"), ("<tool_outputs>", "</tool_outputs>"),
    ("<function_results>", "</function_results>"), ("<function_result>", "</function_result>"),
    ("<function_response>", "</function_response>"), ("[TOOL_RESULTS]", "[/TOOL_RESULTS]"),
    ("<|tool_response>", "<tool_response|>"), ("<｜tool▁outputs▁begin｜>", "<｜tool▁outputs▁end｜>"),
    ("<data from=", "</data>"), ("<document>", "</document>"), ("<documents>", "</documents>"),
    ("<observation>", "</observation>"), ("<example>", "</example>"), ("<examples>", "</examples>"),
    ("<quote>", "</quote>"), ("<blockquote>", "</blockquote>"), ("<pre>", "</pre>"), ("<code>", "</code>"),
)  # fmt: skip
_FENCE = re.compile(r"[ \t]*(`{3,}|~{3,})([^\n]*)")
_QUOTE_LINE = re.compile(r"^ {0,3}>.*$", re.MULTILINE)
_MARK = re.compile(r"</?[\w:]{1,32}>")
_LONGEST_MARK = 36
_CODE = re.compile(r"`[^`\n]{1,2000}`")
_OPENING_QUOTES = "\"'“‘«「『`"


def without_thoughts(text: str) -> str:
    """Leave out what the model thinks: marked parts, an unfinished one, and all before a mark that only ends one."""
    for opening, closing in _THOUGHTS:
        end = text.find(closing)
        if end >= 0 and opening not in text[:end]:
            text = text[end + len(closing) :]
        spans = between(text, opening, closing)
        text = cut_out(text, spans)
    return text


def without_last_mark(text: str) -> str:
    """Leave out the tag that a text ends with, as one that was never opened does.

    >>> without_last_mark("{} </tool_call>\\n"), without_last_mark("{}")
    ('{}', '{}')
    """
    text = text.rstrip()
    start = text.rfind("<", -_LONGEST_MARK) if text.endswith(">") else -1
    return text[:start].rstrip() if start >= 0 and _MARK.fullmatch(text, start) else text


def between(text: str, opening: str, closing: str) -> list[Span]:
    """Give the parts from each opening mark to its closing mark, or to the end of the text."""
    spans = []
    start = text.find(opening)
    while start >= 0:
        end = text.find(closing, start)
        end = len(text) if end < 0 else end + len(closing)
        spans.append((start, end))
        start = text.find(opening, end)
    return spans


def cut_out(text: str, spans: list[Span]) -> str:
    """Leave out parts of a text; they are in order and apart."""
    pieces, place = [], 0
    for start, end in spans:
        pieces.append(text[place:start])
        place = end
    return "".join([*pieces, text[place:]])


class Quoted:
    """The parts of a text that are quoted: code, block quotes, the output of tools."""

    def __init__(self, text: str) -> None:
        self.text = text
        found = [span for opening, closing in _QUOTED for span in between(text, opening, closing)]
        found += between_fences(text)
        found += [match.span() for match in _QUOTE_LINE.finditer(text)]
        found += [match.span() for match in _CODE.finditer(text)]
        self.spans = _united(found)
        self._starts = [start for start, _ in self.spans]

    def __contains__(self, place: int) -> bool:
        """Whether what starts here is quoted."""
        at = bisect_right(self._starts, place) - 1
        inside = at >= 0 and place < self.spans[at][1]
        return inside or place > 0 and self.text[place - 1] in _OPENING_QUOTES


def between_fences(text: str) -> list[Span]:
    """Give the fenced parts of a text, the last one even if nothing closes it.

    Only a fence as long as the one that opened a part closes it: a shorter one in it belongs to what is shown.

    >>> between_fences("````\\n```\\na\\n```\\n````\\nb")
    [(0, 20)]
    """
    if "```" not in text and "~~~" not in text:
        return []
    spans, start, place, opened = [], -1, 0, ""
    for line in text.splitlines(keepends=True):
        fence, label = match.groups() if (match := _FENCE.match(line)) else ("", "")
        if fence and start < 0 and "`" not in label:
            start, opened = place, fence
        elif start >= 0 and fence.startswith(opened) and not label.strip():
            spans.append((start, place + len(line)))
            start = -1
        place += len(line)
    return [*spans, (start, len(text))] if start >= 0 else spans


def _united(spans: list[Span]) -> list[Span]:
    united: list[Span] = []
    for start, end in sorted(spans):
        if united and start <= united[-1][1]:
            united[-1] = (united[-1][0], max(end, united[-1][1]))
        else:
            united.append((start, end))
    return united
