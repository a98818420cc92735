"""Provenance: the package versions and the commit on which a result depends."""

from __future__ import annotations

import subprocess
from contextlib import suppress
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from platform import python_version

_PACKAGES = ("sjavs-env", "numpy", "torch", "gymnasium", "pettingzoo")


def versions() -> dict[str, str]:
    """Return the versions of Python and of those packages that are installed."""
    found = {"python": python_version()}
    for package in _PACKAGES:
        with suppress(PackageNotFoundError):
            found[package] = version(package)
    return found


def commit() -> str | None:
    """Return the commit of the checkout, None outside a git checkout."""
    try:
        found = subprocess.run(
            ["git", "rev-parse", "HEAD"],
            cwd=Path(__file__).parent,
            capture_output=True,
            text=True,
            check=True,
        )
    except (OSError, subprocess.CalledProcessError):
        return None
    return found.stdout.strip()
