"""Which past complaints are like the symptoms that a person has now, by their words and what people call the same."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, TypeVar

from camphor.device.text import COMMON, near, text_of, words

Record = TypeVar("Record", bound=Mapping[str, Any])

MOST_ALIKE = 5

# What is one complaint in several words; each word counts as the first of its line.
_SAME = """
fatigue tired tiredness exhausted exhaustion weary knackered drained lethargy lethargic worn
fever temperature feverish febrile
chills shivers shivering shivery
nausea nauseous queasy sick sickness
vomit vomiting puke throwing threw sickly retching
diarrhea diarrhoea loose runs
stomach tummy belly abdomen abdominal gut bloated bloating
headache head migraine skull
dizzy dizziness lightheaded giddy vertigo spinning woozy faint
breath breathless breathlessness breathing winded wheeze wheezing puffed dyspnea
cough coughing phlegm mucus sputum
heart palpitation palpitations heartbeat racing pounding fluttering
chest breastbone
throat swallow swallowing tonsils hoarse
nose nasal sinus sinuses congested congestion sniffles runny blocked
ear ears hearing earache tinnitus
eye eyes sight vision eyesight blurred blurry
skin rash itch itching itchy hives spots eczema
joint joints knee knees hip hips knuckles wrist stiff stiffness
muscle muscles body myalgia
back spine lumbar
sleep sleepless insomnia awake sleeping
worry anxious anxiety nervous panic
sad sadness depressed low hopeless tearful
urine urinating pee peeing wee bladder urination
numb numbness tingling pins
swollen swelling puffy swell
period periods menstrual menstruation
weight appetite eating
thirst thirsty
bruise bruises bruising
tremor shake shaking shakes trembling
tooth teeth toothache gum gums
"""
_HEAD = {word: line.split()[0] for line in _SAME.strip().splitlines() for word in line.split()}
# Words that complaints of all kinds share: they order what is found and make nothing alike by themselves.
_GENERAL = frozenset(
    words(
        "pain pains painful ache aches aching sore hurt hurts hurting mild slight slightly severe strong bad badly"
        " worse constant constantly persistent frequent occasional occasionally sometimes often always day days week"
        " weeks month months night nights last past few some since feel feeling felt been having have had has very"
        " really quite bit lot more much after before when while up down not no but that these which left right upper"
        " lower general problem problems trouble difficulty symptoms symptom"
    )
)


def alike(complaints: Iterable[Record], symptoms: str, most: int = MOST_ALIKE) -> list[Record]:
    """The complaints that share a symptom with the text, those that share most first, of equals the latest.

    Args:
        complaints: records with `symptoms` and `date`, in any order.
    """
    wanted = _meanings(symptoms)
    found = []
    for record in complaints:
        there = _meanings(text_of(record.get("symptoms")))
        shared = {word for word in wanted if any(_same(word, other) for other in there)}
        telling = shared - _GENERAL
        if telling:
            found.append(((len(telling), len(shared), str(record.get("date") or "")), record))
    found.sort(key=lambda pair: pair[0], reverse=True)
    return [record for _, record in found[:most]]


def _meanings(text: str) -> set[str]:
    return {_HEAD.get(word, word) for word in words(text) if word not in COMMON}


def _same(word: str, other: str) -> bool:
    return word == other or (word not in _GENERAL and (near(word, other) or f"{word}s" == other or f"{other}s" == word))
