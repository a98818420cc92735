"""Values from outside, checked against a dataclass, with one sentence about each that is unfit."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import asdict, is_dataclass
from typing import Any, TypeVar, get_args, get_type_hints

from pydantic import TypeAdapter, ValidationError
from pydantic_core import ErrorDetails

from sjavs_env.core.errors import nearest

Table = TypeVar("Table")


class ConfigError(ValueError):
    """A configuration is unreadable or says something unknown; the message is for its author."""


def changed(before: Table, changes: Mapping[str, Any], within: str) -> Table:
    """Return a dataclass with some of its values changed.

    Args:
        before: The dataclass.
        changes: New values by name.
        within: What stands before the names in sentences about them.

    Raises:
        ConfigError: a name is unknown or a value unfit; all of them in one sentence.
    """
    schema: type[Table] = type(before)
    wrong = list(unknown_keys(dict(changes), schema, within))
    if not wrong:
        try:
            whole = json.dumps({**asdict(before), **changes})  # type: ignore[call-overload]
            return TypeAdapter(schema).validate_json(whole, strict=True)
        except ValidationError as error:
            wrong = [sentence(each, within) for each in error.errors()]
    raise ConfigError("; ".join(wrong))


def to_values(table: object) -> dict[str, Any]:
    """Return every value of a dataclass, ready for JSON."""
    values: dict[str, Any] = TypeAdapter(type(table)).dump_python(table, mode="json")
    return values


def unknown_keys(values: dict[str, Any], schema: type, within: str) -> Iterator[str]:
    """Yield a sentence for every key that the schema does not have."""
    known = get_type_hints(schema)
    for key, value in values.items():
        if key not in known:
            yield f"unknown key {within + key!r}{nearest(key, known)}"
        elif is_dataclass(known[key]) and isinstance(value, dict):
            yield from unknown_keys(value, known[key], f"{within}{key}.")
        elif isinstance(value, list) and (listed := _listed(known[key])):
            for number, each in enumerate(value, 1):
                if isinstance(each, dict):
                    told = unknown_keys(each, listed, "")
                    yield from (f"{within}{key} {number}: {fault}" for fault in told)


def sentence(error: ErrorDetails, within: str = "") -> str:
    """Return what pydantic found as a sentence with the offending value."""
    key = within + ".".join(str(part) for part in error["loc"])
    # Entries of a list that are tables are counted from 1, as in "phase 2: deals".
    key = re.sub(r"^(\w+)\.(\d+)\.", lambda found: f"{found[1]} {int(found[2]) + 1}: ", key)
    return f"{key} = {error['input']!r}: {error['msg'][:1].lower()}{error['msg'][1:]}"


def _listed(kind: Any) -> type | None:
    """Return the dataclass that a tuple holds, None for anything else."""
    held = get_args(kind)[:1]
    return held[0] if held and is_dataclass(held[0]) and isinstance(held[0], type) else None
