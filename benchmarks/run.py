"""Run every benchmark of this folder, one after the other, each in a process of its own.

Run: python benchmarks/run.py [NAME ...]
"""

from __future__ import annotations

import argparse
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).parent
SHARED = {"run", "work"}


def main() -> int:
    found = sorted(path.stem for path in HERE.glob("*.py") if path.stem not in SHARED)
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"one of {', '.join(found)}")
    wanted = parser.parse_args().names or found
    if unknown := [name for name in wanted if name not in found]:
        parser.error(f"there is no benchmark {unknown[0]!r}; there are {', '.join(found)}")
    failed = 0
    for name in wanted:
        print(f"\n== {name}", flush=True)
        failed += subprocess.run([sys.executable, str(HERE / f"{name}.py")], check=False).returncode != 0
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
