"""Go again, as a list of whole boards, everything worked out anew each time.

Shares no code with kibitz.games.go: points are (column, row) from the bottom left, a board is a dictionary, and both ko
rules are what they say about boards that come back: not the one before the last move, or not any.
"""

from __future__ import annotations

Place = tuple[int, int]
Stones = dict[Place, str]


class Naive:
    """A game as the list of its boards."""

    def __init__(self, size: int, komi: float, ko: str, scoring: str, suicide: bool) -> None:
        self.size, self.komi, self.ko, self.scoring, self.suicide = size, komi, ko, scoring, suicide
        self.boards: list[Stones] = [{}]
        self.moves: list[Place | None] = []
        self.taken = {"B": 0, "W": 0}
        places = [(col, row) for col in range(size) for row in range(size)]
        self.near = {p: [q for q in places if abs(p[0] - q[0]) + abs(p[1] - q[1]) == 1] for p in places}

    @property
    def mover(self) -> str:
        return "BW"[len(self.moves) % 2]

    def airless(self, stones: Stones, colour: str) -> set[Place]:
        """Return the stones of a colour that no air reaches: it passes from stone to stone of the same colour."""
        mine = {place for place in stones if stones[place] == colour}
        breathing = {place for place in mine if any(b not in stones for b in self.near[place])}
        new = breathing
        while new:
            new = {b for place in new for b in self.near[place] if b in mine} - breathing
            breathing = breathing | new
        return mine - breathing

    def after(self, place: Place, mover: str) -> Stones:
        """Return the board after a stone, with all that has no air taken off: the opponent's, then the mover's."""
        stones = {**self.boards[-1], place: mover}
        for colour in ("W" if mover == "B" else "B", mover):
            gone = self.airless(stones, colour)
            stones = {p: c for p, c in stones.items() if p not in gone}
        return stones

    def allowed(self, place: Place) -> bool:
        if place in self.boards[-1]:
            return False
        stones = self.after(place, self.mover)
        if place not in stones and not self.suicide:
            return False
        if self.ko == "positional":
            return stones not in self.boards
        if stones == self.boards[-1]:  # the suicide of one stone retakes nothing
            return True
        return len(self.boards) < 2 or stones != self.boards[-2]

    def over(self) -> bool:
        return self.moves[-2:] == [None, None] or len(self.moves) >= max(100, 4 * self.size**2)

    def legal(self) -> list[Place | None]:
        if self.over():
            return []
        return [*filter(self.allowed, self.near), None]

    def play(self, place: Place | None) -> None:
        if place is None:
            self.boards.append(self.boards[-1])
        else:
            mover, other = self.mover, "W" if self.mover == "B" else "B"
            before, after = self.boards[-1], self.after(place, mover)
            self.taken[mover] += sum(p not in after for p in before if before[p] == other)
            self.taken[other] += sum(p not in after for p in {**before, place: mover} if before.get(p, mover) == mover)
            self.boards.append(after)
        self.moves.append(place)

    def reached(self, colour: str) -> set[Place]:
        """Return the empty places that a colour reaches over empty ones."""
        stones = self.boards[-1]
        found = {b for p in stones if stones[p] == colour for b in self.near[p] if b not in stones}
        new = found
        while new:
            new = {b for p in new for b in self.near[p] if b not in stones} - found
            found = found | new
        return found

    def margin(self) -> float:
        """Return Black's points less White's."""
        stones, black, white = self.boards[-1], self.reached("B"), self.reached("W")
        lead = len(black - white) - len(white - black) - self.komi
        if self.scoring == "territory":
            return lead + self.taken["B"] - self.taken["W"]
        return lead + list(stones.values()).count("B") - list(stones.values()).count("W")
