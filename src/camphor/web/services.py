"""What the app needs of the house: phones, models and folders. The command line gives it; tests give doubles."""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Any, Protocol

import fastapi

from camphor.agents.prompts import Form
from camphor.agents.sharing import SharedPhone, shared_phone
from camphor.device.device import Device
from camphor.device.format import KEPT_NAME
from camphor.device.sharing import read_rules
from camphor.device.talks import Talks, talks_file
from camphor.errors import UsageError
from camphor.health.emergency.settings import FILE
from camphor.models.base import LanguageModel, Reply, Request, learnt_by
from camphor.models.chat import ChatModel, ChatRequest, Chatting
from camphor.models.destination import Destination, destination_of
from camphor.service.loop import Loop
from camphor.web.problems import Conflict, NotFound

Phone = Annotated[str, fastapi.Path(max_length=64, description="The name of a kept phone")]


class Phones(Protocol):
    """The phones that are kept on this machine."""

    def names(self) -> Sequence[str]:
        """All of them, the demo phone among them."""

    def open(self, name: str) -> Device:
        """Raises UsageError: there is none of that name. StoreError: it cannot be read."""

    def keep(self, data: Mapping[str, Any], name: str, *, replace: bool) -> None:
        """Take in a phone. Raises UsageError: the name is taken or is none. DeviceFileError: the data are broken."""

    def remove(self, name: str) -> None:
        """Delete one for good, with all that is kept beside it. Raises UsageError: there is none of that name."""

    def files(self) -> Mapping[str, Path]:
        """The store of each that is kept on the disk, by name."""


