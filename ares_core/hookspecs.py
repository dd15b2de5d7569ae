"""The hooks: every question that Ares asks its plugins.

Hooks are plain functions, never ``async def``; a small value or ``None`` comes out. Tools and middleware may be
async. An implementation may leave out parameters that it doesn't need. Every hook but ``configuration`` may take
``host``: what the plugin is given (its configuration, the registry, a way to call tools, files, the network, a logger).

``@hookimpl(tools=("file_tools",))`` limits ``pre_tool_call``, ``post_tool_call`` and ``format_result`` to those
tools. ``format_result`` without it means the plugin's own tools.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any, TypeVar, overload

import pluggy

if TYPE_CHECKING:
    from ares_core.calls import Ask, Deny, Result, ToolCall
    from ares_core.capabilities import Capability
    from ares_core.events import Event
    from ares_core.formats import WireFormat
    from ares_core.protocols import FileAccess, Host, Layer, Network, StoreKind
    from ares_core.rules import RuleSet

PROJECT = "ares"
TOOLS = "__ares_hook_tools__"
RESOURCES = "__ares_hook_resources__"
hookspec = pluggy.HookspecMarker(PROJECT)
_mark = pluggy.HookimplMarker(PROJECT)
F = TypeVar("F", bound=Callable[..., Any])


@overload
def hookimpl(fn: F, /) -> F: ...
@overload
def hookimpl(
    *, tools: Iterable[str] = (), resources: Iterable[str] = (), tryfirst: bool = False, trylast: bool = False
) -> Callable[[F], F]: ...
def hookimpl(
    fn: F | None = None, /, *, tools: Iterable[str] = (), resources: Iterable[str] = (), tryfirst: bool = False,
    trylast: bool = False, wrapper: bool = False, hookwrapper: bool = False,
) -> F | Callable[[F], F]:  # fmt: skip
    """Mark a function as the implementation of the hook that it is named after.

    ``tools`` limits it to the tools of those names, ``resources`` to tools that may touch resources with one of those
    beginnings (``"file:"``); which functions to ask is worked out per tool, so the others cost nothing. Plugins are
    asked in name order; ``tryfirst`` and ``trylast`` move one to an end. ``wrapper`` and ``hookwrapper`` are refused
    when the plugin is registered: its row says what to use.

    >>> @hookimpl(tools=("file_tools",))
    ... def pre_tool_call(call):
    ...     return None
    """

    def mark(function: F) -> F:
        setattr(function, TOOLS, (tools,) if isinstance(tools, str) else tuple(tools))
        setattr(function, RESOURCES, (resources,) if isinstance(resources, str) else tuple(resources))
        return _mark(tryfirst=tryfirst, trylast=trylast, wrapper=wrapper, hookwrapper=hookwrapper)(function)

    return mark(fn) if fn is not None else mark


@hookspec
def configuration() -> type[Any] | None:
    """Which model does this plugin's section of the configuration have to fit?

    Give a pydantic model, or a msgspec ``Struct``, which costs no import. Asked once, before any other hook of the
    plugin. The section is the plugin's name, with ``_`` for ``-``; the checked model is then ``host.config``. Without
    an answer ``host.config`` is the plain section.

    If you raise, the plugin is not used, and its row in ``ares plugins`` says why.

    Example::

        class Settings(BaseModel, extra="forbid"):
            units: Literal["metric", "imperial"] = "metric"

        @hookimpl
        def configuration() -> type[BaseModel]:
            return Settings
    """


@hookspec
def register_tools(host: Host) -> Iterable[Any]:
    """Which tools do you bring?

    Asked once, when plugins are first needed. Give ``Tool``s, functions marked with ``@tool``, or objects with
    name, description, parameters, execute and capabilities. A name that another plugin gives too goes to neither,
    and both get a row that says so.

    If you raise, you contribute no tools; the other plugins stand.

    Example::

        @hookimpl
        def register_tools() -> list[Tool]:
            return [Tool.from_function(add)]
    """


@hookspec
def declare_capabilities(host: Host) -> Iterable[Capability]:
    """Which capabilities do your tools have, and with which inputs and outputs?

    Asked once, after ``register_tools``. Declarations of one name are joined; if their types differ, the later
    plugin gets an error row.

    If you raise, you declare nothing; the other plugins stand.

    Example::

        @hookimpl
        def declare_capabilities() -> list[Capability]:
            return [Capability("Hashing", inputs=("Text",), outputs=("Text",), tools=("hash_tool",))]
    """


@hookspec
def pre_tool_call(call: ToolCall, host: Host) -> ToolCall | Deny | Ask | None:
    """May this call go ahead?

    Asked before every run of every tool, after its arguments passed the schema; ``call.effects`` says what it would
    do and to which resources. ``None`` agrees; a changed ``ToolCall`` rewrites the arguments, which are then checked
    again and put to every plugin again; ``Ask("why")`` wants a person's approval; ``Deny("why")`` stops it. The
    strictest answer of all plugins holds.

    If you raise, the call is denied in your name: a broken guard opens no door.

    Example::

        @hookimpl
        def pre_tool_call(call: ToolCall) -> Deny | None:
            if call.name == "file_tools" and call.arguments["operation"] == "write":
                return Deny("this session is read-only")
            return None
    """


@hookspec
def post_tool_call(result: Result, host: Host) -> Result | None:
    """Do you want to look at, or change, what came back?

    Asked after every call, also after a refusal, before the text is made. ``None`` leaves it; a changed ``Result``
    may differ in ``data`` and ``metadata`` only. Each plugin sees what the one before left.

    If you raise, it is logged and the result stays as it was.

    Example::

        @hookimpl(tools=("web_search",))
        def post_tool_call(result: Result) -> Result | None:
            return replace(result, data=result.data[:3]) if result.success else None
    """


@hookspec
def format_result(result: Result, host: Host) -> str | None:
    """How should a model read this result?

    Asked of the tool's own plugin first, then of those that name the tool in ``@hookimpl(tools=…)``, until one
    answers; otherwise the data goes out as compact JSON.

    If you raise, it is logged and the next is asked.

    Example::

        @hookimpl
        def format_result(result: Result) -> str | None:
            return f"{result.data['count']} rows" if result.success else None
    """


@hookspec
def register_rule_sets(host: Host) -> Iterable[RuleSet]:
    """Which rules for understanding requests do you bring?

    ``planner.rule_sets`` of the configuration chooses among all sets by name; unset, all are used.

    If you raise, you contribute none; the other plugins stand.

    Example::

        @hookimpl
        def register_rule_sets() -> list[RuleSet]:
            return [RuleSet(name="pirate", language="en", rules=RULES)]
    """


@hookspec
def register_wire_formats(host: Host) -> Iterable[WireFormat]:
    """Which provider formats do you read and write?

    If you raise, you contribute none; the other plugins stand.

    Example::

        @hookimpl
        def register_wire_formats() -> list[WireFormat]:
            return [OpenAIChat()]
    """


@hookspec
def register_middleware(host: Host) -> Iterable[Layer]:
    """Which layers do you put around requests and executions?

    A ``tool_request`` layer may change the arguments, deny or ask. A ``tool_execution`` layer wraps the run: it
    awaits ``next_call()`` exactly once, or answers in its place. ``llm_request`` and ``llm_execution`` layers do the
    same to what an agent sends to its model through ``call_model``.

    If you raise here, you contribute none; a layer's own failure means what its ``on_error`` says.

    Example::

        async def timed(call, next_call):
            started = time.monotonic()
            try:
                return await next_call()
            finally:
                log.info("%s took %.3f s", call.name, time.monotonic() - started)

        @hookimpl
        def register_middleware() -> list[Layer]:
            return [Layer("timed", "tool_execution", timed)]
    """


@hookspec
def open_files(host: Host) -> FileAccess | None:
    """Through what may tools reach files?

    Exactly one plugin may answer; two answers are a configuration error that names both, and ``files.provider``
    chooses. Without an answer file tools refuse.

    If you raise, file tools refuse.

    Example::

        @hookimpl
        def open_files(host: Host) -> FileAccess:
            return Folder(host.settings.tools.file_sandbox_dir)
    """


@hookspec
def open_network(host: Host) -> Network | None:
    """Through what may plugins open connections?

    Exactly one plugin may answer; ``network.provider`` chooses between two. Without an answer addresses that came
    from a call are refused.

    If you raise, every connection is refused.

    Example::

        @hookimpl
        def open_network(host: Host) -> Network:
            return GuardedNetwork(host.settings.http.allow_hosts)
    """


@hookspec
def open_store(kind: StoreKind, host: Host) -> Any:
    """Do you keep evidence, events, the ledger or approvals?

    Asked only of the plugin that ``stores.<kind>`` names. What is given is an ``EvidenceStore``, ``EventStore``,
    ``LedgerStore`` or ``ApprovalStore``.

    If you raise, mutating calls are refused for the ledger and approvals; evidence and events stay in memory, with
    a warning.

    Example::

        @hookimpl
        def open_store(kind: str, host: Host) -> EvidenceStore | None:
            return FileEvidence(host.config.path) if kind == "evidence" else None
    """


@hookspec
def on_event(event: Event, host: Host) -> None:
    """Something happened to a call.

    Events are made only when somebody listens. Be quick: buffer, and write later.

    If you raise, it is logged.

    Example::

        @hookimpl
        def on_event(event: Event) -> None:
            counter[event.kind] += 1
    """
