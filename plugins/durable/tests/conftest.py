"""What is no test here: programs that the tests start and kill."""

from __future__ import annotations

collect_ignore = ["crashing.py", "sharing.py"]
