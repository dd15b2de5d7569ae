"""Pages of a result that was too long: the way back to what was cut."""

from __future__ import annotations

from ares_core.call.finish import framed
from ares_core.call.kept import head
from ares_core.call.run import Run
from ares_core.context import ResultPage
from ares_core.counts import counted
from ares_core.errors import ToolError

SHARE = 0.9
"""Of what a model may read at once; the rest is for the words around the page."""


def page_of(run: Run, handle: str, offset: int, limit: int | None) -> ResultPage:
    """Give one page of a kept result of this session, as long as a model may read at once, or shorter."""
    runner = run.runner
    kept = runner.shelf.get(handle, None if run.session is None else run.session.name)
    if kept is None:
        raise ToolError(
            f"there is no result {handle[:40]!r} in this session", blame="input",
            hint="Take the handle from the note in the text that was cut. The oldest results are forgotten: run that "
            "tool again.",
        )  # fmt: skip
    total = len(kept.text)
    if not 0 <= offset < max(total, 1):
        raise ToolError(f"the result has {counted(total, 'character')}; offset {offset} is not in it", blame="input",
                        hint=f"Give an offset from 0 to {max(total - 1, 0)}.")  # fmt: skip
    asked = kept.text[offset:] if limit is None else kept.text[offset : offset + limit]
    text = head(asked, max(int(runner.settings.results.max_tokens * SHARE) - 40, 10), runner.count)
    shown = framed(text, kept.tool) if kept.is_open_world else text
    return ResultPage(text, shown, kept.tool, offset, offset + len(text), total)
