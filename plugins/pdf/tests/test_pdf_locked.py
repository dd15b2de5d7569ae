"""Encrypted documents: which open, with what, and where the password does not go."""

from __future__ import annotations

import io
import subprocess
from collections.abc import Callable
from typing import Any

import pytest
from ares_plugin_pdf import child

Read = Callable[..., Any]
WAYS = ["RC4-40", "RC4-128", "AES-128", "AES-256-R5", "AES-256"]


def locked(data: bytes, user: str, owner: str, way: str = "AES-256") -> bytes:
    from pypdf import PdfReader, PdfWriter

    writer = PdfWriter(clone_from=PdfReader(io.BytesIO(data)))
    writer.encrypt(user, owner, algorithm=way)
    written = io.BytesIO()
    writer.write(written)
    return written.getvalue()


@pytest.fixture
def secret(write: Any) -> bytes:
    data: bytes = write.document(write.shown("Secret page"))
    return data


@pytest.mark.parametrize("way", WAYS)
def test_either_password_opens_and_which_it_was_is_said(read: Read, secret: bytes, way: str) -> None:
    data = locked(secret, "user word", "owner word", way)
    for password, name in (("user word", "user"), ("owner word", "owner")):
        result = read(data, password=password)
        assert result.data["text"] == "Secret page"
        assert result.data["opened_with"] == f"the {name} password"


@pytest.mark.parametrize("way", WAYS)
def test_without_the_password_nothing_is_read(read: Read, secret: bytes, way: str) -> None:
    data = locked(secret, "user word", "owner word", way)
    none, wrong = read(data), read(data, password="wrong word")
    assert "a.pdf is encrypted and opens only with a password" in none.error.message
    assert "the password is wrong" in wrong.error.message
    assert "Secret" not in f"{none}{wrong}"


@pytest.mark.parametrize("way", WAYS)
def test_a_document_that_only_restricts_opens_without_a_password(read: Read, secret: bytes, way: str) -> None:
    for arguments in ({}, {"password": "whatever"}):
        result = read(locked(secret, "", "owner word", way), **arguments)
        assert result.data["text"] == "Secret page"
        assert result.data["encrypted"] is True
        assert "1 page, encrypted" in result.text


def test_the_metadata_say_that_it_is_encrypted(read: Read, secret: bytes) -> None:
    assert read(locked(secret, "", "owner word"), "metadata").data["metadata"]["encrypted"] is True
    assert read(secret, "metadata").data["metadata"]["encrypted"] is False


@pytest.mark.parametrize("password", ["pässwörd", "密码", "x" * 100, " blanks "])
def test_a_password_may_have_any_letters(read: Read, secret: bytes, password: str) -> None:
    assert read(locked(secret, password, "owner word"), password=password).data["text"] == "Secret page"


def test_a_password_for_what_needs_none_is_no_harm(read: Read, secret: bytes) -> None:
    assert read(secret, password="whatever").data["text"] == "Secret page"


def test_without_the_package_for_it_the_package_is_named(
    read: Read, secret: bytes, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(
        child, "START", child.START.replace("main()", "sys.modules.update(cryptography=None, Crypto=None); main()")
    )
    result = read(locked(secret, "", "owner word"))
    assert "'cryptography'" in result.error.message
    assert "damaged" not in result.error.message
    assert result.error.blame == "world"


def test_the_password_is_shown_to_nobody(
    patient: Any, read: Read, secret: bytes, monkeypatch: pytest.MonkeyPatch
) -> None:
    shown: list[Any] = []
    popen = subprocess.Popen

    def start(*words: Any, **how: Any) -> Any:
        if child.START in words[0]:  # others in this process may start programs too
            shown.append((words, how))
        return popen(*words, **how)

    monkeypatch.setattr(subprocess, "Popen", start)
    stop = patient.add_listener("test", shown.append)
    for password in ("hunter2-right", "hunter2-wrong"):
        result = read(locked(secret, "hunter2-right", "owner word"), password=password)
        shown += [result.text, result.data, result.error]
    stop()
    assert len([entry for entry in shown if isinstance(entry, tuple)]) == 2
    assert "hunter2" not in str(shown)
