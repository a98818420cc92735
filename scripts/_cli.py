"""Shared by all commands: read the command line, and report a user's mistake in one sentence."""

from __future__ import annotations

import operator
import os
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import redirect_stderr
from dataclasses import fields, is_dataclass
from io import StringIO
from itertools import dropwhile, takewhile
from pathlib import Path
from typing import TypeVar, cast, get_type_hints

import tyro

from agents.common.terminal import fit_streams
from sjavs_env.core.errors import nearest

USER_MISTAKE = 2
_LOST = 1
_INTERRUPTED = 130
_UNREAD = 141
_BORDERS = " ─-│╭╮╰╯"

Schema = TypeVar("Schema")


def run(main: Callable[[], None]) -> None:
    """Run a command, and end with its exit code.

    A mistake of the user becomes one sentence on stderr and exit code 2. Mistakes are the
    ``ValueError``s of this project, whose message is the sentence, and files that cannot be read or
    written. A lost worker process is one sentence and exit code 1, an interruption exit code 130.
    If the reader of the output is gone, as after ``| head -1``, the command ends silently with exit
    code 141.
    """
    fit_streams()
    try:
        code = _code_of(main)
    except BrokenPipeError:
        _silence()
        code = _UNREAD
    if code:
        sys.exit(code)


def _code_of(main: Callable[[], None]) -> int:
    """Run a command, report what went wrong, and return the exit code."""
    try:
        try:
            main()
        finally:
            print(end="", flush=True)
    except BrokenPipeError:
        raise
    except ChildProcessError as error:
        sys.stderr.write(f"error: {sentence(error)}\n")
        return _LOST
    except (ValueError, OSError) as error:
        sys.stderr.write(f"error: {sentence(error)}\n")
        return USER_MISTAKE
    except KeyboardInterrupt:
        sys.stderr.write("interrupted\n")
        return _INTERRUPTED
    return 0


def _silence() -> None:
    """Redirect all output to nowhere, so that Python's last flush raises no error."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    for stream in (sys.stdout, sys.stderr):
        os.dup2(nowhere, stream.fileno())


def check_out(path: Path | None) -> None:
    """Check before a long computation that its output file can be written.

    Raises:
        ValueError: the folder does not exist, the path is a folder, or permission is denied.
    """
    if path is not None and not path.parent.is_dir():
        raise ValueError(f"cannot write {path}: there is no folder {path.parent}")
    if path is not None and path.is_dir():
        raise ValueError(f"cannot write {path}: it is a folder")
    if path is not None and not os.access(path if path.exists() else path.parent, os.W_OK):
        raise ValueError(f"cannot write {path}: permission denied")


def sentence(error: ValueError | OSError) -> str:
    """Return the message of an error in one line."""
    if isinstance(error, OSError) and error.filename is not None:
        return f"{os.fsdecode(error.filename)}: {error.strerror}"
    return " ".join(str(error).split())


def read(
    schema: type[Schema],
    words: Sequence[str] | None = None,
    default: Schema | None = None,
    prog: str | None = None,
) -> Schema:
    """Parse the command line into a dataclass.

    Args:
        schema: The dataclass.
        words: The command line; None for that of the process.
        default: Values that the command line overrides.
        prog: Name of the command in its help.

    Raises:
        ValueError: an option is unknown, or a value is missing or of the wrong kind.
    """
    told = StringIO()
    try:
        with redirect_stderr(told):
            parsed, unknown = tyro.cli(
                schema, args=words, default=default, prog=prog, return_unknown_args=True
            )
    except SystemExit as end:
        if end.code != USER_MISTAKE:
            raise
        raise ValueError(_unboxed(told.getvalue())) from None
    if unknown:
        word = unknown[0].partition("=")[0]
        raise ValueError(f"unknown option {word!r}{nearest(word, _flags(schema))}")
    return cast("Schema", parsed)


def _unboxed(text: str) -> str:
    """Return the sentence in the box that tyro draws, or between its rules if it draws no box."""
    lines = [line.strip(_BORDERS) for line in text.splitlines()]
    below_title = dropwhile(operator.not_, lines[1:])
    return " ".join(takewhile(bool, below_title))


def _flags(schema: type, within: str = "") -> Iterator[str]:
    """Yield the options of a dataclass and of its nested dataclasses."""
    hints = get_type_hints(schema)
    for field in fields(schema):
        name = within + field.name.replace("_", "-")
        if is_dataclass(hints[field.name]):
            yield from _flags(hints[field.name], f"{name}.")
        else:
            yield f"--{name}"
