"""What the assistant never does: name a disease, or say how to treat one (medical paper, section 3).

Code sees to it on both sides: a person who asks is told so in plain words, and what a model wrote for the person is
kept from saying it. Food and appointments may be spoken of.
"""

from __future__ import annotations

import re
from enum import StrEnum

from camphor.agents.health.spelling import normal, sentences


class Topic(StrEnum):
    """What is asked for and not given."""

    DIAGNOSIS = "diagnosis"
    TREATMENT = "treatment"


REFUSALS = {
    Topic.DIAGNOSIS: "I can't tell you what illness this is or how serious it is: only a doctor can who examines you. "
    "I can find the right specialist and a free appointment.",
    Topic.TREATMENT: "I can't advise on medicines, doses or treatment: ask a doctor or a pharmacist, or read the "
    "leaflet. I can find the right specialist and a free appointment.",
}

_MEDICINE = (
    r"(?:medicines?|medications?|meds|drugs?|pills?|tablets?|painkillers?|antibiotics?|antihistamines?|ibuprofen|"
    r"paracetamol|acetaminophen|aspirin|antacids?|steroids?|insulin|inhaler|creams?|ointments?|drops|syrups?|doses?|"
    r"dosage|remed(?:y|ies)|supplements?|vitamins?|statins?|blood thinners?|herbs?)"
)
_WHAT_IT_IS = re.compile(
    r"\b(?:what(?: on earth)?(?:'s| is| could be| might be| can be) (?:wrong with|the matter with|causing|"
    r"my (?:illness|disease|condition|diagnosis)|this(?: illness| disease| rash| lump)?\?|it\?)|what (?:illness|"
    r"disease|condition|sickness) (?:do|have|is|could|might)|what (?:do|have) i (?:have|got)\b|what could (?:it|this|"
    r"that) be\b|diagnos(?:e|is|ing) (?:me|my|for|this|please|of what)|(?:can|could|will|would) you diagnose|(?:is|"
    r"could|might|can) (?:it|(?:this|that)(?: \w+)?) (?:be )?(?:serious|dangerous|cancer(?:ous)?|diabetes|contagious|"
    r"an? [\w' -]{3,30}\?|[a-z]+(?:itis|oma|osis|emia|aemia)\b)|do (?:you think )?i have (?:an? )?(?:cancer|diabetes|"
    r"covid|flu|tumou?r|infection|allergy|ulcer|[a-z]+(?:itis|oma|osis|[a-z]{3}ia))|am i (?:diabetic|dying|"
    r"going to die|seriously ill|contagious)|how (?:serious|dangerous|bad) is (?:it|this)|why (?:do|does|am|is) (?:i|"
    r"my) )"
)
_HOW_TO_TREAT = re.compile(
    rf"\b(?:(?:what|which)(?: \w+){{0,3}} {_MEDICINE}\b|{_MEDICINE}(?: \w+){{0,4}} (?:should|can|could|may|do) i\b|"
    rf"(?:can|could|should|may|shall) i (?:\w+ )?(?:take|use|stop|double|mix|combine|apply|put|increase|reduce|"
    rf"skip)\b(?! (?:an appointment|part|the (?:day|slot|"
    r"afternoon|morning|earlier|later|first)))|what (?:should|can|could|do) i (?:take|use|apply|put on|do (?:about|"
    r"against|for|to (?:treat|cure|get rid of|stop|help)))\b|how (?:do|can|should|could) i (?:treat|cure|get rid of|"
    r"heal|fix|stop|relieve|ease)\b|(?:is|are) there (?:a|any|some) (?:\w+ )?(?:cure|treatment|remedy|medicine|cream|"
    r"pill)|how (?:much|many) (?:\w+ ){0,3}(?:should|can|may|do) i (?:take|give)|(?:can|could|will|"
    r"would) you (?:prescribe|recommend (?:a|an|any|some|me)? ?(?:\w+ )?(?:medic\w+|drugs?|pills?|treatment|cream|"
    r"painkillers?|tablets?|antibiotics?)|treat|cure)|prescribe me|give me (?:a |some |an )?(?:prescription|medic\w+|"
    r"pills?|tablets?|painkillers?|antibiotics?)|(?:home|natural) remed\w+|do i need (?:surgery|an operation|"
    r"antibiotics|medication|chemo\w*))"
)
_SAYS_DISEASE = re.compile(
    r"\byou (?:probably|likely|may|might|could|must|seem to|appear to|most likely|certainly|"
    r"definitely)(?: well)? (?:have|be having|be suffering|suffer)\b(?! (?:an? )?(?:appointment|question|slot|wish|"
    r"preference))|\byou (?:are|have been) (?:suffering from|diagnosed)|\bdiagnos(?:is|ed)\b|\b(?:this|it|"
    r"that) (?:sounds|looks) like (?!(?:a good|an? (?:appointment|plan|time)))|\b(?:this|it) (?:is|could be|might be|"
    r"may be) (?:probably |likely )?(?:an? )?(?:\w+ )?(?:disease|infection|cancer|tumou?r|\w+itis|\w+oma|influenza|"
    r"flu|allergy|ulcer|syndrome)\b|\bnothing serious\b|\bno need to worry\b"
)
_SAYS_TREATMENT = re.compile(
    rf"\b(?:take|try|use|apply|drink|stop taking|start taking|increase|reduce)(?: \w+){{0,4}} (?:{_MEDICINE[3:-1]}|mg|"
    rf"ml|tea)\b|"
    r"\b\d+ ?(?:mg|ml|mcg|g|tablets?|pills?|drops)\b|\byou (?:should|must|need to|can) (?:take|stop taking|apply|use|"
    r"drink|rest|avoid)\b|\bi (?:recommend|suggest|advise) (?:taking|that you take|you (?:to )?take|using|drinking|"
    r"rest)\b"
)
_QUESTION = re.compile(r"^(?:do|does|did|have|has|is|are|when|where|how|what|which|any|since)\b")


def asked_for(text: str) -> Topic | None:
    """What a person asks for that is not given; None where they ask for neither."""
    told = normal(text)
    if _HOW_TO_TREAT.search(told):
        return Topic.TREATMENT
    return Topic.DIAGNOSIS if _WHAT_IT_IS.search(told) else None


def is_advice(text: str) -> bool:
    """Whether a text for the person names what they have, or says how to treat it."""
    return any(_advises(sentence) for sentence in sentences(normal(text)))


def without_advice(text: str) -> str:
    """What is left of a model's text without such sentences; a refusal where nothing is."""
    if not is_advice(text):
        return text
    kept = [each for each in re.split(r"(?<=[.!?])\s+", text) if not _advises(normal(each))]
    return " ".join(kept) or REFUSALS[Topic.DIAGNOSIS]


def _advises(sentence: str) -> bool:
    if sentence.endswith("?") and _QUESTION.match(sentence):
        return False
    return bool(_SAYS_DISEASE.search(sentence) or _SAYS_TREATMENT.search(sentence))
