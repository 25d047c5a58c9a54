"""DroidCall's early public samples, in the functions of the paper where function and values map exactly.

The prototype (MIT licence) had other functions: each settings screen one of its own, contact data as bare URIs,
lengths in seconds, days as numbers. Its values were written by a model and often are not in the request. A line is
kept where the function maps, and every value that it gives is said; what is wrong or doubtful is refused and counted.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

from camphor.device.when.events import timer_text
from camphor.errors import ToolError
from camphor.tools.plans import Plan
from camphor.trajectories.call_samples import CallSample
from camphor.types import Call
from scripts.public_calls.fitting import (
    Unmapped,
    days_said,
    mapped_sample,
    need_only,
    one_clock,
    one_length,
    public_lines,
    rest_of,
    setting_of,
    words_of,
)

SET = "droidcall_early"
Mapped = tuple[Plan, dict[str, str]]
Arguments = Mapping[str, Any]

_SCREENS = {
    "ACTION_SETTINGS": "general", "ACTION_WIRELESS_SETTINGS": "wireless", "ACTION_WIFI_SETTINGS": "wifi",
    "ACTION_AIRPLANE_MODE_SETTINGS": "airplane_mode", "ACTION_APN_SETTINGS": "apn",
    "ACTION_BLUETOOTH_SETTINGS": "bluetooth", "ACTION_DATE_SETTINGS": "date", "ACTION_LOCALE_SETTINGS": "locale",
    "ACTION_INPUT_METHOD_SETTINGS": "input_method", "ACTION_DISPLAY_SETTINGS": "display",
    "ACTION_SECURITY_SETTINGS": "security", "ACTION_LOCATION_SOURCE_SETTINGS": "location",
    "ACTION_INTERNAL_STORAGE_SETTINGS": "internal_storage", "ACTION_MEMORY_CARD_SETTINGS": "memory_card",
}  # fmt: skip
_GENERAL = re.compile(
    r"\b(?:main|general|system|device|phone|phone's|android) settings\b|\bsettings (?:app|menu)\b"
    r"|open (?:the |my )?settings\b"
)
_NETWORK = re.compile(r"\b(?:wireless|networks?)\b.{0,30}\bsettings\b|\bsettings\b.{0,30}\b(?:wireless|networks?)\b")
_WANTS_SETTINGS = re.compile(
    r"settings|turn (?:on|off)|switch|enable|disable|change|adjust|set (?:up|my)|manage|configure|where|access|connect"
    r"|pair|check|fix|full|format|increase|reduce|update|modify|toggle|activate|clear|free up|eject|unmount|add"
)
_NOT_SETTINGS = re.compile(
    r"\bhistory\b|\bremotely\b|\bshare my location\b|\breview\b|\bwhat is\b|\bwhy\b|\bprevent\b|\bin (?:this|the) app\b"
)
_SAYS_UI = re.compile(
    r"confirm|\bui\b|interface|prompt|pop-?up|\bscreen|interrupt|notif|silent|without|no need|directly"
)
_BEYOND_ALARMS = re.compile(
    r"\b(?:months?|first|second|last|ring ?tone|tone|sounds?|songs?|music|loud|snooze|minutes? before|next|hours?|date"
    r"|upcoming|early"
    r"|january|february|march|april|june|july|august|september|october|november|december|may \d+|\d+ may)\b"
)
_GENERIC = words_of("a an the to of for my in on and at with is session time")
_ASKS_FOR = words_of(
    "can could you please i i'd i'm like want need to know find found out search web online internet look"
    " up for about the on of some me my is are what who where how show tell more information info data"
    " looking interested in curious help a an any get do does would"
)
_TAKES_PHOTO = re.compile(
    r"\b(?:take|taking|snap|capture|capturing|shoot)\b.{0,40}\b(?:photos?|pictures?|images?|selfies?|snapshots?|views?|shots?)\b"
)
_TAKES_VIDEO = re.compile(
    r"\b(?:record|recording|film|take|shoot|capture|capturing)\b.{0,40}\b(?:videos?|clips?|footage)\b"
)
_ASKS_MORE = re.compile(
    r"folder|director|path|gallery|album|cloud|automatic|share|sharing|post|upload|edit|without|quality|resolution|backup"
    r"|back up|download|organi[sz]|specific|send|slow|app\b|sd card|storage|format|while|time-?lapse|live|stream|google"
    r"|screen|where|location|series|multiple|everyone gets|intent|separate|stored? (?:in|on|at|correct)|collection"
    r"|journal|dropbox|secure|discreet|names?\b|filters|high-res|regular|social|accessible"
)
_MIMES = {
    "image/*": r"images?|photos?|pictures?|pics?", "video/*": r"videos?|clips?",
    "audio/*": r"audio|songs?|music|recordings?",
    "application/pdf": r"pdfs?", "text/plain": r"text (?:files?|documents?)", "application/zip": r"zips?(?: files?)?",
}  # fmt: skip


def early_samples(
    folder: Path, refused: Counter[str] | None = None, *, grounded_only: bool = False
) -> Iterator[CallSample]:
    """The samples that map, those whose values the set itself found in the query first; ids keep their origin.

    Args:
        folder: has the set, in a file or folder whose name begins with `droidcall_early`.
        refused: counts why the others do not map, as "FUNCTION: reason".
        grounded_only: leave out the lines that the set does not mark as grounded.

    Raises:
        DatasetError: a line of the set is no JSON object.
    """
    counted: Counter[str] = Counter() if refused is None else refused
    lines = sorted(public_lines(folder, SET), key=lambda line: not line.get("grounded"))
    for line in lines:
        calls = line.get("calls") or []
        name = calls[0]["name"] if len(calls) == 1 else "not one call"
        if grounded_only and not line.get("grounded"):
            counted[f"{name}: not grounded"] += 1
            continue
        try:
            yield _sample(line, name, calls)
        except Unmapped as reason:
            counted[f"{name}: {reason}"] += 1


def _sample(line: Mapping[str, Any], name: str, calls: list[Mapping[str, Any]]) -> CallSample:
    query = str(line.get("query", "")).replace("’", "'").strip()
    arguments = calls[0].get("arguments") or {} if len(calls) == 1 else {}
    if name in _SCREENS:
        plan, said = _screen(query, _SCREENS[name])
    elif name in _MAPPERS:
        plan, said = _MAPPERS[name](query, arguments)
    else:
        raise Unmapped("no function that takes the same values")
    return mapped_sample(str(line.get("id", "")), query, plan, said, ("simple", "droidcall_early"))


def _screen(query: str, screen: str) -> Mapped:
    text = query.casefold()
    if not _WANTS_SETTINGS.search(text) or _NOT_SETTINGS.search(text):
        raise Unmapped("asks for no settings screen")
    try:
        named = setting_of(query)
    except Unmapped:
        general, network = _GENERAL.search(text), _NETWORK.search(text)
        named = "wireless" if network else "general" if general else ""
    if named != screen:
        raise Unmapped("the settings screen is not the one that the request names")
    return (Call("open_settings", {"setting_type": screen}),), {}


def _alarm(query: str, arguments: Arguments) -> Mapped:
    text = query.casefold()
    if _BEYOND_ALARMS.search(text):
        raise Unmapped("asks for what an alarm cannot do")
    clock, words = one_clock(query)
    if (clock.hour, clock.minute) != (arguments.get("EXTRA_HOUR"), arguments.get("EXTRA_MINUTES")):
        raise Unmapped("the time is not the one that is said")
    values: dict[str, Any] = {"EXTRA_HOUR": clock.hour, "EXTRA_MINUTES": clock.minute}
    said = {"0.EXTRA_HOUR": words, "0.EXTRA_MINUTES": words}
    days, day_words = days_said(query)
    if days:
        values["EXTRA_DAYS"], said["0.EXTRA_DAYS"] = days, day_words
    message = arguments.get("EXTRA_MESSAGE")
    if message:
        values["EXTRA_MESSAGE"] = _said_label(query, str(message))
        if days_said(values["EXTRA_MESSAGE"])[0]:
            raise Unmapped("the label names a day")
    if "vibrat" in text:
        if re.search(r"\b(?:no|not|without|don't|silent)\b", text) or not arguments.get("EXTRA_VIBRATE"):
            raise Unmapped("whether it vibrates is not plain")
        values["EXTRA_VIBRATE"] = True
    if _SAYS_UI.search(text):
        raise Unmapped("whether it is confirmed is not plain")
    return (Call("ACTION_SET_ALARM", values),), said


def _timer(query: str, arguments: Arguments) -> Mapped:
    seconds, words = one_length(query)
    if seconds != arguments.get("EXTRA_LENGTH"):
        raise Unmapped("the length is not the one that is said")
    if _SAYS_UI.search(query.casefold()):
        raise Unmapped("whether it is confirmed is not plain")
    try:
        values: dict[str, Any] = {"duration": timer_text(words)}
    except ToolError:
        raise Unmapped("the length is not plain") from None
    if arguments.get("EXTRA_MESSAGE"):
        values["EXTRA_MESSAGE"] = _said_label(query, str(arguments["EXTRA_MESSAGE"]))
    return (Call("ACTION_SET_TIMER", values),), {"0.duration": words}


def _said_label(query: str, label: str) -> str:
    """The label in the words of the query, where those of its words that mean something stand together there."""
    quoted = re.findall(r"(?:^|\s)['\"](.+?)[!.]?['\"](?!\w)", query)
    if quoted:
        if len(quoted) == 1 and quoted[0].casefold().strip("!.") == label.casefold().strip("!."):
            return str(quoted[0])
        raise Unmapped("the label is not the one that is said")
    wanted = [word for word in re.findall(r"\w+", label.casefold()) if word not in _GENERIC]
    for place in ("timer", "reminder", "alarm"):
        if wanted[-1:] == [place] and len(wanted) > 1:
            wanted.pop()
    if not wanted:
        raise Unmapped("the label is not said")
    between = r"(?:[\s'-]+(?:s|a|an|the|to|of|for|my|in|on|and|at|with)){0,3}[\s'-]+"
    found = re.findall(rf"\b{between.join(map(re.escape, wanted))}\b(?:-\w+)*", query, re.IGNORECASE)
    if (
        len(found) != 1
        or re.search(r"\d", found[0])
        or "message" in query
        or wanted in (["alarm"], ["reminder"], ["timer"])
    ):
        raise Unmapped("the label is not said")
    return str(found[0])


def _search(query: str, arguments: Arguments) -> Mapped:
    topic = str(arguments.get("QUERY", "")).strip()
    said = re.findall(r"\w+", query.casefold())
    if not topic or any(word not in said for word in re.findall(r"\w+", topic.casefold())):
        raise Unmapped("the topic is not said")
    words = re.escape(topic).replace(r"\ ", r"(?:\s+(?:a|an|the|in|of|for|on|to|my|and|with|are|is|i|do))*\s+")
    found = re.search(rf"\b{words}\b", query, re.IGNORECASE)
    if not found:
        raise Unmapped("the topic is not said")
    sentence = query[: found.end()] + re.split(r"[?!.]", query[found.end() :])[0]
    need_only(rest_of(sentence, found.span()), _ASKS_FOR)
    return (Call("web_search", {"query": found.group()}),), {}


def _map(query: str, arguments: Arguments) -> Mapped:
    place = _asked_place(str(arguments.get("uri", "")))
    found = re.search(rf"\b{re.escape(place)}\b", query, re.IGNORECASE) if place else None
    if not found:
        raise Unmapped("the place is not said")
    left = re.search(r"\b(?:nearest|closest|local|best|nearby)\s+$", query[: found.start()], re.IGNORECASE)
    right = re.match(r"\s+(?:near me|nearby|near my location|around here|close by|in the area)\b", query[found.end() :])
    start = left.start() if left else found.start()
    end = found.end() + (right.end() if right else 0)
    near = re.search(r"\b(?:nearest|closest|nearby|near me|around)\b", query[:start] + query[end:], re.IGNORECASE)
    if near or re.match(r"\s+(?:in|at|near|within|from|with|called)\b", query[end:], re.IGNORECASE):
        raise Unmapped("more of the place is said")
    return (Call("search_location", {"query": query[start:end]}),), {}


def _asked_place(uri: str) -> str:
    """What a geo URI searches for ("geo:0,0?q=coffee+shop"), or "" where it names coordinates alone."""
    found = re.search(r"[?&]q=([^&]*)", uri)
    text = found[1].replace("+", " ") if found else ""
    marks = re.compile(r"(?:%[0-9a-f]{2})+", re.IGNORECASE)
    return marks.sub(lambda mark: bytes.fromhex(mark[0].replace("%", "")).decode("utf-8", "replace"), text).strip()


def _alarms(query: str, arguments: Arguments) -> Mapped:
    text = query.casefold()
    shown = re.search(r"\b(?:show|see|list|view|display|check|look|what|overview|review)\b.{0,50}\balarms\b", text)
    if not shown or re.search(
        r"manage|turn|delete|disable|change|edit|adjust|how (?:can|do)|remove|cancel|specific|filter", text
    ):
        raise Unmapped("does not ask to see the alarms alone")
    return (Call("ACTION_SHOW_ALARMS"),), {}


def _photo(query: str, arguments: Arguments) -> Mapped:
    if not _TAKES_PHOTO.search(query.casefold()) or _ASKS_MORE.search(query.casefold()) or "video" in query:
        raise Unmapped("asks for more than a photo")
    return (Call("ACTION_IMAGE_CAPTURE"),), {}


def _video(query: str, arguments: Arguments) -> Mapped:
    if not _TAKES_VIDEO.search(query.casefold()) or _ASKS_MORE.search(query.casefold()):
        raise Unmapped("asks for more than a video")
    return (Call("ACTION_VIDEO_CAPTURE"),), {}


def _mime(query: str) -> str:
    text = query.casefold()
    found = [mime for mime, words in _MIMES.items() if re.search(rf"\b(?:{words})\b", text)]
    if len(found) != 1:
        raise Unmapped("no one type of file is said")
    return found[0]


def _several(query: str) -> bool:
    return re.search(r"\b(?:multiple|several|some|a few|more than one|many|all)\b", query.casefold()) is not None


def _content(query: str, arguments: Arguments) -> Mapped:
    text = query.casefold()
    if not re.search(r"\b(?:pick|choose|select|selecting|choosing)\b", text) or re.search(
        r"local|cloud|drive|dropbox|edit|capture|record|ensure|without|only if|intent", text
    ):
        raise Unmapped("does not ask to choose a file alone")
    values: dict[str, Any] = {"mime_type": _mime(query)}
    if bool(arguments.get("EXTRA_ALLOW_MULTIPLE")) != _several(query):
        raise Unmapped("how many files is not plain")
    if _several(query):
        values["allow_multiple"] = True
    return (Call("ACTION_GET_CONTENT", values),), {}


def _document(query: str, arguments: Arguments) -> Mapped:
    text = query.casefold()
    if not re.search(r"\b(?:open|edit|access|reopen)\b", text) or re.search(r"create|intent|frequently|share", text):
        raise Unmapped("does not ask to open a document")
    mime = _mime(query)
    given = arguments.get("EXTRA_MIME_TYPES") or [mime]
    if given != [mime] or bool(arguments.get("EXTRA_ALLOW_MULTIPLE")) != _several(query):
        raise Unmapped("the type or number of files is not the one that is said")
    values: dict[str, Any] = {"mime_types": [mime]}
    if _several(query):
        values["allow_multiple"] = True
    return (Call("ACTION_OPEN_DOCUMENT", values),), {}


def _pick(query: str, arguments: Arguments) -> Mapped:
    text = query.casefold()
    if not re.search(
        r"\b(?:pick|choose|select)\b.{0,25}\bcontacts?\b|\bcontacts?\b.{0,25}\b(?:pick|choose|select)\b", text
    ):
        raise Unmapped("does not ask to pick a contact")
    if re.search(
        r"several|multiple|a few|filter|favo|group|without|each|members|birthday|social|addresses|collect|location"
        r"|\bmy (?:brother|sister|mom|mother|dad|boss|doctor)|contacts\?$",
        text,
    ) or re.search(r"(?<=[a-z,] )[A-Z][a-z]+\b", query):
        raise Unmapped("asks for more than one contact or for a certain one")
    kinds = {"EMAIL": r"e-?mail", "PHONE": r"phone number|number", "ADDRESS": r"(?<!mail )(?<!email )address"}
    found = [kind for kind, words in kinds.items() if re.search(rf"\b(?:{words})", text)]
    if len(found) > 1 or (
        found and re.search(r"send an email|don't have|forget|forgot|instead|recall|remember|typing", text)
    ):
        raise Unmapped("no one kind of contact data is said")
    return (Call("ACTION_PICK", {"data_type": found[0]} if found else {}),), {}


def _email(query: str, arguments: Arguments) -> Mapped:
    address = re.findall(r"[\w.+-]+@[\w-]+(?:\.[\w-]+)+", query)
    if not address:
        raise Unmapped("no address is said")
    values = {"to": address, "subject": arguments.get("EXTRA_SUBJECT"), "body": arguments.get("EXTRA_TEXT")}
    if len(address) > 1 or set(arguments) - {"EXTRA_EMAIL", "EXTRA_SUBJECT", "EXTRA_TEXT"}:
        raise Unmapped("copies and attachments are not plain")
    return (Call("send_email", values),), {}


_MAPPERS: Mapping[str, Callable[[str, Arguments], Mapped]] = {
    "ACTION_SET_ALARM": _alarm, "ACTION_SET_TIMER": _timer, "ACTION_SHOW_ALARMS": _alarms,
    "ACTION_WEB_SEARCH": _search, "ACTION_VIEW_map": _map,
    "ACTION_IMAGE_CAPTURE": _photo, "ACTION_VIDEO_CAPTURE": _video,
    "ACTION_GET_CONTENT": _content, "ACTION_OPEN_DOCUMENT": _document,
    "ACTION_PICK_contact": _pick, "ACTION_PICK_contact_data": _pick,
    "ACTION_SEND_email": _email, "ACTION_SENDTO_email": _email,
}  # fmt: skip
