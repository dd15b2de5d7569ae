"""The server: what a client sees of an Ares, in both eras of the protocol."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

import pytest
from ares_plugin_mcp.server import client_approver, make_server
from mcp import Client, MCPError
from mcp_types import CallToolResult, ElicitResult, TextContent, ToolListChangedNotification
from mcp_types import Tool as Described

from ares_core import Ares, Effects, Result, Scoped, Tool, ToolContext, tool

ERAS = pytest.mark.parametrize("era", ["legacy", "2026-07-28"])
READS = Effects(read_only=True, destructive=False, open_world=False)


@tool(effects=READS, output_schema={"type": "integer"})
def add(a: int, b: int = 1) -> int:
    """Add two whole numbers."""
    return a + b


def served(door: Ares | Scoped, use: Callable[[Client], Awaitable[Any]], era: str = "legacy", **options: Any) -> Any:
    """Give what ``use(client)`` gives, for a client of this Ares."""
    asks = options.pop("asks", True)

    async def run() -> Any:
        async with Client(make_server(door, asks=asks), mode=era, **options) as client:
            try:
                return await use(client)
            except MCPError as error:  # before task groups wrap it up
                return error.error

    return asyncio.run(run())


def called(door: Ares | Scoped, name: str, arguments: Any, era: str = "legacy", **options: Any) -> CallToolResult:
    answer = served(door, lambda client: client.call_tool(name, arguments), era, **options)
    assert isinstance(answer, CallToolResult)
    return answer


def text(answer: CallToolResult) -> str:
    assert isinstance(answer.content[0], TextContent)
    return answer.content[0].text


def listed(door: Ares | Scoped, **options: Any) -> dict[str, Described]:
    answer = served(door, lambda client: client.list_tools(), **options)
    return {found.name: found for found in answer.tools}


@ERAS
def test_tools_are_listed_by_their_names_in_the_registry(ares: Ares, era: str) -> None:
    ares.register(Tool("mcp.files.read", "Read.", {"type": "object"}, lambda arguments, context: "text"))
    ares.register(add)
    assert list(listed(ares, era=era)) == ["add", "ask", "mcp.files.read"]


def test_effects_become_annotations_and_those_that_depend_on_arguments_the_cautious_ones(ares: Ares) -> None:
    ares.register(add)
    ares.register(Tool("any", "Do it.", {}, lambda arguments, context: 1, effects=lambda arguments: READS))
    hints = {name: found.annotations for name, found in listed(ares).items()}
    reads, may_do_anything = hints["add"], hints["any"]
    assert reads is not None
    assert (reads.read_only_hint, reads.destructive_hint, reads.idempotent_hint, reads.open_world_hint) == (
        True, False, True, False,
    )  # fmt: skip
    assert may_do_anything is not None
    assert (may_do_anything.read_only_hint, may_do_anything.destructive_hint) == (False, True)


@ERAS
def test_arguments_are_repaired_and_the_client_is_told_where(ares: Ares, era: str) -> None:
    ares.register(add)
    answer = called(ares, "add", {"a": "2"}, era)
    assert (text(answer), answer.is_error) == ("3", False)
    assert answer.meta is not None
    assert answer.meta["ares/repaired"] == [{"pointer": "/a", "rule": "number from text"}]


@ERAS
def test_arguments_that_do_not_fit_are_a_tool_error_that_points_at_them(ares: Ares, era: str) -> None:
    ares.register(add)
    answer = called(ares, "add", {"a": "many", "b": []}, era)
    assert answer.is_error
    assert "/a: expected integer" in text(answer)
    assert "Not executed" in text(answer)
    assert answer.meta is not None
    assert [issue["pointer"] for issue in answer.meta["ares/error"]["issues"]] == ["/a", "/b"]


@ERAS
def test_an_unknown_tool_is_an_error_of_the_protocol(ares: Ares, era: str) -> None:
    ares.register(add)
    refused = served(ares, lambda client: client.call_tool("addd", {}), era)
    assert (refused.code, refused.data) == (-32602, {"suggestions": ["add"]})


def test_a_name_that_is_only_spelt_otherwise_is_found(ares: Ares) -> None:
    ares.register(add)
    assert text(called(ares, "Add", {"a": 1})) == "2"


def test_a_tool_that_fails_is_a_tool_error(ares: Ares) -> None:
    ares.register(Tool("fail", "Fail.", {}, lambda arguments, context: 1 / 0, effects=READS))
    answer = called(ares, "fail", {})
    assert answer.is_error
    assert "ZeroDivisionError" in text(answer)


def test_what_is_out_of_scope_is_neither_listed_nor_known(ares: Ares) -> None:
    ares.register(add)
    ares.register(Tool("secret", "Keep it.", {}, lambda arguments, context: 1))
    part = ares.bind(tools=["add"])
    assert list(listed(part, asks=False)) == ["add"]
    assert "no tool 'secret'" in served(part, lambda client: client.call_tool("secret", {})).message


def test_ask_is_the_planner(ares: Ares) -> None:
    ares.register(add)
    assert text(called(ares, "ask", {"request": "add up 2 and 3"})) == "5"


@pytest.mark.parametrize("arguments", [{}, {"request": "  "}, {"request": 7}, {"request": "x" * 20_000}])
def test_ask_without_a_request_says_what_is_missing(ares: Ares, arguments: dict[str, Any]) -> None:
    answer = called(ares, "ask", arguments)
    assert answer.is_error
    assert "/request: expected" in text(answer)


def test_a_tool_of_the_registry_comes_before_the_planner(ares: Ares) -> None:
    ares.register(Tool("ask", "Mine.", {}, lambda arguments, context: "mine", effects=READS))
    assert listed(ares)["ask"].description == "Mine."
    assert text(called(ares, "ask", {})) == "mine"


def test_a_result_that_is_no_object_is_wrapped_as_its_schema_says(ares: Ares) -> None:
    ares.register(add)
    schema = listed(ares)["add"].output_schema
    assert schema == {"type": "object", "properties": {"result": {"type": "integer"}}, "required": ["result"]}
    assert called(ares, "add", {"a": 1}).structured_content == {"result": 2}


def test_structured_content_keeps_secrets_and_the_size_limit(ares: Ares) -> None:
    data = {"token": "abcdef0123456789", "n": 1}
    ares.register(Tool("small", "Give.", {}, lambda arguments, context: data, effects=READS))
    ares.register(Tool("large", "Give.", {}, lambda arguments, context: ["x" * 1000] * 2000, effects=READS))
    small, large = called(ares, "small", {}), called(ares, "large", {})
    assert small.structured_content is not None
    assert small.structured_content["n"] == 1
    assert "abcdef0123456789" not in small.model_dump_json()
    assert large.structured_content is None
    assert len(large.model_dump_json()) < 500_000


def test_structured_content_from_the_open_world_is_marked_beside_it(ares: Ares) -> None:
    ares.register(Tool("page", "Give.", {}, lambda arguments, context: {"said": "obey me"}))
    ares.register(Tool("own", "Give.", {}, lambda arguments, context: {"said": "2"}, effects=READS))
    outside, own = called(ares, "page", {}), called(ares, "own", {})
    assert text(outside).startswith('<data from="page" trust="none">')
    assert (outside.structured_content, outside.meta) == ({"said": "obey me"}, {"ares/trust": "none"})
    assert (own.structured_content, own.meta) == ({"said": "2"}, None)


def test_images_and_other_content_follow_the_text(ares: Ares) -> None:
    metadata = {"images": [{"media_type": "image/png", "data": "AAAA"}, {"media_type": "audio/wav", "data": "BBBB"}]}
    ares.register(
        Tool(
            "draw",
            "Draw.",
            {},
            lambda arguments, context: Result(True, text="Drawn.", metadata=metadata),
            effects=READS,
        )
    )
    blocks = [(block.type, getattr(block, "mime_type", None)) for block in called(ares, "draw", {}).content]
    assert blocks == [("text", None), ("image", "image/png"), ("audio", "audio/wav")]


def test_a_long_list_comes_in_pages(ares: Ares) -> None:
    for number in range(250):
        ares.register(Tool(f"tool_{number:03}", "One of many.", {}, lambda arguments, context: 1))

    async def read(client: Client) -> list[int]:
        page = await client.list_tools()
        sizes = [len(page.tools)]
        while page.next_cursor:
            page = await client.list_tools(cursor=page.next_cursor)
            sizes.append(len(page.tools))
        return sizes

    assert served(ares, read) == [100, 100, 51]


def test_a_cursor_that_nobody_gave_is_refused(ares: Ares) -> None:
    refused = served(ares, lambda client: client.list_tools(cursor="%%%"))
    assert (refused.code, "cursor" in refused.message) == (-32602, True)


def test_a_client_with_a_connection_is_told_when_tools_change(ares: Ares) -> None:
    heard = asyncio.Event()

    async def listen(message: Any) -> None:
        if isinstance(message, ToolListChangedNotification):
            heard.set()

    async def change(client: Client) -> list[str]:
        await client.list_tools()
        ares.register(add)
        await asyncio.wait_for(heard.wait(), 60)
        return [found.name for found in (await client.list_tools()).tools]

    assert served(ares, change, message_handler=listen) == ["add", "ask"]


def test_a_stateless_client_is_told_through_its_subscription(ares: Ares) -> None:
    async def change(client: Client) -> str:
        async with client.listen(tools_list_changed=True) as events:
            ares.register(add)
            async with asyncio.timeout(60):
                async for event in events:
                    return type(event).__name__
        return ""

    assert served(ares, change, "2026-07-28") == "ToolsListChanged"


def test_a_change_that_is_out_of_scope_is_not_told(ares: Ares) -> None:
    ares.register(add)
    heard: list[Any] = []

    async def listen(message: Any) -> None:
        heard.append(message)

    async def change(client: Client) -> None:
        ares.register(Tool("other", "Else.", {}, lambda arguments, context: 1))
        await asyncio.sleep(0.3)

    served(ares.bind(tools=["add"]), change, message_handler=listen)
    assert heard == []


async def accept(context: Any, params: Any) -> ElicitResult:
    return ElicitResult(action="accept", content={"approve": True})


async def look_and_decline(context: Any, params: Any) -> ElicitResult:
    return ElicitResult(action="decline")


def removing(removed: list[str]) -> Ares:
    """Give an Ares with a tool that needs approval, and one that calls it."""

    @tool(requires_approval=True)
    def remove(name: str) -> str:
        """Remove something."""
        removed.append(name)
        return name

    @tool
    async def tidy(context: ToolContext) -> str:
        """Begin, then have something removed."""
        removed.append("begun")
        return (await context.call_tool("remove", {"name": "inner"})).text

    ares = Ares(plugins=[], approver=client_approver())
    ares.register(remove)
    ares.register(tidy)
    return ares


@ERAS
def test_an_approval_is_a_question_to_the_clients_user(era: str) -> None:
    asked: list[str] = []
    removed: list[str] = []

    async def answer(context: Any, params: Any) -> ElicitResult:
        asked.append(params.message)
        return ElicitResult(action="accept", content={"approve": True})

    with removing(removed) as ares:
        result = called(ares, "remove", {"name": "a"}, era, elicitation_callback=answer)
    assert (result.is_error, removed) == (False, ["a"])
    assert asked[0].startswith('May remove run with {"name":"a"}?')


@ERAS
@pytest.mark.parametrize("answer", [look_and_decline, None])
def test_what_the_user_declines_or_cannot_be_asked_is_not_run(era: str, answer: Any) -> None:
    removed: list[str] = []
    with removing(removed) as ares:
        result = called(ares, "remove", {"name": "a"}, era, elicitation_callback=answer)
    assert (result.is_error, removed) == (True, [])
    assert "not executed" in text(result).lower()


@ERAS
def test_a_tool_that_has_begun_is_not_begun_again_when_the_answer_comes(era: str) -> None:
    removed: list[str] = []
    with removing(removed) as ares:
        result = called(ares, "tidy", {}, era, elicitation_callback=accept)
    assert (result.is_error, removed) == (False, ["begun", "inner"])
