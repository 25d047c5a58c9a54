"""What a sentence of a person says, of whom: "my sister's name is Nora" is Nora, as the sister, of me.

Read by rules, so that it is certain: a sentence that none of them fits is kept whole where the person asked for it to
be remembered, and is no fact otherwise.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

from camphor.device.people import find_people, fold
from camphor.device.text import words

ME = "me"


@dataclass(frozen=True)
class Fact:
    """A sentence in the person's own words, and what it says.

    Args:
        subject: "me", a folded name, or "" where that is not clear.
        attribute: what of the subject: "dentist", "opinion of coffee"; "" for a sentence that is only kept whole.
        value: what it is: "Dr Ode", "like".
        single: whether another value of the same attribute contradicts this one.
        preference: whether it says what the person likes, and not what is so.
    """

    text: str
    subject: str = ""
    attribute: str = ""
    value: str = ""
    single: bool = False
    preference: bool = False


@dataclass(frozen=True)
class MemoryQuestion:
    """What a person asks about what they may have told: the attributes are tried in order."""

    subject: str
    attributes: tuple[str, ...]


# Somebody whom a person calls "my ...": of these "is" is followed by a name, or by what they are like.
_PEOPLE = frozenset(
    words("""
    mother mum mom mam father dad sister brother son daughter wife husband partner spouse girlfriend boyfriend fiance
    fiancee cousin aunt uncle niece nephew grandmother grandma gran granny nan grandfather grandpa grandad twin friend
    bestie mate buddy pal neighbour neighbor flatmate roommate housemate landlord landlady colleague coworker boss
    manager assistant mentor teacher professor tutor coach trainer instructor doctor gp dentist physio physiotherapist
    therapist psychologist vet lawyer solicitor accountant plumber electrician mechanic gardener cleaner hairdresser
    barber babysitter nanny sitter carer nurse godmother godfather stepmother stepfather client supervisor buddy kid
    child baby dog cat pet horse sibling optician surgeon builder carpenter pharmacist stylist""")
)
_PREDICATES = frozenset(
    words("""
    allergic vegetarian vegan pregnant married divorced single ill sick tired retired busy away abroad late tall short
    old young nice great good bad kind funny rude deaf blind diabetic coeliac celiac lactose gluten dead alive home here
    there back not no
    never always very really quite too so also still already often usually from in at on near with
    for about to into over under between behind out off up down scared afraid fond keen named called better worse well
    happy sad angry left right the a an one two three four five""")
)
_PLACES = frozenset(words("in at on near by opposite behind under inside beside"))
_PREPOSITIONS = _PLACES | frozenset(words("from for with to about"))
_LIKES = r"like|love|enjoy|adore|am fond of|am into|'m into|'m fond of|am a fan of|'m a fan of"
_DISLIKES = (
    r"hate|dislike|detest|loathe|can't stand|cannot stand|can't bear|don't like|do not like|don't enjoy|don't care for|"
    r"don't eat|don't drink|do not eat|do not drink|never eat|never drink|'m not a fan of|am not a fan of"
)
_ADVERB = r"(?:(?:really|also|still|actually|absolutely|just|always|usually|generally|especially|simply|very much) )*"
_IS = r"(?: is| are| was|'re)(?: now| still| actually)?"
_DUTY = re.compile(
    r"(?:i|we|you)(?: still| really| also)? (?:need|have|has|got|'ve got|ought|want|plan|promised|am going|'m going|am)"
    r" to\b|(?:i|we|you)(?:'ve| have)? (?:must|should|gotta|shall|got to|'d better|had better)\b|"
    r"(?:i|we)(?:'ll| will| need)\b",
    re.IGNORECASE,
)
_MINE = r"(?:my|our)"

_OWN, _OWN_SHORT = (
    re.compile(
        rf"{_MINE} (?P<attribute>.+?)(?P<named>'s names?)?{verb}(?: (?:called|named))? (?P<value>.+)", re.IGNORECASE
    )
    for verb in (_IS, "'s")
)
_TURNED, _TURNED_SHORT = (
    re.compile(rf"(?P<value>.+?){verb} {_MINE} (?P<attribute>[^,]+)", re.IGNORECASE) for verb in (_IS, "'s")
)
_OPINION = re.compile(
    rf"i ?{_ADVERB}(?:(?P<like>{_LIKES})|(?P<dislike>{_DISLIKES})) (?P<object>.+?)(?: any ?more| a lot| very much)?",
    re.I,
)
_PREFER = re.compile(
    rf"i(?:'d)? ?{_ADVERB}prefer (?P<object>.+?)(?: (?:to|over|rather than|instead of|than) (?P<other>.+))?", re.I
)
_HERS = re.compile(
    r"(?P<subject>[^\W\d_][^']{0,40}?)'s (?P<attribute>[^']+?)(?: is| are| was)(?: now)? (?P<value>.+)", re.I
)
_THEIRS = re.compile(
    r"(?P<subject>(?:the |[A-Z])[^,]{0,40}?) (?P<verb>is|are|was|has|have|likes?|loves?|hates?|prefers?|lives?|works?|"
    r"speaks?|eats?|drinks?|drives?|plays?|goes|opens?|closes?|comes?|leaves?|needs|can't|doesn't|can|means)"
    r" (?P<value>.+)"
)
_OF_ME: tuple[tuple[re.Pattern[str], str, bool], ...] = tuple(
    (re.compile(pattern, re.I), attribute, single)
    for pattern, attribute, single in (
        (
            r"i ?(?:live|am living|'m living|moved|have moved|'ve moved)(?: now)? (?:in|at|on|near|to) (.+)",
            "live",
            True,
        ),
        (r"i ?(?:work|am working|'m working)(?: now)? (?:at|for|in|with) (.+)", "work", True),
        (r"i ?(?:work|am working|'m working) as (.+)", "job", True),
        (r"i was born (?:in|on|at) (.+)", "born", False),
        (r"i ?(?:am|'m) (\d+)(?: years old)?", "age", True),
        (r"i ?(?:am|'m) called (.+)", "name", True),
        (r"(?:i go by|call me) (.+)", "name", True),
        (r"i ?(?:am|'m) allergic to (.+)", "allergic to", False),
        (r"i ?(?:am|'m) (.+)", "am", False),
        (r"i ?(?:have|'ve got|have got|'ve|own|keep) (.+)", "have", False),
        (r"i ?(?:drive) (.+)", "drive", True),
        (
            r"i ?((?:can't|cannot|don't|do not|never|always|usually|only|often|speak|play|take|drink|eat|wear|go"
            r"|do|use|"
            r"study|run|swim|get up|wake up|sleep|ride|support|read|watch|cook|sing|collect|commute|park)\b.*)",
            "do",
            False,
        ),
    )
)


def read_fact(text: str, *, whole: bool = False) -> Fact | None:
    """The fact that a sentence states; None if it states none by the rules.

    Args:
        whole: keep a sentence that no rule fits, as one without an attribute, if it reads like a statement.
    """
    said = _plain(text)
    if not said or len(words(said)) < 2 or _DUTY.match(said):
        return None
    for read in (_own, _turned, _opinion, _of_me, _of_another):
        fact = read(said)
        if fact is not None:
            return fact
    return Fact(_sentence(said)) if whole and len(words(said)) > 2 and not re.match(r"to\b", said, re.I) else None


def read_question(query: str) -> MemoryQuestion | None:
    """What of themselves, or of somebody, a person asks: "who's my dentist again?" asks of me the dentist."""
    said = _plain(query).rstrip("? ")
    said = re.sub(_BEFORE_QUESTION, "", said, flags=re.I)
    said = re.sub(r" (?:again|called|now|please|anyway)$", "", said, flags=re.I)
    for pattern, attributes in _ASKED_OF_ME:
        if found := pattern.fullmatch(said):
            kinds = tuple(attribute.format(*map(_attribute, found.groups(""))) for attribute in attributes)
            return MemoryQuestion(ME, kinds)
    for pattern in _ASKED:
        if found := pattern.fullmatch(said):
            parts = found.groupdict("")
            attribute = _attribute(parts["attribute"])
            if not attribute or len(attribute.split()) > 5:
                return None
            subject = fold(parts.get("subject", "")) or ME
            places = (f"{attribute} in",) if parts.get("ask", "").casefold() == "where" else ()
            return MemoryQuestion(subject, (*places, attribute))
    return None


_BEFORE_QUESTION = (
    r"^(?:(?:hey|hi|ok|okay|so|and|um|please|remember|well)[,! ]+)*"
    r"(?:(?:do|can|could|did|would) you (?:still )?(?:please )?(?:know|remember|recall|tell me"
    r"|remind me)(?: again)?,? |"
    r"tell me,? |i (?:forgot|forget|can't remember|don't remember|cannot remember) )?"
)
_ASK = r"(?P<ask>who|what|when|where|which|how old|how big|how tall)"
_ASKED = tuple(
    re.compile(pattern, re.I)
    for pattern in (
        rf"(?:what|who)(?:'s| is| are|s) the names? of {_MINE} (?P<attribute>.+)",
        rf"{_ASK}(?:'s| is| are| was|s) {_MINE} (?P<attribute>.+?)(?:'s names?)?",
        rf"{_ASK} {_MINE} (?P<attribute>.+?)(?:'s names?)? (?:is|are|was)",
        rf"{_MINE} (?P<attribute>.+?)(?:'s names?)?",
        rf"{_ASK}(?:'s| is| are| was) (?P<subject>[^\W\d_][^']{{0,40}})'s (?P<attribute>.+)",
        rf"{_ASK} (?P<subject>[^\W\d_][^']{{0,40}})'s (?P<attribute>.+?) (?:is|are|was)",
    )
)
_ASKED_OF_ME: tuple[tuple[re.Pattern[str], tuple[str, ...]], ...] = tuple(
    (re.compile(pattern, re.I), attributes)
    for pattern, attributes in (
        (r"where do i live|where i live|(?:what's|what is) my home town", ("live",)),
        (r"where do i work|where i work|who do i work for", ("work",)),
        (r"what do i do for a living|what do i work as|what(?:'s| is) my (?:job|profession)", ("job",)),
        (r"how old am i|what(?:'s| is) my age", ("age",)),
        (r"(?:when|where) was i born", ("born",)),
        (r"what am i allergic to|my allergies|what(?:'s| is| are) my allerg(?:y|ies)", ("allergic to",)),
        (r"do i (?:really )?(?:like|love|enjoy|hate|dislike|eat|drink) (.+)", ("opinion of {0}",)),
        (r"what do i think (?:of|about) (.+)", ("opinion of {0}",)),
        (r"(?:what|which) (.+?) do i (?:prefer|like|want)(?: most| best)?", ("prefers {0}", "favourite {0}")),
    )
)


def same_attribute(one: str, other: str) -> bool:
    """Whether two attributes are the same thing in other words: "mum" and "mother"."""
    if words(one) == words(other):
        return True
    return bool(one and other) and _related(one, other) and _related(other, one)


def _related(said: str, relationship: str) -> bool:
    return bool(find_people(said, [{"name": "", "relationship": relationship}]))


def opposite(one: Fact, value: str) -> bool:
    """Whether the value contradicts the fact, of the same attribute."""
    return words(one.value) != words(value)


def to_you(text: str) -> str:
    """The person's sentence as it is said back to them: "My sister likes me" becomes "Your sister likes you"."""
    said = _TO_YOU_WORD.sub(lambda found: _TO_YOU[found[0].casefold()], text)
    return said[:1].upper() + said[1:]


