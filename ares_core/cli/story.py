"""What happened, told from events: calls below the runs, nodes and calls that made them, with times apart."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from msgspec import Struct, field

from ares_core.app import Ares
from ares_core.calls import Effects, Failure, Result, ToolCall
from ares_core.counts import lasting
from ares_core.eventlog import read
from ares_core.events import Event
from ares_core.hints import for_person
from ares_core.protocols import EventStore
from ares_core.tools import Tool

ENDS = frozenset({"finished", "failed", "denied", "unknown"})
TAKEN_BACK = ("undone", "not_undone")


class Story(Struct):
    """One call, node, turn, plan or run: how it ended, how long it took and waited, and what it made below it."""

    what: str
    name: str
    id: str
    began: float
    status: str = "under way"
    code: str = ""
    waited_ms: float = 0.0
    took_ms: float | None = None
    arguments: Any = None
    text: str = ""
    remarks: list[str] = field(default_factory=list)
    parts: list[Story] = field(default_factory=list)
    run: str | None = None
    node: str | None = None
    parent: str | None = None
    turn: str | None = None


def story_of(store: EventStore, id: str) -> list[Story]:
    """Tell of a call, a run with the runs inside it, or a session; nothing if nothing is kept under that id."""
    of_call = [event for event in read(store, execution_id=id) if "." not in event.kind]
    if of_call:
        return [_with_parts(store, of_call)]
    if store.query(limit=1, run=id):
        return told(read(store, run_below=id))
    return told(read(store, session=id))


def _with_parts(store: EventStore, events: list[Event]) -> Story:
    """Tell of one call and of those made inside it, which lie between its first event and its last."""
    first, last = events[0], events[-1]
    around = read(store, since=first.time - 1, until=last.time + 1)
    (found,) = [story for story in _flat(told(around)) if story.id == first.execution_id][:1] or told(events)
    return found


def _flat(stories: list[Story]) -> Iterator[Story]:
    for story in stories:
        yield story
        yield from _flat(story.parts)


def told(events: Iterable[Event]) -> list[Story]:
    """Make stories of events, those inside others below them."""
    stories: dict[str, Story] = {}
    for event in events:
        key = _key(event)
        story = stories.get(key)
        if story is None:
            story = stories[key] = _begun(event)
        _take(story, event)
    roots: list[Story] = []
    for key, story in stories.items():
        above = _above(story, key, stories)
        (roots if above is None else above.parts).append(story)
    return roots


def _key(event: Event) -> str:
    what, dot, _ = event.kind.partition(".")
    if not dot:
        return f"call {event.execution_id}"
    if what == "node":
        return f"node {event.run} {event.node}"
    return f"{what} {_turn_in(event) or event.run or event.session}"


def _turn_in(event: Event) -> str | None:
    """Give what the calls of a turn call it."""
    turn = event.data.get("turn") if event.kind.startswith("turn.") else event.turn
    return turn if isinstance(turn, str) else None


def _begun(event: Event) -> Story:
    what, dot, _ = event.kind.partition(".")
    name = event.tool if not dot else event.node or str(_name_in(event.data) or what)
    turn = _turn_in(event)
    id_ = event.execution_id if not dot else (turn if what == "turn" else None) or event.run or event.session or ""
    return Story(
        what if dot else "call", name, id_, event.time, run=event.run, node=event.node, parent=event.parent, turn=turn
    )


def _name_in(data: Mapping[str, Any]) -> Any:
    return data.get("graph") or data.get("agent") or data.get("model") or data.get("request")


def _above(story: Story, key: str, stories: Mapping[str, Story]) -> Story | None:
    if story.what == "call" and story.parent not in (None, story.id):
        return stories.get(f"call {story.parent}")
    places = [f"turn {story.turn}"] if story.turn else []
    places += [f"node {story.run} {story.node}", f"run {story.run}", f"plan {story.run}"]
    outer, _, inner = (story.run or "").rpartition("/")
    places += [f"node {outer} {inner}", f"run {outer}"] if outer else []
    return next((stories[place] for place in places if place in stories and place != key), None)


def _take(story: Story, event: Event) -> None:
    data, kind = event.data, event.kind.rpartition(".")[2]
    if event.tool:
        story.name = event.tool
    if kind == "repaired":
        where = data.get("pointer") or data.get("what", "")
        story.remarks.append(f"repaired {where}: {data.get('before')!r} to {data.get('after')!r} ({data.get('rule')})")
    elif kind in ("validated", "rewritten"):
        story.arguments = data.get("arguments")
        story.remarks += ["a plugin changed the arguments"] if kind == "rewritten" else []
    elif kind == "queued":
        story.waited_ms -= event.time * 1000
        story.remarks.append(f"waited for {data.get('for', 'a place')}")
    elif kind == "started" and story.waited_ms < 0:
        story.waited_ms += event.time * 1000
    elif kind in ("approval_requested", "approved", "retried", "progress"):
        story.remarks.append(f"{kind.replace('_', ' ')} {data.get('reason') or data.get('message') or ''}".rstrip())
    elif kind in TAKEN_BACK:
        story.status = "undone" if kind == "undone" else "finished"
        story.remarks.append(str(data.get("text", "")))
    elif kind in ENDS or kind in ("skipped", "cancelled", "waiting"):
        _end(story, event, kind)
    if story.what == "plan" and isinstance(data.get("candidates"), list):
        story.remarks += [f"candidate {one}" for one in data["candidates"]]


def _end(story: Story, event: Event, kind: str) -> None:
    story.status, story.code = kind, str(event.data.get("code", ""))
    story.text = str(event.data.get("text", ""))
    story.took_ms = event.data.get("duration_ms")
    if not isinstance(story.took_ms, int | float):
        story.took_ms = (event.time - story.began) * 1000
    story.waited_ms = max(story.waited_ms, 0.0)


def drawn(story: Story, indent: str = "") -> Iterator[str]:
    """Draw a story and what lies below it, a line each."""
    took = "" if story.took_ms is None else f" in {lasting(max(story.took_ms - story.waited_ms, 0))}"
    waited = f", after waiting {lasting(story.waited_ms)}" if story.waited_ms else ""
    code = f" ({story.code})" if story.code else ""
    yield f"{indent}{story.what} {story.name}: {story.status}{code}{took}{waited}  [{story.id}]"
    for remark in story.remarks:
        yield f"{indent}  - {remark}"[:400]
    if story.status not in ("finished", "undone") and story.text:
        yield f"{indent}  - {next(iter(for_person(story.text).splitlines()), '')}"[:400]
    for part in story.parts:
        yield from drawn(part, indent + "  ")


class Replay(Struct):
    """How many calls were made again, how many could not be and why, and the first difference, if there is one."""

    made: int = 0
    left_out: dict[str, int] = field(default_factory=dict)
    difference: str | None = None


def replayed(ares: Ares, stories: list[Story]) -> Replay:
    """Make recorded calls again, outermost only, with their recorded outcome in the tool's place."""
    replay = Replay()
    for story in _outermost(stories):
        if why := _out_of_reach(ares, story):
            replay.left_out[why] = replay.left_out.get(why, 0) + 1
            continue
        replay.made += 1
        if difference := _replayed(ares, story):
            replay.difference = f"{story.name} [{story.id}] {difference}"
            break
    return replay


