"""Requests to a language model, several at a time where it is a server, one at a time where it is here."""

from __future__ import annotations

import json
import queue
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field

from camphor.errors import ContextFull, ModelError, ModelMissing
from camphor.models.base import LanguageModel, Request
from camphor_lab.datasets.parallel import Here, Work

PAUSES = (2.0, 10.0)  # seconds before the second and the third try: a busy server is over it, a dead one is told soon

Opening = Callable[[], LanguageModel]
"""Gives the model where the work is done; on other machines it must be importable there."""


@dataclass(frozen=True)
class ModelAnswer:
    """What came back: the model's text, or why there is none."""

    text: str = ""
    error: str = ""

    def to_json(self) -> str:
        return json.dumps({"text": self.text, "error": self.error})

    @staticmethod
    def from_json(text: str) -> ModelAnswer:
        return ModelAnswer(**json.loads(text))


@dataclass(frozen=True)
class Asking:
    """One request as a piece of work for a pool (`parallel.Pool`). A model that fails is asked again, twice."""

    opening: Opening
    request: Request
    pause: Callable[[float], None] = field(default=time.sleep)

    def __call__(self, number: int) -> str:
        for before in (*PAUSES, None):
            try:
                return ModelAnswer(self.opening().complete(self.request).text).to_json()
            except (ContextFull, ModelMissing) as error:
                return ModelAnswer(error=str(error)).to_json()
            except ModelError as error:
                if before is None:
                    return ModelAnswer(error=str(error)).to_json()
            self.pause(before)
        raise AssertionError("not reached")


@dataclass(frozen=True)
class OpenModel:
    """A model that is open already, for work in this process."""

    model: LanguageModel

    def __call__(self) -> LanguageModel:
        return self.model


Done = queue.SimpleQueue[tuple[int, str | BaseException]]


class Threads(Here):
    """Pieces of work that wait for a server, so many at a time, in this process.

    Threads do not keep the process alive: what is not answered when it ends is asked again by the next run.
    """

    def __init__(self, slots: int) -> None:
        super().__init__()
        self.slots = slots
        self._done: Done = queue.SimpleQueue()

    def start(self, number: int, work: Work) -> None:
        threading.Thread(target=self._work, args=(number, work, self._done), daemon=True).start()

    @staticmethod
    def _work(number: int, work: Work, done: Done) -> None:
        try:
            done.put((number, work(number)))
        except BaseException as error:  # it is raised where the answers are taken
            done.put((number, error))

    def finished(self) -> list[tuple[int, str]]:
        number, text = self._done.get()
        if isinstance(text, BaseException):
            raise text
        return [(number, text)]

    def forget(self) -> None:
        self._done = queue.SimpleQueue()
