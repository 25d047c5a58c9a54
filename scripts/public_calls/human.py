"""What people asked of assistants in public sets, as samples of the 24 functions, where everything that they say fits.

SLURP and HWU64 (CC-BY-4.0), Microsoft's language-understanding files (MIT), Firefox Voice (MPL-2.0) and TaskBench's
requests (MIT) are read from a folder that the user gives; nothing of them is kept here. The annotated spans say what is
meant; hours, days, lengths and spoken numbers are computed from them. A request that says more than the calls would do
is refused and counted. Events are: a calendar entry needs a description, and hardly anybody dictates one.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from random import Random
from typing import Any

from camphor.device.numbers import digits_in
from camphor.device.when.events import timer_text
from camphor.errors import ToolError
from camphor.tools.plans import Plan
from camphor.trajectories.call_samples import CallSample
from camphor.types import Call
from scripts.public_calls.fitting import (
    Unmapped,
    contact_then,
    days_said,
    find_span,
    mapped_sample,
    need_only,
    one_clock,
    one_length,
    public_lines,
    rest_of,
    setting_of,
    words_of,
)

SETS = ("slurp", "hwu64", "ms_lu", "snips2017", "firefox_voice", "taskbench")
MOST_OF_A_KIND = 250
Mapped = tuple[Plan, dict[str, str]]
Arguments = Mapping[str, Any]

_POLITE = words_of(
    "please olly hey ok okay google alexa siri hi hello can could would will you i i'd i'll want wanna need to like the"
    " a an my me for just now and kindly lets let's let us"
)
_ALARM = _POLITE | words_of(
    "set alarm alarms alert wake up at in on tomorrow today tonight make put create add schedule start get be have new"
    " ensure this go off time clock morning"
)
_TIMER = _POLITE | words_of("set start timer of alarm countdown count down from with duration run begin make create")
_CALL = _POLITE | words_of(
    "call dial phone ring give make place on number telephone at this start a up get speak talk with"
)
_LOOK_UP = _POLITE | words_of(
    "what what's whats is tell give find show get look up of phone number telephone email e-mail mail address id"
    " number's have do know s in contacts contact from may number?"
)
_MAP = _POLITE | words_of(
    "find show where where's is are there any some directions direct take bring get navigate navigation go going start"
    " map maps on in of route way guide locate search look looking give how do does to drive head towards toward up"
    " pull put plz display point what which tell list recommend it"
)
_SEARCH = re.compile(
    r"^(?:please |can you |could you |i (?:want|need|would like|'d like) to |i'd like to )?"
    r"(?:(?:search|find|look)(?: on)? (?:the (?:web|internet) )?(?:for |up )?|google |do a (?:web )?search (?:for|on) )"
    r"(?P<topic>.+?)(?P<google> (?:on|with|using|via) (?:the )?google(?: search)?(?: engine)?)?[?.!]*$",
    re.IGNORECASE,
)
_QUESTION = re.compile(
    r"^(?:who|what|what's|whats|when|where|how (?:many|much|old|tall|far|long|big|high|deep|large)|which|why)\b", re.I
)
_OWN = re.compile(
    r"\b(?:my|me|i|i'm|you|your|yours|olly|it|its|that|this|these|those|there|here|he|she|they|his|her|their|today|now"
    r"|right|current|currently|latest|stocks?|price|prices|exchange|weather|news|we|our|us)\b"
)
_NEAR = r"(?:nearest|closest|best|good|cheap|cheapest|local|nearby)"
_AFTER = r"(?:near me|nearby|near by|near here|around here|around me|close by|close to me|in my area|in the area)"
_NO_NAME = re.compile(r"[bcdfghjklmnpqrstvwxz]{5}|\b(?:all|it|give|someone|somebody|number)\b", re.IGNORECASE)
# Intents that none of the functions covers, in the sets' own names.
_NONE = re.compile(
    r"(?:iot_\w+|audio_volume_(?:mute|up|down)|play_\w+|music_(?:PlayMusic|Pause|Shuffle|AdjustVolume|likeness)|PlayMusic"
    r"|AddToPlaylist|RateBook|BookRestaurant|transport_ta\w+|takeaway_order|automotive_VEHICLE_SETTINGS_CHANGE"
    r"|todo_(?:DeleteToDo|MarkToDo)|restaurantbooking_\w+|social_post|general_joke|tabs\.\w+|muting\.\w+)$"
)


def human_calls(
    folder: Path,
    refused: Counter[str] | None = None,
    *,
    seed: int = 7,
    most_of_a_kind: int = MOST_OF_A_KIND,
    without_answer: float = 0.08,
) -> Iterator[CallSample]:
    """The utterances that map, each text once, in random order; ids keep their origin.

    Args:
        folder: has the sets, each in files or folders whose names begin with the set's.
        refused: counts why others do not map, as "INTENT: reason".
        most_of_a_kind: of the samples with one and the same list of functions.
        without_answer: share, of all samples, of requests that no function covers, whose answer is empty.

    Raises:
        DatasetError: a line of a set is no JSON object.
    """
    counted: Counter[str] = Counter() if refused is None else refused
    mapped: dict[str, CallSample] = {}
    uncovered: dict[str, CallSample] = {}
    for name in SETS:
        for line in public_lines(folder, name):
            query = " ".join(str(line.get("query", "")).replace("’", "'").split())
            intent = _intent(line)
            try:
                sample = _sample(str(line.get("id", "")), query, intent, line, name)
            except Unmapped as reason:
                counted[f"{intent}: {reason}"] += 1
                continue
            (mapped if sample.answers else uncovered).setdefault(query.casefold().strip(" ?.!"), sample)
    rng = Random(f"{seed}:human calls")
    kept = _capped(list(mapped.values()), most_of_a_kind, rng)
    others = list(uncovered.values())
    rng.shuffle(others)
    kept += others[: round(len(kept) * without_answer / (1 - without_answer))]
    rng.shuffle(kept)
    yield from kept


def _capped(samples: list[CallSample], most: int, rng: Random) -> list[CallSample]:
    rng.shuffle(samples)
    seen: Counter[str] = Counter()
    kept = []
    for sample in samples:
        kind = " ".join(call.name for call in sample.answers)
        seen[kind] += 1
        if seen[kind] <= most:
            kept.append(sample)
    return kept


def _intent(line: Mapping[str, Any]) -> str:
    calls = line.get("calls") or []
    if len(calls) == 1 and isinstance(calls[0], Mapping):
        return str(calls[0].get("name"))
    return "several calls" if calls else "no call"


def _sample(identity: str, query: str, intent: str, line: Mapping[str, Any], origin: str) -> CallSample:
    words = len(query.split())
    if not 2 <= words <= 30 or "{" in query:
        raise Unmapped("too short, too long or a template")
    if intent.startswith("general_") or _NONE.match(intent):
        if words < 3 or re.search(r"\b(?:search|settings?|alarm|timer|call|email|message|photo|picture|map)\b", query):
            raise Unmapped("may be for a function")
        return CallSample(identity, query, (), None, {}, ("human", "none", origin))
    calls = line.get("calls") or []
    arguments = (calls[0].get("arguments") or {}) if len(calls) == 1 else {}
    mapper = _MAPPERS.get(intent) or _any_intent
    plan, said = mapper(query, arguments)
    return mapped_sample(identity, query, plan, said, ("human", "nested" if len(plan) > 1 else "simple", origin))


def _alarm(query: str, arguments: Arguments) -> Mapped:
    if not re.search(r"\b(?:alarms?|alert|wake|get (?:me )?up)\b", query.casefold()):
        raise Unmapped("asks for no alarm")
    clock, words = one_clock(query)
    days, day_words = days_said(query)
    spans = [find_span(query, part) for part in (words, day_words) if part]
    values: dict[str, Any] = {"EXTRA_HOUR": clock.hour, "EXTRA_MINUTES": clock.minute}
    said = {"0.EXTRA_HOUR": words, "0.EXTRA_MINUTES": words}
    if days:
        values["EXTRA_DAYS"], said["0.EXTRA_DAYS"] = days, day_words
    event = arguments.get("event_name")
    if event:
        spans.append(find_span(query, event))
        if not re.search(
            rf"\b(?:for|called|labell?ed|named) (?:my |the |a )?{re.escape(event)}\b", query, re.IGNORECASE
        ):
            raise Unmapped("what the event is to the alarm is not plain")
        values["EXTRA_MESSAGE"] = query[slice(*spans[-1])]
    carriers = _ALARM | {"every", "each"} if days else _ALARM
    need_only(rest_of(query, *spans), carriers)
    return (Call("ACTION_SET_ALARM", values),), said


def _alarms(query: str, arguments: Arguments) -> Mapped:
    text = query.casefold()
    if (
        arguments
        or not re.search(r"\balarms\b", text)
        or re.search(r"how many|remove|delete|off\b|change|cancel", text)
    ):
        raise Unmapped("does not ask to see the alarms alone")
    return (Call("ACTION_SHOW_ALARMS"),), {}


def _timer(query: str, arguments: Arguments) -> Mapped:
    seconds, words = one_length(query)
    if not re.search(r"\btimer\b|\bcount ?down\b", query.casefold()) or seconds < 1:
        raise Unmapped("asks for no timer")
    need_only(rest_of(query, find_span(query, words)), _TIMER)
    try:
        return (Call("ACTION_SET_TIMER", {"duration": timer_text(words)}),), {"0.duration": words}
    except ToolError:
        raise Unmapped("no one length of time") from None


def _number_words(query: str) -> str:
    """The number that a request to call spells or writes, or ""."""
    found = re.search(
        r"(?:\+ ?|plus )?(?:[\d(][\d() .-]{5,}\d|(?:(?:zero|oh|one|two|three|four|five|six|seven|eight|nine)\s?){6,})",
        query,
        re.IGNORECASE,
    )
    return found.group().strip() if found else ""


def _call(query: str, arguments: Arguments) -> Mapped:
    words = _number_words(query)
    if words:
        need_only(rest_of(query, find_span(query, words)), _CALL)
        if re.search(r"\d", words):
            return (Call("dial", {"phone_number": words}),), {}
        digits = digits_in(re.sub(r"\boh\b", "zero", words))
        number = f"+{digits}" if words.startswith("plus") else digits
        if not 7 <= len(digits) <= 15:
            raise Unmapped("the number is not plain")
        return (Call("dial", {"phone_number": number}),), {"0.phone_number": words}
    name = _person(arguments)
    need_only(rest_of(query, find_span(query, name)), _CALL - {"number"})
    return contact_then(name, "phone", lambda found: Call("dial", {"phone_number": found})), {}


def _person(arguments: Arguments) -> str:
    for slot in ("contactName", "contact", "person", "ContactName", "relation", "RelationshipName"):
        name = arguments.get(slot)
        if isinstance(name, str) and re.fullmatch(r"[^\W\d_][\w.' -]{1,30}", name) and not _NO_NAME.search(name):
            return re.sub(r"'s$", "", name)
        if name:
            raise Unmapped("no one person is named")
    raise Unmapped("nobody is named")


def _look_up(query: str, arguments: Arguments) -> Mapped:
    name = _person(arguments)
    start, end = find_span(query.replace("'s ", " 's "), name)
    text = query.casefold()
    kinds = {"email": r"e-?mails?\b", "phone": r"\bphone|telephone|\bnumber", "address": r"(?<!mail )\baddress\b"}
    found = [kind for kind, words in kinds.items() if re.search(words, text)]
    if len(found) != 1 or (found == ["email"] and re.search(r"mail (?!address|id|of|for)\w+", text)):
        raise Unmapped("no one kind of contact data is asked for")
    need_only(rest_of(query.replace("'s ", " 's "), (start, end)), _LOOK_UP | {"'s"})
    return (Call("get_contact_info", {"name": name, "key": found[0]}),), {}


def _contact(query: str, arguments: Arguments) -> Mapped:
    """A question for somebody's data, a wish to see a contact, or a call."""
    opened = re.search(r"\b(?:open|show|view|display|pull up|bring up)\b.*\bcontact\b", query.casefold())
    if not opened or arguments.get("personal_info") not in (None, "contact", "contact information", "contact details"):
        return (_call if re.match(r"(?:call|dial|phone|ring)\b", query) else _look_up)(query, arguments)
    name = _person(arguments)
    split = query.replace("'s ", " 's ")
    carriers = _POLITE | words_of("open show view display pull up bring contact information details info of named 's")
    need_only(rest_of(split, find_span(split, name)), carriers)
    return contact_then(name, "uri", lambda found: Call("ACTION_VIEW_CONTACT", {"contact_uri": found})), {}


