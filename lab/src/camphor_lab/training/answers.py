"""Training of what tells which records a question is about.

A listwise softmax over all records of a phone, from questions whose records are known: those annotated with JSON
pointers, and hand-written ones whose records are taken to be those of their look-ups that their response speaks of.
What lists a question's words speak of is learnt first, by one logistic regression a list, and cross-fitted.
"""

from __future__ import annotations

import json
import math
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from camphor.agents.answering.answer import found_in, sight_of
from camphor.agents.answering.lexicon import stem, word_list
from camphor.agents.answering.model import AnsweringModel
from camphor.agents.answering.question import names_of, read_question
from camphor.agents.answering.ranking import FEATURES, Candidate, features_of
from camphor.agents.answering.tables import built_in_lists, read_by
from camphor.agents.policies.action_classifier import marks_of, words_of
from camphor.device.device import Device
from camphor.device.text import text_of, words
from camphor.errors import UsageError
from camphor.types import Agent, Call, Step
from camphor_lab.training.small_models import Progress, need_sklearn, save

Item = Mapping[str, Any]
Record = Mapping[str, Any]
FEWEST = 20
_FEWEST_OF_LIST = 3


@dataclass(frozen=True)
class AnswersConfig:
    """Settings. `fit`: inverse strength of the lists' shrinkage. `shrink`, `steps`, `rate`: of the records' weights.
    `parts`: of the data, held out in turns."""

    fit: float = 8.0
    shrink: float = 0.01
    steps: int = 500
    rate: float = 0.05
    parts: int = 5
    seed: int = 1


@dataclass(frozen=True)
class AnnotatedQuestion:
    """A question on a phone: the look-ups that a language model chose for it, and which records are right."""

    item: Item
    device: Device
    steps: tuple[Step, ...]
    gold: frozenset[str]
    told: tuple[Record, ...]

    def right(self, candidate: Candidate) -> bool:
        table, ordinal = candidate.table, candidate.row.ordinal
        if self.told:
            return dict(candidate.row.record) in self.told
        return any(_points(pointer, table.app, table.name, ordinal) for pointer in self.gold)


def _points(pointer: str, app: str, name: str, ordinal: int) -> bool:
    if app in ("web", "phone"):
        return pointer.startswith({"web": "/web/", "phone": "/location"}[app])
    if pointer.startswith(f"/apps/{app}/{name}") and not pointer[len(f"/apps/{app}/{name}") :].startswith("/"):
        return True  # a single object
    return pointer.startswith(f"/apps/{app}/") and pointer.endswith(f"/{name}/{ordinal}")


def train_answers(
    files: Sequence[Path], looked_up: Sequence[Path], out: Path, config: AnswersConfig, progress: Progress
) -> dict[str, Any]:
    """Train, and write the model. Gives figures of questions held out.

    Args:
        files: annotated questions or hand-written sets (items.jsonl). looked_up: results of `evaluate` on them,
            whose steps say what the shipped model looks up.

    Raises:
        UsageError: too few questions. MissingExtra: no scikit-learn. OSError: it cannot be written.
    """
    need_sklearn("train-answers")
    steps = read_steps(looked_up)
    asked = [each for file in files for each in read_questions(file, steps)]
    if len(asked) < FEWEST:
        raise UsageError(f"{len(asked)} questions with known records are too few: {FEWEST} are needed")
    common = _common(files)
    held_out = cross_fitted(asked, config)
    rows: list[tuple[npt.NDArray[np.float32], npt.NDArray[np.bool_]]] = []
    for place, each in enumerate(asked):
        rows += _features(each, common, held_out[place])
        progress("records", place + 1, len(asked))
    figures = {"questions": len(rows), "held_out_top1": _held_out(rows, config)}
    keys, runs, weights, bias = _fit_lists(asked, config)
    about = {
        "settings": asdict(config),
        "figures": figures,
        "files": [path.parent.name + "/" + path.name for path in files],
    }
    save(AnsweringModel(_fit(rows, config), common, keys, runs, weights, bias, about), out)
    return {"texts": len(asked), "held_out": figures}


