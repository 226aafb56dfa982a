"""The policy net: the chance of every point to be played next, and of the mover to win, by onnxruntime on a CPU.

The file net.onnx holds the net; fit.py fits one and onnx.py writes it.
The net was fitted on 19x19. It takes any size, but on others nothing is known
of how good it is.
"""

from __future__ import annotations

from collections.abc import Sequence
from importlib import resources
from pathlib import Path
from typing import Any, NamedTuple

from kibitz.core.errors import BadOption, BadText

FORMAT, VERSION = "kibitz go policy net", 1
FILE = "net.onnx"
PLANES = 16
"""The codes 1 to 9 of boards_kernel.py, the last five moves, whether Black moves, and ones."""
POLICY_UNITS, VALUE_UNITS = 64, 64
"""Channels of the last layers before the outputs."""
LARGEST_FILE = 16 << 20
"""No net is larger than this, so no file that is larger is read."""


class Seen(NamedTuple):
    """A position as the net sees it; see position()."""

    size: int
    codes: Any
    """uint8 [point]: see boards_kernel.py"""
    last: tuple[int, ...]
    """The points of the last moves, the latest first; one that is not on the board is left out."""
    black_moves: bool


class Predicted(NamedTuple):
    """What the net says of some positions of one size."""

    points: Any
    """float32 [n, point]: chances that sum to 1 in every row, 0 where there is a stone"""
    wins: Any
    """float32 [n]: the mover's chance to win"""


def position(size: int, points: bytes, mover: int, last: Sequence[int] = (), ko: int | None = None) -> Seen:
    """Return a position as the net sees it.

    `points` are the colours of all points, row by row from the top left; `last`
    the points of the moves before, the latest first, -1 for a pass; `ko` the
    point that may not be retaken now.
    """
    from kibitz.games.go.predict.net.boards_kernel import MOVES, codes_of
    from kibitz.games.go.rules.board import BLACK

    return Seen(size, codes_of(size, points, mover, ko), tuple(last[:MOVES]), mover == BLACK)


def planes(positions: Sequence[Seen]) -> Any:
    """Return the planes of positions of one size, float32 [n, PLANES, size, size]."""
    import numpy as np

    from kibitz.games.go.predict.net.boards_kernel import CODES

    size = positions[0].size
    made = np.zeros((len(positions), PLANES, size * size), np.float32)
    codes = np.stack([seen.codes for seen in positions])
    for code in range(1, CODES):
        made[:, code - 1] = codes == code
    for row, seen in zip(made, positions, strict=True):
        for age, point in enumerate(seen.last):
            if 0 <= point < size * size:
                row[CODES - 1 + age, point] = 1
        row[PLANES - 2] = seen.black_moves
    made[:, PLANES - 1] = 1
    return made.reshape(-1, PLANES, size, size)


class PolicyNet:
    """A net that is ready to predict."""

    def __init__(self, session: Any, about: dict[str, str]) -> None:
        self._session = session
        self.about = about
        """What the file says of itself."""

    @staticmethod
    def load(path: Path | None = None, threads: int = 1) -> PolicyNet:
        """Return the net in a file, or the one that comes with kibitz.

        Raises BadText if the file is not there, is damaged or is no net of
        ours, and BadOption if onnxruntime is not installed.
        """
        try:
            import onnxruntime
        except ImportError:
            raise BadOption("The net needs onnxruntime: pip install 'kibitz[nets]'.") from None
        data = _read(path)
        name = path or FILE
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = threads
        options.inter_op_num_threads = 1
        options.log_severity_level = 4  # what goes wrong is said below
        try:
            session = onnxruntime.InferenceSession(data, options, providers=["CPUExecutionProvider"])
            about = dict(session.get_modelmeta().custom_metadata_map)
        except Exception:  # onnxruntime's errors have no common class but this
            raise BadText(f"{name} is no net that can be read: it is no ONNX file, or a damaged one.") from None
        if about.get("format") != FORMAT:
            raise BadText(f"{name} is an ONNX file, but no policy net of kibitz.")
        if about.get("version") != str(VERSION):
            found = str(about.get("version"))[:20]
            raise BadText(f"{name} is a net of version {found}, but this kibitz knows version {VERSION}.")
        return PolicyNet(session, about)

    def predict(self, positions: Sequence[Seen]) -> Predicted:
        """Return what the net says of positions of one size. Raises BadOption if sizes differ or there are none."""
        if len({seen.size for seen in positions}) != 1:
            raise BadOption("The net takes positions of one size at a time, and at least one.")
        return self.predict_planes(planes(positions))

    def predict_planes(self, planes: Any) -> Predicted:
        """Return what the net says of planes as planes() makes them."""
        import numpy as np

        logits, wins = self._session.run(None, {"planes": planes})
        taken = planes[:, :8].sum(1).reshape(len(planes), -1) > 0
        logits[taken] = -np.inf
        most = np.max(logits, 1, keepdims=True)
        chances = np.exp(logits - np.where(np.isfinite(most), most, 0))
        total = chances.sum(1, keepdims=True)
        return Predicted(chances / np.where(total > 0, total, 1), wins)


def _read(path: Path | None) -> bytes:
    """Return the bytes of a net. Raises BadText if there are none, or far too many."""
    try:
        if path is None:
            return resources.files(__package__).joinpath(FILE).read_bytes()
        with open(path, "rb") as file:
            data = file.read(LARGEST_FILE + 1)
    except FileNotFoundError:
        raise BadText(f"There is no net in {path or FILE}.") from None
    except OSError as error:
        raise BadText(f"The net in {path or FILE} cannot be opened: {error.strerror}.") from None
    if len(data) > LARGEST_FILE:
        raise BadText(f"{path} is larger than {LARGEST_FILE >> 20} MB, so it is no net of kibitz.")
    return data
