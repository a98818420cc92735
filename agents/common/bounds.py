"""Types of the numbers in a configuration, each with its bounds."""

from __future__ import annotations

from typing import Annotated

from annotated_types import Ge, Gt, Le
from pydantic import AllowInfNan

MOST = 10**9
"""The most deals, rubbers or processes that anybody may ask for."""
MOST_THREADS = 1024
AtLeastOne = Annotated[int, Ge(1), Le(2**63 - 1)]
Threads = Annotated[int, Ge(1), Le(MOST_THREADS)]
Width = Annotated[int, Ge(1), Le(2**14)]
"""Of a layer of a network; a wider one fits into no memory."""
NotNegative = Annotated[int, Ge(0), Le(2**63 - 1)]
Seed = Annotated[int, Ge(0), Le(2**63 - 1)]
Share = Annotated[float, Ge(0), Le(1), AllowInfNan(False)]
Weight = Annotated[float, Ge(0), AllowInfNan(False)]
Positive = Annotated[float, Gt(0), AllowInfNan(False)]