_TO_YOU: Mapping[str, str] = {
    "i am": "you are", "i was": "you were", "i'm": "you're", "i've": "you've", "i'll": "you'll", "i'd": "you'd",
    "i": "you", "my": "your", "mine": "yours", "me": "you", "myself": "yourself", "we're": "you're", "we": "you",
    "our": "your", "ours": "yours", "us": "you", "am": "are",
}  # fmt: skip
_TO_YOU_WORD = re.compile(r"\b(?:" + "|".join(sorted(map(re.escape, _TO_YOU), key=len, reverse=True)) + r")\b", re.I)


def _own(said: str) -> Fact | None:
    """My ... is ..."""
    found = _OWN.fullmatch(said) or _OWN_SHORT.fullmatch(said)
    if not found or len(words(found["attribute"])) > 6:
        return None
    attribute, value = _attribute(found["attribute"]), found["value"]
    named = bool(found["named"]) or bool(re.search(r" (?:called|named) ", said, re.I))
    first = words(value)[0] if words(value) else ""
    if not attribute or not first:
        return None
    if first in _PREPOSITIONS and not named:
        place = "in" if first in _PLACES else first
        return Fact(_sentence(said), ME, f"{attribute} {place}", value, True)
    if attribute.split()[-1] in _PEOPLE and not named and not _is_name(value, said):
        return Fact(_sentence(said), ME, f"{attribute} is", value)
    preference = attribute.startswith("favourite")
    return Fact(_sentence(said), ME, attribute, value, True, preference)


