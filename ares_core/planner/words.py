"""What a plan that doesn't come about says, in the language of the request."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from ares_core.calls import Code, Failure

_EN = {
    "empty": "The request asks for nothing that can be done. Say what to do, and with what.",
    "too_long": "The request is too long or too nested to be understood. Ask for one thing in one short sentence.",
    "no_text": "The request contains characters that are no valid text (lone surrogates). Send it as UTF-8.",
    "negated": "The request says what not to do ({word}), so nothing is done. Ask for what is wanted by itself.",
    "mentioned": "The request only talks about it ({word}). To have it done, ask for it plainly.",
    "not_understood": "The request is not understood from {word} on. Put it more plainly, texts in quotation marks.",
    "not_as_a_whole": "No rule accounts for the request as a whole. Put it more plainly, texts in quotation marks.",
    "no_rules": "No rule set is in use; install one such as rules-en, or look at planner.rule_sets.",
    "no_tool": "No installed tool can do {word}. Install a plugin that has this capability.",
    "unfit": "No installed tool can do {word} with what is given: {why}.",
    "missing": "To do {word}, {why} is missing. Give it, text best between quotation marks.",
    "unsure": "It is not sure enough what is meant ({why}). Put it more plainly, or name the tool.",
    "invalid": "The plan can't run: {why}.",
    "candidates": "Candidates: {names}.",
    "not_executed": "Not executed.",
}
_ZH = {
    "empty": "请求没有说明要做什么。请说清楚要做的事和所需的内容。",
    "too_long": "请求太长或嵌套太深，无法理解。请用一句短话只说一件事。",
    "no_text": "请求含有无效字符（孤立的代理项）。请使用 UTF-8 文本。",
    "negated": "请求说的是不要做什么（{word}），因此什么都没做。请单独说出要做的部分。",
    "mentioned": "请求只是谈到这件事（{word}），并没有要求去做。需要执行的话，请直接提出。",
    "not_understood": "从“{word}”起没有理解。请说得更直接，文本请放在引号里。",
    "not_as_a_whole": "没有规则能理解整个请求。请说得更直接，文本请放在引号里。",
    "no_rules": "没有启用任何规则集；请安装 rules-zh 等规则集，或检查 planner.rule_sets。",
    "no_tool": "没有已安装的工具能做 {word}。请安装具备该能力的插件。",
    "unfit": "已安装的工具无法用所给内容完成 {word}：{why}。",
    "missing": "要做 {word}，还缺少{why}。请补充，文本最好放在引号里。",
    "unsure": "不能确定所指（{why}）。请说得更明确，或直接指定工具。",
    "invalid": "计划无法运行：{why}。",
    "candidates": "候选工具：{names}。",
    "not_executed": "未执行。",
}
_MISFIT = "{taker} needs {needs}, but the step before it ({giver}) gives {gives}"
_MISFIT_ZH = "{taker} 需要{needs}，而它之前的步骤（{giver}）给出的是{gives}"
_TYPES = {
    "Expression": "a calculation", "Number": "a number", "Values": "a list of numbers", "Text": "text",
    "File": "a file", "URL": "a web address", "JSON": "JSON", "Code": "code", "Vector": "a vector",
    "Identifier": "an identifier", "None": "nothing",
}  # fmt: skip
_TYPES_ZH = {
    "Expression": "算式", "Number": "数字", "Values": "一组数字", "Text": "文本", "File": "文件", "URL": "网址",
    "JSON": "JSON", "Code": "代码", "Vector": "向量", "Identifier": "标识符", "None": "空",
}  # fmt: skip


def is_chinese(request: str) -> bool:
    """Whether a request is written in Chinese.

    >>> is_chinese("求1到100的和"), is_chinese("sum from 1 to 100")
    (True, False)
    """
    return not request.isascii() and any("一" <= char <= "鿿" for char in request[:1000])


def failure(
    code: Code, request: str, kind: str, *, word: str = "", why: str = "", candidates: Sequence[str] = ()
) -> Failure:
    """Make the failure of a plan: what was wrong, what to do next, and that nothing was executed."""
    table = _ZH if is_chinese(request) else _EN
    kind = "not_as_a_whole" if kind == "not_understood" and not word else kind
    quoted = (
        f"'{word[:60]}'" if table is _EN and word and kind in ("negated", "mentioned", "not_understood") else word[:60]
    )
    parts = [table[kind].format(word=quoted, why=why)]
    if candidates:
        parts.append(table["candidates"].format(names=", ".join(candidates[:5])))
    parts.append(table["not_executed"])
    return Failure(code, ("" if table is _ZH else " ").join(parts), suggestions=tuple(candidates[:5]))


def misfit(request: str, giver: str, outputs: Iterable[str], taker: str, inputs: Iterable[str]) -> str:
    """Say that a step can't go on with what the one before gives.

    >>> misfit("read it", "hash_tool", ("Text",), "pdf_tool", ("File",))
    'pdf_tool needs a file, but the step before it (hash_tool) gives text'
    """
    table, either, says = (_TYPES_ZH, "或", _MISFIT_ZH) if is_chinese(request) else (_TYPES, " or ", _MISFIT)
    gives, needs = (either.join(table.get(one, one) for one in types) for types in (outputs, inputs))
    return says.format(giver=giver, gives=gives or table["None"], taker=taker, needs=needs or table["None"])


def without_ending(message: str) -> str:
    """Give the words of a plan's failure for a text that says itself that nothing was executed.

    >>> without_ending("It is not understood. Not executed.")
    'It is not understood.'
    """
    for table in (_EN, _ZH):
        message = message.removesuffix(table["not_executed"]).rstrip()
    return message
