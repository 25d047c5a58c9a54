"""What servers say when they refuse, in one sentence for a person; and what can be left out so that they do not.

Each server has its own words, and statuses that say little: llama.cpp's answers 500 for tools that it was not started
for, LM Studio 200 with the error in the stream. So the words are read, and the statuses where the words tell nothing.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Container, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from camphor.errors import ContextFull, ModelError, ModelMissing
from camphor.models.chat_body import MAX_TOKENS, REQUIRED, SCHEMA, SYSTEM

_LONGEST = 240
_EVERYWHERE = ("api_error", "invalid_request_error", "internal_server_error")  # they tell nothing
_TOO_LONG = re.compile(
    r"context[ _](?:length|size|window)|context (?:the )?overflow|maximum model length|prompt is too long|"
    r"(?:input|prompt|request).{0,60}too (?:long|large|many tokens)|maximum (?:number|input)[^.]{0,20} tokens|"
    r"tokens?\b.{0,40}\bexceeds?\b.{0,40}\b(?:maximum|limit)",
    re.IGNORECASE,
)
_NO_TOOLS = re.compile(
    r"(?:not|n't) support (?:any )?(?:tool|function)s?(?: use|[ -]call\w*)?\b(?!_)|"
    r"found that support tool use|'?tools'? (?:is|are) not supported|tools param requires|"
    r"tool.choice\W.{0,20}requires --|function calling is not (?:supported|enabled)",
    re.IGNORECASE,
)
_NOT_LOADED = re.compile(r"no models? (?:is |are |currently )?loaded|model (?:is |was )?(?:not loaded|unloaded)", re.I)
_CANNOT_LOAD = re.compile(
    r"more system memory|failed to load model|error loading model|unable to load model|runner process has terminated|"
    r"out of memory|insufficient (?:system )?(?:memory|resources)",
    re.IGNORECASE,
)
_LOADING = re.compile(r"loading model|model is (?:still )?(?:loading|being loaded)", re.IGNORECASE)
_NO_MODEL = re.compile(
    r"model\W.{0,200}(?:not found|does not exist|not exist\b)|model_not_found|(?:unknown|no such|invalid) model|"
    r"not found, try pulling",
    re.IGNORECASE,
)
_NO_SYSTEM = re.compile(r"system (?:role|messages?|prompts?) (?:is |are )?(?:not |un)supported", re.IGNORECASE)
_MOST = re.compile(r"at most (\d+) completion tokens", re.IGNORECASE)
_NO_REQUIRED = re.compile(r"tool_choice\W{0,5}required\W.{0,40}not (?:yet )?support", re.IGNORECASE)
_REFUSES = re.compile(
    r"unsupported|(?:not|n't) (?:support|allow|permit|accept|implement)|unknown|unrecogni[sz]ed|unexpected|invalid|"
    r"extra (?:inputs?|fields?|parameters?)|additional propert|deprecated|should be|must be|only the default",
    re.IGNORECASE,
)
_IN_PLAIN_WORDS = (MAX_TOKENS, "parallel_tool_calls", SCHEMA, "stream_options", "temperature", "tool_choice")
_FIELDS = (*_IN_PLAIN_WORDS, "stop", "stream")  # "stop" and "stream" are words too: only where they stand in quotes
_ROOM = (
    re.compile(r"context length is (\d+) tokens.{0,80}\((\d+) in the messages", re.IGNORECASE),
    re.compile(r"context length is (\d+) tokens.{0,80}has (\d+) input tokens", re.IGNORECASE),
)


@dataclass(frozen=True)
class ServerSaid:
    """An error as a server gave it: one line of printable text without the key, and the field that it is about."""

    status: int
    text: str
    field: str = ""

    @property
    def told(self) -> str:
        """Status and words, for the end of a sentence's first half."""
        return f"status {self.status}: {self.text}" if self.text else f"status {self.status}"


def read_error(status: int, data: Any, key: str | None) -> ServerSaid:
    """An error from the body of an answer, as bytes or as JSON that was read already.

    The shapes are OpenAI's (an object `error` with `message`, `code` and `param`), LM Studio's (`error` is the text),
    vLLM's older one (the message stands outside) and FastAPI's (`detail`, perhaps a list with the place of each fault).
    """
    if isinstance(data, bytes):
        try:
            data = json.loads(data)
        except (ValueError, RecursionError):
            page = data.lstrip()[:1] == b"<"
            return ServerSaid(status, "" if page else _line(data[:2000].decode(errors="replace"), key))
    data = data[0] if isinstance(data, list) and data else data
    inner = data.get("error") or data if isinstance(data, Mapping) else data
    text, field = inner, ""
    if isinstance(inner, Mapping):
        detail = inner.get("detail")
        first = detail[0] if isinstance(detail, Sequence) and not isinstance(detail, str) and detail else None
        if isinstance(first, Mapping):
            path = first.get("loc")
            parts = path if isinstance(path, list) else [path]
            place = [part for part in parts if isinstance(part, str) and part != "body"]
            field, text = (place[0] if place else ""), f"{'.'.join(place)}: {first.get('msg', '')}"
        else:
            text = inner.get("message") or detail or ""
            kinds = [inner.get(name) for name in ("code", "type")]
            codes = [kind for kind in kinds if isinstance(kind, str) and "_" in kind and kind not in str(text)]
            text = f"{text} ({codes[0]})" if text and codes and codes[0] not in _EVERYWHERE else text
            field = str(inner.get("param") or "")
        code = inner.get("code")
        status = code if status == 200 and isinstance(code, int) and 400 <= code < 600 else status
    return ServerSaid(400 if status == 200 else status, _line(text if isinstance(text, str) else "", key), field)


