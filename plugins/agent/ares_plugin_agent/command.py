"""``ares run``: have a model do it, with the tools of this Ares."""

from __future__ import annotations

import asyncio
import json
import os
import sys
from typing import Any

import click

from ares_core import UsageError, cli
from ares_plugin_agent.agent import Agent
from ares_plugin_agent.happenings import Finished, Happenings
from ares_plugin_agent.live import Live
from ares_plugin_agent.run import Run

INTERRUPTED = 130
LARGEST = 64_000_000


@cli.command()
@click.argument("prompt", nargs=-1)
@click.option("--model", metavar="PROVIDER:NAME", help="The model, such as openai:gpt-4o or ollama:qwen3.")
@click.option("--base-url", metavar="URL", help="Another address than the provider's own.")
@click.option("--system", metavar="TEXT", help="What the model is told before everything else.")
@cli.tools_option()
@click.option("--max-iterations", type=click.IntRange(min=1), metavar="N", help="How often the model is asked at most.")
@click.option("--state", metavar="FILE", help="Go on from this file if it is there, and write the state into it.")
def command(
    prompt: tuple[str, ...], model: str | None, base_url: str | None, system: str | None, tools: list[str],
    max_iterations: int | None, state: str | None,
) -> int:  # fmt: skip
    """Have a model do it, with the tools of this Ares.

    The answer goes to stdout, on a terminal as it comes; what was done goes to stderr. A single '-' reads the request
    from stdin. The provider's key stands in its usual variable, such as OPENAI_API_KEY; a local server needs none.

    \b
    ares run "Which day was 2000-01-01?" --model openai:gpt-4o
    ares run "2**100?" --model qwen3 --base-url http://localhost:11434/v1
    """
    words = cli.words(prompt)
    before = _read(state)
    if not words.strip() and before is None:
        raise click.UsageError("Say what to do: ares run PROMPT.")
    with cli.opened() as ares:
        agent = Agent(
            cli.chosen(ares, tools), model, base_url=base_url, session=cli.current().session, system=system,
            max_iterations=max_iterations,
        )  # fmt: skip
        run = _followed(agent, agent.stream(words) if before is None else agent.resume_stream(before, words or None))
    if state is not None:
        _write(state, run)
    return _shown(run)


def _followed(agent: Agent, happenings: Happenings) -> Run:
    """Show what happens until the run is over; Ctrl-C ends it, with every call answered."""
    live = Live()

    async def follow() -> Run:
        with live:
            async for happening in happenings:
                if isinstance(happening, Finished):
                    return happening.run
                live.show(happening)
        raise UsageError("the run ended without a word")

    try:
        return asyncio.run(follow())
    except KeyboardInterrupt:
        if agent.last is None:
            raise
        return agent.last


def _shown(run: Run) -> int:
    """Write the answer, or why there is none, and give the exit code."""
    if cli.current().as_json:
        cli.document(_document(run))
    elif run.planned:
        cli.note("the model gave no answer that could be used; the planner did")
        cli.answer(cli.unframed(run.text))
    elif run.success:
        cli.answer(run.text) if not Live.is_streaming() else sys.stdout.write("\n")
    else:
        cli.error(run.text)
        for approval in run.approvals:
            cli.note(f"ares approvals approve {approval}, then go on with: ares run --state FILE")
    return 0 if run.success else INTERRUPTED if run.outcome == "cancelled" else 1


def _document(run: Run) -> dict[str, Any]:
    error = None if run.success else {"code": run.outcome, "message": run.text}
    return {
        "success": run.success, "outcome": run.outcome, "text": run.text if run.success else run.said, "error": error,
        "planned": run.planned, "turns": run.turns, "calls": run.calls, "tokens": run.told_tokens,
        "tokens_estimated": run.tokens if run.is_estimate else None, "approvals": list(run.approvals),
        "state": run.state,
    }  # fmt: skip


def _read(path: str | None) -> dict[str, Any] | None:
    """Read a state, or the document of ``--json`` that holds one; no file is no state."""
    if path is None:
        return None
    if not os.path.exists(path):
        folder = os.path.dirname(path) or os.curdir
        if not os.access(folder, os.W_OK | os.X_OK):  # said before anything is asked, not when all is done
            raise click.UsageError(f"--state: {path} can't be written; {folder} is no folder that can be.")
        return None
    try:
        with open(path, "rb") as file:
            found = json.loads(file.read(LARGEST))
    except OSError as error:
        raise click.UsageError(f"--state: {path} can't be read ({error.strerror}).") from None
    except ValueError:
        raise click.UsageError(f"--state: {path} is no JSON; give a file that 'ares run --state' wrote.") from None
    state = found.get("state", found) if isinstance(found, dict) else None
    if not isinstance(state, dict):
        raise click.UsageError(f"--state: {path} holds no state of a run.")
    return state


def _write(path: str, run: Run) -> None:
    """Write the state in one step, readable by its owner only: a conversation may hold anything."""
    aside = f"{path}.{os.getpid()}"
    try:
        with os.fdopen(os.open(aside, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w", encoding="utf-8") as file:
            json.dump(run.state, file)
        os.replace(aside, path)
    except OSError as error:
        cli.error(f"the state can't be written to {path} ({error.strerror or error})")
