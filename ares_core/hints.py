"""What to do next, said to whoever made a call: models need it, people at a terminal are not shown it."""

from __future__ import annotations

CORRECT = "Correct them and call again."
TELL_USER = "Tell the user what you would do and why."
TELL_WAITS = "Don't call it again; tell the user what waits and why."


def without_hints(text: str) -> str:
    """Leave the hints out.

    >>> without_hints("It needs a person's approval. Tell the user what you would do and why.")
    "It needs a person's approval."
    """
    for hint in (CORRECT, TELL_USER, TELL_WAITS):
        text = text.replace(f" {hint}", "", 1)
    return text