def _place(query: str, arguments: Arguments) -> Mapped:
    """A place on the map: all that is said of it, with what is near, as it stands in the request."""
    slots = ("Keyword", "Address", "business_name", "business_type", "food_type", "place_name")
    unknown = set(arguments) - set(slots)
    parts = [
        part
        for slot in slots
        for part in (arguments[slot] if isinstance(arguments.get(slot), list) else [arguments.get(slot)])
        if part
    ]
    if unknown or not parts:
        raise Unmapped("no place, or more than a place")
    spans = [find_span(query, part) for part in parts]
    start, end = min(first for first, _ in spans), max(last for _, last in spans)
    left = re.search(rf"\b{_NEAR}\s+$", query[:start], re.IGNORECASE)
    right = re.match(rf"\s+{_AFTER}\b", query[end:], re.IGNORECASE)
    start, end = (left.start() if left else start), (end + right.end() if right else end)
    between = rest_of(query[start:end], *((a - start, b - start) for a, b in spans))
    need_only(
        between,
        words_of("in at on near by of the and close to next nearest closest best good local nearby")
        | set(_AFTER_WORDS),
    )
    need_only(rest_of(query, (start, end)), _MAP)
    return (Call("search_location", {"query": query[start:end].strip()}),), {}


_AFTER_WORDS = words_of("near me nearby by here around close in my the area city intersection corner town state")