@dataclass
class Services:
    """Phones, the model, and where results lie.

    Args:
        phones: the kept phones. first: the one that is shown first.
        open_model: opens the language model when it is first needed, with the form of its prompts.
        folder: where the app keeps its own settings.
        results: the folder of result files, if there is one.
        model_name: of the model, as `--model` takes it: it tells whether words leave this process.
        others: further models to compare with, by name: each is opened for one query and closed after it.
        users: what works on phones: each is told the name of a phone that is about to be closed, "" for all of them,
            and then stops what it does there.
        loop: reminds and looks at readings as long as no service of its own does; None does neither.
        open_api_model: opens what programs reach under `/v1`, when it is first asked for; None serves nothing there.
    """

    phones: Phones
    first: str
    open_model: Callable[[], tuple[LanguageModel, Form]]
    folder: Path
    results: Path | None = None
    model_name: str = "embedded"
    others: Mapping[str, Callable[[], tuple[LanguageModel, Form]]] = field(default_factory=dict)
    users: list[Callable[[str], None]] = field(default_factory=list)
    loop: Loop | None = None
    open_api_model: Callable[[], ChatModel] | None = None
    _lock: threading.RLock = field(default_factory=threading.RLock)
    _opened: dict[str, tuple[Device, Talks]] = field(default_factory=dict)
    _model: tuple[SharedModel, Form] | None = None
    _api_model: ChatModel | None = None

    def phone(self, name: str) -> Device:
        """The phone, opened once. Raises NotFound: there is none. StoreError: it cannot be read."""
        return self._open(name)[0]

    def talks(self, name: str) -> Talks:
        """Its conversations."""
        return self._open(name)[1]

    def model(self) -> tuple[SharedModel, Form]:
        """The model, opened once. Raises ModelError: it cannot be."""
        with self._lock:
            if self._model is None:
                model, form = self.open_model()
                self._model = (SharedChatModel if isinstance(model, ChatModel) else SharedModel)(model), form
            return self._model

    def api_model(self) -> ChatModel:
        """What programs reach under `/v1`. Raises NotFound: nothing is. ModelError: it cannot be opened."""
        with self._lock:
            if self.open_api_model is None:
                raise NotFound("No model is served here: start  camphor serve --api")
            self._api_model = self._api_model or self.open_api_model()
            return self._api_model

    @property
    def destination(self) -> Destination | None:
        """Who reads what is asked, where that is not this process alone."""
        return destination_of(self.model_name)

    def shared(self, device: Device, model: str = "") -> SharedPhone:
        """The phone as a model of that name may see it, the server's own for "". Raises UsageError: damaged rules."""
        destination = destination_of(model or self.model_name)
        if destination is None:
            return SharedPhone(device)
        return shared_phone(device, read_rules(device.path), destination.computer)

    @property
    def home(self) -> Path:
        """The data folder, which the settings lie in."""
        return self.folder.parent

    @property
    def settings(self) -> Path:
        """How messages and notices leave the machine."""
        return self.home / FILE

    def changed(self) -> None:
        """Something may be due now."""
        if self.loop is not None:
            self.loop.wake()

    @property
    def models(self) -> dict[str, Callable[[], tuple[LanguageModel, Form]]]:
        """What opens each model, by name; the server's own comes first."""
        return {self.model_name: self.open_model, **self.others}

    def forget(self, name: str) -> None:
        """Close a phone that was replaced; it is opened anew when it is next asked for."""
        with self._lock:
            if held := self._opened.pop(name, None):
                held[1].close()
                held[0].close()

    def keep(self, name: str, data: Mapping[str, Any], *, replace: bool) -> None:
        """Take in a phone; with `replace` one of that name is closed, and another in its place from then on.

        Raises:
            Conflict: there is one, and it is not to be replaced. UsageError: the name is none, or the data are broken.
        """
        if not KEPT_NAME.fullmatch(name):
            raise UsageError(
                f"{name[:80]!r} cannot be a phone's name: use letters, digits, - and _, at most 64 of them"
            )
        if name in self.phones.names() and not replace:
            raise Conflict(f"There is a phone {name} already: choose another name, or replace it")
        self._stop_work(name)
        with self._lock:  # nobody opens it meanwhile: what they wrote would be lost
            self.forget(name)
            self.phones.keep(data, name, replace=replace)
        self._stop_work(name)  # what was begun meanwhile

    def remove(self, name: str) -> None:
        """Delete a phone for good. Raises NotFound: there is none. StoreError: a file of it cannot be deleted."""
        self._stop_work(name)
        with self._lock:
            if name not in self.phones.names():
                raise NotFound("There is no such phone on this machine")
            self.forget(name)
            self.phones.remove(name)
            names = self.phones.names()
            if self.first not in names and names:
                self.first = names[0]
        self._stop_work(name)  # what was begun meanwhile

    def close(self) -> None:
        self._stop_work("")
        with self._lock:
            for name in list(self._opened):
                self.forget(name)
            if self._model:
                self._model[0].close()
                self._model = None
            if self._api_model:
                self._api_model.close()
                self._api_model = None

    def _stop_work(self, name: str) -> None:
        """Never while the lock is held: what is stopped may need it to come to its end."""
        for stop in tuple(self.users):
            stop(name)

    def _open(self, name: str) -> tuple[Device, Talks]:
        with self._lock:
            if name not in self._opened:
                if name not in self.phones.names():
                    raise NotFound("There is no such phone on this machine")
                device = self.phones.open(name)
                self._opened[name] = (device, Talks(talks_file(device.path)))
            return self._opened[name]


class SharedModel:
    """One model for several conversations: completions take turns, whole queries do not wait for each other."""

    def __init__(self, model: LanguageModel) -> None:
        self._model, self._lock = model, threading.Lock()

    @property
    def context(self) -> int:
        return self._model.context

    @property
    def learnt(self) -> frozenset[str]:
        return learnt_by(self._model)

    def complete(self, request: Request) -> Reply:
        with self._lock:
            return self._model.complete(request)

    def count_tokens(self, text: str) -> int:
        return self._model.count_tokens(text)

    def close(self) -> None:
        with self._lock:
            self._model.close()


class SharedChatModel(SharedModel):
    """The same of a model that takes part in conversations too."""

    def chat(self, request: ChatRequest) -> Chatting:
        assert isinstance(self._model, ChatModel)
        with self._lock:
            return (yield from self._model.chat(request))


def services_of(request: fastapi.Request) -> Services:
    """What the routes of a server work with."""
    found: Any = request.app.state.services
    assert isinstance(found, Services)
    return found
