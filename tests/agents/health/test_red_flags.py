"""Signs that must never be missed are found in five languages, and add up over messages."""

from __future__ import annotations

import pytest

from camphor.agents.health.red_flags import HOT_NUMBER, affirmed, all_concepts, concepts_of, flags, red_flags

# None of these is a line of the training data.
SIGNS = [
    ("baby", "our boy is three weeks old and has 38.4 under the arm"),
    ("baby", "mi niña de seis semanas está a 38,2, es un bebé tranquilo"),
    ("baby", "unser Baby ist sieben Wochen alt und hat 38,5"),
    ("baby", "notre bébé de quatre semaines a 38,3"),
    ("baby", "o bebê tem seis semanas e 38,4"),
    ("self_harm", "these days I think of how to end my life"),
    ("self_harm", "llevo días pensando en quitarme la vida"),
    ("self_harm", "ich überlege, mich umzubringen, ich will sterben"),
    ("self_harm", "j'ai envie de mourir depuis lundi"),
    ("self_harm", "acordei e só quero morrer"),
    ("torsion", "my testicle hurts and it is all swollen"),
    ("torsion", "me duele un testículo y está hinchado"),
    ("torsion", "der Hoden schmerzt und ist geschwollen"),
    ("torsion", "le testicule est gonflé, grosse douleur"),
    ("torsion", "o testículo dói e está inchado"),
    ("cauda_equina", "my back aches and it has gone numb around the saddle"),
    ("cauda_equina", "dolor de espalda y se me ha dormido la entrepierna"),
    ("cauda_equina", "Rücken kaputt und im Schritt ist es taub"),
    ("cauda_equina", "mal au dos et engourdi entre les jambes"),
    ("cauda_equina", "dor nas costas e dormência entre as pernas"),
    ("poisoning", "our lad drank some bleach"),
    ("poisoning", "el niño ha bebido, creo que lejía, un trago: bebió bastante"),
    ("poisoning", "Kind hat Rohrreiniger getrunken"),
    ("poisoning", "elle a avalé de la javel"),
    ("poisoning", "ele engoliu lixívia"),
]


@pytest.mark.parametrize(("name", "said"), SIGNS)
def test_sign_is_found(name: str, said: str) -> None:
    assert name in [found.flag.name for found in red_flags(said)]


@pytest.mark.parametrize(
    "said",
    ["my knee has been stiff for a week", "book me a table for four", "I am 39 and want a check-up", "", "?!", "38.5"],
)
def test_no_sign(said: str) -> None:
    assert red_flags(said) == ()


def test_signs_add_up_over_messages() -> None:
    assert not red_flags("There is a pain in my chest")
    (found,) = red_flags("There is a pain in my chest", "my left arm too")
    assert (found.flag.name, found.words) == ("chest_pain", ("chest", "pain", "arm"))


def test_bare_yes_says_what_was_asked() -> None:
    assert affirmed("Does it go to an arm?", "Yes, a bit.") == "Does it go to an arm?"
    assert affirmed("Does it go to an arm?", "Yes, but only my knee") == "Yes, but only my knee"
    assert affirmed("Are you short of breath?", "no") == "no"


def test_one_concept_in_five_languages() -> None:
    said = ["my chest is tight", "me aprieta el pecho", "Druck auf der Brust", "ça serre la poitrine"]
    said.append("aperto no peito")
    assert all({"chest", "pressure"} <= set(concepts_of(each)) for each in said)


def test_every_flag_is_whole() -> None:
    pages = ("https://www.nhs.uk/", "https://www.sja.org.uk/")
    known = all_concepts() | {HOT_NUMBER}
    for flag in flags().values():
        assert flag.source.startswith(pages), flag.name
        assert flag.title, flag.name
        assert flag.advice.endswith("."), flag.name
        assert flag.question.rstrip().endswith(("?", ".")), flag.name
        assert set(flag.lines) <= {"crisis", "poison"}
        assert {part for sign in flag.signs for part in sign if not part.startswith("/")} <= known, flag.name
        assert set(flag.unless) <= known, flag.name


def test_hostile_text_takes_no_time() -> None:
    assert red_flags("knee " * 2000 + "no " * 2000 + "\x00\ud800") == ()