def _question(query: str, arguments: Arguments) -> Mapped:
    """A question of general knowledge is searched as it was asked."""
    text = re.sub(
        r"^(?:olly|alexa|siri|hey|ok|okay|google|please|,|\s)+|(?:please|olly|[?.!\s])+$", "", query, flags=re.I
    )
    if not _QUESTION.match(text) or _OWN.search(text.casefold()) or not 4 <= len(text.split()) <= 14 or not arguments:
        return _any_intent(query, arguments)
    return (Call("web_search", {"query": text}),), {}


def _recipe(query: str, arguments: Arguments) -> Mapped:
    found = re.search(r"\b(?:\w+ )?recipes? (?:for|of) .+?(?= please|[?.!]*$)", query, re.IGNORECASE)
    food = arguments.get("food_type")
    if not found or not isinstance(food, str):
        return _question(query, arguments)
    topic = re.sub(r"^(?!recipe)(?:a|the|me|some|find|get|is|any) ", "", found.group())
    if food.casefold() not in topic.casefold():
        raise Unmapped("the dish is not in the recipe's name")
    carriers = _POLITE | words_of("find get give show search look up is there any some what's what the good tell")
    need_only(rest_of(query, find_span(query, topic)), carriers)
    return (Call("web_search", {"query": topic}),), {}


