"""What training leaves of a ranker: its reader of queries, its forests and its settings, in one file."""

from __future__ import annotations

import io
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from pathlib import Path
from typing import Any
from zipfile import BadZipFile

import numpy as np
import numpy.typing as npt

from camphor.errors import ModelMissing
from camphor.models.facts import write_whole
from camphor.retrieval.context.query import QueryReader

# Boosted trees with numpy: what LightGBM learns (Ke et al. 2017; LambdaMART, Burges 2010) is scored without it.
#
# All splits of a tree are asked at once, as in QuickScorer (Lucchese et al. 2015): each split that a row fails strikes
# out the leaves below its "yes" side, and the first leaf that is left, counted from the "yes" side, is the row's. There
# is no walk down the tree, so numpy's whole-array operations do all the work: 500 rows through 150 trees take half a
# millisecond where a level-by-level walk takes fifteen.

LEAVES = 16
"""The most leaves of a tree: as many as a mask has bits."""
AT_ONCE = 32
"""Trees asked together: their answers for some hundred rows stay in a core's cache."""

Table = npt.NDArray[np.float32]
Floats = npt.NDArray[np.float64]


@dataclass(frozen=True)
class Forest:
    """Trees of splits "feature at most threshold".

    Attributes:
        feature: the column each split asks about, int32, shape (trees, 15).
        threshold: float32, shape (trees, 15); infinite where a tree has fewer splits.
        struck: the leaves that a failed split strikes out, as bits of uint16, shape (trees, 15).
        value: the value of each leaf, float64, shape (trees, 16).
    """

    feature: npt.NDArray[np.int32]
    threshold: Table
    struck: npt.NDArray[np.uint16]
    value: Floats

    def __len__(self) -> int:
        return len(self.value)

    def first(self, trees: int) -> Forest:
        """The forest as it was after so many trees."""
        return Forest(self.feature[:trees], self.threshold[:trees], self.struck[:trees], self.value[:trees])

    def scores(self, table: Table) -> Floats:
        """The sum of each row's leaves, float64, shape (rows,), for features of float32, shape (rows, features)."""
        total = np.zeros(len(table))
        if not len(table):
            return total
        columns = np.ascontiguousarray(table.T, np.float32)
        first = _first_bits()
        for feature, threshold, struck, value, starts in self._blocks:
            fails = (columns[feature] > threshold) * struck
            left = ~np.bitwise_or.reduce(fails.reshape(LEAVES - 1, len(starts), -1), axis=0)
            total += value.take(first.take(left) + starts).sum(axis=0)
        return total

    @cached_property
    def _blocks(
        self,
    ) -> list[tuple[npt.NDArray[np.int32], Table, npt.NDArray[np.uint16], Floats, npt.NDArray[np.intp]]]:
        """The forest in the order it is asked in: split by split, and in each all trees of a block."""
        blocks = []
        for at in range(0, len(self), AT_ONCE):
            part = slice(at, at + AT_ONCE)
            starts = (np.arange(len(self.value[part])) * LEAVES)[:, None]
            blocks.append(
                (
                    self.feature[part].T.ravel(),
                    self.threshold[part].T.reshape(-1, 1),
                    self.struck[part].T.reshape(-1, 1),
                    self.value[part].ravel(),
                    starts,
                )
            )
        return blocks

    def arrays(self) -> dict[str, npt.NDArray[np.generic]]:
        """What `of_arrays` makes the forest from again."""
        return {name: getattr(self, name) for name in ("feature", "threshold", "struck", "value")}

    @classmethod
    def of_arrays(cls, arrays: Mapping[str, npt.NDArray[np.generic]]) -> Forest:
        """The forest of such arrays.

        Raises:
            KeyError: one is missing. ValueError: they are of no forest.
        """
        feature = arrays["feature"].astype(np.int32)
        threshold, struck = arrays["threshold"].astype(np.float32), arrays["struck"].astype(np.uint16)
        value = arrays["value"].astype(np.float64)
        splits = (len(value), LEAVES - 1)
        if value.shape != (len(value), LEAVES) or any(each.shape != splits for each in (feature, threshold, struck)):
            raise ValueError("the arrays of a forest differ in shape")
        return cls(feature, threshold, struck, value)


