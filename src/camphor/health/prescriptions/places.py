"""Where a medicine goes: places that are said, and those that follow from the form or the verb."""

from __future__ import annotations

from collections.abc import Sequence

from camphor.health.prescriptions.lexing import WORD, Token, listed
from camphor.health.prescriptions.scanning import Item

ON_SKIN = ("cream", "ointment", "gel", "lotion", "foam", "paste", "shampoo")
_ITSELF = (
    "tablet", "capsule", "spray", "patch", "sachet", "suppository", "pessary", "nebule", "lozenge", "wafer",
    "injection", "puff", "drop", "film", "ring", "enema", "pastille", "implant", "ampoule", "vial", "blister",
    "application",
)  # fmt: skip
UNIT_OF = {each: each for each in _ITSELF} | {"inhaler": "puff", "drops": "drop", "rotacap": "capsule"}
"""In what each form is counted."""
_SITE_OF = {"inhale": "inhaled", "inject": "injection", "apply": "skin"}
_SITE_FROM = {
    "puff": "inhaled",
    "nebule": "inhaled",
    "suppository": "rectal",
    "enema": "rectal",
    "pessary": "vaginal",
    "patch": "skin",
    "injection": "injection",
    "inhaler": "inhaled",
    "rotacap": "inhaled",
    "applicatorful": "vaginal",
}
INSIDE = ("", "injection", "inhaled", "rectal", "vaginal", "under the tongue", "on the tongue")
SIDED = ("eye", "eyes", "ear", "ears", "nostril", "nostrils")


def sides(sites: Sequence[str]) -> list[str]:
    """The places that are said with their side: "left eye"; two of them differ."""
    return list(dict.fromkeys(each for each in sites if each.split()[-1] in SIDED and " " in each))


def is_place(tokens: Sequence[Token], body: Sequence[Item], place: int) -> bool:
    """Whether it is where the medicine goes, not what it is for: "as needed for knee pain"."""
    item = body[place]
    if item.value:
        return not (place and body[place - 1].kind == "word" and body[place - 1].value == "with")  # "with INH"
    before: list[Item] = []
    for each in reversed(body[:place]):
        if each.kind == "mark" and str(each.value) in ".;\n()":
            break
        before.append(each)
    opened = place > 0 and body[place - 1].kind == "mark" and body[place - 1].value == "("
    bare = str(tokens[item.start].key) == "back" and item.end == item.start + 1
    if bare:
        return False  # "dandruff coming back"
    side = place_of(tokens, item).split()[0] in ("left", "right", "both", "each")
    if opened and not side and not listed("before_places", tokens[item.start].key):
        return False
    words_ = [str(each.value) for each in before if each.kind == "word"]
    if "for" in words_ or any(each.kind in ("needed", "advice") for each in before):
        return tokens[item.start].kind == WORD and listed("before_places", tokens[item.start].key)
    return True


def place_of(tokens: Sequence[Token], item: Item) -> str:
    """A place in the words that were said, less those before it: "left ear", "upper arm"."""
    said = [each.key for each in tokens[item.start : item.end]]
    while len(said) > 1 and listed("before_places", said[0]):
        said.pop(0)
    sides = {"l": "left", "lt": "left", "r": "right", "rt": "right"}
    return " ".join(sides.get(each, each) for each in said if each not in ("the", "your", "(", ")"))


def site_of(sites: Sequence[str], verbs: Sequence[str], form: str, unit: str) -> str:
    """The one place of those that were said, or the one that follows from verb, form or unit."""
    exact = [each for each in sites if each not in ("mouth", "on the tongue", "tongue")]
    inside = [
        *sides(sites),
        *(each for each in exact if each in ("injection", "rectal", "vaginal", "under the tongue")),
    ]
    if inside:
        return inside[0]
    if "inject" in verbs or "injection" in (unit, form):
        return "injection"
    if exact and unit not in ("suppository", "enema", "pessary"):
        return " ".join(dict.fromkeys(exact))
    if unit in ("suppository", "enema", "pessary"):
        return _SITE_FROM[unit]
    verb = next((_SITE_OF[each] for each in verbs if each in _SITE_OF), "")
    return verb or _SITE_FROM.get(form, "") or _SITE_FROM.get(unit, "") or ("skin" if form in ON_SKIN else "")