def refused_part(said: ServerSaid, sent: Container[str]) -> str:
    """The part of a request that a server does not take, of those that it was sent; "" where it tells none.

    What the error names is believed where the request has it. A schema is also given up for a refusal that names
    nothing: servers have too many words for it.
    """
    if said.status not in (400, 404, 405, 415, 422, 500, 501) or _TOO_LONG.search(said.text):
        return ""
    if _NO_SYSTEM.search(said.text):
        return SYSTEM
    if _NO_TOOLS.search(said.text) and "tools" in sent:
        return ""
    if REQUIRED in sent and (_NO_REQUIRED.search(said.text) or (said.status == 500 and not said.text)):
        return REQUIRED  # llama-cpp-python fails on it without a word
    named = said.field.split(".")[0].split("[")[0]
    if named in _FIELDS and named in sent:
        return named
    if _REFUSES.search(said.text):
        for field in _FIELDS:
            mark = rf"\b{field}\b" if field in _IN_PLAIN_WORDS else rf"['\"`]{field}['\"`]"
            if field in sent and re.search(mark, said.text):
                return field
    fits = said.status in (400, 422) and not (_NO_MODEL.search(said.text) or _NOT_LOADED.search(said.text))
    return SCHEMA if SCHEMA in sent and fits else ""


def room_left(said: ServerSaid) -> int:
    """Tokens for an answer, where a server says that the prompt fits and only the answer asked for does not; else 0."""
    if most := _MOST.search(said.text):
        return int(most[1])
    for words in _ROOM:
        if found := words.search(said.text):
            return max(0, int(found[1]) - int(found[2]))
    return 0


def told_error(
    said: ServerSaid, url: str, model: str, *, keyed: bool, tools: bool, names: Callable[[], Sequence[str]]
) -> ModelError:
    """The error that a person sees.

    Args:
        keyed: a key was sent. tools: so were tools. names: which models the server has; asked only where it helps.
    """
    where, text = f"the model server at {url}", said.text
    if said.status in (401, 403) and not _NO_MODEL.search(text):
        if keyed:
            return ModelError(f"{where} refused the API key ({said.told}): check the key")
        return ModelError(f"{where} asks for an API key ({said.told}): give it one, as OPENAI_API_KEY")
    if said.status == 413 or (said.status < 600 and said.status != 429 and _TOO_LONG.search(text)):
        return ContextFull(f"{where} says that the prompt is too long ({said.told}): begin a new conversation")
    if tools and _NO_TOOLS.search(text):
        return ModelError(
            f"{where} takes no tools for the model {model!r} ({said.told}): choose a model that can call tools, or "
            "start the server with its option for them"
        )
    if _NOT_LOADED.search(text):
        return ModelMissing(f"{where} has no model loaded ({said.told}): load {model!r} there and ask again")
    if _LOADING.search(text):
        return ModelError(f"{where} is still loading the model ({said.told}): wait a little and ask again")
    if _CANNOT_LOAD.search(text):
        return ModelError(
            f"{where} cannot run the model {model!r} ({said.told}): free memory there, or choose a smaller one"
        )
    if said.status == 404 or _NO_MODEL.search(text):
        return ModelMissing(f"{where} knows no model {model!r} ({said.told}): {_choice(names())}")
    if said.status == 429:
        return ModelError(
            f"{where} takes no more requests now ({said.told}): wait, or check your account's limit there"
        )
    if 300 <= said.status < 400:
        return ModelError(f"{where} sends elsewhere (status {said.status}), which is not followed: give that address")
    if said.status >= 500:
        return ModelError(f"{where} failed ({said.told}): see its own log, and try again")
    return ModelError(f"{where} did not take the request ({said.told})")


def _choice(names: Sequence[str]) -> str:
    if not names:
        return "check its name, and that the address ends where the server's API begins, as in /v1"
    more = f" and {len(names) - 8} more" if len(names) > 8 else ""
    return f"it has {', '.join(names[:8])}{more}"


def _line(text: str, key: str | None) -> str:
    """One line of printable text, the key taken out before anything is cut off."""
    if key:
        text = text.replace(key, "[key]")
    text = text[:20_000]
    text = " ".join("".join(letter if letter.isprintable() else " " for letter in text).split())
    return text if len(text) <= _LONGEST else text[: _LONGEST - 1] + "…"


def printable(text: str, most: int = 80) -> str:
    """A name that a server gave, fit to be shown."""
    return _line(text[: 4 * most], None)[:most]
