"""Check values from outside against a dataclass, with a sentence for each fault."""

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
    """A configuration cannot be read or is invalid; the message says what is wrong."""


def changed(before: Table, changes: Mapping[str, Any], within: str) -> Table:
    """Return a dataclass with some of its values changed, after a check.

    Args:
        before: The dataclass.
        changes: New values by name.
        within: Prefix of the names in error sentences, for example "net.".

    Raises:
        ConfigError: a name is unknown or a value is invalid; one sentence names all of them.
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
    """Return all values of a dataclass in a form for JSON."""
    values: dict[str, Any] = TypeAdapter(type(table)).dump_python(table, mode="json")
    return values


def unknown_keys(values: dict[str, Any], schema: type, within: str) -> Iterator[str]:
    """Yield a sentence for each key that is not in the schema."""
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
    """Return an error of pydantic as a sentence with the offending value."""
    key = within + ".".join(str(part) for part in error["loc"])
    # Tables in a list are numbered from 1, as in "phase 2: deals".
    key = re.sub(r"^(\w+)\.(\d+)\.", lambda found: f"{found[1]} {int(found[2]) + 1}: ", key)
    return f"{key} = {error['input']!r}: {error['msg'][:1].lower()}{error['msg'][1:]}"


def _listed(kind: Any) -> type | None:
    """Return the dataclass of a tuple type's elements, None for any other type."""
    held = get_args(kind)[:1]
    return held[0] if held and is_dataclass(held[0]) and isinstance(held[0], type) else None