def grow(trees: int) -> Forest:
    """A forest of single leaves of value 0, to be filled in."""
    splits = (trees, LEAVES - 1)
    return Forest(
        np.zeros(splits, np.int32),
        np.full(splits, np.inf, np.float32),
        np.zeros(splits, np.uint16),
        np.zeros((trees, LEAVES)),
    )


@lru_cache(maxsize=1)
def _first_bits() -> npt.NDArray[np.intp]:
    """The place of the lowest set bit of every uint16; 0 for none."""
    numbers = np.arange(1 << LEAVES)
    lowest = numbers & -numbers
    return np.where(numbers > 0, np.log2(np.maximum(lowest, 1)), 0).astype(np.intp)


FORM = "camphor.context-ranker/3"
SHIPPED = Path(__file__).parent / "ranker.npz"
EVERY = "*"
"""The name of the forest that was trained on all stores together, and ranks stores that training never saw."""


@dataclass(frozen=True)
class RankerModel:
    """A trained ranker.

    Attributes:
        features: the names of the columns that the forests ask about, in order.
        forests: by the name of the store ("calendar.events") each was trained for; `EVERY` for all.
        reader: reads queries.
        encoder: identity of the encoder that it was trained with.
        about: settings of the training, the hash of its data, and its scores.
        sharpness: by which the scores of the forest of all stores are multiplied, so that their softmax is how likely
            each item is meant; fitted on people who were held out.
    """

    features: tuple[str, ...]
    forests: Mapping[str, Forest]
    reader: QueryReader
    encoder: str
    about: Mapping[str, Any] = field(default_factory=dict)
    sharpness: float = 1.0

    def save(self, path: Path) -> None:
        """Write the model to a file, whole or not at all. Raises OSError: it cannot be written."""
        facts = {
            "form": FORM,
            "features": self.features,
            "forests": list(self.forests),
            "read": self.reader.features,
            "reader": self.reader.changes.mark,
            "encoder": self.encoder,
            "about": self.about,
            "sharpness": self.sharpness,
        }
        arrays: dict[str, Any] = {"facts": np.frombuffer(json.dumps(facts).encode(), np.uint8)}
        arrays |= self.reader.arrays()
        for number, forest in enumerate(self.forests.values()):
            arrays |= {f"forest_{number}_{name}": array for name, array in forest.arrays().items()}
        stream = io.BytesIO()
        np.savez_compressed(stream, **arrays)
        write_whole(path, stream.getvalue())


def read_model(path: Path = SHIPPED) -> RankerModel:
    """The model of a file, kept in memory as long as the file stays as it is.

    Raises:
        ModelMissing: there is none, or it is none of a ranker.
    """
    try:
        return _read(path, path.stat().st_mtime_ns)
    except (OSError, ValueError, KeyError, EOFError, BadZipFile) as error:
        raise ModelMissing(
            f"{path}: no ranker of items: train one with  camphor lab train-ranker FOLDER --out {path.name}"
        ) from error


@lru_cache(maxsize=4)
def _read(path: Path, _: int) -> RankerModel:
    with path.open("rb") as stream, np.load(stream, allow_pickle=False) as file:
        facts = json.loads(file["facts"].tobytes())
        if facts["form"] != FORM:
            raise ValueError("another form")
        names = ("feature", "threshold", "struck", "value")
        forests = {
            name: Forest.of_arrays({part: file[f"forest_{number}_{part}"] for part in names})
            for number, name in enumerate(facts["forests"])
        }
        kept = {name: file[name] for name in file.files}
    reader = QueryReader.of(kept, tuple(facts["read"]), str(facts["reader"]))
    sharpness = float(facts["sharpness"])
    return RankerModel(tuple(facts["features"]), forests, reader, facts["encoder"], facts["about"], sharpness)
