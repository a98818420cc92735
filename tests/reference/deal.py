"""One deal, played step by step."""

from typing import Any

from tests.reference import auction, scoring
from tests.reference.cards import NOLO, PACKS, Ranking, french_ranking, points_of
from tests.reference.games import GAMES, options_of, preset_name
from tests.reference.notation import read_deal
from tests.reference.scoring import Result


class Deal:
    """One deal: the cards, the seat to act, its legal actions, and at the end the result."""

    def __init__(
        self,
        preset: str,
        opts: dict[str, Any],
        line: str,
        columns: list[int] | None = None,
        carry: int = 0,
    ) -> None:
        self.preset = preset_name(preset)
        self.opts = options_of(preset, **opts)
        self.game = GAMES[self.preset]
        self.family: str = self.game["family"]
        self.seats: int = self.game["seats"]
        self.column_count = 2 if self.game["pairs"] else self.seats
        if columns is not None and len(columns) != self.column_count:
            raise ValueError(f"{self.preset} has {self.column_count} columns")
        self.carry = carry
        self.declarer: int | None = None
        self.contract: str | None = None
        self.trump: str | None = None
        self.result: Result | None = None
        self.standing: str | None = None
        self.caller: int | None = None
        self.spoken = 0
        self.talon: list[str] = []
        self.laid: list[str] = []
        self.took_up = False
        self.trick: list[tuple[int, str]] = []
        self.won: list[list[list[str]]] = [[] for _ in range(self.seats)]
        self._read(line)
        self.seat: int | None = (self.dealer + 1) % self.seats  # §0: forehand
        self.phase = "auction"
        self.legal = sorted(self._legal())

    def _read(self, line: str) -> None:
        self.dealer, parts, self.talon = read_deal(self.preset, line)
        self.hands = [seat[0] for seat in parts]
        # §4: slot by slot; an empty slot is ""
        self.up = [seat[1] if len(seat) > 1 else [] for seat in parts]
        self.down = [seat[2] if len(seat) > 1 else [] for seat in parts]

    @property
    def over(self) -> bool:
        return self.phase == "over"

    def face_up(self, seat: int) -> list[str]:
        return [card for card in self.up[seat] if card]

    def hand(self, seat: int) -> list[str]:
        return self.hands[seat] + self.face_up(seat)

    def tricks_taken(self, seat: int) -> int:
        return len(self.won[seat])

    def points_taken(self, seat: int) -> int:
        """Card points in the seat's tricks, without talon and laid-away cards."""
        return sum(points_of(trick) for trick in self.won[seat])

    def play(self, name: str) -> None:
        if name not in self.legal:
            raise ValueError(f"{name!r} is not legal, only {self.legal}")
        getattr(self, "_do_" + self.phase)(name)
        self.legal = [] if self.over else sorted(self._legal())

    # Legal actions

    def _legal(self) -> list[str]:
        assert self.seat is not None
        hand = self.hand(self.seat)
        if self.phase == "auction":
            bidding = self.opts.get("bidding", "free")
            return auction.calls(self.family, hand, self.standing, bidding)
        if self.phase == "name":
            if self.preset == "farvesjavs":
                return ["=C", "=S", "=H", "=D"]  # §6: any suit
            return auction.faroese_names(hand)
        if self.phase == "exchange":
            return self._legal_exchange(hand)
        if self.phase == "confirm":
            if self.family == "klorsjavs":
                return ["-", "concede"]  # §5
            return ["-", *(name for name in ("solo", "halv", "nolo") if self.opts[name])]  # §7
        cards = [card for _, card in self.trick]
        return self._ranking().legal(hand, cards, self.opts.get("ruff", "free"))

    def _legal_exchange(self, hand: list[str]) -> list[str]:
        if self.preset == "faroese3":  # §3: 0, 1 or 2 cards
            return ["-", *hand]
        if self.opts["exchange"] == "take_2":
            return hand if self.took_up else ["-", "take"]
        return hand if self.laid else ["-", *hand]  # §5, blind_2: 0 or 2 cards

    def _ranking(self) -> Ranking:
        if self.family != "french":
            return Ranking(self.trump)
        return NOLO if self.trump is None else french_ranking(self.trump)

    # Effects of an action

    def _do_auction(self, name: str) -> None:
        assert self.seat is not None
        self.spoken += 1
        if name != "-":
            self.standing, self.caller = name, self.seat
        ended = self.spoken == self.seats or (self.family == "klorsjavs" and name == "spil")
        if not ended:
            self.seat = (self.seat + 1) % self.seats
        elif self.caller is not None:
            self._declare(self.caller)
        elif self.opts.get("all_pass") == "clubs":  # §2: played, nobody owns the contract
            self.trump = "C"
            self._start_play()
        else:
            self._finish((0, 0), [0] * self.column_count, void=True)

    def _declare(self, seat: int) -> None:
        self.seat = self.declarer = seat
        self.contract = self.standing
        if self.family == "faroese":
            self.phase = "name"
        elif self.family == "french":
            assert self.contract is not None
            self.trump = self.contract[1]
            if self.opts["solo"] or self.opts["halv"] or self.opts["nolo"]:
                self.phase = "confirm"
            else:
                self._start_play()
        else:
            if self.preset != "farvesjavs":
                self.trump = "C"  # §5, §6: clubs are always trumps
            if self.contract in ("spil", "tout"):
                self.phase = "exchange"
            else:
                self._after_exchange()  # §6: Stryger and Strøget tout may not buy

    def _do_name(self, name: str) -> None:
        self.trump = name[1]
        if self.preset == "faroese3":
            self.phase = "exchange"
        else:
            self._start_play()

    def _do_exchange(self, name: str) -> None:
        assert self.declarer is not None
        hand = self.hands[self.declarer]
        if name == "take":
            hand.extend(self.talon)
            self.talon = []
            self.took_up = True
            return
        if name != "-":
            hand.remove(name)
            self.laid.append(name)
        if name == "-" or len(self.laid) == 2:
            count = len(self.laid)
            hand.extend(self.talon[:count])  # §3: for one, the first dealt
            self.talon = self.talon[count:]
            self._after_exchange()

    def _after_exchange(self) -> None:
        if self.family == "klorsjavs":
            self.phase = "confirm"
        elif self.preset == "farvesjavs":
            self.phase = "name"
        else:
            self._start_play()

    def _do_confirm(self, name: str) -> None:
        assert self.declarer is not None
        if name == "concede":  # §5: he loses 8
            self._finish((0, 0), scoring.one_gains(self.declarer, self.seats, -8, 0))
            return
        if name != "-":
            self.contract = name
        if name == "nolo":
            self.trump = None
        self._start_play()

    def _start_play(self) -> None:
        self.phase = "play"
        self.seat = (self.dealer + 1) % self.seats  # §1: forehand leads first

    def _do_play(self, name: str) -> None:
        assert self.seat is not None
        if name in self.hands[self.seat]:
            self.hands[self.seat].remove(name)
        else:
            self.up[self.seat][self.up[self.seat].index(name)] = ""
        self.trick.append((self.seat, name))
        self.seat = (self.seat + 1) % self.seats
        if len(self.trick) < self.seats:
            return
        cards = [card for _, card in self.trick]
        self.seat = self.trick[self._ranking().winner(cards)][0]
        self.won[self.seat].append(cards)
        self.trick = []
        self._turn_cards()
        if not any(self.hand(seat) for seat in range(self.seats)):
            self._score()

    def _turn_cards(self) -> None:
        """§4: uncovered cards are turned at the end of the trick."""
        for up, down in zip(self.up, self.down, strict=True):
            for slot, card in enumerate(up):
                if not card:
                    up[slot], down[slot] = down[slot], ""

    # The score

    def _side(self) -> list[int]:
        """The declaring side; without a declarer, the side of seat 0."""
        first = 0 if self.declarer is None else self.declarer
        if self.game["pairs"] and self.contract not in ("solo", "nolo"):
            return [first, (first + 2) % 4]
        return [first]

    def _score(self) -> None:
        side = self._side()
        table = points_of(self.laid + self.talon)  # these count for declarer
        own = sum(self.points_taken(seat) for seat in side) + table
        total = points_of(PACKS[self.game["pack"]])
        tricks = [self.tricks_taken(seat) for seat in side]
        gains = self._gains(own, tricks, sum(len(won) for won in self.won))
        self._finish((own, total - own), gains)

    def _gains(self, points: int, tricks: list[int], played: int) -> list[int]:
        if self.family == "faroese":
            return self._faroese_gains(points, tricks, played)
        assert self.declarer is not None
        assert self.contract is not None
        taken = sum(tricks)
        if self.family == "klorsjavs":
            lines = (58, 86) if self.preset == "klorsjavs18" else (61, 91)  # §5
            own, other = scoring.klorsjavs_score(points, taken, played, lines)
            return scoring.one_gains(self.declarer, self.seats, own, other)
        if self.family == "contracts":
            price = scoring.contract_price(self.contract, points, taken, played)
            return scoring.one_gains(self.declarer, self.seats, 2 * price, -price)
        amount = scoring.french_score(self.contract, points, taken, played)
        return scoring.french_gains(self.declarer, amount)

    def _faroese_gains(self, points: int, tricks: list[int], played: int) -> list[int]:
        clubs, tie = self.trump == "C", self.opts["tie"]
        if self.declarer is None:  # §2, all pass: more than 60 scores 4, vol included
            amount = 0 if points == 60 else (4 if points > 60 else -4)
        else:
            row = scoring.faroese_row(points, tricks, played)
            amount = scoring.faroese_score(self.opts["score"], row, clubs, tie)
        own = self._side()[0] % self.column_count
        worth = scoring.with_carry(amount, tie, self.carry, clubs)
        return scoring.race_gains(worth, own, self.column_count)

    def _carry_after(self, gains: list[int], void: bool) -> int:
        if void:
            return self.carry
        if self.family == "faroese" and not any(gains) and self.opts["tie"] != "declarer_loses":
            return self.carry + 1
        return 0

    def _finish(self, points: tuple[int, int], gains: list[int], void: bool = False) -> None:
        if self.contract in ("solo", "nolo"):
            assert self.declarer is not None
            payoffs = scoring.alone_payoffs(self.declarer, gains)
        else:
            by_column = scoring.against_others(gains)
            payoffs = [by_column[seat % self.column_count] for seat in range(self.seats)]
        self.result = Result(
            void=void,
            declarer=self.declarer,
            contract=self.contract,
            trump=self.trump,
            card_points=points,
            tricks=[len(won) for won in self.won],
            gains=gains,
            payoffs=payoffs,
            carry=self._carry_after(gains, void),
        )
        self.phase, self.seat = "over", None
