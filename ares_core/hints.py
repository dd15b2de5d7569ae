"""What is said to whoever made a call: models need it, people at a terminal are not shown it.

That is what to do next, and the frame around words that nobody vouches for.
"""

from __future__ import annotations

CORRECT = "Correct them and call again."
TELL_USER = "Tell the user what you would do and why."
TELL_WAITS = "Don't call it again; tell the user what waits and why."
_OPENING, _OPENED, _CLOSING = '<data from="', '" trust="none">', "</data>"


def for_person(text: str) -> str:
    """Leave hints and frames out."""
    return without_hints(unframed(text))


def unframed(text: str) -> str:
    r"""Take off the frames that tell a model not to trust what is in them.

    >>> unframed('It failed. It said:\n<data from="fetch" trust="none">\nno such page\n</data>')
    'It failed. It said:\nno such page'
    """
    if _OPENING not in text:
        return text
    kept, is_inside = [], False
    for line in text.split("\n"):
        if is_inside and line == _CLOSING:
            is_inside = False
        elif not is_inside and line.endswith(_OPENED) and _OPENING in line:
            is_inside = True
            kept += [before] if (before := line.rpartition(_OPENING)[0].rstrip()) else []
        else:
            kept.append(line)
    return "\n".join(kept)


def without_hints(text: str) -> str:
    """Leave the hints out.

    >>> without_hints("It needs a person's approval. Tell the user what you would do and why.")
    "It needs a person's approval."
    """
    for hint in (CORRECT, TELL_USER, TELL_WAITS):
        text = text.replace(f" {hint}", "", 1)
    return text
