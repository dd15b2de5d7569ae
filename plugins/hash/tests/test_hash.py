from __future__ import annotations

import hashlib
import io
from typing import Any

import ares_plugin_hash
import pytest
from ares_plugin_hash import base64_text
from hypothesis import given
from hypothesis import strategies as st

from ares_core import hookimpl

ABC = {
    "md5": "900150983cd24fb0d6963f7d28e17f72",
    "sha1": "a9993e364706816aba3e25717850c26c9cd0d89d",
    "sha224": "23097d223405d8228642a477bda255b32aadbce4bda0b3f7e36c9da7",
    "sha256": "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad",
    "sha384": "cb00753f45a35e8bb5a03d699ac65007272c32ab0eded1631a8b605a43ff5bed8086072ba1e7cc2358baeca134c825a7",
    "sha512": "ddaf35a193617abacc417349ae20413112e6fa4e89a97ea20a9eeee64b55d39a"
    "2192992a274fc1a836ba3c23a3feebbd454d4423643ce80e2a9ac94fa54ca49f",
    "sha3_224": "e642824c3f8cf24ad09234ee7d3c766fc9a3a5168d0c94ad73b46fdf",
    "sha3_256": "3a985da74fe225b2045c172d6bd390bd855f086e3e9d525b46bfe24511431532",
    "sha3_384": "ec01498288516fc926459f58e2c6ad8df9b473cb0fc08c2596da7cf0e49be4b298d88cea927ac7f539f1edf228376d25",
    "sha3_512": "b751850b1a57168a5693cd924b6b096e08f621827444f70d884f5d0240d2712e"
    "10e116e9192af3c91a7ec57647e3934057340b4cf408d5a56592f8274eec53f0",
    "blake2b": "ba80a53f981c4d0d6a2797b69f12f6e94c212f14685ac4b74b12bb6fdbffa2d1"
    "7d87c5392aab792dc252d5de4533cc9518d38aa8dbf1925ab92386edd4009923",
    "blake2s": "508c5e8c327c14e2e1a72ba34eeb452f37458b209ed63a294d999b4c86675982",
    "crc32": "352441c2",
}


class Pieces(io.RawIOBase):
    """A file of zeros that remembers the largest piece anybody asked for."""

    largest = 0

    def __init__(self, size: int) -> None:
        self.left = size

    def read(self, size: int = -1) -> bytes:
        Pieces.largest = max(Pieces.largest, self.left if size < 0 else size)
        piece = b"\0" * (self.left if size < 0 else min(size, self.left))
        self.left -= len(piece)
        return piece


class OneFolder:
    """A file provider with one large file, one small and nothing else."""

    def open(self, path: str, mode: str = "rb") -> Any:
        if path == "large":
            return Pieces(5_000_000)
        if path == "small":
            return io.BytesIO(b"abc")
        raise FileNotFoundError(2, "there is no such file")


class FilesPlugin:
    @hookimpl
    def open_files(self) -> OneFolder:
        return OneFolder()


@pytest.fixture
def call(ares: Any) -> Any:
    ares.add(ares_plugin_hash)
    return lambda **arguments: ares.call_sync("hash_tool", arguments)


@pytest.mark.parametrize(("name", "digest"), ABC.items())
def test_digests_are_those_of_the_standards(call: Any, name: str, digest: str) -> None:
    assert call(operation=name, input="abc").data["output"] == digest


@pytest.mark.parametrize("spelling", ["SHA-256", "sha256", "Sha256 ", "sha_256", "SHA 256", "ＳＨＡ２５６"])
def test_an_algorithm_may_be_spelled_as_people_do(call: Any, spelling: str) -> None:
    assert call(operation=spelling, input="abc").data["output"] == ABC["sha256"]
    assert call(operation="hash", algorithm=spelling, input="abc").data["algorithm"] == "sha256"


def test_hash_without_an_algorithm_is_sha256_and_says_so(call: Any) -> None:
    assert call(operation="hash", text="abc").data == {
        "operation": "hash", "algorithm": "sha256", "output": ABC["sha256"], "input": "abc",
    }  # fmt: skip


def test_the_empty_text_has_a_digest(call: Any) -> None:
    assert call(operation="md5", input="").data["output"] == "d41d8cd98f00b204e9800998ecf8427e"