def _turned(said: str) -> Fact | None:
    """... is my ..."""
    found = _TURNED.fullmatch(said) or _TURNED_SHORT.fullmatch(said)
    if not found or re.match(
        rf"(?:i|{_MINE}|it|this|that|there|he|she|they|what|who|when|where|how|the)\b", said, re.I
    ):
        return None
    attribute = _attribute(found["attribute"])
    if not attribute or len(attribute.split()) > 4 or len(words(found["value"])) > 5:
        return None
    return Fact(_sentence(said), ME, attribute, found["value"], True, attribute.startswith("favourite"))


def _opinion(said: str) -> Fact | None:
    """I like ..., I hate ..., I prefer ..."""
    if found := _PREFER.fullmatch(said):
        chosen, other = words(found["object"]), words(found["other"] or "")
        about = " ".join(sorted({*chosen[-1:], *other[-1:]})) if other else " ".join(chosen[-1:] if chosen[1:] else ())
        return Fact(_sentence(said), ME, f"prefers {about}".strip(), found["object"], bool(about), True)
    if found := _OPINION.fullmatch(said):
        about = _attribute(found["object"])
        return Fact(_sentence(said), ME, f"opinion of {about}", "like" if found["like"] else "dislike", True, True)
    return None


def _of_me(said: str) -> Fact | None:
    for pattern, attribute, single in _OF_ME:
        if found := pattern.fullmatch(said):
            return Fact(_sentence(said), ME, attribute, found[1], single)
    return None