def _mail(query: str, arguments: Arguments) -> Mapped:
    subject, body = arguments.get("EmailSubject"), arguments.get("Message")
    dictated = re.search(
        r"\bsubject (?:is )?(?P<subject>.+?) (?:and )?(?:body|message|content) (?:is )?(?P<body>.+)$", query
    )
    if dictated:
        subject, body = dictated["subject"], dictated["body"]
    if not subject or not body:
        raise Unmapped("subject and text are not both said")
    values = {"subject": subject, "body": body}
    return contact_then(_person(arguments), "email", lambda found: Call("send_email", {"to": [found], **values})), {}


def _new_contact(query: str, arguments: Arguments) -> Mapped:
    address = arguments.get("email_address")
    if (
        not isinstance(address, str)
        or not re.search(r"\bcontacts?\b", query)
        or re.search(r"\bsend\b|information", query)
    ):
        raise Unmapped("no contact data are said")
    find_span(query, address)
    plain = re.sub(r"\s*\b(dot|at)\b\s*", lambda mark: "." if mark[1] == "dot" else "@", address).replace(" ", "")
    if not re.fullmatch(r"[\w.+-]+@[\w-]+(?:\.[a-z]{2,4})+", plain):
        raise Unmapped("the address is not plain")
    info = {"email": plain} | ({"name": _person(arguments)} if arguments.get("person") else {})
    return (Call("ACTION_INSERT_CONTACT", {"contact_info": info}),), {"0.contact_info": address}