def test_the_text_is_hashed_as_it_stands(call: Any) -> None:
    texts = ["caf\u00e9", "cafe\u0301", "abc", "abc\n", "abc ", "\ufeffabc"]
    digests = [call(operation="sha256", input=text).data["output"] for text in texts]
    assert digests == [hashlib.sha256(text.encode()).hexdigest() for text in texts]


def test_half_a_character_is_refused(call: Any) -> None:
    result = call(operation="sha256", input="\ud800")
    assert not result.success
    assert result.data is None


@pytest.mark.parametrize("name", ["sha257", "", "hash browns", "md5;sha1"])
def test_an_unknown_operation_is_answered_with_the_names_there_are(call: Any, name: str) -> None:
    result = call(operation=name, input="abc")
    assert not result.success
    assert all(known in result.error.message for known in (*ABC, "base64_decode", "verify"))


def test_shake_is_refused_with_the_reason(call: Any) -> None:
    assert "any length" in call(operation="hash", algorithm="shake_128", input="abc").error.message


def test_a_missing_text_is_named(call: Any) -> None:
    result = call(operation="sha256")
    assert result.error.code == "invalid_arguments"
    assert "/input" in result.text


def test_an_unknown_argument_is_refused(call: Any) -> None:
    assert call(operation="sha256", input="a", salt="b").error.code == "invalid_arguments"


def test_two_sources_are_one_too_many(call: Any) -> None:
    assert "input and text" in call(operation="sha256", input="a", text="b").error.message


def test_operation_and_algorithm_must_not_contradict(call: Any) -> None:
    assert "md5" in call(operation="md5", algorithm="sha1", input="a").error.message


def test_the_text_for_the_model_is_the_digest(call: Any) -> None:
    assert call(operation="md5", input="abc").text == ABC["md5"]


def test_a_long_input_is_not_echoed(call: Any) -> None:
    assert "input" not in call(operation="md5", input="a" * 1000).data


@pytest.mark.parametrize("name", ABC)
def test_verify_recognises_the_algorithm_by_the_length(call: Any, name: str) -> None:
    result = call(operation="verify", input="abc", expected=f" {ABC[name].upper()}\n")
    assert (result.data["output"], result.data["algorithm"]) == (True, name)
    assert result.text == f"match: the {name} digest is the expected one"


def test_verify_takes_a_digest_with_colons_between_its_bytes(call: Any) -> None:
    digits = ABC["sha256"]
    expected = ":".join(digits[at : at + 2] for at in range(0, len(digits), 2))
    assert call(operation="verify", input="abc", expected=expected).data["output"] is True


def test_verify_takes_a_digest_in_groups(call: Any) -> None:
    digits = ABC["md5"]
    expected = " ".join(digits[at : at + 4] for at in range(0, len(digits), 4))
    assert call(operation="verify", input="abc", expected=expected).data["output"] is True


def test_verify_tells_the_difference(call: Any) -> None:
    result = call(operation="verify", input="abd", expected=f"sha256:{ABC['sha256']}")
    assert result.success
    assert result.data["output"] is False
    assert hashlib.sha256(b"abd").hexdigest() in result.text


def test_verify_with_a_named_algorithm_needs_no_length(call: Any) -> None:
    assert call(operation="verify", algorithm="SHA-1", input="abc", expected="abc").data["output"] is False


@pytest.mark.parametrize("expected", ["abc", "x" * 64, "ü" * 32])
def test_verify_refuses_what_can_be_no_digest(call: Any, expected: str) -> None:
    assert "fits no digest" in call(operation="verify", input="abc", expected=expected).error.message


def test_verify_needs_something_to_compare_with(call: Any) -> None:
    assert "'expected'" in call(operation="verify", input="abc").text


def test_hmac_is_that_of_rfc_4231(call: Any) -> None:
    result = call(operation="hmac", key="Jefe", input="what do ya want for nothing?")
    assert result.data["output"] == "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843"
    assert "Jefe" not in str(result.data) + result.text


def test_a_wrong_hmac_is_not_told_the_right_one(call: Any) -> None:
    right = call(operation="hmac", key="Jefe", input="a").data["output"]
    wrong = call(operation="verify", algorithm="sha256", key="Jefe", input="a", expected="0" * 64)
    assert wrong.data["output"] is False
    assert right not in str(wrong.data) + wrong.text
    assert call(operation="verify", algorithm="sha256", key="Jefe", input="a", expected=right).data["output"] is True


