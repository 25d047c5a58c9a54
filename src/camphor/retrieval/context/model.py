"""What training leaves of a ranker: its reader of queries, its forests and its settings, in one file."""

from __future__ import annotations

import io
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import Any
from zipfile import BadZipFile

import numpy as np

from camphor.errors import ModelMissing
from camphor.models.facts import write_whole
from camphor.retrieval.context.query import Reader
from camphor.retrieval.context.trees import Forest

FORM = "camphor.context-ranker/1"
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
    """

    features: tuple[str, ...]
    forests: Mapping[str, Forest]
    reader: Reader
    encoder: str
    about: Mapping[str, Any] = field(default_factory=dict)

    def save(self, path: Path) -> None:
        """Write the model to a file, whole or not at all. Raises OSError: it cannot be written."""
        facts = {
            "form": FORM,
            "features": self.features,
            "forests": list(self.forests),
            "terms": list(self.reader.terms),
            "stores": self.reader.stores,
            "kinds": self.reader.kinds,
            "facts": self.reader.facts,
            "encoder": self.encoder,
            "about": self.about,
        }
        arrays: dict[str, Any] = {"facts": np.frombuffer(json.dumps(facts).encode(), np.uint8)}
        arrays["reader"] = self.reader.weights.astype(np.float16)
        arrays["items"] = self.reader.item_weights.astype(np.float16)
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
        weights, items = file["reader"].astype(np.float32), file["items"].astype(np.float32)
    terms = {term: row for row, term in enumerate(facts["terms"], len(weights) - 1 - len(facts["terms"]))}
    stores, kinds, known = (tuple(facts[name]) for name in ("stores", "kinds", "facts"))
    reader = Reader(terms, stores, kinds, known, weights, items)
    return RankerModel(tuple(facts["features"]), forests, reader, facts["encoder"], facts["about"])
