"""What a message of the person is, in a talk: an answer, a complaint, a correction, a question back, or beside it all.

Code decides by patterns of `phrases.toml` and the forms of answers in `questions.toml`, and by a small linear model
where it has to know whether words are about health at all (`agents.health.referral`). What stays unclear is an answer
to the question that was asked: it stands in the record word for word, behind that question. An answer to an offered
slot is a yes, a no, a wish for another time, a question, or nothing clear.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from functools import lru_cache
from importlib.resources import files
from typing import Any

from camphor.agents.health.case import Case, UserDetails
from camphor.agents.health.interview.questions import GENERAL, InterviewQuestion, compiled, read_questions
from camphor.agents.health.observed import CaseFacts
from camphor.agents.health.referral import read_complaints
from camphor.agents.health.spelling import normal
from camphor.agents.languages import not_english

COMPLAINT_FROM = -0.1
"""The score (`Complaints`) from which words begin a talk; below, the person is asked what troubles them."""
SURELY = 0.4
"""From this score on words beside a question are one more complaint, however few they are."""
SURELY_NOT = -0.5
"""Below this score words beside a question are about something else."""
_SENTENCE_END = re.compile(r"(?<=[.!?;])\s+")
_CLAUSE_END = re.compile(r"\s*[,.;!?:–]+\s*|\s+-+\s+")
_BARE_YES = re.compile(r"\W*(?:yes|yeah|yep|yup|y|ya|aye|sure|ok|okay|i do|i have|a few|some|several)\W*")
_NO = re.compile(r"\W*(?:no|nope|nah|none|not|never|neither|nothing)\b")
_REFUSES = re.compile(r"\b(?:don't know|no idea|not sure|dunno|rather not|private|(?:won't|can't) (?:say|tell))\b")
_AGE = re.compile(
    r"\b(\d{1,3})\b(?= ?(?:f|m|yo|y/?o|years?|yrs?)\b)|\b(?:i'm|aged?|he's|she's|im) (\d{1,3})\b(?! ?(?:kg|cm|weeks?))"
)
_ASKS = re.compile(
    r"\W*(?:is|are|am|was|were|do|does|did|have|has|can|could|would|will|should|how|what|when|where|who|which|why)\b"
)
_ONE = re.compile(r"\b(?:i|my|me|this|he|she|his|her|we|our)\b")
_FEW = 3
"""Clauses of a message whose last one may take back what it says."""
_SHORT = 4
"""Words up to which an answer is taken as one, whatever it is about."""


class SpeechAct(StrEnum):
    """What a message does."""

    ANSWER = "answer"
    COMPLAINT = "complaint"
    CORRECTION = "correction"
    ASIDE = "aside"
    """It answers another question than was asked."""
    VAGUE = "vague"
    """A bare yes where something is to be named."""
    BACK = "back"
    """It asks why, or about the talk."""
    HEALTH = "health"
    """It asks something that only a doctor can answer."""
    DROP = "drop"
    HURRY = "hurry"
    PET = "pet"
    OTHER = "other"
    COURTESY = "courtesy"
    UNSURE = "unsure"
    """It may be the beginning of a complaint."""


@dataclass(frozen=True)
class Heard:
    """A message: what it does, and of its sentences those that are kept, word for word ("" where none is).

    `told`: the ids of the questions that it answers beside the one that was asked.
    """

    act: SpeechAct
    kept: str
    told: frozenset[str] = frozenset()


@dataclass(frozen=True)
class _Phrases:
    drop: re.Pattern[str]
    over: re.Pattern[str]
    bare: re.Pattern[str]
    also: re.Pattern[str]
    more: re.Pattern[str]
    drop_first: re.Pattern[str]
    hurry: re.Pattern[str]
    courtesy: re.Pattern[str]
    back: re.Pattern[str]
    asking: re.Pattern[str]
    about_talk: re.Pattern[str]
    wish: re.Pattern[str]
    correction: re.Pattern[str]
    animal_first: re.Pattern[str]
    animal_did: re.Pattern[str]
    person: re.Pattern[str]
    another: re.Pattern[str]
    myself: re.Pattern[str]
    reports: re.Pattern[str]
    not_pregnant: re.Pattern[str]
    other_not_pregnant: re.Pattern[str]
    offer_no: re.Pattern[str]
    offer_other: re.Pattern[str]
    offer_leave: re.Pattern[str]
    wanted: str
    called: dict[str, list[str]]
    says: dict[str, str]


@lru_cache(maxsize=1)
def phrases() -> _Phrases:
    """The phrases that ship."""
    raw: dict[str, Any] = tomllib.loads(files(__package__).joinpath("phrases.toml").read_text(encoding="utf-8"))

    def whole(name: str) -> re.Pattern[str]:
        alternatives = "|".join(raw[name]).replace("<object>", raw["object"])
        return re.compile(rf"\W*{raw['lead']}(?:{alternatives}){raw['tail']}\W*")

    def named(name: str) -> re.Pattern[str]:
        return compiled(raw[name], {**read_questions().words, "animals": raw["animals"]})

    names = [name for name in _Phrases.__annotations__ if isinstance(raw.get(name), str)]
    patterns = {name: named(name) for name in names if name not in ("wanted", "drop_first")}
    patterns |= {f"offer_{name}": re.compile(text) for name, text in raw["offer"].items()}
    sentences = {name: whole(name) for name in ("drop", "hurry", "courtesy")}
    sentences["drop_first"] = re.compile(rf"\W*{raw['lead']}{raw['drop_first']}\b")
    return _Phrases(**patterns, **sentences, wanted=raw["wanted"], called=raw["called"], says=raw["says"])


def opening(text: str) -> Heard:
    """What the message is that begins a talk, or that answers "What troubles you?"."""
    if is_drop(text):
        return Heard(SpeechAct.DROP, "")
    kept = [each for each in _split(text) if not _matches(phrases().courtesy, each)]
    people = [each for each in kept if not _is_pet(each)]
    if not kept:
        return Heard(SpeechAct.COURTESY, "")
    if not people:
        return Heard(SpeechAct.PET, "")
    joined, about = " ".join(kept), " ".join(people)
    if not_english(about):
        return Heard(SpeechAct.COMPLAINT, joined)
    score = max(read_complaints().score(each) for each in (about, *people))
    asks = len(people) == 1 and _ASKS.match(normal(about)) is not None
    if score < (SURELY if asks and not _ONE.search(normal(about)) else COMPLAINT_FROM):
        unsure = score > SURELY_NOT and not asks and not about.endswith("?")
        return Heard(SpeechAct.PET if len(people) < len(kept) else SpeechAct.UNSURE if unsure else SpeechAct.OTHER, "")
    beside = [each for each in kept if each.endswith("?") and read_complaints().score(each) <= SURELY_NOT]
    whole = " ".join(each for each in kept if each not in beside) or joined
    return Heard(SpeechAct.COMPLAINT, whole, read_questions().told(normal(about)))


def hear(text: str, question: InterviewQuestion) -> Heard:
    """What the message is that answers a question of the list."""
    if any(_matches(phrases().hurry, each) for each in _CLAUSE_END.split(text)):
        return Heard(SpeechAct.HURRY, "")
    if is_drop(text):
        return Heard(SpeechAct.DROP, "")
    sentences = _split(text)
    backs = [each for each in sentences if _asks_back(each, question)]
    pets = [each for each in sentences if _is_pet(each)]
    kept = [each for each in sentences if each not in backs and each not in pets]
    if not kept:
        return Heard(_asked(backs) if backs else SpeechAct.PET if pets else SpeechAct.ANSWER, "")
    joined = " ".join(kept)
    plain = normal(joined)
    told = read_questions().told(plain) - {question.id}
    return Heard(*_act(joined, plain, question, told), told)


def _act(joined: str, plain: str, question: InterviewQuestion, told: frozenset[str]) -> tuple[SpeechAct, str]:
    closed, formed = question.is_closed, question.form is not None
    if not closed and _BARE_YES.fullmatch(plain):
        return SpeechAct.VAGUE, joined
    if _answers(plain, question, told):
        return SpeechAct.ANSWER, joined
    if phrases().correction.match(plain):
        return SpeechAct.CORRECTION, joined
    if closed and (_NO.match(plain) or _BARE_YES.match(plain)):
        return SpeechAct.ANSWER, joined
    if told.intersection(GENERAL) and (formed or closed):
        return SpeechAct.ASIDE, joined
    if _REFUSES.search(plain):
        return SpeechAct.ANSWER, joined
    if not_english(joined):
        return SpeechAct.ANSWER, joined
    score, long = read_complaints().score(joined), len(plain.split()) > _SHORT
    brings = formed or (closed and phrases().more.search(plain) is not None)
    if brings and score >= (COMPLAINT_FROM if long and formed else SURELY):
        return SpeechAct.COMPLAINT, joined
    other = score <= SURELY_NOT and (long or phrases().wish.match(plain) is not None) and not told
    return (SpeechAct.OTHER, "") if other else (SpeechAct.ANSWER, joined)


def _answers(plain: str, question: InterviewQuestion, told: frozenset[str]) -> bool:
    """Whether words have what answers the question, and not only because they answer another one."""
    if question.told.search(plain):
        return True
    if question.form is None:
        return False
    listed = read_questions().by_id
    for name in told.intersection(GENERAL):
        plain = listed[name].told.sub(" ", plain)
    return question.form.search(plain) is not None


def is_bare(text: str) -> bool:
    """Whether a message is an answer and nothing else: no, a number, a time, an age."""
    return phrases().bare.fullmatch(normal(text)) is not None


def tells(text: str) -> bool:
    """Whether an answer surely tells of somebody's health by itself."""
    return read_complaints().score(text) >= SURELY


