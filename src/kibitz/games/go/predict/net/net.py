"""The policy net, run by onnxruntime: the probability of each point being played next, and of the mover winning.

The file net.onnx holds the net; fit.py fits a net and onnx.py writes it. The shipped net was
fitted on 19x19. It accepts any board size, but its strength on other sizes is unknown.
"""

from __future__ import annotations

from collections.abc import Sequence
from importlib import resources
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from kibitz.compiled.arrays import Float32Array, Int64Array
from kibitz.core.errors import BadOption, BadText
from kibitz.games.go.predict.fit.course import Moment, moments
from kibitz.games.go.predict.fit.games_file import GamesFile
from kibitz.games.go.predict.fit.kernel import PredictedMoves
from kibitz.games.go.predict.models import MovePredictor, Shares, predict_moments
from kibitz.games.go.predict.net.boards_kernel import CODES, LAST_MOVES, codes_of
from kibitz.games.go.rules.board import BLACK

if TYPE_CHECKING:
    import onnxruntime

FORMAT, VERSION = "kibitz go policy net", 1
FILE = "net.onnx"
PLANES = 16  # the codes 1 to 9 of boards_kernel.py, the last five moves, whether Black moves, and a plane of ones
POLICY_UNITS, VALUE_UNITS = 64, 64  # channels of the last layers before the outputs
MAX_FILE_BYTES = 16 << 20
POSITIONS_PER_BATCH = 32


class NetOutput(NamedTuple):
    """The output of the net for positions of one board size."""

    points: Float32Array  # [n, point]: probabilities, 0 on occupied points; each row sums to 1
    wins: Float32Array  # [n]: the probability that the player to move wins


class RawOutput(NamedTuple):
    """All outputs of the net for n positions, for the player to move. Some nets lack the last three."""

    logits: Float32Array  # [n, point]: the logarithms of unscaled probabilities, occupied points included
    wins: Float32Array  # [n]: the probability that the player to move wins
    owners: Float32Array | None = None  # [n, point]: the expected owner, from 1 (the player to move) to -1
    leads: Float32Array | None = None  # [n]: the expected lead in points of area, without komi
    spreads: Float32Array | None = None  # [n]: the scale of its logistic distribution


def planes_of(positions: Sequence[Moment]) -> Float32Array:
    """Return the input planes of positions of one board size, float32 [n, PLANES, size, size]."""
    size = positions[0].board.size
    planes = np.zeros((len(positions), PLANES, size * size), np.float32)
    for row, moment in zip(planes, positions, strict=True):
        codes = codes_of(size, moment.board.points, moment.colour, moment.ko)
        row[: CODES - 1] = codes == np.arange(1, CODES)[:, None]
        for age, point in enumerate(moment.recent[:LAST_MOVES]):
            if point >= 0:
                row[CODES - 1 + age, point] = 1
        row[PLANES - 2] = moment.colour == BLACK
    planes[:, PLANES - 1] = 1
    return planes.reshape(-1, PLANES, size, size)


class PolicyNet(MovePredictor):
    """A net loaded for prediction."""

    name = "net"
    games_per_batch = 1

    def __init__(self, session: onnxruntime.InferenceSession, about: dict[str, str]) -> None:
        self._session = session
        self.about = about  # the metadata of the file

    @staticmethod
    def load(path: Path | None = None, threads: int = 1) -> PolicyNet:
        """Return the net in a file, by default the one shipped with kibitz.

        Raise BadText if the file is missing, damaged or not a net of kibitz, and
        BadOption if onnxruntime is not installed.
        """
        try:
            import onnxruntime
        except ImportError:
            raise BadOption("The net needs onnxruntime: pip install onnxruntime.") from None
        data, name = _read(path), path or FILE
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = threads
        options.inter_op_num_threads = 1
        options.log_severity_level = 4  # errors are reported below
        try:
            session = onnxruntime.InferenceSession(data, options, providers=["CPUExecutionProvider"])
            about = dict(session.get_modelmeta().custom_metadata_map)
        except Exception:  # onnxruntime's errors have no common base class
            raise BadText(f"{name} cannot be read as a net: it is not an ONNX file, or is damaged.") from None
        if about.get("format") != FORMAT:
            raise BadText(f"{name} is an ONNX file, but not a policy net of kibitz.")
        if about.get("version") != str(VERSION):
            version = str(about.get("version"))[:20]
            raise BadText(f"{name} has version {version}, but this kibitz reads version {VERSION}: use another net.")
        return PolicyNet(session, about)

    def shares(self, moment: Moment) -> Shares:
        """Return the probability that each point is played next."""
        return self.predict([moment]).points.reshape(-1)

    def _predict_batch(self, games: GamesFile, selected: Int64Array, colours: Int64Array, size: int) -> PredictedMoves:
        asked = [
            (at, moment)
            for at, game in enumerate(selected.tolist())
            for moment in moments(size, games.plays_of(game))
            if moment.moves and 0 <= moment.played != moment.ko and moment.colour & colours[at]
        ]
        return predict_moments(lambda batch: self.predict(batch).points, asked, POSITIONS_PER_BATCH)

    def predict(self, positions: Sequence[Moment]) -> NetOutput:
        """Return the net's output for positions. Raise BadOption if there are none, or if their sizes differ."""
        if len({each.board.size for each in positions}) != 1:
            raise BadOption("The net needs at least one position, all of the same board size.")
        return self.predict_planes(planes_of(positions))

    def predict_planes(self, planes: Float32Array) -> NetOutput:
        """Return the net's output for planes made by planes_of()."""
        logits, wins, *_ = self.run(planes)
        occupied = planes[:, :8].sum(1).reshape(len(planes), -1) > 0
        logits[occupied] = -np.inf
        highest = np.max(logits, 1, keepdims=True)
        probabilities = np.exp(logits - np.where(np.isfinite(highest), highest, 0))
        total = probabilities.sum(1, keepdims=True)
        return NetOutput((probabilities / np.where(total > 0, total, 1)).astype(np.float32), wins)

    def run(self, planes: Float32Array) -> RawOutput:
        """Return all that the net computes for planes."""
        return RawOutput(*self._session.run(None, {"planes": planes}))


def _read(path: Path | None) -> bytes:
    """Return the bytes of a net. Raise BadText if the file is missing or too large."""
    try:
        if path is None:
            return resources.files(__package__).joinpath(FILE).read_bytes()
        with open(path, "rb") as file:
            data = file.read(MAX_FILE_BYTES + 1)
    except OSError as error:
        raise BadText(f"Cannot open the net {path or FILE}: {error.strerror}.") from None
    if len(data) > MAX_FILE_BYTES:
        raise BadText(f"{path} is not a net of kibitz: it is larger than {MAX_FILE_BYTES >> 20} MB.")
    return data
