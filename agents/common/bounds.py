"""Types of the numbers in a configuration, each with its bounds."""

from __future__ import annotations

from typing import Annotated

from annotated_types import Ge, Gt, Le
from pydantic import AllowInfNan

AtLeastOne = Annotated[int, Ge(1)]
NotNegative = Annotated[int, Ge(0)]
Seed = Annotated[int, Ge(0), Le(2**63 - 1)]
Share = Annotated[float, Ge(0), Le(1), AllowInfNan(False)]
Weight = Annotated[float, Ge(0), AllowInfNan(False)]
Positive = Annotated[float, Gt(0), AllowInfNan(False)]