def test_hmac_needs_a_key_and_a_plain_digest_takes_none(call: Any) -> None:
    assert "needs a key" in call(operation="hmac", input="a").error.message
    assert "takes no key" in call(operation="sha256", key="Jefe", input="a").error.message
    assert "takes no key" in call(operation="hmac", algorithm="crc32", key="Jefe", input="a").error.message


@pytest.mark.parametrize(
    ("operation", "text", "output"),
    [
        ("base64_encode", "hello world", "aGVsbG8gd29ybGQ="),
        ("base64_encode", "", ""),
        ("base64_encode", "汉字", "5rGJ5a2X"),
        ("base64url_encode", "~~~???", "fn5-Pz8_"),
        ("Base64-Decode", "fn5+Pz8/", "~~~???"),
        ("base64url_decode", "fn5-Pz8_", "~~~???"),
        ("base64_decode", "aGVs\r\nbG8", "hello"),
    ],
)
def test_base64_in_both_alphabets(call: Any, operation: str, text: str, output: str) -> None:
    assert call(operation=operation, input=text).data["output"] == output


@pytest.mark.parametrize(
    ("operation", "text", "reason"),
    [
        ("base64_decode", "fn5-", "base64url_decode"),
        ("base64url_decode", "fn5+", "base64_decode"),
        ("base64_decode", "aGVsb", "cut off"),
        ("base64_decode", "aGVsbG9=", "'9'"),
        ("base64_decode", "aGVsbG8==", "'='"),
        ("base64_decode", "aG=VsbG8", "'=' at position 2"),
        ("base64_decode", "aGVs.G8=", "'.' at position 4"),
    ],
)
def test_what_would_lose_something_is_not_decoded(call: Any, operation: str, text: str, reason: str) -> None:
    result = call(operation=operation, input=text)
    assert not result.success
    assert reason in result.error.message


def test_bytes_that_are_no_text_come_back_in_hexadecimal(call: Any) -> None:
    result = call(operation="base64_decode", input="//4=")
    assert (result.data["output"], result.data["encoding"], result.data["bytes"]) == ("fffe", "hex", 2)
    assert "2 bytes" in result.text


@given(st.binary(max_size=200), st.booleans(), st.booleans())
def test_decoding_takes_encoding_back(data: bytes, for_urls: bool, without_padding: bool) -> None:
    text = base64_text.encode(data)
    text = text.translate(base64_text.TO_URL) if for_urls else text
    assert base64_text.decode(text.rstrip("=") if without_padding else text, for_urls) == data


def test_without_a_file_provider_a_path_is_refused(call: Any) -> None:
    assert "no file provider is installed" in call(operation="sha256", path="a.txt").error.message


def test_a_file_is_hashed_in_small_pieces(ares: Any, call: Any) -> None:
    ares.add(FilesPlugin())
    result = call(operation="sha1", path="large")
    assert result.data["output"] == hashlib.sha1(b"\0" * 5_000_000).hexdigest()
    assert 0 < Pieces.largest <= 1_048_576


def test_a_file_can_be_verified_and_encoded(ares: Any, call: Any) -> None:
    ares.add(FilesPlugin())
    assert call(operation="verify", path="small", expected=ABC["md5"]).data["output"] is True
    assert call(operation="base64_encode", path="small").data["output"] == "YWJj"


def test_base64_of_a_large_file_is_refused(ares: Any, call: Any) -> None:
    ares.add(FilesPlugin())
    assert "1,000,000 bytes" in call(operation="base64_encode", path="large").error.message


def test_a_file_that_is_not_there_is_named(ares: Any, call: Any) -> None:
    ares.add(FilesPlugin())
    result = call(operation="sha256", path="nowhere")
    assert "nowhere" in result.error.message
    assert "no such file" in result.error.message


def test_only_a_call_with_a_path_touches_a_file(ares: Any, call: Any) -> None:
    effects = ares.registry.get("hash_tool").effects
    assert effects({"operation": "md5", "path": "a"}).resources == ("file:{path}",)
    assert effects({"operation": "md5", "input": "a"}).resources == ()


def test_the_examples_run(ares: Any, call: Any) -> None:
    for example in ares.registry.get("hash_tool").examples:
        assert call(**example).success
