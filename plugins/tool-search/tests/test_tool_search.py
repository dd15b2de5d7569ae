"""Tools that are too many to be shown are looked up."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import pytest

from ares_core import Ares, Capability, ConfigError, Effects, EvidenceRow, Tool, hookimpl

Make = Callable[..., Ares]
READS = Effects(read_only=True, destructive=False, open_world=False)
THREE = ["tool_call", "tool_describe", "tool_search"]


def shown(ares: Any, **options: Any) -> list[str]:
    """The names of the tools that definitions show."""
    return [definition["name"] for definition in ares.definitions("plain", **options)]


def found(ares: Any, query: str, **more: Any) -> list[str]:
    """The names of the tools that a search gives."""
    return [tool["name"] for tool in ares.call_sync("tool_search", {"query": query, **more}).data["tools"]]


def test_few_tools_are_shown_as_they_are(make: Make) -> None:
    ares = make(8)
    assert shown(ares) == sorted(ares.registry.list_tool_names())


def test_many_are_looked_up_and_only_the_three_that_find_them_are_shown(make: Make) -> None:
    ares = make(1000)
    assert shown(ares) == THREE
    assert len(ares.registry) == 1000


def test_definitions_may_take_a_share_of_what_the_model_can_read(make: Make) -> None:
    ares = make(60, {"small*": {"context_tokens": 8_000}, "large*": {"context_tokens": 1_000_000}})
    assert shown(ares, model="small-1b") == THREE
    assert len(shown(ares, model="large-1t")) == len(shown(ares)) == 60


@pytest.mark.parametrize(
    ("section", "is_searched"),
    [({"share": 0.001}, True), ({"context_tokens": 2_000}, True), ({"enabled": "on"}, True), ({}, False)],
)
def test_the_configuration_says_where_many_begin(make: Make, section: dict[str, Any], is_searched: bool) -> None:
    assert (shown(make(20, **section)) == THREE) == is_searched


def test_it_can_be_switched_off(make: Make) -> None:
    assert len(shown(make(1000, enabled="off"))) == 1000


def test_a_wrong_share_is_refused_in_a_sentence(make: Make) -> None:
    with pytest.raises(ConfigError, match=r"tool_search\.share"):
        make(share=2)


def test_some_tools_are_always_shown_and_so_is_the_one_that_is_to_be_chosen(make: Make) -> None:
    ares = make(500, always=["*_battery_96", "nothing.*"])
    assert shown(ares) == ["get_battery_96", *THREE]
    assert shown(ares, tool_choice="find_stock_18") == ["find_stock_18", "get_battery_96", *THREE]


def test_what_is_shown_stays_the_same_when_tools_come_and_go(make: Make) -> None:
    ares = make(500)
    before = ares.definitions("plain")
    ares.register(Tool("late", "Come late.", {}, print))
    assert ares.definitions("plain") == before


def test_a_search_gives_names_parameters_and_words(make: Make) -> None:
    result = make(500).call_sync("tool_search", {"query": "cancel my museum visit", "limit": 2})
    assert result.data["tools"][0]["name"].startswith("cancel_museum")
    assert result.data["total"] == 500
    assert "(region?: string, days?: integer): Cancel the museum of a region" in result.text
    assert len(result.data["tools"]) == 2


def test_words_are_found_in_every_form(make: Make) -> None:
    ares = make(0)
    ares.register(Tool("create_issue", "Opens a new issue.", {}, print))
    ares.register(Tool("sendMail", "Deliver a message.", {}, print))
    assert found(ares, "creating issues") == ["create_issue"]
    assert found(ares, "mails") == ["sendMail"]


def test_chinese_is_found_by_its_characters(make: Make) -> None:
    ares = make(0)
    for name, words in (
        ("mail.send", "发送消息给联系人"),
        ("weather", "查询城市的天气预报"),
        ("money", "兑换货币，查汇率"),
    ):
        ares.register(Tool(name, words, {}, print))
    assert found(ares, "给小王发送一条消息")[0] == "mail.send"
    assert found(ares, "明天北京天气怎么样")[0] == "weather"
    assert found(ares, "今天的汇率是多少")[0] == "money"


class Speaks:
    """Declares a capability with other names for it."""

    @hookimpl
    def declare_capabilities(self) -> list[Capability]:
        return [Capability("Translation", aliases=("interpreter", "翻译"), tools=("lingua",))]


def test_the_other_names_of_a_capability_find_its_tools(make: Make) -> None:
    ares = make(20, plugins=[Speaks()])
    ares.register(Tool("lingua", "From one language to another.", {}, print))
    assert found(ares, "an interpreter, please") == found(ares, "翻译一下") == found(ares, "translations") == ["lingua"]


def test_of_tools_that_are_equally_near_the_one_that_works_comes_first(make: Make) -> None:
    ares = make(0)
    for name in ("echo_a", "echo_b", "echo_c"):
        ares.register(Tool(name, "Say it again.", {}, print))
    ares.evidence.store.record([EvidenceRow("echo_a", False, 1.0, time.time(), "timeout")] * 5)
    ares.evidence.store.record([EvidenceRow("echo_c", True, 1.0, time.time())] * 50)
    assert found(ares, "say it again") == ["echo_c", "echo_b", "echo_a"]


def test_nothing_in_common_is_said_so(make: Make) -> None:
    result = make(3).call_sync("tool_search", {"query": "xylophone"})
    assert result.success
    assert "No tool of 3 speaks of that" in result.text


def test_one_tool_is_described_with_its_whole_schema(make: Make) -> None:
    ares = make(3)
    result = ares.call_sync("tool_describe", {"name": "get_weather_0"})
    assert result.data["parameters"] == dict(ares.tools()["get_weather_0"].parameters)
    assert result.data["read_only"] is True
    assert '"region": {"type": "string"}' in result.text


def test_a_name_that_is_none_gets_the_nearest(make: Make) -> None:
    error = make(500).call_sync("tool_describe", {"name": "cancel_museum"}).error
    assert error is not None
    assert error.code == "unknown_tool"
    assert error.suggestions[0].startswith("cancel_museum")


def hidden_and_open(make: Make) -> tuple[Ares, Any]:
    ares = make(0, enabled="on")
    ares.register(Tool("vault.open", "Open the secret vault.", {}, print))
    for number in range(5):
        ares.register(Tool(f"door_{number}", "Open a door.", {}, print))
    return ares, ares.bind(tools=["door_*"])


@pytest.mark.parametrize(
    ("tool", "arguments"),
    [
        ("tool_search", {"query": "open the secret vault", "limit": 20}), ("tool_describe", {"name": "vault.open"}),
        ("tool_call", {"name": "vault.open"}), ("vault.open", {}), ("tool_call", {"name": "vault.opens"}),
        ("tool_describe", {"name": "secret vault"}),
    ],
)  # fmt: skip
def test_what_is_out_of_scope_is_never_told(make: Make, tool: str, arguments: dict[str, Any]) -> None:
    ares, part = hidden_and_open(make)
    result = part.call_sync(tool, arguments)
    said = f"{result.text} {result.data} {result.error}".replace(repr(arguments.get("name", tool)), "")
    for asked in arguments.values():
        said = said.replace(str(asked), "")
    assert "vault" not in said
    assert "secret" not in said
    assert "vault.open" in found(ares, "open the secret vault")


def test_a_part_without_many_tools_has_nothing_to_be_looked_up_with(make: Make) -> None:
    ares = make(1000)
    part = ares.bind(tools=["get_weather_0"])
    assert shown(part) == ["get_weather_0"]
    assert "There is no tool 'tool_search'" in part.call_sync("tool_search", {"query": "weather"}).text
    assert shown(ares.bind(tools=["*"])) == THREE


def test_names_in_a_part_are_those_that_it_gave(make: Make) -> None:
    part = make(30, enabled="on").bind(tools=["get_*"], prefix="my_")
    assert found(part, "weather")[0] == "my_get_weather_0"
    assert part.call_sync("tool_call", {"name": "my_get_weather_0", "arguments": {"days": 2}}).data == {"days": 2}


def test_tools_that_come_later_are_found(make: Make) -> None:
    ares = make(10)
    assert found(ares, "xylophone") == []
    ares.register(Tool("play", "Play the xylophone.", {}, print))
    assert found(ares, "xylophone") == ["play"]


def test_a_plugin_that_goes_takes_its_tools_with_it(make: Make) -> None:
    ares = make(1000)
    ares.remove("tool-search")
    assert len(shown(ares)) == 1000
    assert not ares.call_sync("tool_search", {"query": "weather"}).success


def test_of_two_finders_one_is_used_and_the_other_s_plugin_says_why(make: Make) -> None:
    class Other:
        @hookimpl
        def register_tools(self, host: Any) -> list[Any]:
            host.add_finder(Finds())
            return []

    class Finds:
        tools = ()

        def shown(self, tools: Any, context: Any) -> None:
            return None

    ares = make(1000, plugins=[Other()])
    assert any("both find tools" in note for row in ares.plugins.rows() for note in row.notes)


def test_among_ten_thousand_the_right_one_is_found(make: Make) -> None:
    ares = make(10_000)
    ares.register(Tool("tide_table", "When the sea is high and low at a harbour.", {}, print, effects=READS))
    assert found(ares, "when is high tide in the harbour of Brest?")[0] == "tide_table"
    assert found(ares, "get the harvest of a region")[0].startswith("get_harvest")


HOSTILE: dict[str, Callable[[], str]] = {
    "one word": lambda: "a" * 1_000_000,
    "words": lambda: "weather harvest " * 60_000,
    "Chinese": lambda: "天气" * 500_000,
    "humps": lambda: "aB" * 500_000,
    "endings": lambda: "ingationsingations" * 50_000,
    "nothing": lambda: "\u200b" * 1_000_000,
}


@pytest.mark.parametrize("kind", HOSTILE)
def test_a_query_of_a_megabyte_is_refused_at_once(make: Make, kind: str) -> None:
    result = make(100).call_sync("tool_search", {"query": HOSTILE[kind]()}, timeout=10)
    assert result.error is not None
    assert result.error.code == "invalid_arguments"
    assert len(result.text) < 5_000
    assert found(make(10), HOSTILE[kind]()[:2000]) is not None


@pytest.mark.parametrize("query", ["\x00weather", "weather" + "\u0301" * 500, "\u202eweather\u2066", "ｗｅａｔｈｅｒ"])
def test_odd_characters_do_no_harm(make: Make, query: str) -> None:
    assert make(100).call_sync("tool_search", {"query": query}).success
