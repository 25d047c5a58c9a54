"""Evidence in a query's words: a word or its like, a spoken address, a kind of file, what a parameter is about."""

from __future__ import annotations

import re

from camphor.device.text import COMMON, near, words
from camphor.tools.tool import Parameter
from camphor_lab.datasets.instruct.numerals import numbers_in
from camphor_lab.datasets.instruct.said import Said

# Words that any sentence may have and that carry no value by themselves, and what letters open and close with.
_FREE = COMMON | frozenset(
    words(
        "about above after again all also am any back because been before being but could did don doing each few had"
        " has have having he her here him his if into its just let like ll ve re d s t m more most no not off once only"
        " other out over own please she should so some such than that's their them then these they those too under"
        " until up us very were while whom why would you're hi hey hello dear regards best thanks thank cheers"
        " sincerely everyone"
    )
)
_ENDINGS = ("ing", "ion", "ions", "edly", "ed", "es", "ly", "s", "er", "e")
_SHORTEST_STEM = 3
_A_MISS_IN = 6  # of so many words of a long text one may be the writer's own
_MOST_JOINED = 6

# What people call files of a type and things that functions are asked about: general English, no function's.
_CALLED = {
    "image": "photo picture image pic snapshot screenshot selfie wallpaper avatar drawing",
    "video": "video clip movie film footage recording",
    "audio": "audio song music sound recording podcast voice track tune",
    "text": "text txt note plain script log",
    "application": "document file app archive",
    "plain": "text txt note plain", "pdf": "pdf", "jpeg": "jpg jpeg photo", "png": "png", "mpeg": "mp3 mpeg music song",
    "mp4": "mp4 video", "html": "html web page", "csv": "csv spreadsheet", "zip": "zip archive",
    "msword": "word doc document", "vnd.ms-excel": "excel spreadsheet sheet xls",
    "vnd.openxmlformats-officedocument.wordprocessingml.document": "word docx document",
    "vnd.openxmlformats-officedocument.spreadsheetml.sheet": "excel spreadsheet sheet xlsx",
    "vnd.ms-powerpoint": "powerpoint slides presentation ppt",
    "vnd.openxmlformats-officedocument.presentationml.presentation": "powerpoint slides presentation pptx",
    "phone": "number call ring dial text mobile cell telephone message sms",
    "email": "mail inbox e", "address": "live lives living where street home location", "uri": "edit change update",
    "company": "work works employer firm job", "all": "everything entire whole any",
}  # fmt: skip
# Codes that are written for what people say in words (ISO 4217, ISO 639-1).
_CODES = {
    "USD": "dollar dollars buck bucks", "EUR": "euro euros", "GBP": "pound pounds sterling quid", "JPY": "yen",
    "CNY": "yuan renminbi", "INR": "rupee rupees", "CHF": "franc francs", "KRW": "won", "BRL": "real reais",
    "en": "english", "fr": "french", "de": "german", "es": "spanish", "it": "italian", "pt": "portuguese",
    "nl": "dutch", "pl": "polish", "ru": "russian", "ja": "japanese", "zh": "chinese", "ko": "korean", "ar": "arabic",
    "hi": "hindi", "tr": "turkish", "sv": "swedish", "el": "greek",
}  # fmt: skip
_ANY_FILE = "file files anything something document documents attachment item items stuff media content"
_SIGNS = {"at": "@", "dot": ".", "underscore": "_", "dash": "-", "hyphen": "-", "slash": "/"}
_SEVERAL = frozenset(words("several multiple some few many all both couple various more pair dozen bunch set"))
_OF_SWITCHES = frozenset(words("true false default defaults whether boolean value specify specifying optional extra"))
_WHOLE_DAY = re.compile(r"\b(?:all|whole|entire|full)[ -]?day\b")
_MANY = re.compile(r"\b(?:multiple|several|many|more than one|one or more)\b", re.IGNORECASE)


def content(text: str) -> set[str]:
    """The words of a text that carry meaning."""
    return {word for word in words(text) if word not in _FREE}


def alike(one: str, other: str) -> bool:
    """Whether two words are forms of one: inflected, with a slip, or one at the end of the other (email, mail)."""
    if one == other or near(one, other) or _stems(one) & _stems(other):
        return True
    short, long = sorted((one, other), key=len)
    return len(short) > _SHORTEST_STEM and long.endswith(short)