def is_nobodys(text: str) -> bool:
    """Whether a message is about animals alone, or mere courtesy."""
    return all(_is_pet(each) or _matches(phrases().courtesy, each) for each in _split(text))


def is_about_another(text: str) -> bool:
    """Whether the patient seems to be somebody else than who speaks; the first sentence tells."""
    plain, known = normal(next(iter(_split(text)), "")), phrases()
    found = known.another.search(plain)
    if found is None or known.reports.match(plain[found.end() :]):
        return False
    return known.myself.search(plain) is None


def cannot_be_pregnant(text: str) -> bool:
    """Whether words tell that a question for a pregnancy makes no sense."""
    plain = normal(text)
    years = [int(one or other) for one, other in _AGE.findall(plain)]
    if phrases().not_pregnant.search(plain) or any(year < 12 or year > 55 for year in years):
        return True
    return is_about_another(text) and phrases().other_not_pregnant.search(plain) is not None


def wanted_specialist(text: str, among: tuple[str, ...]) -> str:
    """The kind of specialist that the person asks for by name; "" for none."""
    plain, known = normal(text), phrases()
    for name in among:
        names = "|".join(map(re.escape, (name, *known.called.get(name, ()))))
        if re.search(known.wanted.replace("<specialist>", f"(?:{names})"), plain):
            return name
    return ""


