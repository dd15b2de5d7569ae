"""Ares: the layer between "something wants a tool called" and "the answer is in the right hands".

Everything that an author of tools or plugins needs is imported from here.
"""

import os
import sys

if sys.argv[:1] == ["-m"] and not sys.flags.safe_path and any(word.startswith("ares_core") for word in sys.orig_argv):
    # Python has put the working folder first, where an agent may be able to write a typing.py; it never counts
    sys.path[:] = sys.path[1:] if sys.path[:1] == [os.getcwd()] else [path for path in sys.path if path]

from typing import TYPE_CHECKING, Any

from ares_core.budget import Budget
from ares_core.calls import ArgumentEdit, Ask, Defer, Deny, Effects, Failure, Issue, Result, ToolCall, replace
from ares_core.capabilities import Capability
from ares_core.context import ResultPage, ToolContext
from ares_core.counts import counted
from ares_core.decode import decode
from ares_core.errors import (
    AresError,
    ConfigError,
    DecodeError,
    DuplicateTool,
    LayerError,
    PluginError,
    RegistrationError,
    SchemaError,
    ToolError,
    UsageError,
    WireError,
)
from ares_core.events import Event, EventKind, within
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
    ToolFinder,
    ToolSource,
)
from ares_core.rules import Extraction, Extractor, Rule, RuleSet, Words
from ares_core.settings import Settings
from ares_core.stores import ApprovalStore, LedgerRow, LedgerStore, PendingApproval
from ares_core.tools import Tool, ToolFunc, tool

if TYPE_CHECKING:
    from ares_core.app import Ares
    from ares_core.background import Background
    from ares_core.bridge import Bridge
    from ares_core.config.places import state_dir
    from ares_core.config.yaml_loader import read_yaml
    from ares_core.planner import ExecutionPlan, Planner, Problem, check_graph, find_numbers, read_number
    from ares_core.planner.index import ToolIndex
    from ares_core.registry import Registry
    from ares_core.scheduler import handed_over, run_graph, run_plan
    from ares_core.schema import compile_schema
    from ares_core.scoped import Scoped
    from ares_core.telling import Viewer

__version__ = "0.1.0"
__all__ = [
    "Approval",
    "ApprovalStore",
    "Ares",
    "AresError",
    "ArgumentEdit",
    "Ask",
    "Background",
    "Bridge",
    "Budget",
    "Capability",
    "ConfigError",
    "DecodeError",
    "Defer",
    "Definition",
    "Definitions",
    "Deny",
    "DuplicateTool",
    "Effects",
    "Event",
    "EventKind",
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
    "LayerError",
    "LedgerRow",
    "LedgerStore",
    "NameRule",
    "Network",
    "Outcome",
    "PendingApproval",
    "Planner",
    "PluginError",
    "Problem",
    "Purpose",
    "RegistrationError",
    "Registry",
    "RequestLayer",
    "Result",
    "ResultPage",
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
    "ToolFinder",
    "ToolFunc",
    "ToolIndex",
    "ToolSource",
    "Turn",
    "UsageError",
    "Viewer",
    "WireError",
    "WireFormat",
    "Words",
    "check_graph",
    "compile_schema",
    "counted",
    "decode",
    "find_numbers",
    "handed_over",
    "hookimpl",
    "read_number",
    "read_yaml",
    "replace",
    "run_graph",
    "run_plan",
    "state_dir",
    "tool",
    "within",
]

_LATER = {
    "Ares": "app",
    "Background": "background",
    "Bridge": "bridge",
    "ExecutionPlan": "planner",
    "Planner": "planner",
    "Problem": "planner",
    "Registry": "registry",
    "Scoped": "scoped",
    "ToolIndex": "planner.index",
    "Viewer": "telling",
    "check_graph": "planner",
    "compile_schema": "schema",
    "find_numbers": "planner",
    "read_number": "planner",
    "handed_over": "scheduler",
    "read_yaml": "config.yaml_loader",
    "run_graph": "scheduler",
    "run_plan": "scheduler",
    "state_dir": "config.places",
}


def __getattr__(name: str) -> Any:
    """Import the door and the planner when they are first asked for: plugins need neither to be loaded."""
    if name not in _LATER:
        raise AttributeError(f"module 'ares_core' has no attribute {name!r}")
    from importlib import import_module

    value = globals()[name] = getattr(import_module(f"ares_core.{_LATER[name]}"), name)
    return value
