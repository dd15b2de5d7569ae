"""The planner: which tools a request in words needs, found by rules, without a model."""

from __future__ import annotations

from ares_core.planner.checks import Problem, check_graph
from ares_core.planner.numbers import Number, find_numbers, read_number
from ares_core.planner.plan import Binding, Candidate, ExecutionPlan, Intent, PlanStep
from ares_core.planner.planner import Planner
from ares_core.planner.score import Score

__all__ = [
    "Binding", "Candidate", "ExecutionPlan", "Intent", "Number", "PlanStep", "Planner", "Problem", "Score",
    "check_graph", "find_numbers", "read_number",
]  # fmt: skip
