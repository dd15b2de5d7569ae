"""The engine itself; run as a program, it checks what stands on its standard input."""

from __future__ import annotations

import json
import sys
from itertools import islice
from typing import Any

MOST = 1_001
LONGEST = 200
LARGE = 200_000
"""Characters of schema and value from which on only the first fault is looked for."""
MEMORY = 600_000_000
CPU_SECONDS = 3


def faults(schema: Any, value: Any, *, only_first: bool = False) -> dict[str, Any]:
    """Give the faults of a value, or why the schema is none. Nothing is fetched; patterns run in linear time."""
    import jsonschema_rs

    patterns = jsonschema_rs.RegexOptions(size_limit=2_000_000)
    try:
        validator = jsonschema_rs.validator_for(schema, offline=True, validate_formats=True, pattern_options=patterns)
        found = [_fault(error) for error in _errors(validator, value, only_first=only_first)]
    except (ValueError, jsonschema_rs.ReferencingError) as error:
        return {"no_schema": _clip(str(error).partition("\n")[0])}
    in_order = sorted(found, key=lambda fault: (fault["pointer"], fault["keyword"]))
    return {"faults": in_order, "complete": len(found) < (1 if only_first else MOST)}


def _errors(validator: Any, value: Any, *, only_first: bool) -> list[Any]:
    """Give up to ``MOST`` errors; the engine works out all of them first, so of a large value only one is asked for."""
    if not only_first:
        return list(islice(validator.iter_errors(value), MOST))
    try:
        validator.validate(value)
    except validator_error() as error:
        return [error]
    return []


def validator_error() -> Any:
    """Give the exception of the engine, which is a ``ValueError`` as that of a bad schema is."""
    import jsonschema_rs

    return jsonschema_rs.ValidationError


def _fault(error: Any) -> dict[str, str]:
    parts = "".join(f"/{str(part).replace('~', '~0').replace('/', '~1')}" for part in error.instance_path)
    keyword = next((str(part) for part in reversed(error.schema_path) if isinstance(part, str)), "schema")
    return {"pointer": parts, "keyword": keyword, "message": _clip(error.message)}


def _clip(text: str) -> str:
    return text if len(text) <= LONGEST else f"{text[: LONGEST // 2]} … {text[-LONGEST // 2 :]}"


def main() -> None:
    """Check what the parent sent, within limits, and write the answer below an empty line that says that it begins."""
    job = json.load(sys.stdin)
    sys.path[:] = job["path"]
    validator_error()  # what it needs is loaded
    limit()
    sys.stdout.write("\n")
    sys.stdout.flush()
    schema, value = json.loads(job["job"])
    json.dump(faults(schema, value, only_first=len(job["job"]) > LARGE), sys.stdout)


def limit() -> None:
    """Take as little memory and time as a check needs, where the system can hold to it."""
    if sys.platform == "win32":
        return
    import resource

    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    resource.setrlimit(resource.RLIMIT_CPU, (CPU_SECONDS, CPU_SECONDS))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


if __name__ == "__main__":
    main()
