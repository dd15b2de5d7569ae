"""How many tokens a text is: an estimate that is right to a fifth, or what a tokenizer counts."""

from __future__ import annotations

import logging
import sys
import types
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ares_core import Ares, Effects, Tool
from ares_core.call.kept import head, tail
from ares_core.call.tokens import LONGEST, counter, tokens_in

COUNTED: dict[str, tuple[str, int]] = {
    "English": (
        (
            "The council met on Tuesday to discuss the new bridge. Most members agreed that the old one"
            ", built in 1931, can't carry today's traffic; two asked for a cheaper design. A decision i"
            "s expected before the end of the month."
        ),
        48,
    ),
    "Chinese": (
        (
            "昨天下午，市政府召开新闻发布会，介绍了今年上半年经济运行的主要情况。发言人表示，在外部环境复杂多变的背景下，全市生产总值同比增长百分之五点二，居民人均可支配收入稳步提高，就业形势总"
            "体稳定。下一步将继续扩大内需，优化营商环境，支持中小企业发展。"
        ),
        85,
    ),
    "Chinese request": (
        "请帮我把这份文件翻译成英文，并检查其中的语法错误。如果发现有不通顺的地方，可以直接修改，但是要保留原来的意思。修改完成后，请把结果发到我的邮箱，同时抄送给项目组的其他同事，谢谢！",
        60,
    ),
    "Chinese on machines": (
        (
            "机器学习模型在训练之前需要对数据进行清洗和预处理，包括去除重复样本、填补缺失值以及归一化特征。随后将数据集划分为训练集、验证集和测试集，使用梯度下降算法优化损失函数，并通过交叉验证"
            "来评估模型的泛化能力。"
        ),
        73,
    ),
    "Python": (
        (
            "def retry(call, attempts=3, pause=0.5):\n"
            '    """Call until it succeeds, at most so often."""\n'
            "    for attempt in range(attempts):\n"
            "        try:\n"
            "            return call()\n"
            "        except (OSError, TimeoutError) as error:\n"
            "            if attempt == attempts - 1:\n"
            '                raise RuntimeError(f"gave up after {attempts}") from error\n'
            "            time.sleep(pause * 2**attempt)\n"
        ),
        90,
    ),
    "JavaScript": (
        (
            "export async function fetchUsers(baseUrl, { limit = 50 } = {}) {\n"
            "  const response = await fetch(`${baseUrl}/users?limit=${limit}`);\n"
            "  if (!response.ok) throw new Error(`HTTP ${response.status}`);\n"
            "  return (await response.json()).items.map((user) => ({ id: user.id, fullName: user.name }));\n"
            "}\n"
        ),
        74,
    ),
    "JSON": (
        (
            '{"items":[{"id":18231,"name":"Kettle","price":24.9,"inStock":true},{"id":18232,"name":"Tea'
            ' pot","price":31.5,"inStock":false}],"next":null}'
        ),
        51,
    ),
    "a log": (
        "2026-03-04T05:06:07Z worker-3 WARN queue: 118 jobs wait, 4 failed (last: timeout after 30000 ms)\n" * 4,
        148,
    ),
    "code and Chinese": (
        (
            "# 读取配置文件，如果不存在就使用默认值\n"
            "config = load_config(path) if os.path.exists(path) else DEFAULTS\n"
            "# 打印所有的键和值\n"
            "for key, value in config.items():\n"
            "    print(f'{key}={value}')\n"
        ),
        53,
    ),
}
"""Texts with their tokens in ``o200k_base``."""


@pytest.mark.parametrize(("text", "tokens"), COUNTED.values(), ids=COUNTED)
def test_the_estimate_is_right_to_a_fifth(text: str, tokens: int) -> None:
    assert abs(tokens_in(text) - tokens) <= 0.2 * tokens


@given(st.text(max_size=200), st.text(max_size=200))
def test_the_estimate_is_never_above_the_letters_and_two_parts_are_about_the_whole(one: str, other: str) -> None:
    assert tokens_in(one) <= len(one)
    assert abs(tokens_in(one + other) - tokens_in(one) - tokens_in(other)) <= 3


@given(st.text(max_size=300), st.integers(0, 60))
def test_head_and_tail_fit_and_are_the_ends_of_the_text(text: str, room: int) -> None:
    first, last = head(text, room, tokens_in), tail(text, room, tokens_in)
    assert text.startswith(first)
    assert text.endswith(last)
    assert max(tokens_in(first), tokens_in(last)) <= room


def test_a_very_long_text_is_judged_by_its_beginning_middle_and_end() -> None:
    line = "one more line of a very long log, number 17\n"
    text = line * (3 * LONGEST // len(line))
    assert abs(tokens_in(text) - tokens_in(line) * (len(text) // len(line))) < 0.05 * tokens_in(text)


def test_a_tokenizer_that_is_named_and_installed_counts(monkeypatch: pytest.MonkeyPatch) -> None:
    class Encoding:
        def encode_ordinary(self, text: str) -> list[str]:
            return text.split()

    module: Any = types.ModuleType("tiktoken")
    module.get_encoding = {"words": Encoding()}.__getitem__
    monkeypatch.setitem(sys.modules, "tiktoken", module)
    with Ares(plugins=[], config={"results": {"tokenizer": "words", "max_tokens": 60}}) as ares:
        ares.register(Tool("say", "", {}, lambda arguments, context: "1,2;3 " * 60, effects=Effects(open_world=False)))
        assert ares.call_sync("say").text == "1,2;3 " * 60
        assert tokens_in("1,2;3 " * 60) > 60


@pytest.mark.parametrize("name", ["no-such-encoding", "missing/tokenizer.json"])
def test_one_that_can_not_be_used_is_told_and_tokens_are_estimated(
    name: str, caplog: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "tiktoken", None)
    with caplog.at_level(logging.WARNING):
        assert counter(name)("four score and seven") == 4
    assert f"results.tokenizer {name!r} can't be used" in caplog.text
