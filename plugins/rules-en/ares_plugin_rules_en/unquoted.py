"""Several words without quotation marks, right after what is to be done with them: reverse hello world."""

from __future__ import annotations

from ares_core import Rule
from ares_plugin_rules_en.hashes import B64, SUM, TALK
from ares_plugin_rules_en.texts import strings

VERBS = tuple(
    "uppercase upcase lowercase downcase capitalize capitalise reverse reversed encode decode hash replace count".split()
)
"""What may begin a further wish."""
TELLING = tuple(
    "encodes decodes makes uses produces adds gives turns takes needs works hashes represents stands means helps fails "
    "looks seems was were does provides returns breaks".split()
)
"""What tells of an operation and asks for none."""
ABOUT = tuple(
    "what what's whats ? vs python java javascript typescript sql excel css html js regex bash linux php ruby function "
    "functions method methods code program algorithm script command file files online tool tools website generator "
    "calculator converter tutorial example examples meaning definition explained shortcut".split()
)
"""Words of a question, or of what is written about an operation."""
THINGS = tuple(
    "letter letters character characters alphabet word words string strings text sentence title titles variable variables "
    "constant constants name names column columns field fields key keys heading headings first last beginning list lists "
    "array arrays number numbers symbol symbols alpha noun nouns requirement requirements".split()
)
"""Words that stand for a text which the request does not hold."""
TURNED = tuple(
    "linked tree order ordering digit digits image images video audio song phone lookup search engineer engineering "
    "psychology proxy dns gear mortgage osmosis auction charge charges card parking polarity direction cycle effect "
    "effects damage aging diabetes transaction payment decision change changes curse spell vowels clock warming trend "
    "trends type stitch mode logic climate notation stock culture shock ssh tunnel sear vending machine bias diode repo rate "
    "geocoding brain traffic disease loss decay resistance liver grip press exercise training voltage trap swing bowling "
    "thinking harem roe".split()
)
"""Words of what is reversed without being a text."""
COINED = tuple(
    "image images picture data url encoder decoder viewer size overhead padding scheme string table encoding auth header "
    "rfc".split()
)
CRACKED = tuple(
    "file checker password passwords lookup bitcoin mining cracker cracking decrypt salt speed certificate certificates ssl "
    "authentication verification mismatch error errors failed deprecated expired bit encryption match enough mac".split()
)
WHOLE = ("text", "alphabet", "language", "selected", "document", "essay", "file")
"""What is to be counted, but is not in the request."""
LEDGERS = tuple(
    "cost costs expense expenses interest investment asset assets lease spending earnings development".split()
)


def others(phrase: str) -> tuple[str, ...]:
    """The words that would make a wish of this wording another one."""
    return tuple(word for word in (*VERBS, *ABOUT, *TELLING) if word not in phrase)


def words(name: str, operation: str, phrase: str, *excludes: str) -> Rule:
    """Make a rule for an operation on the words that follow, unless one of them shows that something else is meant."""
    return strings(name, operation, phrase, excludes=(*others(phrase), *THINGS, *excludes))


RULES = (
    words("upper case of words", "upper", "(uppercase|upper-case|upcase) {text:phrase}"),
    words("lower case of words", "lower", "(lowercase|lower-case|downcase) {text:phrase}"),
    words("capitalise words", "capitalize", "(capitalize|capitalise) {text:phrase}", *LEDGERS),
    words("reverse words", "reverse", "reverse {text:phrase}", *TURNED),
    strings(
        "words of some words",
        "count",
        "count [number of] words in {text:phrase}",
        excludes=(*ABOUT, *WHOLE),
        unit="words",
    ),
    strings(
        "length of some words",
        "length",
        "count [number of] (characters|letters) in {text:phrase}",
        excludes=(*ABOUT, *WHOLE),
    ),
    Rule(
        "digest of words",
        (f"{{digest}} {SUM} {{text:phrase}}",),
        ("Hashing",),
        arguments={"operation": "{digest}", "input": "{text}"},
        excludes=(*others(SUM), *TALK, *CRACKED),
    ),
    Rule(
        "Base64 of words",
        (f"{B64} {{text:phrase}}",),
        ("Base64",),
        arguments={"operation": "base64_encode", "input": "{text}"},
        excludes=(*others(B64), *COINED),
    ),
)
