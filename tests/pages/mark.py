"""A mark of RULES: a choice [C] or a reading [R]."""

from dataclasses import dataclass

from tests.pages.words import RULES_TEXT


@dataclass(frozen=True, slots=True)
class Mark:
    """One mark of RULES.

    Attributes:
        kind: "R" for a reading, "C" for a choice.
        anchor: The words of RULES before the mark.
        said: The sentence about the choice or reading.
        presets: The presets that it concerns.
        option: The option that it belongs to; "" if there is none.
        values: The values of the option that it explains; () for all of them; None if the mark
            explains the default.
    """

    kind: str
    anchor: str
    said: str
    presets: tuple[str, ...]
    option: str = ""
    values: tuple[object, ...] | None = None

    @property
    def place(self) -> int:
        """Position of the mark in the text of RULES."""
        return RULES_TEXT.index(f"{self.anchor} **[{self.kind}") + len(self.anchor) + 1

    @property
    def paragraph(self) -> int:
        """Number of the section of RULES."""
        return int(RULES_TEXT[: self.place].rpartition("\n## ")[2].partition(".")[0])

    def explains(self, value: object, default: object) -> bool:
        """Return whether the mark explains a value of its option."""
        return value == default if self.values is None else not self.values or value in self.values
