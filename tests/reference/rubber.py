"""A rubber: deals until a score column reaches its end."""

from typing import Any

from tests.reference.games import GAMES, options_of, preset_name
from tests.reference.scoring import Result, against_others


class Rubber:
    def __init__(self, preset: str, opts: dict[str, Any], dealer: int) -> None:
        self.preset = preset_name(preset)
        self.opts = options_of(preset, **opts)
        self.family: str = GAMES[self.preset]["family"]
        self.seats: int = GAMES[self.preset]["seats"]
        count = 2 if GAMES[self.preset]["pairs"] else self.seats
        self.start: int = self.opts.get("start", 0)  # §6: jetons start at 0
        self.columns = [self.start] * count
        self.carry = 0
        self.dealer = dealer
        self.scored = 0
        self.tied: list[int] = []  # §5: the columns among which one more deal decides
        self.crosses: list[int] | None = None

    @property
    def over(self) -> bool:
        return self.crosses is not None

    @property
    def payoffs(self) -> list[float] | None:
        """§8: the crosses won minus the mean of the other columns' crosses."""
        if self.crosses is None:
            return None
        by_column = against_others(self.crosses)
        return [by_column[seat % len(by_column)] for seat in range(self.seats)]

    def record(self, result: Result) -> None:
        if self.over:
            raise ValueError("the rubber is over")
        if not result.void or self.family == "french" or self.opts.get("all_pass") == "redeal_next":
            self.dealer = (self.dealer + 1) % self.seats  # §2, rubber: who deals next
        if result.void:
            return
        before = self.columns
        direction = -1 if self.family in ("faroese", "french") else 1
        self.columns = [
            column + direction * gain for column, gain in zip(before, result.gains, strict=True)
        ]
        self.carry = result.carry
        if any(result.gains):  # §2: a 60-60 is not a scored deal
            self.scored += 1
        if self.family == "klorsjavs":
            self.crosses = self._after_klorsjavs(before)
        elif self.family == "contracts":
            self.crosses = self._after_contracts()
        else:
            self.crosses = self._after_race()

    def _after_race(self) -> list[int] | None:
        """§2, §3, §7: first at or below 0, or lowest after max_deals."""
        lowest = min(self.columns)
        limit = self.opts.get("max_deals")
        if lowest > 0 and (limit is None or self.scored < limit):
            return None
        losers = [column for column in self.columns if column != lowest]
        if not losers:
            return [0] * len(self.columns)  # §2: all equal, drawn
        prize = 2 if all(column >= self.start for column in losers) else 1  # §2: double victory
        return [prize if column == lowest else 0 for column in self.columns]

    def _after_klorsjavs(self, before: list[int]) -> list[int] | None:
        """§5: the first column at or below 0 has lost."""
        if self.tied:
            lowest = min(self.columns[c] for c in self.tied)
            self.tied = [c for c in self.tied if self.columns[c] == lowest]
        else:
            down = [c for c, column in enumerate(self.columns) if column <= 0]
            lowest = min((before[c] for c in down), default=0)
            self.tied = [c for c in down if before[c] == lowest]
        if len(self.tied) != 1:
            return None
        return [0 if c == self.tied[0] else 1 for c in range(len(self.columns))]

    def _after_contracts(self) -> list[int] | None:
        """§6: every column with the most jetons wins a cross; nobody wins if all are equal."""
        if self.scored < self.opts["max_deals"]:
            return None
        most = max(self.columns)
        if min(self.columns) == most:
            return [0] * len(self.columns)
        return [1 if column == most else 0 for column in self.columns]