def _outermost(stories: list[Story]) -> Iterator[Story]:
    for story in stories:
        if story.what == "call":
            yield story
        else:
            yield from _outermost(story.parts)


def _out_of_reach(ares: Ares, story: Story) -> str:
    """Say why a call can't be made again, if it can't: a question to a person is no tool of anybody's."""
    if story.arguments is None and story.code != "unknown_tool":
        return "refused before its arguments were kept"
    is_asked = story.name not in ares.registry and _was_asked_for(story)
    return f"put to a person ({story.name})" if is_asked else ""


def _was_asked_for(story: Story) -> bool:
    return any(one.startswith("approval requested") for one in story.remarks)


def _replayed(ares: Ares, story: Story) -> str:
    tool = ares.registry.get(story.name)
    if story.arguments is None:
        return "" if tool is None else "is a tool now, and was recorded as unknown_tool"
    if tool is None:
        return "is of a tool that is not here"
    result = ares.bind(tools=[_recorded(tool, story)]).call_sync(ToolCall(tool.name, story.arguments))
    code = result.error.code if result.error else ""
    if code != story.code:
        return f"ended with {code or 'success'}, and was recorded with {story.code or 'success'}: {result.text[:300]}"
    if result.call is not None and result.call.arguments != story.arguments:
        return f"was given {result.call.arguments!r:.200}, and was recorded with {story.arguments!r:.200}"
    if result.success and result.text[: len(story.text)] != story.text:
        return f"gave the text {result.text[:200]!r}, and was recorded with {story.text[:200]!r}"
    return ""


def _recorded(tool: Tool, story: Story) -> Tool:
    """Give a tool of the same name and schema that answers what was recorded: but not for a policy that said no."""
    from msgspec.structs import replace

    is_by_policy = story.code == "denied" and not _was_asked_for(story)
    code: Any = "" if is_by_policy else story.code

    def answer(arguments: Mapping[str, Any], context: Any) -> Result:
        if code:
            return Result(False, error=Failure(code, story.text or code), text=story.text)
        return Result(True, story.text, text=story.text)

    effects = Effects(read_only=True, open_world=False)
    return replace(tool, execute=answer, effects=effects, output_schema=None, requires_approval=False, undo=None)


def faults(store: EventStore) -> list[str]:
    """Say what is not whole: what the store itself finds, and calls that began and have no end."""
    own = getattr(store, "check", None)
    found: list[str] = [] if own is None else list(own())
    under_way: dict[str, Story] = {}
    for event in read(store):
        key = _key(event)
        if key.startswith(("call ", "run ")):
            story = under_way.setdefault(key, _begun(event))
            _take(story, event)
            if story.status != "under way":
                del under_way[key]
    return found + [f"{one.what} {one.name} [{one.id}] began and has no end" for one in under_way.values()]