def read_steps(results: Sequence[Path]) -> dict[str, list[dict[str, Any]]]:
    """The steps of each item in results of `camphor lab evaluate`, by its id."""
    found: dict[str, list[dict[str, Any]]] = {}
    for path in results:
        text = path.read_text("utf-8")
        items = (
            json.loads(text)["items"]
            if text.lstrip().startswith("{\n") or '"items"' in text[:200000]
            else [json.loads(line) for line in text.splitlines()]
        )
        found.update({each["id"]: each.get("steps", []) for each in items})
    return found


def read_questions(
    file: Path, steps: Mapping[str, list[dict[str, Any]]], absent: bool = False
) -> Iterator[AnnotatedQuestion]:
    """The questions of a file whose records are known.

    Args:
        steps: what a language model looked up, by the item. absent: those too that no record answers.
    """
    devices: dict[Path, Device] = {}
    for line in file.read_text("utf-8").splitlines():
        item = json.loads(line)
        if item.get("calls") or item.get("history"):
            continue
        path = (file.parent / item["device"]).resolve()
        device = devices[path] = devices.get(path) or Device.from_file(path)
        chosen = tuple(_looked_up(steps.get(item["id"], []), device))
        if gold := frozenset(item.get("answer", {}).get("records", [])):
            yield AnnotatedQuestion(item, device, chosen, gold, ())
        elif absent and item.get("answer", {}).get("abstain") and "nothing" in item.get("tags", []):
            yield AnnotatedQuestion(item, device, chosen, frozenset(), ())
        elif "answer" not in item and "info_only" in item.get("tags", []) and (told := _spoken_of(item, device)):
            yield AnnotatedQuestion(item, device, chosen, frozenset(), told)


def _looked_up(steps: Sequence[Mapping[str, Any]], device: Device) -> Iterator[Step]:
    for step in steps:
        calls = tuple(Call(each["name"], each["arguments"]) for each in step["calls"] if each["name"] in device.toolbox)
        if step["agent"] != Agent.TASK.value:
            yield Step(Agent(step["agent"]), calls, tuple(map(device.execute, calls)))


_EMPTY = word_list("no_evidence")


def _spoken_of(item: Item, device: Device) -> tuple[Record, ...]:
    """Of what a question's own look-ups find, the records whose words its response says."""
    found = [
        dict(record)
        for step in _looked_up(item.get("steps", []), device)
        for seen in step.observations
        for record in seen.records
    ]
    said = set(words(item.get("response", ""))) - _EMPTY - set(words(item["query"]))
    shares = [len(said & set(words(text_of(record)))) for record in found]
    best = max(shares, default=0)
    return tuple(
        record
        for record, share in zip(found, shares, strict=True)
        if len(found) == 1 or (share and share >= 0.6 * best)
    )


def _common(files: Sequence[Path]) -> dict[str, float]:
    """How much a stem tells, by how few queries have it; those that fewer than three have tell all."""
    have: Counter[str] = Counter()
    count = 0
    for file in files:
        for line in file.read_text("utf-8").splitlines():
            have.update({stem(word) for word in words(json.loads(line)["query"])})
            count += 1
    scale = math.log(count + 1)
    return {
        word: round(min(1.0, max(0.0, 1.15 * math.log((count + 1) / (number + 0.5)) / scale - 0.15)), 3)
        for word, number in have.items()
        if number >= 3
    }


def _lists_of(asked: AnnotatedQuestion) -> set[str]:
    keys = set(built_in_lists())
    if asked.told:
        return keys & {
            read_by(asked.device.toolbox.get(call["name"]))
            for step in asked.item.get("steps", [])
            for call in step["calls"]
            if call["name"] in asked.device.toolbox
        }
    found = set()
    for pointer in asked.gold:
        parts = pointer.strip("/").split("/")
        found.add(
            f"{parts[1]}.{parts[2]}"
            if parts[0] == "apps" and len(parts) > 2
            else {"web": "web.result"}.get(parts[0], "phone.location")
        )
    return keys & found