def _split(text: str) -> list[str]:
    return [each for each in _SENTENCE_END.split(text.strip()) if re.search(r"\w", each)]


def _matches(pattern: re.Pattern[str], text: str) -> bool:
    return pattern.fullmatch(normal(text)) is not None


def is_drop(text: str) -> bool:
    """Whether the person takes it back, and tells no complaint with it."""
    plain = normal(text)
    if phrases().drop.fullmatch(plain):
        return True
    clauses = [each for each in _CLAUSE_END.split(plain) if each]
    taken_back = [phrases().drop.fullmatch(each) is not None for each in clauses]
    rest = [each for each, is_one in zip(clauses, taken_back, strict=True) if not is_one]
    told = ", ".join(rest)
    if len(rest) == len(clauses):
        first = phrases().drop_first.match(plain)
        return first is not None and phrases().over.search(plain[first.end() :]) is not None
    if rest and not taken_back[0] and not (taken_back[-1] and len(clauses) <= _FEW):
        return False
    return not rest or phrases().over.search(told) is not None or read_complaints().score(told) < SURELY


def _asks_back(sentence: str, question: InterviewQuestion) -> bool:
    plain, known = normal(sentence), phrases()
    if plain.endswith("?") and _ASKS.match(plain):
        return True
    if known.back.match(plain) is None and known.asking.match(plain) is None:
        return False
    return plain.endswith("?") or not question.told.search(plain)