def _of_another(said: str) -> Fact | None:
    """Nora's birthday is ..., the bins go out ..."""
    found = _HERS.fullmatch(said)
    if found and not re.match(r"(?:it|that|there|what|who|he|she|here|how|where|when|let)\b", said, re.I):
        return Fact(_sentence(said), fold(found["subject"]), _attribute(found["attribute"]), found["value"], True)
    if found := _THEIRS.fullmatch(said):
        return Fact(_sentence(said), fold(found["subject"]), fold(found["verb"]), found["value"])
    return None


def _is_name(value: str, said: str) -> bool:
    """Whether a value is a name: with a capital; where the sentence has none, few words that describe nobody."""
    found = words(value)
    if value[:1].isupper():
        return found[0] not in _PREDICATES or all(word[:1].isupper() for word in value.split())
    told_in_capitals = any(letter.isupper() for letter in re.sub(r"\bI\b", "", said[1:]))
    return not told_in_capitals and len(found) <= 3 and not _PREDICATES.intersection(found)


def _attribute(text: str) -> str:
    """The words of an attribute as they are compared: without articles and what passes ("new", "current")."""
    kept = [word for word in words(text) if word not in ("the", "a", "an", "new", "current", "own", "my", "our")]
    return " ".join({"favorite": "favourite", "fav": "favourite", "color": "colour"}.get(word, word) for word in kept)


def _plain(text: str) -> str:
    return " ".join(text.replace("\u2019", "'").replace("\u2018", "'").split()).strip(' .!,;:"“”')


def _sentence(said: str) -> str:
    said = re.sub(r"\bi\b(?!\.)", "I", said)
    return said[:1].upper() + said[1:]