Lists = tuple[list[str], npt.NDArray[np.uint32], npt.NDArray[np.float32], npt.NDArray[np.float32]]


def _fit_lists(asked: Sequence[AnnotatedQuestion], config: AnswersConfig) -> Lists:
    from scipy.sparse import csr_matrix
    from sklearn.linear_model import LogisticRegression

    marks = [marks_of(words_of(each.item["query"])) for each in asked]
    runs = np.unique(np.concatenate(marks))
    rows = np.concatenate([np.full(len(each), place) for place, each in enumerate(marks)])
    columns = np.searchsorted(runs, np.concatenate(marks))
    values = np.concatenate([np.full(len(each), 1 / math.sqrt(len(each))) for each in marks])
    table = csr_matrix((values, (rows, columns)), (len(marks), len(runs)))
    keys, weights, bias = [], [], []
    about = [_lists_of(each) for each in asked]
    for key in built_in_lists():
        right = np.array([key in each for each in about])
        if right.sum() >= _FEWEST_OF_LIST:
            fitted = LogisticRegression(C=config.fit, max_iter=300).fit(table, right)
            keys.append(key)
            weights.append(fitted.coef_[0])
            bias.append(fitted.intercept_[0])
    return keys, runs.astype(np.uint32), np.array(weights, np.float32), np.array(bias, np.float32)


def cross_fitted(asked: Sequence[AnnotatedQuestion], config: AnswersConfig) -> list[AnsweringModel]:
    """For each question a model of the lists that has not seen it."""
    found: dict[int, AnsweringModel] = {}
    for part in range(config.parts):
        lists = _fit_lists([each for place, each in enumerate(asked) if place % config.parts != part], config)
        model = AnsweringModel(np.zeros(len(FEATURES), np.float32), {}, *lists)
        found.update(dict.fromkeys(range(part, len(asked), config.parts), model))
    return [found[place] for place in range(len(asked))]


def _features(
    asked: AnnotatedQuestion, common: Mapping[str, float], lists: AnsweringModel
) -> Iterator[tuple[npt.NDArray[np.float32], npt.NDArray[np.bool_]]]:
    query = asked.item["query"]
    model = AnsweringModel(lists.weights, common, lists.lists, lists.runs, lists.list_weights, lists.bias)
    sight = sight_of(query, asked.device, found_in(asked.steps, asked.device.toolbox), model)
    candidates = features_of(read_question(query, asked.device.now, names_of(sight.people)), sight)
    right = np.array([asked.right(each) for each in candidates])
    if right.any():
        yield np.array([each.features for each in candidates]), right


Rows = Sequence[tuple[npt.NDArray[np.float32], npt.NDArray[np.bool_]]]


def _fit(rows: Rows, config: AnswersConfig) -> npt.NDArray[np.float32]:
    """Weights under which the right records of each phone have the most of a softmax (Adam)."""
    weights = np.zeros(len(FEATURES))
    mean, square = np.zeros_like(weights), np.zeros_like(weights)
    for step in range(1, config.steps + 1):
        slope = np.zeros_like(weights)
        for features, right in rows:
            scores = features @ weights
            share = np.exp(scores - scores.max())
            share /= share.sum()
            slope += features.T @ (share - np.where(right, share / share[right].sum(), 0))
        slope = slope / len(rows) + config.shrink * weights
        mean, square = 0.9 * mean + 0.1 * slope, 0.99 * square + 0.01 * slope**2
        weights -= config.rate * (mean / (1 - 0.9**step)) / (np.sqrt(square / (1 - 0.99**step)) + 1e-8)
    return weights.astype(np.float32)


def _held_out(rows: Rows, config: AnswersConfig) -> float:
    """The share of questions whose best record is right, by weights that have not seen them."""
    hits = 0
    for part in range(config.parts):
        weights = _fit([each for place, each in enumerate(rows) if place % config.parts != part], config)
        hits += sum(bool(right[int(np.argmax(features @ weights))]) for features, right in rows[part :: config.parts])
    return round(hits / len(rows), 4)
