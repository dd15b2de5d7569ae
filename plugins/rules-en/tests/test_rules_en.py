"""English requests and what they are understood as; the tools only say what they were given."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import ares_plugin_rules_en
import pytest

from ares_core import Ares, Effects, ExecutionPlan, Tool
from ares_core.testing import check_plugin

MATHS = ("Arithmetic", "Summation", "Statistics", "NumberTheory", "DiscreteMath", "Probability")
OTHERS = {
    "hash_tool": ("Hashing", "Base64"),
    "string_utils": ("StringManipulation", "TextProcessing"),
    "id_generator": ("IDGeneration",),
    "regex": ("Regex",),
    "json_tools": ("JSONProcessing",),
    "pdf_tool": ("PDFParsing", "TextExtraction"),
    "web_search": ("WebSearch",),
    "web_scraper": ("WebFetch",),
    "http_request": ("HTTPRequest",),
    "code_runner": ("CodeExecution",),
    "embedding": ("Embedding",),
    "datetime": ("DateTime",),
    "data_transform": ("DataTransform",),
    "data_validation": ("DataValidation",),
    "log_analyzer": ("LogAnalysis",),
    "file_tools": ("FileOperations",),
}
PARAMETERS = (
    "operation input text path expected algorithm count type query url method json data pattern pages language code value "
    "other zone content log_content unit old new search delimiter times length start end"
).split()


def tool(name: str, capabilities: tuple[str, ...], parameters: Mapping[str, Any]) -> Tool:
    reads = Effects(read_only=True)
    return Tool(
        name, "", {"properties": parameters}, lambda arguments, context: dict(arguments), capabilities, effects=reads
    )


@pytest.fixture
def plan(ares: Ares) -> Callable[[str], ExecutionPlan]:
    ares.add(ares_plugin_rules_en)
    ares.register(tool("calculator", MATHS, {"expression": {"type": "string"}}))
    for name, capabilities in OTHERS.items():
        ares.register(tool(name, capabilities, {parameter: {} for parameter in PARAMETERS}))
    return ares.plan


EXPRESSIONS = {
    "sum from 1 to 1,000,000": "1000000*(1000000+1)/2",
    "Sum of the numbers from 5 to 10": "6*(5+10)/2",
    "sum from -5 to 5": "11*(-5+5)/2",
    "sum from 10 to 1": "10*(10+1)/2",
    "sum of even numbers from 1 to 100": "50*(2+100)/2",
    "what is the sum of odd numbers between 1 and 9?": "5*(1+9)/2",
    "sum from 1 to 10 in steps of 3": "4*(1+10)/2",
    "sum of squares from 1 to 10": "10*(10+1)*(2*10+1)/6",
    "sum of cubes from 1 to 3": "(3*(3+1)/2)**2",
    "sum of the first 50 positive integers": "50*(50+1)/2",
    "sum of 3 and 4": "sum(3,4)",
    "add up 10, 20 and 30, please": "sum(10,20,30)",
    "total of 100,200,300": "sum(100,200,300)",
    "mean of 1,000 and 2,000": "mean(1000,2000)",
    "variance of 2 4 4 4 5": "variance(2,4,4,4,5)",
    "sample standard deviation of 1, 2 and 4": "sample_stddev(1,2,4)",
    "what's the median of 5, 1, 9?": "median(5,1,9)",
    "average of 1 to 10": "(1+10)/2",
    "greatest common divisor of 48 and 18": "gcd(48,18)",
    "is 17 prime?": "isPrime(17)",
    "10 factorial": "factorial(10)",
    "factorial of 10 divided by factorial of 8": "factorial(10)/factorial(8)",
    "7 choose 2": "nCr(7,2)",
    "how many ways to choose 2 of 7": "nCr(7,2)",
    "permutations of 5 taken 2 at a time": "nPr(5,2)",
    "2 to the power of 10": "2**10",
    "two to the tenth power": "2**10",
    "5 squared": "5**2",
    "square root of 144": "sqrt(144)",
    "cosine of 60 degrees": "cos(60*pi/180)",
    "log base 2 of 8": "log(8,2)",
    "subtract 5 from 12": "12-5",
    "divide 3 into 12": "12/3",
    "17 modulo 5": "17%5",
    "remainder when 100 is divided by 7": "100%7",
    "add 5 to 12 and multiply by 2": "(12+5)*2",
    "2 plus 3 times 4": "2+3*4",
    "difference between 4 and 10": "4-10",
    "twenty-five minus seven": "25-7",
    "three quarters of 100": "3/4*100",
    "what is 15% of 240?": "240*15/100",
    "20% off $80": "80*(100-20)/100",
    "add 8% tax to 50": "50*(100+8)/100",
    "what percent of 80 is 20?": "20*100/80",
    "increase from 50 to 75 in percent": "(75-50)*100/50",
    "normal pdf at x=0, mu=0, sigma=1": "normalPdf(0,0,1)",
    "probability of getting exactly 3 heads in 10 coin flips": "binomial(10,3,1/2)",
    "((10+20)*5-50)/2": "((10+20)*5-50)/2",
    "sqrt(16)+3**2": "sqrt(16)+3**2",
    "compute 1+1": "1+1",
    "10 divided by 3 rounded to 2 decimals": "round(10/3,2)",
    "square root of 2 to 3 decimal places": "round(sqrt(2),3)",
    "7 divided by 2 rounded up": "ceil(7/2)",
    "split 90 euros among 4 friends": "90/4",
    "what is 5/17?": "5/17",
    "Summary: what is the sum from 1 to 10?": "10*(10+1)/2",
    "Don't guess: calculate 17*23": "17*23",
    "Hi! Could you please tell me 2 + 2?": "2+2",
}


@pytest.mark.parametrize(("request_", "expression"), EXPRESSIONS.items())
def test_a_calculation_in_words_becomes_its_expression(
    plan: Callable[[str], ExecutionPlan], request_: str, expression: str
) -> None:
    found = plan(request_)
    assert [(step.tool, step.arguments) for step in found.steps] == [("calculator", {"expression": expression})]


CALLS: dict[str, tuple[str, dict[str, Any]]] = {
    "md5 of test string": ("hash_tool", {"operation": "md5", "input": "test string"}),
    "What is the SHA-256 hash of 'Hello'?": ("hash_tool", {"operation": "sha256", "input": "Hello"}),
    "hash hello with sha1": ("hash_tool", {"operation": "sha1", "input": "hello"}),
    "md5 of report.pdf": ("hash_tool", {"operation": "md5", "path": "report.pdf"}),
    'base64 encode "hello world"': ("hash_tool", {"operation": "base64_encode", "input": "hello world"}),
    "decode aGVsbG8= from base64": ("hash_tool", {"operation": "base64_decode", "input": "aGVsbG8="}),
    "uppercase 'sum of 1 and 2'": ("string_utils", {"operation": "upper", "input": "sum of 1 and 2"}),
    "convert Hello to lowercase": ("string_utils", {"operation": "lower", "input": "Hello"}),
    "count the words in 'sum hash regex'": (
        "string_utils",
        {"operation": "count", "input": "sum hash regex", "unit": "words"},
    ),
    "replace 'a' with 'b' in 'banana'": (
        "string_utils",
        {"operation": "replace", "input": "banana", "old": "a", "new": "b"},
    ),
    "split 'a,b' by commas": ("string_utils", {"operation": "split", "input": "a,b", "delimiter": ","}),
    "generate 3 uuids": ("id_generator", {"operation": "generate_uuid", "count": 3}),
    "give me a UUID": ("id_generator", {"operation": "generate_uuid"}),
    "extract the numbers from 'a1b22' with a regex": (
        "regex",
        {"operation": "extract", "text": "a1b22", "pattern": r"\d+"},
    ),
    'pretty-print {"a": 1}': ("json_tools", {"operation": "pretty", "data": '{"a": 1}'}),
    "read report.pdf page 2 and 3": ("pdf_tool", {"operation": "text", "path": "report.pdf", "pages": "2,3"}),
    "search the web for the sum of 1 to 100": ("web_search", {"query": "the sum of 1 to 100"}),
    "fetch https://example.com/a": ("http_request", {"url": "https://example.com/a", "method": "GET"}),
    "run python code `print(1)`": ("code_runner", {"language": "python", "code": "print(1)"}),
    "embed 'a parrot'": ("embedding", {"operation": "embed", "text": "a parrot"}),
    "what time is it in Europe/Paris": ("datetime", {"operation": "now", "zone": "Europe/Paris"}),
    "days between 2024-01-01 and 2024-03-01": (
        "datetime",
        {"operation": "diff", "value": "2024-01-01", "other": "2024-03-01"},
    ),
    "is ada@example.com a valid email?": (
        "data_validation",
        {"operation": "validate_email", "data": "ada@example.com"},
    ),
    "find errors in 'ERROR: x'": ("log_analyzer", {"operation": "find_errors", "log_content": "ERROR: x"}),
    "uppercase Hello World please": ("string_utils", {"operation": "upper", "input": "Hello World"}),
    "reverse good morning": ("string_utils", {"operation": "reverse", "input": "good morning"}),
    "sha256 good morning": ("hash_tool", {"operation": "sha256", "input": "good morning"}),
    "base64 good morning": ("hash_tool", {"operation": "base64_encode", "input": "good morning"}),
    "md5 song.mp3": ("hash_tool", {"operation": "md5", "path": "song.mp3"}),
    "list the files in docs": ("file_tools", {"operation": "list", "path": "docs"}),
    "show me what is in docs": ("file_tools", {"operation": "list", "path": "docs"}),
    "list python files in src/app": ("file_tools", {"operation": "list", "pattern": "*.py", "path": "src/app"}),
    "read the file notes.txt": ("file_tools", {"operation": "read", "path": "notes.txt"}),
}


@pytest.mark.parametrize(("request_", "call"), CALLS.items())
def test_a_wish_names_the_tool_and_its_arguments(
    plan: Callable[[str], ExecutionPlan], request_: str, call: tuple[str, dict[str, Any]]
) -> None:
    assert [(step.tool, step.arguments) for step in plan(request_).steps] == [call]


def test_verifying_compares_with_the_digest_that_is_given(plan: Callable[[str], ExecutionPlan]) -> None:
    (step,) = plan("is the md5 of abc equal to 900150983cd24fb0d6963f7d28e17f72?").steps
    assert step.arguments["operation"] == "verify"
    assert (step.arguments["input"], step.arguments["expected"]) == ("abc", "900150983cd24fb0d6963f7d28e17f72")


@pytest.mark.parametrize(
    ("request_", "steps"),
    [
        ("gcd and lcm of 48 and 72", [("gcd(48,72)", ()), ("lcm(48,72)", ())]),
        ("mean and stddev of 1, 2, 3", [("mean(1,2,3)", ()), ("stddev(1,2,3)", ())]),
        ("what is 2+2 and 3+3?", [("2+2", ()), ("3+3", ())]),
        ("What is 2+2? And 3+3?", [("2+2", ()), ("3+3", ())]),
        ("hash the sum of 1 and 2", [("sum(1,2)", ()), ("sha256", ("s1",))]),
        ("sha256 of hello, then base64 encode it", [("sha256", ()), ("base64_encode", ("s1",))]),
        ("uppercase hello and reverse it", [("upper", ()), ("reverse", ("s1",))]),
        ("compute 2**10 then md5", [("2**10", ()), ("md5", ("s1",))]),
        ("fetch https://a.example and extract the emails from it", [("GET", ()), ("extract", ("s1",))]),
    ],
)  # fmt: skip
def test_several_wishes_become_several_steps(
    plan: Callable[[str], ExecutionPlan], request_: str, steps: list[tuple[str, tuple[str, ...]]]
) -> None:
    found = plan(request_)
    done = [
        next(step.arguments[name] for name in ("expression", "operation", "method") if name in step.arguments)
        for step in found.steps
    ]
    assert list(zip(done, [step.depends_on for step in found.steps], strict=True)) == steps


NOT_TO_BE_DONE = """
reverse engineering tools
reverse the linked list
uppercase the first letter
sha256 password cracking
md5 online generator
base64 encoding scheme
base64 hello.txt
list files in order
list my favourite songs
what is in fashion
first 10 primes
sum of the primes below 100
Write a summary of chapters 1 to 10
What happened in summer 2019 and 2020?
I assume 3 or 4 people will come
consume 5 events from the queue
by all means call 911
plus size models of 2020 and 2021
the difference between cats and dogs
what is the difference between 4G and 5G
square dance on 5 May
hash browns
hashtag 5 and 6
reverse the decision
encode my love in a poem
trim my beard
meeting on 5/17/2018 at 10:30
call me at 555-0134-22
upgrade from 2.7.1 to 3.11
the score was 3-1
open 9-5 Monday
ISBN 978-0-00-000000-2
room 4/12
24/7 support
192.168.1.1
415-555-2671
2024-05-17
100% sure about 2 things
Don't calculate anything, just say hi to all 3 of us
Do not sum 1 to 100; explain how Gauss did it
How would you compute the factorial of 5 in Python?
Never hash the password 1234
He said "add 2 and 3" in the video
calculate 2+3, don't hash it
write a python function that adds 2 and 3
why is 2+2 equal to 4?
sum of prime numbers from 1 to 100
sum of unique values of 1, 1, 2
weighted average of 1, 2, 3
sum of 1 to 10 except 3
sum from 1.5 to 3.5
sum from 1 to 9**9**9
mean of __import__('os').getcwd()
md5 of hello in python
md5 of hello and why is it insecure?
sha256 of my password
execute this shell script
calculate
from 1 to 10
5
15%
pi
""".strip().splitlines()


@pytest.mark.parametrize("request_", NOT_TO_BE_DONE)
def test_what_is_not_asked_for_or_not_understood_is_not_done(
    plan: Callable[[str], ExecutionPlan], request_: str
) -> None:
    found = plan(request_)
    assert found.error is not None
    assert (found.error.code, found.steps) == ("no_plan", ())


@pytest.mark.parametrize(
    ("request_", "missing"),
    [
        ("parse this json data", "data"), ("read this pdf file", "path"), ("generate embedding for this text", "text"), ("gcd of 12", "expression"),
        ("factorial", "expression"), ("mean of", "expression"), ("hash it", "input"), ("uppercase this text", "input"), ("md5 of the file", "path"),
    ],
)  # fmt: skip
def test_what_the_request_does_not_contain_is_missing(
    plan: Callable[[str], ExecutionPlan], request_: str, missing: str
) -> None:
    error = plan(request_).error
    assert error is not None
    assert error.code == "missing_input"
    assert f"'{missing}'" in error.message or "'input'" in error.message


def test_what_may_mean_two_things_is_not_calculated(plan: Callable[[str], ExecutionPlan]) -> None:
    for request in ("sum of 3 and 4 times 5", "mean of 1, 2 and 3 plus 4", "sum from 1 to 10 divided by 5"):
        assert plan(request).steps == ()


def test_text_that_is_only_guessed_lowers_the_confidence(plan: Callable[[str], ExecutionPlan]) -> None:
    assert plan("md5 of 'two words'").confidence == 1
    assert plan("md5 of two words").confidence == pytest.approx(0.92)


def test_the_plugin_stands_what_every_plugin_should() -> None:
    check_plugin(ares_plugin_rules_en)