def _any_intent(query: str, arguments: Arguments) -> Mapped:
    """What the words alone say, whatever a set calls it: a search, a timer, a number to call, a settings screen."""
    text = query.casefold()
    asked = _SEARCH.match(query)
    if asked and re.search(r"google|web|internet", text) and not re.search(r",|\band (?:then|get|book|play)\b", text):
        if _OWN.search(asked["topic"].casefold()) or "search" in asked["topic"]:
            raise Unmapped("the topic is not plain")
        google = asked["google"] or text.startswith(("google", "please google", "can you google", "could you google"))
        return (
            Call("web_search", {"query": asked["topic"].strip("'\"")} | ({"engine": "google"} if google else {})),
        ), {}
    if re.search(r"\b(?:timer|count ?down)\b", text):
        return _timer(query, arguments)
    if re.search(r"\b(?:voice call|call|dial)\b", text) and _number_words(query):
        carriers = _CALL | words_of("voice have has help would could")
        need_only(rest_of(query, find_span(query, _number_words(query))), carriers)
        return (Call("dial", {"phone_number": _number_words(query)}),), {}
    if re.search(r"\balarm\b", text) and re.search(r"\bset\b", text):
        return _alarm(query, {})
    if re.match(r"(?:please |can you |could you )?(?:turn (?:on|off)|switch (?:on|off)|enable|disable|open)\b", text):
        kind = setting_of(query)
        carriers = _POLITE | words_of("turn switch on off enable disable open settings setting phone mode wi fi gps")
        need_only([word for word in rest_of(query) if word not in kind.split("_")], carriers)
        return (Call("open_settings", {"setting_type": kind}),), {}
    raise Unmapped("no function that takes the same values")


_MAPPERS: Mapping[str, Callable[[str, Arguments], Mapped]] = {
    "alarm_set": _alarm, "alarm.setAbsolute": _alarm, "alarm_query": _alarms, "timer.set": _timer,
    "phone_OutgoingCall": _call, "call.name": _call, "call.number": _call,
    "people_GetPhoneNumber": _look_up, "people_GetEmailAddress": _look_up, "email_querycontact": _contact,
    "pointofinterest_FindPointOfInterest": _place, "pointofinterest_GetDirections": _place,
    "recommendation_locations": _place, "transport_query": _place,
    "qa_factoid": _question, "qa_definition": _question, "cooking_recipe": _recipe,
    "email_SendEmail": _mail, "email_sendemail": _mail, "email_addcontact": _new_contact,
}  # fmt: skip
