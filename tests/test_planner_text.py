"""A text is cut the same way by whatever cuts it."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from ares_core.planner.chinese import Idioms
from ares_core.planner.phrases import Compiler
from ares_core.planner.text import tokens

LATIN = "https://a.b/c a@b.co 'x' it's 2024-01-02 3:45 1.2.3 a.pdf /x/y sin2 0xff 1e5 ... ** 2x3 5% a1 , ( {".split()
CHINESE = "一直 第一 十分满意 二十 万一 三 百 把 的 计算 安全 √ ° , md5 base64 to".split()


@given(st.lists(st.sampled_from(LATIN)), st.sampled_from(("", " ")))
def test_latin_text_is_cut_alike_with_and_without_chinese_after_it(parts: list[str], between: str) -> None:
    text = between.join(parts)
    assert tokens(f"{text} 。")[:-1] == tokens(text)


@given(st.lists(st.sampled_from(CHINESE)), st.sampled_from(("", " ")))
def test_the_words_of_a_phrase_are_cut_as_a_request_is(parts: list[str], between: str) -> None:
    text, words = between.join(parts), Idioms(["计算机", "安全的"])
    assert Compiler(words).cut(text) == [token.text for token in tokens(text, words)]


def test_a_numeral_that_goes_on_with_one_before_it_begins_no_idiom() -> None:
    assert [token.text for token in tokens("二十万一")] == ["二", "十", "万", "一"]
    assert [token.text for token in tokens("以防万一")] == ["以", "防", "万一"]
