"""How a command line ends: the exit code, and an error in a sentence, or in JSON if that was asked for."""

from __future__ import annotations

import errno
import os
import sys
from collections.abc import Sequence
from contextlib import suppress
from typing import Any, NoReturn

import click

from ares_core.cli import completing, output
from ares_core.cli.options import Options
from ares_core.errors import AresError, UsageError, WireError

FAILED, WRONG, PIPE_CLOSED, INTERRUPTED = 1, 2, 141, 130
UNWRITABLE = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO)
"""What a stream says that takes nothing more; no file's name comes with it."""


def run(command: click.Command, args: Sequence[str] | None, **extra: Any) -> NoReturn:
    """Run the command line and exit."""
    given = list(sys.argv[1:] if args is None else args)
    said = given[: given.index("--")] if "--" in given else given
    options = Options(as_json="--json" in said, no_color="--no-color" in said)  # also of a line that can't be read
    output.prepare()
    if instruction := os.environ.get(completing.VARIABLE):
        sys.exit(completing.answer(command, instruction))
    try:
        code = _code(command, given, options, extra)
        sys.stdout.flush()
    except BrokenPipeError:
        code = _closed(PIPE_CLOSED)
    except OSError as error:
        with suppress(OSError):
            output.error(f"The answer can't be written: {error.strerror}.", options)
        code = _closed(FAILED)
    sys.exit(code)


def _code(command: click.Command, given: list[str], options: Options, extra: dict[str, Any]) -> int:
    try:
        with command.make_context("ares", given, obj=options, **extra) as context:
            answer = command.invoke(context)
        return answer if isinstance(answer, int) else 0
    except click.exceptions.Exit as end:
        return end.exit_code
    except (KeyboardInterrupt, click.Abort):
        return _told(options, "interrupted", "Interrupted.", INTERRUPTED)
    except click.ClickException as error:
        return _told(options, "usage", _sentence(error), WRONG)
    except UsageError as error:
        return _told(options, "usage", str(error), WRONG)
    except WireError as error:
        return _told(options, "wire", str(error), FAILED)
    except AresError as error:
        return _told(options, "configuration", str(error), WRONG)
    except Exception as error:
        if options.verbose or _is_about_output(error):
            raise
        text = f"Ares itself failed ({type(error).__name__}: {error}); --verbose shows where."
        return _told(options, "internal_error", text, FAILED)


def _is_about_output(error: Exception) -> bool:
    is_full = isinstance(error, OSError) and error.errno in UNWRITABLE and error.filename is None
    return is_full or isinstance(error, BrokenPipeError)


def _told(options: Options, code: str, message: str, exit_code: int) -> int:
    if options.as_json:
        output.document({"success": False, "error": {"code": code, "message": message}})
    else:
        output.error(message, options)
    return exit_code


def _sentence(error: click.ClickException) -> str:
    message = _mended(error.format_message().rstrip())
    if not isinstance(error, click.UsageError) or type(error).__name__ == "NoArgsIsHelpError":
        return message
    path = error.ctx.command_path if error.ctx else "ares"
    option = getattr(error, "option_name", None)
    if option and option[1:2].isdigit():
        return f"{message} A value that begins with '-' stands behind '--': {path} … -- {option}"
    return f"{message} See: {path} --help"


def _mended(message: str) -> str:
    """Make one sentence, in the words of people, of what click says.

    >>> _mended("'x' is not a valid float range."), _mended("Missing argument. Choose from:\\n\\ta,\\n\\tb")
    ("'x' is no number.", 'Missing argument. Choose from: a, b.')
    """
    words = message.replace("\n\t", " ")
    for kind, plain in (("float", "number"), ("integer", "whole number")):
        words = words.replace(f"is not a valid {kind} range.", f"is no {plain}.")
        words = words.replace(f"is not a valid {kind}.", f"is no {plain}.")
    return words if words.endswith((".", "?", "!", "…", "?)", ".)")) else f"{words}."


def _closed(code: int) -> int:
    """Leave nothing for the interpreter to flush into a stream that takes nothing more."""
    with suppress(OSError, ValueError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    return code
