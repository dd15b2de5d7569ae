"""The benchmarks say how to use them."""

from __future__ import annotations

import runpy
import sys
from pathlib import Path

import pytest

FOLDER = Path(__file__).parents[1] / "benchmarks"


@pytest.mark.parametrize("name", ["model", "run"])
def test_a_benchmark_that_takes_names_tells_which(
    name: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    for words, code in ((["--help"], 0), (["no_such_name"], 2)):
        monkeypatch.setattr(sys, "argv", [f"{name}.py", *words])
        with pytest.raises(SystemExit) as end:
            runpy.run_path(str(FOLDER / f"{name}.py"), run_name="__main__")
        assert end.value.code == code
    out, err = capsys.readouterr()
    assert f"usage: {name}.py" in out
    assert "'no_such_name'; there are" in err


def test_every_benchmark_reads_its_arguments_in_the_same_way() -> None:
    assert [path.name for path in FOLDER.glob("*.py") if "sys.argv[1" in path.read_text("utf-8").split('"""', 2)[2]
            and "argparse" not in path.read_text("utf-8")] == []  # fmt: skip
