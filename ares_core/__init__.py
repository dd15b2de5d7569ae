"""Ares: the layer between "something wants a tool called" and "the answer is in the right hands".

Everything that an author of tools or plugins needs is imported from here.
"""

import os
import sys

if sys.argv[:1] == ["-m"] and not sys.flags.safe_path and any(word.startswith("ares_core") for word in sys.orig_argv):
    # Python has put the working folder first, where an agent may be able to write a typing.py; it never counts
    sys.path[:] = [path for path in sys.path if path not in ("", os.getcwd())]

from typing import TYPE_CHECKING, Any

from ares_core.calls import ArgumentEdit, Ask, Deny, Effects, Failure, Issue, Result, ToolCall, replace
from ares_core.capabilities import Capability
from ares_core.context import ToolContext
from ares_core.decode import decode
from ares_core.errors import (
    AresError,
    ConfigError,
    DecodeError,
    DuplicateTool,
    PluginError,
    RegistrationError,
    SchemaError,
    ToolError,
    UsageError,
    WireError,
)
from ares_core.events import Event
from ares_core.formats import Definition, Definitions, NameRule, Outcome, Turn, WireFormat
from ares_core.hookspecs import hookimpl
from ares_core.protocols import (
    Approval,
    EventStore,
    Evidence,
    EvidenceRow,
    EvidenceStore,
    ExecutionLayer,
    FileAccess,
    FileStat,
    Host,
    Layer,
    Network,
    Purpose,
    RequestLayer,
    StoreKind,
)
from ares_core.rules import Extraction, Extractor, Rule, RuleSet, Words
from ares_core.settings import Settings
from ares_core.tools import Tool, ToolFunc, tool

if TYPE_CHECKING:
    from ares_core.app import Ares
    from ares_core.bridge import Bridge
    from ares_core.planner import ExecutionPlan, Planner, find_numbers, read_number
    from ares_core.registry import Registry
    from ares_core.scoped import Scoped

__version__ = "0.1.0"
__all__ = [
    "Approval",
    "Ares",
    "AresError",
    "ArgumentEdit",
    "Ask",
    "Bridge",
    "Capability",
    "ConfigError",
    "DecodeError",
    "Definition",
    "Definitions",
    "Deny",
    "DuplicateTool",
    "Effects",
    "Event",
    "EventStore",
    "Evidence",
    "EvidenceRow",
    "EvidenceStore",
    "ExecutionLayer",
    "ExecutionPlan",
    "Extraction",
    "Extractor",
    "Failure",
    "FileAccess",
    "FileStat",
    "Host",
    "Issue",
    "Layer",
    "NameRule",
    "Network",
    "Outcome",
    "Planner",
    "PluginError",
    "Purpose",
    "RegistrationError",
    "Registry",
    "RequestLayer",
    "Result",
    "Rule",
    "RuleSet",
    "SchemaError",
    "Scoped",
    "Settings",
    "StoreKind",
    "Tool",
    "ToolCall",
    "ToolContext",
    "ToolError",
    "ToolFunc",
    "Turn",
    "UsageError",
    "WireError",
    "WireFormat",
    "Words",
    "decode",
    "find_numbers",
    "hookimpl",
    "read_number",
    "replace",
    "tool",
]

_LATER = {
    "Ares": "app",
    "Bridge": "bridge",
    "ExecutionPlan": "planner",
    "Planner": "planner",
    "Registry": "registry",
    "Scoped": "scoped",
    "find_numbers": "planner",
    "read_number": "planner",
}


def __getattr__(name: str) -> Any:
    """Import the door and the planner when they are first asked for: plugins need neither to be loaded."""
    if name not in _LATER:
        raise AttributeError(f"module 'ares_core' has no attribute {name!r}")
    from importlib import import_module

    value = globals()[name] = getattr(import_module(f"ares_core.{_LATER[name]}"), name)
    return value
