"""Names on the command line: one meaning of ``--tools``, a sentence for each that is wrong, completed by the shell."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

Cli = Callable[..., Any]
Install = Callable[..., None]
LOUD = """
import logging, sys, warnings

print("on stdout")
print("on stderr", file=sys.stderr)
logging.getLogger("ares").error("in the log")
warnings.warn("a warning")
raise RuntimeError("broken")
"""


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (["tools", "--plugin", "parot"], "There is no plugin 'parot'. Did you mean 'parrot'?"),
        (["tools", "--plugin", "x"], "There is no plugin 'x'. There are: "),
        (["tools", "--capability", "Ecoing"], "There is no capability 'Ecoing'. Did you mean 'Echoing'?"),
        (["evidence", "show", "ecko"], "There is no tool 'ecko'. Did you mean 'echo'?"),
        (["evidence", "reset", "ecko"], "There is no tool 'ecko'. Did you mean 'echo'?"),
        (["events", "lst"], "There is no command 'lst'. Did you mean 'list'?"),
        (["rules", "list", "parot"], "There is no rule set 'parot'. Did you mean 'parrot'?"),
        (["definitions", "--wire", "toy", "--tools", "ecko"], "There is no tool 'ecko'. Did you mean 'echo'?"),
        (["definitions", "--wire", "toy", "--tools", ","], "it names no tool; for all of them write '*'."),
    ],
)
@pytest.mark.usefixtures("toy")
def test_a_name_that_nothing_has_is_wrong_usage(cli: Cli, words: list[str], says: str) -> None:
    ended = cli(*words)
    assert (ended.code, ended.out) == (2, "")
    assert says in ended.err


@pytest.mark.parametrize(
    ("words", "names"),
    [
        (["--tools", "echo,rows"], ["echo", "rows"]),
        (["--tools", "echo", "--tools", " rows ,"], ["echo", "rows"]),
        (["--tools", "f*,echo"], ["echo", "fail", "fetch"]),
        (["--tools", "z*"], []),
    ],
)
@pytest.mark.usefixtures("toy")
def test_tools_are_named_with_commas_repeated_or_by_a_pattern(cli: Cli, words: list[str], names: list[str]) -> None:
    ended = cli("definitions", "--wire", "toy", *words)
    assert (ended.code, [one["name"] for one in ended.document]) == (0, names)
    assert ("No tool fits 'z*' so far." in ended.err) is (names == [])


@pytest.fixture
def completed(cli: Cli, monkeypatch: pytest.MonkeyPatch) -> Callable[[str], Any]:
    """Has the shell complete the last word of a line."""

    def complete(line: str) -> Any:
        monkeypatch.setenv("_ARES_COMPLETE", "bash_complete")
        monkeypatch.setenv("COMP_WORDS", line)
        monkeypatch.setenv("COMP_CWORD", str(len(line.split(" ")) - 1))
        return cli()

    return complete


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("ares call f", ["fail", "fetch"]),
        ("ares tools ec", ["echo"]),
        ("ares tools --plugin pa", ["parrot"]),
        ("ares tools --capability E", ["Echoing"]),
        ("ares evidence reset s", ["slow"]),
        ("ares events --tool ro", ["rows"]),
        ("ares definitions --tools echo,f", ["echo,fail", "echo,fetch"]),
        ("ares rules list ", ["parrot"]),
        ("ares call zz", []),
    ],
)
def test_the_shell_completes_names(completed: Callable[[str], Any], line: str, words: list[str]) -> None:
    ended = completed(line)
    assert (ended.code, ended.out.splitlines(), ended.err) == (0, [f"plain,{word}" for word in words], "")


def test_a_broken_plugin_writes_nothing_into_the_shell(completed: Callable[[str], Any], install: Install) -> None:
    install("loud", LOUD)
    assert completed("ares call ec")[:] == (0, "plain,echo\n", "")
    install("loud-command", LOUD, group="ares.commands")
    assert completed("ares loud-command --")[1:] == ("", "")


def test_a_configuration_that_is_wrong_writes_nothing_into_the_shell(
    completed: Callable[[str], Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ARES_LIMITS__TIMEOUT", "soon")
    assert completed("ares call ec")[1:] == ("", "")


def test_names_of_plugins_are_completed_without_importing_one(
    completed: Callable[[str], Any], install: Install
) -> None:
    install("heavy", "open('imported', 'w').close()")
    assert completed("ares tools --plugin he").out == "plain,heavy\n"
    with pytest.raises(FileNotFoundError):
        open("imported").close()
