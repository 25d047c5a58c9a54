"""Which words a record is remembered by, and questions as clauses."""

from __future__ import annotations

import re
from collections import Counter
from functools import lru_cache

from camphor.device.text import words
from camphor_lab.datasets.bank import load

# Function words, and words of content files that say nothing about what a thing is.
_THIN = """
it's this that with from have your mine will they them there here what when where which and the for but not you
are was were has had his her him she he its our out off over under into onto than then too also just only still even
ever never always often again already yet soon now next last first new old big small little good bad best great nice
quick slow long short hard easy free full late early ready sure really very much many more most some any all each
every other another same such own few one two three four five six seven eight nine ten half about after before
between during since until till while because though without within get got gets go goes going gone come came comes
coming make made makes take took takes taking give gave given put let keep kept need needs want wants like likes
liked     know knew think thought say said says see saw seen look looks find found tell told ask asked call called
use used work     works working leave left back down away up please thanks thank sorry okay yes who whom whose why
how can can't could     would should shall must may might don't doesn't didn't isn't aren't won't let's i'm i've
i'll you're we're they're     today tomorrow yesterday tonight morning evening afternoon week month year day days
time times minute minutes hour     hours thing things something anything nothing everything someone anyone everyone
way bit lot kind sort part rest     reading writing bring brings buy bought send sent done doing does did being been
into per via plus less least around     against across along behind inside outside near far high low open closed
close start started stop stopped end ended     update updated final ahead apart else once twice
"""
THIN = frozenset(_THIN.split())
RARE = 40  # a word that stands in more lines of the bank's content than this names nothing by itself


@lru_cache(maxsize=1)
def _counts() -> Counter[str]:
    return Counter(word for lines in load()["content"].values() for line in lines for word in set(words(line)))


def weight(word: str) -> bool:
    """True where a word names something: long enough, rare in the bank, no participle, no adverb."""
    plain = word.lower()
    if len(plain) < 4 or plain in THIN or not plain[0].isalpha():
        return False
    if plain.endswith(("ing", "ly")) and len(plain) > 5 and plain not in _NOUNS:
        return False
    return _counts()[words(plain)[0] if words(plain) else plain] <= RARE


_NOUNS = frozenset(
    ("meeting", "building", "parking", "wedding", "training", "painting", "ceiling", "viewing", "booking")
)
_INVERTED = re.compile(
    r"(what|where|when|until when|(?:which|what|how) \w+) (is|are|was|were) (.+?)"
    r"( now| due| parked| off| valid| booked| in| on| \w+ing)?"
)
_VERB = re.compile(r"\b(is|are|was|were|do|does|did|can|could|will|would|has|have|should|may|must)\b")


def as_clause(question: str) -> str | None:
    """A question as it stands inside a sentence ("where the key is"); None where that takes more than a new order.

    Questions without a verb ("the gate code") and about a subject ("who's bringing the salad") stay as they are.
    """
    if "," in question or question.startswith(("what's up", "how's")):
        return None
    if found := re.fullmatch(r"(what|where|when)'s (?!on\b)(.+)", question):
        return f"{found[1]} {found[2]} is"
    if re.match(r"(who|what)'s \w+ ?", question):
        return question
    if question.endswith(" mine"):
        return question
    if found := _INVERTED.fullmatch(question):
        asked, verb, subject, tail = found[1], found[2], found[3], found[4] or ""
        if subject in ("the", "a", "an", "my", "our", "that"):
            subject, tail = subject + tail, ""
        return None if subject.split()[0] == "I" or " to be" in subject else f"{asked} {subject} {verb}{tail}"
    if found := re.fullmatch(r"(where|when) do (we|you) (.+)", question):
        return f"{found[1]} {found[2]} {found[3]}"
    return None if _VERB.search(question) else question
