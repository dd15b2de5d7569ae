"""An agent: a model, the tools that it may call, and what a run may use up."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable, Mapping
from contextvars import ContextVar
from typing import Any, Self

from msgspec.structs import replace

from ares_core import Ares, Budget, EventKind, Scoped, within
from ares_plugin_agent.happenings import Finished, Happening, Happenings
from ares_plugin_agent.loop import Loop
from ares_plugin_agent.models import Model, find
from ares_plugin_agent.run import Run, Talk
from ares_plugin_agent.settings import Settings, checked

TOLD: dict[str, EventKind] = {
    "final": "run.finished", "approval_required": "run.waiting", "cancelled": "run.cancelled",
}  # fmt: skip
"""How the ends of runs are told; all others are failures."""
RUNNING: ContextVar[Agent | None] = ContextVar("ares_agent", default=None)
"""The agent whose run this is."""


class Agent:
    """Asks a model, runs the tools that it calls, and tells it the results, until it has the answer.

    ``model`` is ``provider:name``, such as ``openai:gpt-4o``, ``anthropic:…``, ``gemini:…`` or ``ollama:…``;
    ``base_url`` is another address than the provider's own, and with it any name is a model of a server that speaks
    chat completions. The key is ``api_key``, or stands in the provider's usual variable. ``tools`` and ``toolset``
    choose as ``ares.bind`` does. ``budget`` holds for all runs together, ``max_iterations`` for each. What is not
    given comes from the section ``agent`` of the configuration.

    >>> from ares_core import Ares
    >>> agent = Agent(Ares(plugins=[]), model="ollama:qwen3", system="Be brief.")
    >>> agent.model.address
    'http://localhost:11434/api'
    """

    def __init__(
        self, ares: Ares | Scoped, model: str | None = None, *, base_url: str | None = None,
        api_key: str | None = None, tools: Iterable[Any] | None = None, toolset: str | None = None,
        session: str | None = None, budget: Budget | None = None, **settings: Any,
    ) -> None:  # fmt: skip
        self._door = ares
        self._tools = tools if tools is None or isinstance(tools, str) else list(tools)
        self._toolset = toolset
        self._session = session
        self._budget = budget or Budget()
        self.settings = _settings(ares.ares, settings)
        self.model: Model = find(model or self.settings.model, base_url or self.settings.base_url or None, api_key)
        self.last: Run | None = None
        """The last run of this agent that ended, also one that was cancelled."""

    @classmethod
    def current(cls) -> Agent | None:
        """Give the agent whose run this is a part of, such as inside of a tool that it called."""
        return RUNNING.get()

    def on(self, door: Ares | Scoped, *, session: str | None = None, budget: Budget | None = None) -> Self:
        """Give an agent of the same model and settings that has the tools of another door."""
        model = self.model
        other = type(self)(
            door, model.full_name, base_url=model.address, api_key=model.key, session=session, budget=budget
        )  # fmt: skip
        other.model, other.settings = model, self.settings
        return other

    async def run(self, prompt: str, *, session: str | None = None) -> Run:
        """Run until the model has the answer to ``prompt``, or something ends the run; see ``Run.outcome``."""
        return await self._drive(self._begun(prompt, session), _nobody)

    def run_sync(self, prompt: str, *, session: str | None = None) -> Run:
        """Run and wait; see ``run``."""
        return self._door.ares.wait_for(self.run(prompt, session=session), "run")

    def stream(self, prompt: str, *, session: str | None = None) -> Happenings:
        """Run, and give what happens as it happens; the last is ``Finished``. Closing it cancels the run."""
        return self._streamed(self._begun(prompt, session))

    async def resume(self, state: Mapping[str, Any] | str, prompt: str | None = None) -> Run:
        """Go on from the state of a run, in another process if need be; ``prompt`` says something more."""
        return await self._drive(self._gone_on(state, prompt), _nobody)

    def resume_sync(self, state: Mapping[str, Any] | str, prompt: str | None = None) -> Run:
        """Go on and wait; see ``resume``."""
        return self._door.ares.wait_for(self.resume(state, prompt), "resume")

    def resume_stream(self, state: Mapping[str, Any] | str, prompt: str | None = None) -> Happenings:
        """Go on, and give what happens as it happens; see ``stream``."""
        return self._streamed(self._gone_on(state, prompt))

    def _begun(self, prompt: str, session: str | None) -> Talk:
        talk = Talk.begin(self.model.full_name, self.model.provider.wire, session or self._session)
        talk.messages.append(self.model.provider.user(prompt))
        talk.request = prompt
        return talk

    def _gone_on(self, state: Mapping[str, Any] | str, prompt: str | None) -> Talk:
        talk = Talk.read(state, self.model.provider.wire)
        if prompt is not None:
            talk.messages.append(self.model.provider.user(prompt))
            talk.request = prompt
        return talk

    async def _drive(self, talk: Talk, say: Callable[[Happening], None]) -> Run:
        budget = self._budget.child(iterations=self.settings.max_iterations)
        door = self._door.bind(self._tools, self._toolset, session=talk.session, budget=budget)
        loop = Loop(door, self.model, self.settings, door.budget or budget, talk, say)
        with within(talk.id):
            self._tell("run.started", talk)
            token = RUNNING.set(self)
            try:
                run = await loop.run()
            except asyncio.CancelledError:
                self._note(loop.end("cancelled", "The run was cancelled."), talk)
                raise
            finally:
                RUNNING.reset(token)
            return self._note(run, talk)

    def _note(self, run: Run, talk: Talk) -> Run:
        self.last = run
        self._tell(TOLD.get(run.outcome, "run.failed"), talk, run)
        return run

    def _tell(self, kind: EventKind, talk: Talk, run: Run | None = None) -> None:
        """Tell those who listen to everything that happens in this Ares."""
        data: dict[str, Any] = {"model": self.model.full_name}
        if run is not None:
            data |= {"outcome": run.outcome, "turns": run.turns, "calls": run.calls, "tokens": run.told_tokens}
        self._door.ares.tell(kind, data, run=talk.id, session=talk.session)

    async def _streamed(self, talk: Talk) -> Happenings:
        happened: asyncio.Queue[Happening | None] = asyncio.Queue()
        work = asyncio.create_task(self._drive(talk, happened.put_nowait))
        work.add_done_callback(lambda _: happened.put_nowait(None))
        try:
            while (happening := await happened.get()) is not None:
                yield happening
            yield Finished(await work)
        finally:
            if not work.done():
                work.cancel()
                await asyncio.wait([work])


def _nobody(happening: Happening) -> None:
    """Nobody listens."""


def _settings(ares: Ares, given: Mapping[str, Any]) -> Settings:
    """Give the settings of the configuration, with what was given in the call before them."""
    ares.ready()
    section = ares.host("agent").config
    settings = section if isinstance(section, Settings) else checked(section)
    wanted = {name: value for name, value in given.items() if value is not None}
    return replace(settings, **checked_part(wanted)) if wanted else settings


def checked_part(given: Mapping[str, Any]) -> dict[str, Any]:
    """Check some settings; gives only these."""
    whole = checked(given)
    return {name: getattr(whole, name) for name in given}
