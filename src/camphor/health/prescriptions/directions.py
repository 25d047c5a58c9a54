"""The directions of one line of a prescription: strength, dose, route, when, with food or not, how long.

Written for how prescriptions are abbreviated in English: Latin (bd, tds, qid, prn), numbers by meal (1-0-1), days as
fractions (5/7: five days, 2/52: two weeks, 3/12: three months) and plain words. Each direction takes its words out of
the line, so that what is left was not understood and can be shown. What people are known to misread (a naked decimal
point, a trailing zero, letters among digits) is a doubt, never a value: ISMP, List of Error-Prone Abbreviations.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field

_WORDS = {
    "half": "0.5", "one": "1", "two": "2", "three": "3", "four": "4", "five": "5", "six": "6", "seven": "7",
    "eight": "8", "nine": "9", "ten": "10", "twelve": "12", "fourteen": "14", "once": "1", "twice": "2", "thrice": "3",
    "a": "1", "an": "1", "i": "1", "ii": "2", "iii": "3",
}  # fmt: skip
_N = r"(?:\d+(?:[.,]\d+)?|\d+/\d+|\d+ \d/\d)"
_SPELT = "half|one|two|three|four|five|six|seven|eight|nine|ten|twelve|fourteen"
_NUMBER = rf"(?:{_N}|{_SPELT}|iii|ii|i|an|a)"
_MASS = r"(?:mg|mcg|ug|microgram(?:me)?s?|milligram(?:me)?s?|gram(?:me)?s?|gm|g|iu|i\.u\.|mmol|meq|%)"
_VOLUME = r"(?:ml|millilit(?:er|re)s?|l)"
_COUNT = (
    r"(?:tab(?:let)?s?|cap(?:sule)?s?|puffs?|drops?|gtts?|sachets?|sprays?|patch(?:es)?|suppositor(?:y|ies)|units?|iu|"
    r"pessar(?:y|ies)|lozenges?|nebules?|ampoules?|teaspoons?|tsp|tablespoons?|tbsp|applications?|inhalations?|"
    r"spoonfuls?|5 ?ml spoonfuls?)"
)
_UNITS = {
    "tab": "tablet", "cap": "capsule", "gtt": "drop", "tsp": "teaspoon", "tbsp": "tablespoon", "unit": "unit",
    "iu": "unit",
}  # fmt: skip
FORMS = {
    r"tab(?:let)?s?|tbl": "tablet", r"cap(?:sule)?s?": "capsule", r"syr(?:up)?|syp": "syrup",
    r"susp(?:ension)?": "suspension", r"inj(?:ection)?": "injection", r"inhaler|mdi|dpi": "inhaler",
    r"eye drops?": "eye drops", r"ear drops?": "ear drops", r"oint(?:ment)?": "ointment", r"cream": "cream",
    r"gel": "gel", r"(?:transdermal )?patch(?:es)?": "patch", r"supp(?:ositor(?:y|ies))?": "suppository",
    r"sachets?": "sachet", r"(?:nasal )?spray": "spray", r"soln?|solution": "solution", r"pessar(?:y|ies)": "pessary",
    r"nebules?": "nebule", r"drops?": "drops", r"pen": "pen",
}  # fmt: skip
_ROUTES = {
    r"p\.?o\.?|per os|oral(?:ly)?|by mouth": "by mouth",
    r"s\.?l\.?|sublingual(?:ly)?|under the tongue": "under the tongue",
    r"i\.?m\.?|intramuscular(?:ly)?": "into a muscle", r"i\.?v\.?|intravenous(?:ly)?": "into a vein",
    r"s\.?c\.?|subcut(?:aneous(?:ly)?)?|sub q": "under the skin", r"p\.?r\.?|rectal(?:ly)?": "into the rectum",
    r"p\.?v\.?|vaginal(?:ly)?": "into the vagina", r"inh|inhale[ds]?|by inhalation": "inhaled",
    r"(?:in(?:to)? )?(?:the )?right eye": "into the right eye",
    r"(?:in(?:to)? )?(?:the )?left eye": "into the left eye",
    r"(?:in(?:to)? )?(?:both|each) eyes?": "into both eyes", r"(?:in(?:to)? )?(?:each|both) nostrils?": "into the nose",
    r"top(?:ical(?:ly)?)?|(?:apply )?to (?:the )?(?:affected )?(?:area|skin)": "on the skin",
}  # fmt: skip
_FOOD = {
    r"a\.?c\.?|before (?:each |every )?(?:food|meals?|eating)": "before food",
    r"(?:30 min(?:ute)?s? |half an hour )?before(?= +(?:breakfast|lunch|dinner))": "before food",
    r"p\.?c\.?|after (?:each |every )?(?:food|meals?|eating)": "after food",
    r"after(?= +(?:breakfast|lunch|dinner))": "after food",
    r"with (?:or after )?(?:each |every )?(?:food|meals?|milk)": "with food",
    r"with(?= +(?:breakfast|lunch|dinner))": "with food",
    r"(?:on |an )*empty stomach": "on an empty stomach",
}  # fmt: skip
_SLOTS = {
    r"o\.?m\.?|mane|q\.?a\.?m\.?|(?:in |every )?(?:the )?mornings?|(?:at )?breakfast": "morning",
    r"(?:at )?(?:noon|midday|lunch(?:time)?)|(?:in )?(?:the )?afternoons?": "noon",
    r"q\.?p\.?m\.?|(?:in |every )?(?:the )?evenings?|(?:at )?(?:dinner|supper)(?:time)?": "evening",
    r"nocte|h\.?s\.?|q\.?h\.?s\.?|(?:at )?(?:bed ?time|night(?:ly|time)?)|before bed|every night": "bed",
}  # fmt: skip
_TIMES_A_DAY = {
    r"o\.?d\.?|q\.?d\.?|(?:once )?(?:daily|(?:a|per|each|every) day)|o\.?i\.?d\.?|every 24 h(?:ou)?rs?": 1,
    r"b\.?d\.?|b\.?i\.?d\.?|b\.?d\.?s\.?|(?:twice|two times|2 (?:times|x)|2x) ?(?:daily|(?:a|per|each) day)": 2,
    r"t\.?d\.?s\.?|t\.?i\.?d\.?|(?:thrice|three times|3 (?:times|x)|3x) ?(?:daily|(?:a|per|each) day)": 3,
    r"q\.?d\.?s\.?|q\.?i\.?d\.?|(?:four times|4 (?:times|x)|4x) ?(?:daily|(?:a|per|each) day)": 4,
    r"(?:five times|5 (?:times|x)|5x) ?(?:daily|(?:a|per|each) day)": 5,
    r"(?:six times|6 (?:times|x)|6x) ?(?:daily|(?:a|per|each) day)": 6,
}
_DAYS = ("mon", "tue", "wed", "thu", "fri", "sat", "sun")
_DAY_WORD = r"(?:mon|tues?|wed(?:nes)?|thu(?:rs?)?|fri|sat(?:ur)?|sun)(?:days?)?"
_LENGTHS = {"d": 1, "w": 7, "m": 30, "y": 365}
_LOOKS_NUMBER = re.compile(
    rf"(?<![\w.])(?=[\dOoIlSB?_*.,]*[OoIlSB?_*])(?:[\dOoIlSB?_*.,]*\d[\dOoIlSB?_*.,]*|[?_*]+)\s*(?={_MASS}\b|{_VOLUME}\b)",
    re.IGNORECASE,
)
_MENDED = str.maketrans("OoIlSB", "001158")


@dataclass
class Directions:
    """What one line says. Values are as they will be shown; `text` of each is what was read for it, under its name.

    `times_a_day`, `slots`, `counts` (of 1-0-1), `clock` (HH:MM), `weekdays`, `every_days`, `every_hours`: all that was
    said about when. `doubts`: by field, what is wrong with it and what it may be. `left`: what was not understood.
    """

    left: str
    strength: str = ""
    dose: str = ""
    form: str = ""
    route: str = ""
    food: str = ""
    times_a_day: int = 0
    slots: list[str] = field(default_factory=list)
    counts: list[str] = field(default_factory=list)
    clock: list[str] = field(default_factory=list)
    weekdays: list[int] = field(default_factory=list)
    every_days: int = 0
    every_hours: float = 0.0
    as_needed: bool = False
    most: str = ""
    once: bool = False
    days: int = 0
    ongoing: bool = False
    quantity: str = ""
    read: dict[str, str] = field(default_factory=dict)
    doubts: dict[str, tuple[str, tuple[str, ...]]] = field(default_factory=dict)

    @property
    def when(self) -> bool:
        """Whether anything was said about when."""
        told = (self.times_a_day, self.slots, self.counts, self.clock, self.weekdays, self.every_days, self.every_hours)
        return any(told) or self.once or self.as_needed

    @property
    def any(self) -> bool:
        return self.when or bool(self.dose or self.days or self.route or self.food)

    def take(self, pattern: str, name: str, *, every: bool = False, cased: bool = False) -> list[re.Match[str]]:
        """Finds a pattern as words of its own, notes it under a name and takes it out of the line."""
        compiled = re.compile(rf"(?<![\w/.])(?:{pattern})(?![\w/])\.?", 0 if cased else re.IGNORECASE)
        found = list(compiled.finditer(self.left))[: None if every else 1]
        for match in reversed(found):
            start, end = match.span()
            self.left = self.left[:start] + " " * (end - start) + self.left[end:]
        if found:
            said = " ".join(match.group().strip() for match in found)
            self.read[name] = f"{self.read[name]} {said}" if name in self.read else said
        return found


def spaced(line: str) -> str:
    """The line in plain characters, with a space between digits and letters that were written or read together."""
    for before, after in (("½", " 1/2"), ("¼", " 1/4"), ("×", "x"), ("–", "-"), ("—", "-"), ("µ", "u"), ("μ", "u")):
        line = line.replace(before, after)
    if not _LOOKS_NUMBER.search(line):
        line = re.sub(r"(?<=\d)(?=[A-Za-z]{1,})", " ", line)
        line = re.sub(r"(?<=[A-Za-z]{2})(?=\d)|(?<=[xq])(?=\d)", " ", line, flags=re.IGNORECASE)
    return " ".join(line.split())


def read_directions(line: str) -> Directions:
    """All directions that a line says."""
    said = Directions(spaced(line))
    for step in _STEPS:
        step(said)
    return said


def number_of(text: str) -> float:
    """The number that is written: "2", "0,5", "1,000", "1/2", "1 1/2", "one"."""
    text = _WORDS.get(text.strip().casefold(), text.strip())
    text = text.replace(",", "" if re.fullmatch(r"\d{1,3},\d{3}", text) else ".")
    total = 0.0
    for part in text.split():
        above, _, below = part.partition("/")
        total += float(above) / (float(below or 1) or 1)
    return total


def amount_text(number: str, unit: str = "") -> str:
    """An amount as it is shown: "1 tablet", "2 puffs", "0.5 tablets"."""
    value = number_of(number)
    shown = f"{value:.9g}"
    return f"{shown} {unit if value == 1 else unit + 's'}" if unit else shown


def _unreadable(said: Directions) -> None:
    for match in _LOOKS_NUMBER.finditer(said.left):
        end = re.match(rf"{_MASS}|{_VOLUME}", said.left[match.end() :], re.IGNORECASE)
        unit = end.group() if end else ""
        read = match.group().strip()
        mended = read.translate(_MENDED)
        candidates = (f"{mended} {unit}",) if re.fullmatch(r"\d+(?:[.,]\d+)?", mended) else ()
        said.doubts["strength"] = (f"{read!r} {unit} cannot be read as a number", candidates)
        said.read["strength"] = f"{read} {unit}"
        stop = match.end() + len(unit)
        said.left = said.left[: match.start()] + " " * (stop - match.start()) + said.left[stop:]
        return


def _length(said: Directions) -> None:
    said.take(
        r"(?:disp(?:ense)?|qty|quantity|refills?|repeats?)[:.]? *#? *\d+ *(?:tab\w*|cap\w*|ml)?|# *\d+",
        "quantity",
        every=True,
    )
    said.quantity = said.read.get("quantity", "")
    found = said.take(r"(?:x|for)? *(\d+)/(7|52|12)", "duration")
    if found:
        count, unit = int(found[0][1]), {"7": 1, "52": 7, "12": 30}[found[0][2]]
        said.days = count * unit
        return
    unit_words = r"d(?:ays?)?|w(?:ee)?ks?|mon?ths?|mths?|years?|yrs?"
    found = said.take(rf"(?:x|for(?: the next)?|during|duration:?) *({_NUMBER}) *({unit_words})", "duration")
    found = found or said.take(r"(\d+) *(days|weeks|wks|months|mths)(?= *$| *[,.;)])", "duration")
    if found:
        said.days = round(number_of(found[0][1]) * _LENGTHS[found[0][2][0].lower()])
    said.ongoing = bool(
        said.take(r"long[- ]term|continue[ds]?|ongoing|until (?:told|review|further notice)|lifelong", "duration")
    )


def _needed(said: Directions) -> None:
    # SOS stands for "si opus sit" on a prescription
    pattern = r"p\.?r\.?n\.?|s\.?o\.?s\.?|(?:only )?(?:as|if|when|where) (?:needed|required|necessary)"
    said.as_needed = bool(said.take(pattern, "when"))
    found = said.take(
        rf"\(? *max(?:imum)?\.?:? *(?:of )?({_N}) *({_COUNT}|{_MASS}|times|doses|x)? *"
        r"(?:(?:a|per|each|in) *(?:day|24 *h(?:ou)?rs?)|/ *(?:day|24 *h)|daily)? *\)?",
        "most",
    )
    if found:
        said.most = f"{found[0][1]} {found[0][2] or 'doses'}".strip()


def _gaps(said: Directions) -> None:
    hours = r"(?:h(?:ou)?rs?|hourly|h)"
    found = said.take(rf"(?:q|every|each)\.? *({_N}) *(?:-|to) *({_N}) *{hours}", "when")
    if found:
        said.every_hours = number_of(found[0][1])
        if not said.as_needed:
            said.doubts["when"] = (f"{found[0].group().strip()!r} leaves open how often", ())
        return
    found = said.take(rf"(?:q|every|each)\.? *({_NUMBER}) *{hours}", "when") or said.take(
        rf"({_NUMBER})[- ]*hourly", "when"
    )
    if found:
        said.every_hours = number_of(found[0][1])
    if said.take(r"q\.?o\.?d\.?|e\.?o\.?d\.?|every (?:other|second|2nd) day|(?:on )?alternate days?", "when"):
        said.every_days = 2
    elif found := said.take(rf"every ({_NUMBER}) *days", "when"):
        said.every_days = int(number_of(found[0][1]))
    if said.take(r"(?:twice|two times|2 times|three times|3 times) *(?:weekly|(?:a|per|each) week)", "several"):
        days = said.take(_DAY_WORD, "when", every=True)
        said.weekdays = sorted({_DAYS.index(each.group().strip()[:3].lower()) for each in days})
        if not days:
            said.doubts["when"] = (f"{said.read['several']!r} does not say on which days", ())
    elif said.take(r"(?:once )?(?:weekly|(?:a|per|each|every) week)", "when"):
        said.every_days = 7
    if said.take(r"(?:once )?(?:monthly|(?:a|per|each|every) month)", "month"):
        said.doubts["when"] = (f"{said.read['month']!r} does not say on which day", ())
    said.once = bool(said.take(r"stat|(?:as )?(?:a )?single dose|immediately", "when"))


def _weekdays(said: Directions) -> None:
    days = said.take(rf"(?:on |every |each )*{_DAY_WORD}(?:(?: *[,&/] *| and ){_DAY_WORD})*", "when", every=True)
    for each in days:
        names = re.findall(r"mon|tue|wed|thu|fri|sat|sun", each.group().lower())
        said.weekdays.extend(_DAYS.index(name) for name in names)
    said.weekdays = sorted(set(said.weekdays))
    if said.weekdays and said.every_days == 7:
        said.every_days = 0


def _by_meal(said: Directions) -> None:
    part = r"(?:\d+(?:\.\d+)?|\d/\d)"
    found = said.take(rf"({part}(?: *[-+] *{part}){{2,3}})", "when")
    if found:
        said.counts = [amount_text(each) for each in re.split(r" *[-+] *", found[0][1])]


def _clock(said: Directions) -> None:
    pattern = r"(?:at |@ *|and |& *|, *)*(?:(\d{1,2})[:.](\d\d) *(am|pm|h)?|(\d{1,2}) *(am|pm|a\.m|p\.m))"
    for match in said.take(pattern, "when", every=True):
        hour, minute = int(match[1] or match[4]), int(match[2] or 0)
        half = (match[3] or match[5] or "").replace(".", "")
        hour = hour % 12 + (12 if half == "pm" else 0) if half in ("am", "pm") else hour
        if hour < 24 and minute < 60:
            said.clock.append(f"{hour:02}:{minute:02}")
        else:
            said.doubts["when"] = (f"{match.group().strip()!r} is no time of day", ())


def _often(said: Directions) -> None:
    # "OD" is the right eye, too, where something goes into eyes
    eye = said.form in ("eye drops", "ointment") or re.search(r"\b(?:eyes?|ophth\w*)\b", said.left, re.IGNORECASE)
    if eye and said.take(r"o\.?d\.?", "often"):
        said.doubts["when"] = (f"{said.read['often']!r} may mean once daily or the right eye", ())
    found: set[int] = set()
    for pattern, count in reversed(_TIMES_A_DAY.items()):
        if said.take(pattern, "when", every=True):
            found.add(count)
    if len(found) > 1:
        said.doubts["when"] = (f"{said.read['when']!r} says two different things", ())
    said.times_a_day = max(found, default=0)
    for pattern, slot in _SLOTS.items():
        if said.take(pattern, "when"):
            said.slots.append(slot)
    if said.take(r"ON(?= *$| *[,;x]| +for)", "when", cased=True):
        said.slots.append("bed")


def _food(said: Directions) -> None:
    for pattern, food in _FOOD.items():
        if said.take(pattern, "food"):
            said.food = food


def _forms(said: Directions) -> None:
    for pattern, form in FORMS.items():
        if not said.form and said.take(pattern, "form"):
            said.form = form


def _route(said: Directions) -> None:
    for pattern, route in _ROUTES.items():
        if not said.route and said.take(pattern, "route"):
            said.route = route


def _amounts(said: Directions) -> None:
    found = said.take(rf"({_NUMBER})(?: *(?:-|to|or) *({_NUMBER}))? *({_COUNT})(?: *\(s\))?", "dose")
    if found:
        unit = found[0][3].lower().rstrip("s") if not found[0][3].lower().endswith("ies") else found[0][3].lower()
        unit = _UNITS.get(unit, unit)
        first = amount_text(found[0][1], unit)
        said.dose = f"{amount_text(found[0][1])} to {amount_text(found[0][2], unit)}" if found[0][2] else first
    per = rf"(?: */ *(?:{_N} *)?(?:ml|dose|puff|actuation|g|h|hr|hour))?"
    strength = rf"{_N}(?: *{_MASS})?(?: */ *{_N}?)? *(?:{_MASS}|{_VOLUME}){per}"
    masses = said.take(strength, "strength", every=True)
    for match in masses:
        text = re.sub(r"\s+", " ", match.group().strip().rstrip("."))
        _odd(said, text)
        volume = re.fullmatch(rf"{_N} *{_VOLUME}", text, re.IGNORECASE)
        if not said.strength and not volume:
            said.strength = text
        elif not said.dose:
            said.dose = text
    if masses:
        said.read["strength"] = " ".join(match.group().strip() for match in masses)
    if re.search(r"(?<![\w/])(?:mg|mcg)(?!\w)", said.left, re.IGNORECASE) and not said.strength:
        said.doubts.setdefault("strength", ("there is a unit and no number that can be read", ()))


def _odd(said: Directions, text: str) -> None:
    if re.match(r"\d+[.,]0(?!\d)", text):
        whole = re.sub(r"[.,]0(?!\d)", "", text, count=1)
        said.doubts["strength"] = (
            f"{text!r} can be read without its point",
            (whole, re.sub(r"[.,]", "", text, count=1)),
        )


def _naked(said: Directions) -> None:
    match = re.search(rf"(?<![\d\w])[.,](\d+) *({_MASS})\b", said.left, re.IGNORECASE)
    if match:
        text = f"{match[1]} {match[2]}"
        said.doubts["strength"] = (f"{match.group().strip()!r} can be read without its point", (f"0.{text}", text))
        said.read["strength"] = match.group().strip()
        said.left = said.left[: match.start()] + " " * len(match.group()) + said.left[match.end() :]


def _changing(said: Directions) -> None:
    found = said.take(r"then|taper(?:ing)?|reduc(?:e|ing)|increas(?:e|ing)|titrate|weaning?", "changes")
    if found:
        said.doubts["when"] = ("the dose changes over time: enter each part as a medicine of its own", ())
        said.doubts["dose"] = ("the dose changes over time", ())
    if said.take(r"as directed|ut dict|u\.?d\.?|as per (?:chart|advice|plan)", "changes") and not said.when:
        said.doubts["when"] = ("it says 'as directed' and not when", ())


_STEPS: tuple[Callable[[Directions], None], ...] = (
    _unreadable, _naked, _length, _needed, _gaps, _weekdays, _by_meal, _clock, _amounts, _food, _forms, _often, _route,
    _changing,
)  # fmt: skip
