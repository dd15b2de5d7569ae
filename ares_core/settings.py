"""The core's settings: what each section of the configuration may say, and what holds when it says nothing.

Plugins read them through ``host.settings``. ``ares_core.config`` fills them from files, the environment and
arguments; the description of each type is what an error says was expected.
"""

from __future__ import annotations

from typing import Annotated, Literal

from msgspec import Meta, Struct, field

Seconds = Annotated[float, Meta(gt=0, le=604_800, description="seconds, a number above 0 and at most 604800 (a week)")]
Count = Annotated[int, Meta(ge=1, le=1_000_000, description="a whole number from 1 to 1000000")]
CountOrZero = Annotated[int, Meta(ge=0, le=1_000_000, description="a whole number from 0 to 1000000")]
Tokens = Annotated[int, Meta(ge=50, le=10_000_000, description="a whole number from 50 to 10000000")]
Share = Annotated[float, Meta(ge=0, le=1, description="a number from 0 to 1")]
Name = Annotated[str, Meta(min_length=1, max_length=200, description="a name")]
Fitting = Annotated[
    str | float | bool, Meta(description="a text in which * stands for any text, a number, or true or false")
]
Rate = Annotated[
    str,
    Meta(
        pattern=r"\A[1-9][0-9]{0,5}/(second|minute|hour|day)\Z",
        description="how many per second, minute, hour or day, such as 10/minute",
    ),
]


class Limits(Struct, frozen=True, forbid_unknown_fields=True):
    """Time and room that calls get.

    ``timeout`` holds for a call unless its tool or the call itself says otherwise; nothing goes above
    ``max_timeout``. Up to ``max_parallel`` calls run at once, up to ``max_waiting`` wait for a place, each for at most
    ``queue_wait``. ``rates`` has a rate per tool name.
    """

    timeout: Seconds = 30.0
    max_timeout: Seconds = 600.0
    max_parallel: Count = 8
    max_waiting: CountOrZero = 1000
    queue_wait: Seconds = 30.0
    rates: dict[Name, Rate] = field(default_factory=dict)


class Budgets(Struct, frozen=True, forbid_unknown_fields=True):
    """What one session may use up; ``None`` is no limit.

    ``iterations`` are turns of the model in an agent's loop, ``time`` is seconds since the first call, ``tokens`` are
    those of results, and in an agent's loop also the model's.
    """

    iterations: Count | None = None
    calls: Count | None = None
    time: Seconds | None = None
    tokens: Tokens | None = None


class Guard(Struct, frozen=True, forbid_unknown_fields=True):
    """What stops a session that goes round in circles or uses up too much."""

    max_identical_calls: Count = 3
    budgets: Budgets = Budgets()


class Results(Struct, frozen=True, forbid_unknown_fields=True):
    """How much of a result a model reads, and which regular expressions are blacked out in it.

    ``tokenizer`` is what tokens are counted with, an encoding of tiktoken such as ``o200k_base`` or the file of a
    ``tokenizer.json``; without one they are estimated. ``fields`` has the fields that are shown, by tool.
    """

    max_tokens: Tokens = 10_000
    redact: tuple[Name, ...] = ()
    tokenizer: Name | None = None
    fields: dict[Name, tuple[Name, ...]] = field(default_factory=dict)


class Tools(Struct, frozen=True, forbid_unknown_fields=True):
    """The folder that file tools work in, and which plugin's tool is meant when two share a name."""

    file_sandbox_dir: str = ""
    prefer: dict[Name, Name] = field(default_factory=dict)


class Planning(Struct, frozen=True, forbid_unknown_fields=True):
    """Which rule sets are used (``None``: all), and how sure a plan must be to run by itself.

    ``model`` is a tool that is asked which of the candidates is meant where the planner is not sure; ``None``: none.
    """

    rule_sets: tuple[Name, ...] | None = None
    min_confidence: Share = 0.5
    model: Name | None = None


class Plugins(Struct, frozen=True, forbid_unknown_fields=True):
    """Which plugins are loaded: only these (``None``: all), and none of those."""

    only: tuple[Name, ...] | None = None
    block: tuple[Name, ...] = ()


class Stores(Struct, frozen=True, forbid_unknown_fields=True):
    """Who keeps what: ``memory``, ``none`` (events only), or the name of a plugin."""

    evidence: Name = "memory"
    events: Name = "none"
    ledger: Name = "memory"
    approvals: Name = "memory"


class Provider(Struct, frozen=True, forbid_unknown_fields=True):
    """Which plugin is the provider, when several offer to be."""

    provider: Name | None = None


class Http(Struct, frozen=True, forbid_unknown_fields=True):
    """Hosts that addresses out of a call may name although they are private."""

    allow_hosts: tuple[Name, ...] = ()


class ApprovalRule(Struct, frozen=True, forbid_unknown_fields=True):
    """What is answered for the calls of some tools with some effect.

    ``tool`` is a name or a pattern with ``*``. ``arguments`` has such a pattern, or a value, for arguments by name or
    JSON pointer; all of them must fit. The strictest rule that fits holds: ``deny`` refuses, ``ask`` wants a person's
    approval, ``allow`` approves beforehand what ``requires_approval`` would have asked.
    """

    answer: Literal["allow", "ask", "deny"]
    tool: Name = "*"
    effect: Literal["any", "read_only", "mutating", "destructive", "open_world", "interactive"] = "any"
    arguments: dict[Name, Fitting] = field(default_factory=dict)
    reason: str = ""


class Approvals(Struct, frozen=True, forbid_unknown_fields=True):
    """Rules that ask, deny or allow without code, and what becomes of calls that nobody answers at once.

    With ``defer`` a call that needs an approval and finds no approver waits in the store of approvals, for at most
    ``expires``.
    """

    rules: tuple[ApprovalRule, ...] = ()
    defer: bool = False
    expires: Seconds = 86_400.0


class ModelProfile(Struct, frozen=True, forbid_unknown_fields=True):
    """What is special about the models whose name fits the pattern.

    ``text_calls`` names the dialect in which they write tool calls as text; without it text is never read as a call.
    ``context_tokens`` is how much they can read.
    """

    text_calls: Name | None = None
    context_tokens: Tokens | None = None


class Settings(Struct, frozen=True, forbid_unknown_fields=True):
    """All sections of the core.

    >>> Settings().limits.timeout
    30.0
    """

    limits: Limits = Limits()
    guard: Guard = Guard()
    results: Results = Results()
    tools: Tools = Tools()
    planner: Planning = Planning()
    plugins: Plugins = Plugins()
    stores: Stores = Stores()
    files: Provider = Provider()
    network: Provider = Provider()
    http: Http = Http()
    approvals: Approvals = Approvals()
    models: dict[Name, ModelProfile] = field(default_factory=dict)


SHARED_SECTIONS = frozenset({"files", "network", "http"})
"""Sections where keys that are not the core's belong to the plugin of that name."""