def _stems(word: str) -> set[str]:
    found = {word}
    for ending in _ENDINGS:
        if word.endswith(ending) and len(word) - len(ending) >= _SHORTEST_STEM:
            stem = word[: -len(ending)]
            found |= {stem, stem[:-1]} if len(stem) > _SHORTEST_STEM and stem[-1:] == stem[-2:-1] else {stem}
            if ending == "es" and stem.endswith("i"):
                found.add(stem[:-1] + "y")
    return found


def heard(said: Said, word: str) -> bool:
    """Whether a word, a form of it or what people call it is in the query."""
    called = (word, *_CALLED.get(word, "").split())
    return any(alike(each, other) for each in called for other in said.words)


def coded(said: Said, value: str) -> bool:
    """A code for a currency or a language whose name is said."""
    return not set(_CODES.get(value, "").split()).isdisjoint(said.words)


def joined(said: Said, value: str) -> bool:
    """Whether the query says a value with other spaces and marks: "Wi-Fi" and wifi."""
    wanted = "".join(words(value.replace("_", " ")))
    spoken = said.words
    return bool(wanted) and any(
        "".join(spoken[start : start + size]) == wanted
        for size in range(1, _MOST_JOINED + 1)
        for start in range(len(spoken) - size + 1)
    )


def worded(said: Said, value: str) -> bool:
    """Whether a free text is made of the query's words and numbers.

    Small words are free where others carry the meaning; of a long text one word in six may be the writer's own, but no
    number.
    """
    if joined(said, value):
        return True
    stem, _, ending = value.rpartition(".")
    if stem and re.fullmatch(r"[A-Za-z0-9]{1,5}", ending) and " " not in value:
        # a file's name: its ending is a kind of file
        value = re.sub(r"[_\W]+|(?<=[a-z])(?=[A-Z])", " ", stem)
    spoken = content(value)
    if not spoken:
        return bool(set(words(value)) & set(said.words))
    figures = {word for word in spoken if any(char.isdigit() for char in word)}
    if any(not _figure(said, figure) for figure in figures):
        return False
    numerals = {word for word in spoken - figures if word not in said.words and numbers_in(word) & said.numbers}
    missing = [word for word in spoken - figures - numerals if not any(alike(word, other) for other in said.words)]
    return len(missing) <= len(spoken) // _A_MISS_IN


def _figure(said: Said, figure: str) -> bool:
    found = numbers_in(figure)
    clocks = {float(part) for clock in said.clocks for part in (*clock, clock[0] % 12)}
    days = {float(part) for day in said.days for part in (day.year, day.month, day.day)}
    return figure in said.words or (bool(found) and found <= said.numbers | clocks | days)


def spoken_address(said: Said, address: str) -> bool:
    """An address that is written in the query, or dictated: "bob at mail dot com"."""
    folded = said.folded
    if address.casefold() in folded:
        return True
    dictated = folded
    for spoken, sign in _SIGNS.items():
        dictated = re.sub(rf"\s+\(?{spoken}\)?\s+", sign, dictated)
    return address.casefold() in dictated


def spoken_type(said: Said, kind: str, form: str) -> bool:
    """A MIME type, meant by what people call such files; `*/*` by any of them."""
    if kind == "*":
        return any(alike(each, other) for each in _ANY_FILE.split() for other in said.words)
    if form == "*":
        return heard(said, kind)
    return heard(said, form) if form in _CALLED else any(heard(said, part) for part in content(form.replace("-", " ")))


def speaks_of(said: Said, parameter: Parameter) -> bool:
    """Whether the query has a word of what a switch is about, or, of one for several things, speaks of several."""
    about = f"{parameter.name.replace('_', ' ')} {parameter.description}"
    topic = content(about) - _OF_SWITCHES
    if _MANY.search(about):
        plural = {word for word in said.words if word.endswith("s") and any(alike(word, other) for other in topic)}
        plural |= {word for word in said.words if word.endswith("s") and len(word) > 3 and word not in _FREE}
        return bool(plural or _SEVERAL & set(said.words) or any(number >= 2 for number in said.numbers))
    name = content(parameter.name.replace("_", " ")) - {"extra", "is", "allow"}
    if _WHOLE_DAY.search(about.casefold()) and _WHOLE_DAY.search(said.folded):
        return True
    return any(alike(word, other) for word in (name or topic) for other in said.words)
