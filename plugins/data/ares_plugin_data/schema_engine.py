"""The engine itself; run as a program, it checks what stands on its standard input."""

from __future__ import annotations

import json
import sys
from itertools import islice
from typing import Any

MOST = 1_001
LONGEST = 200
MEMORY = 600_000_000
CPU_SECONDS = 3


def faults(schema: Any, value: Any) -> dict[str, Any]:
    """Give the faults of a value, or why the schema is none. Nothing is fetched; patterns run in linear time."""
    import jsonschema_rs

    patterns = jsonschema_rs.RegexOptions(size_limit=2_000_000)
    try:
        validator = jsonschema_rs.validator_for(schema, offline=True, validate_formats=True, pattern_options=patterns)
        found = [_fault(error) for error in islice(validator.iter_errors(value), MOST)]
    except (ValueError, jsonschema_rs.ReferencingError) as error:
        return {"no_schema": _clip(str(error).partition("\n")[0])}
    return {"faults": sorted(found, key=lambda fault: (fault["pointer"], fault["keyword"]))}


def _fault(error: Any) -> dict[str, str]:
    parts = "".join(f"/{str(part).replace('~', '~0').replace('/', '~1')}" for part in error.instance_path)
    keyword = next((str(part) for part in reversed(error.schema_path) if isinstance(part, str)), "schema")
    return {"pointer": parts, "keyword": keyword, "message": _clip(error.message)}


def _clip(text: str) -> str:
    return text if len(text) <= LONGEST else f"{text[: LONGEST // 2]} … {text[-LONGEST // 2 :]}"


def main() -> None:
    """Check what the parent sent, within limits, and write the answer."""
    job = json.load(sys.stdin)
    sys.path[:] = job["path"]
    limit()
    schema, value = json.loads(job["job"])
    json.dump(faults(schema, value), sys.stdout)


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
