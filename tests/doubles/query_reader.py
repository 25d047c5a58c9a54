"""A reader of queries that makes the same of every query: it weighs what it is told to."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from camphor.retrieval.context.candidates import pick
from camphor.retrieval.context.features import features
from camphor.retrieval.context.query import SIDES, QueryReader, UseSituation
from camphor.retrieval.context.relevance import index_of_document
from camphor.retrieval.reading.encoder import MATRICES, Changes, Matrix
from camphor.retrieval.reading.reader import read_reader
from tests.doubles.context_phone import NOW, phone

_WIDTH, _DIMENSIONS = 2, 256


def query_reader(weights: Mapping[str, float] | None = None) -> QueryReader:
    """One that weighs these features, by name, and changes nothing in the encoder."""
    encoder = read_reader()
    downs, ups = [], []
    for layer in encoder.layers:
        for name in MATRICES:
            inputs, outputs = getattr(layer, name).shape
            downs.append(Matrix.of(np.zeros((1, inputs), np.float32)))
            ups.append(Matrix.of(np.zeros((1, outputs), np.float32)))
    norms = np.stack([np.stack([layer.norm, layer.last_norm]) for layer in encoder.layers])
    index, situation = index_of_document(phone()), UseSituation(NOW)
    names = features("x", pick("x", situation, index), situation, index).names
    read = 2 * encoder.places.shape[1]
    outputs_of = {side: len(names) if side == "use" else _WIDTH for side in SIDES}
    heads = {side: np.zeros((size, read), np.float32) for side, size in outputs_of.items()}
    heads |= {f"{side}_bias": np.zeros(size, np.float32) for side, size in outputs_of.items()}
    heads |= {"named": np.zeros((1, read), np.float32), "named_bias": np.full(1, -30, np.float32)}
    for name, weight in (weights or {}).items():
        heads["use_bias"][names.index(name)] = weight
    items = {
        "text": np.zeros((_WIDTH, _DIMENSIONS), np.float32),
        "store": np.zeros((_WIDTH, _DIMENSIONS), np.float32),
        "mix": np.zeros((3, len(names) + 2 * _WIDTH), np.float32),
        "mix_bias": np.zeros(3, np.float32),
        "mixed": np.zeros((_WIDTH, 3), np.float32),
        "mixed_bias": np.zeros(_WIDTH, np.float32),
    }
    middle, spread = np.zeros(len(names), np.float32), np.ones(len(names), np.float32)
    return QueryReader(Changes(downs, ups, norms, encoder.mark), names, middle, spread, heads, items)