def _asked(questions: list[str]) -> SpeechAct:
    """What questions of the person's are about: the talk, health, or anything else."""
    told, known = normal(" ".join(questions)), phrases()
    if known.wish.match(told):
        return SpeechAct.OTHER
    if known.about_talk.search(told) or any(known.back.match(normal(each)) for each in questions):
        return SpeechAct.BACK
    return SpeechAct.HEALTH if read_complaints().score(" ".join(questions)) > SURELY_NOT else SpeechAct.OTHER


def _is_pet(sentence: str) -> bool:
    """Whether an animal is who is ill in a sentence."""
    plain, known = re.sub(r"\bnot (?:me|mine|i|for me)\b", " ", normal(sentence)), phrases()
    found = known.animal_first.search(plain)
    if found is None or len(plain[: found.start()].split()) > _SHORT:
        return False
    if known.animal_did.search(plain) or known.also.search(plain[found.end() :]):
        return False
    return known.person.search(plain[: found.start()]) is None


# answers to an offer


_YES = re.compile(
    r"^\W*(?:(?:ugh|oh|hm+|well|right|erm?|uh)\W+)?(?:sure|ok|okay|k|ya|aye|fine|great|perfect|good|wonderful|"
    r"excellent|lovely|super|agreed|gladly|right|of course|absolutely|definitely|certainly|alright|all right|"
    r"very well|please do|go ahead|go on|do it|by all means|please)\b|\b(?:yes|yeah|yep|yup|i(?:'d)? (?:accept|"
    r"agree)|i'll (?:be there|come|take (?:it|that|this))|(?:suits|works for|fits) me|(?:book|confirm|take|schedule|"
    r"reserve) (?:it|this|that|me in)|make the appointment|let's (?:do|take) (?:it|that|this)|(?:that|this|it|time|"
    r"slot|one) (?:(?:is|sounds|would be|will be) (?:fine|good|ok|okay|perfect|great|lovely)|works)|sounds good|"
    r"that'll do|happy with)\b"
)
_YET = re.compile(
    r"\b(?:but|instead|rather|other|another|else|later|earlier|not|no|don't|can't|cannot|unless|if|before|after|"
    r"different|wait|maybe|change)\b|\?"
)
_THANKS = re.compile(r"\b(?:thanks?|thank you)(?: you)? for\b[^,;?]*|\bno (?:problem|worries)\b")


class OfferReply(StrEnum):
    """What an answer to an offer is."""

    YES = "yes"
    NO = "no"
    OTHER = "other"
    """Another time is wanted."""
    QUESTION = "question"
    UNCLEAR = "unclear"


@dataclass(frozen=True)
class Replied:
    """A reply; `schedule`: the time that is wanted, as calls have it, where it was named."""

    reply: OfferReply
    schedule: Mapping[str, str] | None = None


def is_yes(answer: str) -> bool:
    """Whether an answer to an offer is a clear yes, with no wish for anything else in it."""
    told = _THANKS.sub(" ", normal(answer))
    return _YES.search(told) is not None and _YET.search(told) is None


def replied(answer: str, user: UserDetails) -> Replied:
    """How a person takes an offer. user: whose day it is, for "tomorrow"."""
    if is_yes(answer):
        return Replied(OfferReply.YES)
    told, known = normal(answer), phrases()
    if is_drop(answer):
        return Replied(OfferReply.NO)
    schedule = next(iter(CaseFacts(Case(user, answer)).schedules), None)
    refuses = known.offer_no.search(told) is not None
    if schedule is not None and not (refuses and _EXCUSE.search(told)):
        return Replied(OfferReply.OTHER, schedule)
    if known.offer_other.search(told) and not known.offer_leave.search(told):
        return Replied(OfferReply.OTHER)
    if refuses:
        return Replied(OfferReply.NO)
    return Replied(OfferReply.QUESTION if told.endswith("?") else OfferReply.UNCLEAR)


_EXCUSE = re.compile(r"\b(?:i'm|i am|i have|i've|i work|my day|that's my)\b")
