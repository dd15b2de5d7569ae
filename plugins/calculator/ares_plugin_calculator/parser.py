"""The grammar, by operator strength (Pratt): expressions are carried out while they are read.

From weak to strong: comparison; range ``..``; ``+ -``; ``* / // % mod``; ``of off on``; sign; ``^`` (to the right);
``!``, ``%`` as percent, and superscripts. So ``-2^2`` is -4, ``2^3^2`` is 512 and ``-7 // 2`` is -4.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

from ares_plugin_calculator.calculation import Calculation, Percent, Value, number
from ares_plugin_calculator.mistakes import Mistake
from ares_plugin_calculator.names import CONSTANTS, FUNCTIONS, key, unknown
from ares_plugin_calculator.tokens import MAX_DEPTH, Token, too_deep

V = TypeVar("V")
_COMPARISONS = ("==", "!=", "<", "<=", ">", ">=")
_STRENGTH = {
    **dict.fromkeys(_COMPARISONS, 5),
    "..": 8,
    **dict.fromkeys(("+", "-"), 10),
    **dict.fromkeys(("*", "/", "//", "%", "mod"), 20),
    **dict.fromkeys(("of", "off", "on"), 25),
    "^": 40,
    "**": 40,
    "!": 50,
}
_TIMES, _SIGN, _POSTFIX = 20, 30, 50
_RIGHT_ASSOCIATIVE = ("^", "**", "of", "off", "on")
_ROOTS = ("√", "∛", "∜")
_DIVIDING = ("/", "//", "%", "mod")


class Parser:
    """Reads the tokens of one expression from left to right."""

    def __init__(self, tokens: list[Token], calculation: Calculation) -> None:
        self.tokens = tokens
        self.calculation = calculation
        self.index = 0
        self.depth = 0

    def parse(self) -> Value:
        """The value of the whole expression."""
        value = self.expression(0)
        if self.token.kind != "end":
            raise _unexpected(self.token)
        return value

    @property
    def token(self) -> Token:
        """The token to be read next."""
        return self.tokens[self.index]

    def next(self) -> Token:
        """Take the token."""
        token = self.token
        self.index += 1
        return token

    def take(self, text: str) -> bool:
        """Take the token if it is this sign."""
        found = self.token.kind == "sign" and self.token.text == text
        self.index += found
        return found

    def expression(self, weakest: int) -> Value:
        """A value and all operators after it that are stronger than ``weakest``."""
        self.depth += 1
        if self.depth > MAX_DEPTH:
            raise too_deep(self.token.position)
        left = self.prefix()
        before = ""
        while self.strength(self.token) > weakest:
            before, left = self.infix(left, before)
        self.depth -= 1
        return left

    def strength(self, token: Token) -> int:
        """How strongly a token holds on to the value before it; 0 if it doesn't."""
        if token.kind == "power" or token.text == "%" and self.is_percent():
            return _POSTFIX
        return _TIMES if self.starts_factor(token) else _STRENGTH.get(token.text, 0) if token.kind == "sign" else 0

    def starts_factor(self, token: Token) -> bool:
        """Whether a value follows without an operator: 2π, 2(3+4), 2√3."""
        return token.kind == "name" or token.kind == "sign" and (token.text == "(" or token.text in _ROOTS)

    def is_percent(self) -> bool:
        """A percent sign is one unless a value follows that it could divide: 10%, 5%*200, but 10%3, 10 % -3."""
        sign, following = self.tokens[self.index], self.tokens[self.index + 1]
        if following.kind == "number" or self.starts_factor(following):
            return False
        remainder = following.text in ("+", "-") and sign.spaced and following.spaced
        return not (remainder and not self.tokens[self.index + 2].spaced)

    def infix(self, left: Value, before: str) -> tuple[str, Value]:
        """Carry out the next operator; give its sign, and the value. ``before`` is the sign before it."""
        if self.starts_factor(self.token):
            return "*", self.times(left, before)
        strength, token = self.strength(self.token), self.next()
        if token.kind == "power":
            return "^", self.at(token, self.calculation.binary, "^", left, token.value)
        if strength == _POSTFIX:
            return token.text, self.postfix(token, left)
        if token.text == "..":
            return "..", self.range_from(token, left)
        if token.text in _COMPARISONS and before in _COMPARISONS:
            raise Mistake("comparisons can't be chained", "compare two values at a time", token.position)
        right = self.operand(token, strength - (token.text in _RIGHT_ASSOCIATIVE))
        known = self.calculation.percent_of if token.text in ("of", "off", "on") else self.calculation.binary
        return token.text, self.at(token, known, token.text, left, right)

    def times(self, left: Value, before: str) -> Value:
        """A product without a sign; after a division it could mean two things."""
        token = self.token
        if token.kind == "name" and key(token.text) not in CONSTANTS and key(token.text) not in FUNCTIONS:
            raise self.unknown_name(token)
        if before in _DIVIDING:
            reason = "after a division it is not clear what a product without a sign means"
            raise Mistake(reason, "write 1/(2*pi) or (1/2)*pi", token.position)
        return self.at(token, self.calculation.binary, "*", left, self.operand(token, _TIMES, taken=False))

    def postfix(self, token: Token, value: Value) -> Value:
        """A factorial or a percentage."""
        if token.text == "!" and self.tokens[self.index - 2].text == "!":
            raise Mistake("'!!' could mean two things", "write (3!)! for the factorial of a factorial", token.position)
        return self.at(token, self.calculation.postfix, token.text, value)

    def range_from(self, token: Token, first: Value) -> Value:
        """first..last or first..last..step."""
        last = self.operand(token, _STRENGTH[".."])
        step = self.operand(token, _STRENGTH[".."]) if self.take("..") else None
        return self.at(token, self.calculation.range_of, first, last, step)

    def operand(self, token: Token, weakest: int, taken: bool = True) -> Value:
        """The value after an operator."""
        if taken and self.token.kind == "end":
            raise Mistake(f"nothing follows '{token.text}'", "complete the expression", token.position)
        return self.expression(weakest)

    def prefix(self) -> Value:
        """A value, with the signs and roots before it."""
        token = self.next()
        if token.kind == "number":
            return token.value
        if token.kind == "name":
            return self.named(token)
        if token.text == "(":
            return self.group(token)
        if token.text == "[":
            return self.items(token, "]")
        if token.text in ("+", "-"):
            return self.signed(token)
        if token.text in _ROOTS:
            return self.at(token, self.calculation.prefix, token.text, self.operand(token, _STRENGTH["^"] - 1))
        raise _missing(token)

    def signed(self, token: Token) -> Value:
        """Any number of signs before a value."""
        minus = token.text == "-"
        while self.token.text in ("+", "-"):
            token = self.next()
            minus ^= token.text == "-"
        value = self.operand(token, _SIGN)
        return self.at(token, self.calculation.prefix, "-" if minus else "+", value)

    def named(self, token: Token) -> Value:
        """A constant, or a call."""
        if key(token.text) in CONSTANTS:
            return self.calculation.constant(token.text)
        if key(token.text) not in FUNCTIONS:
            raise self.unknown_name(token)
        if not self.take("("):
            usage = FUNCTIONS[key(token.text)].usage
            raise Mistake(f"'{token.text}' is a function and has no parentheses", f"write {usage}", token.position)
        values = self.items(token, ")")
        return self.at(token, self.calculation.call, token, values)

    def unknown_name(self, token: Token) -> Mistake:
        """Say what is wrong with a name, in the light of what stands before it."""
        index = self.tokens.index(token)
        mistake = unknown(token.text, after_number=index > 0 and self.tokens[index - 1].kind == "number")
        mistake.position = token.position
        return mistake

    def group(self, opening: Token) -> Value:
        """What stands in parentheses; a percentage in them is a plain number."""
        value = self.expression(0)
        if not self.take(")"):
            raise self.unclosed(opening)
        return number(value) if isinstance(value, Percent) else value

    def items(self, opening: Token, closing: str) -> list[Value]:
        """Values between commas up to the closing bracket."""
        if self.take(closing):
            what = "the list" if closing == "]" else f"{opening.text}()"
            raise Mistake(f"{what} is empty", "give it at least one value", opening.position)
        values = [self.expression(0)]
        while self.take(","):
            values.append(self.expression(0))
        if not self.take(closing):
            raise self.unclosed(opening)
        return values

    def unclosed(self, opening: Token) -> Mistake:
        """Say what stands where a bracket should be closed."""
        if self.token.kind != "end":
            return _unexpected(self.token)
        what = f"'{opening.text}('" if opening.kind == "name" else f"'{opening.text}'"
        return Mistake(f"{what} is not closed", "close the bracket", opening.position)

    def at(self, token: Token, act: Callable[..., V], *values: Any) -> V:
        """Do it; if it goes wrong, it went wrong here."""
        try:
            return act(*values)
        except Mistake as mistake:
            mistake.position = token.position if mistake.position is None else mistake.position
            raise


def _missing(token: Token) -> Mistake:
    """Say before which token a value is missing."""
    if token.kind == "end":
        return Mistake("the expression ends too early", "complete it", max(token.position - 1, 0))
    return Mistake(f"a number is missing before '{token.text}'", "complete the expression", token.position)


def _unexpected(token: Token) -> Mistake:
    """Say which token stands where no other value can."""
    if token.kind == "number":
        return Mistake(
            f"an operator is missing before {token.text[:40]}",
            "put one between the two numbers; 1 000 is written 1000",
            token.position,
        )
    if token.text == ",":
        return Mistake("a comma stands outside a call or list", "write max(1, 2) or mean(1, 2)", token.position)
    if token.text in (")", "]"):
        return Mistake(f"'{token.text}' closes nothing", "open a bracket before it, or leave it out", token.position)
    return Mistake(f"'{token.text}' can't stand here", "put a number on both sides of it", token.position)
