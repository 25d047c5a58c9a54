"""People as they are spoken of: by name, first name, short name, relationship, number or address."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import lru_cache
from typing import Any

from camphor.device.text import fold as _plain

Person = Mapping[str, Any]

_FAMILIES = {
    "mother": "mum mom mama mamma mam mummy mommy mammy ma amma ammi maman mami mumsy mamasita mutti umm ammu nanay",
    "father": "dad daddy papa pa abba baba abbu da tatay vater babbo",
    "grandmother": "grandma gran granny nana nan nonna lola abuela oma babcia nanna dadi nani halmoni",
    "grandfather": "grandpa grandad granddad nonno opa lolo abuelo gramps",
    "wife": "wifey missus spouse", "husband": "hubby spouse", "sister": "sis sissy", "brother": "bro",
    "aunt": "auntie aunty khala tita tante", "uncle": "tito", "girlfriend": "gf", "boyfriend": "bf",
    "doctor": "doc gp physician doctors", "neighbour": "neighbor", "colleague": "coworker workmate co-worker",
    "flatmate": "roommate roomie housemate flatmates", "boss": "manager", "friend": "mate pal buddy",
    "best-friend": "bestie bff", "teacher": "prof professor", "physio": "physiotherapist",
    "mother-in-law": "mil", "father-in-law": "fil", "veterinarian": "vet", "babysitter": "sitter",
    "hairdresser": "barber", "psychologist": "therapist", "cousin": "cuz", "partner": "spouse",
}  # fmt: skip

_SHORT_NAMES = {
    "bob": "robert", "bobby": "robert", "rob": "robert", "bill": "william", "billy": "william", "will": "william",
    "liz": "elizabeth", "beth": "elizabeth", "lizzie": "elizabeth", "betty": "elizabeth", "jim": "james",
    "jimmy": "james", "jack": "john", "johnny": "john", "jon": "jonathan", "mike": "michael", "mick": "michael",
    "dick": "richard", "rick": "richard", "rich": "richard", "tony": "anthony", "kate": "katherine",
    "katie": "katherine", "kathy": "katherine", "cathy": "catherine", "peggy": "margaret", "maggie": "margaret",
    "meg": "margaret", "ted": "edward", "ned": "edward", "eddie": "edward", "harry": "henry", "chuck": "charles",
    "charlie": "charles", "becky": "rebecca", "tricia": "patricia", "trish": "patricia", "pat": "patricia",
    "paddy": "patrick", "sasha": "alexander", "alex": "alexandra", "sandy": "alexandra", "nick": "nicholas",
    "andy": "andrew", "drew": "andrew", "tom": "thomas", "tommy": "thomas", "jenny": "jennifer", "vicky": "victoria",
    "gabe": "gabriel", "abby": "abigail", "ellie": "eleanor", "nell": "eleanor", "molly": "mary", "polly": "mary",
    "steve": "stephen", "dave": "david", "ron": "ronald", "suzie": "susan", "sue": "susan", "debbie": "deborah",
    "joe": "joseph", "zeke": "ezekiel", "larry": "lawrence", "frank": "francis", "gus": "augustus",
}  # fmt: skip
_SELF = frozenset(("me", "myself", "my self", "mine", "i", "self", "my own number", "my own phone"))
_TITLE_WORDS = "mr mrs ms miss dr doctor prof professor sir madam rev reverend father sister brother uncle auntie"
_TITLES = frozenset(_TITLE_WORDS.split())
_EMPTY_WORDS = "my our the a an to of at from in for his her their please old dear"
_EMPTY = frozenset(_EMPTY_WORDS.split())
_WORD = re.compile(r"[^\W_]+(?:['.-][^\W_]+)*")


def fold(text: str) -> str:
    """Without case and accents, with straight quotes and single spaces."""
    return " ".join(_plain(text.replace("\u2019", "'").replace("\u2018", "'")).split())


def _family_of(word: str) -> frozenset[str]:
    """The heads of the families that a word belongs to: "mum" -> {"mother"}, "alice" -> {"alice"}."""
    heads = {head for head, members in _FAMILIES.items() if word == head or word in members.split()}
    return frozenset(heads or {word})


_families = lru_cache(maxsize=4096)(_family_of)


@lru_cache(maxsize=8192)
def _words(text: str) -> tuple[str, ...]:
    """Folded words; "mother in law" and "best friend" are one word each, a possessive loses its ending."""
    plain = fold(text)
    plain = re.sub(r"\b(mother|father|sister|brother|son|daughter)[ -]in[ -]law\b", r"\1-in-law", plain)
    plain = re.sub(r"\bbest (friend|mate)\b", "best-friend", plain)
    plain = re.sub(r"\bex[ -](\w+)", r"ex-\1", plain)
    return tuple(re.sub(r"'s?$", "", word) for word in _WORD.findall(plain.replace("s' ", "s's ")))


def _digits(text: str) -> str:
    return re.sub(r"\D", "", text)


def same_number(a: str, b: str) -> bool:
    """Whether two phone numbers are the same: formatting, country code and trunk zero aside."""
    x, y = _digits(a).lstrip("0"), _digits(b).lstrip("0")
    if x == y:
        return len(x) >= 3
    short, long = sorted((x, y), key=len)
    return len(short) >= 7 and long.endswith(short)


def _said(text: str) -> tuple[str, ...]:
    words = _words(text)
    return tuple(w for w in words if w not in _EMPTY) or words


def _heads(person: Person) -> Iterator[tuple[str, ...]]:
    """The relationship's parts ("Neighbour, has our key" has two), each as words."""
    for part in re.split(r"[,;/()]", str(person.get("relationship") or "")):
        if part.strip():
            yield tuple(w for w in _words(part) if w not in _EMPTY)


def _of_another(person: Person, said: Sequence[str]) -> bool:
    """Whether the relationship belongs to somebody whom the text does not name ("Len Tucker's daughter")."""
    relationship = fold(str(person.get("relationship") or "")).split(",")[0]
    owners = re.findall(r"([^\W_]+)(?:'s\b|s'(?= ))", relationship)
    owners += re.findall(r"\b(?:of|for) (?:the )?([^\W_]+)", relationship)
    return bool(owners) and not any(owner in said or owner + "s" in said for owner in owners)


def _related(said: Sequence[str], words: Sequence[str]) -> bool:
    """Whether every word said is among the words, families of words counted as one ("mum" is "mother")."""
    known = frozenset().union(*(_families(w) for w in words)) if words else frozenset()
    return bool(said) and all(_families(w) & known for w in said)


def _name(person: Person) -> tuple[str, ...]:
    return _words(str(person.get("name") or ""))


def _is_full_name(said: tuple[str, ...], person: Person) -> bool:
    name = _name(person)
    return bool(name) and (said == name or said == tuple(w for w in name if w not in _EMPTY))


def _is_relationship(said: tuple[str, ...], person: Person) -> bool:
    if _of_another(person, said):
        return False
    name = _name(person)
    heads = [*_heads(person), name] if len(name) == 1 else list(_heads(person))
    return any(len(head) == len(said) and _related(said, head) for head in heads)


def _in_name(said: tuple[str, ...], person: Person) -> bool:
    name = set(_name(person))
    return bool(name) and set(said) <= name


def _untitled(said: tuple[str, ...], person: Person) -> bool:
    rest = tuple(w for w in said if w.rstrip(".") not in _TITLES)
    return bool(rest) and len(rest) < len(said) and _in_name(rest, person)


def _in_relationship(said: tuple[str, ...], person: Person) -> bool:
    words = [w for head in _heads(person) for w in head]
    return not _of_another(person, said) and _related(said, words)


def _mixed(said: tuple[str, ...], person: Person) -> bool:
    """Words of the name beside words of the relationship: "my sister Nerys", "Sharon the hairdresser"."""
    words = [w for head in _heads(person) for w in head]
    return len(said) > 1 and bool(set(said) & set(_name(person))) and _related(said, [*words, *_name(person)])


def _short(said: tuple[str, ...], person: Person) -> bool:
    """Short forms of the name: "Rob", "Alice J", "Bob" for Robert, "KB" for Kelly Brown."""
    name = _name(person)
    if not name or not said:
        return False
    if len(said) == 1 and len(said[0]) == len(name) > 1 and said[0] == "".join(w[0] for w in name):
        return True
    if len(said) == 1 and len(said[0]) < 3:
        return False
    return all(any(w.startswith(s) or w == _SHORT_NAMES.get(s) for w in name) for s in (w.rstrip(".") for w in said))


def _misspelt(said: tuple[str, ...], person: Person) -> bool:
    name = _name(person)
    return bool(said) and all(len(s) > 3 and any(_one_slip(s, w) for w in name) for s in said)


def _one_slip(a: str, b: str) -> bool:
    """Whether two words differ by one letter put in, left out, changed, or swapped with its neighbour."""
    if a == b:
        return True
    start = next((i for i, (x, y) in enumerate(zip(a, b, strict=False)) if x != y), min(len(a), len(b)))
    p, q = a[start:], b[start:]
    return p[1:] == q[1:] or p[1:] == q or p == q[1:] or (p[:2] == q[1::-1] and p[2:] == q[2:])


_MANNERS: tuple[Callable[[tuple[str, ...], Person], bool], ...] = (
    _is_full_name, _is_relationship, _in_name, _untitled, _mixed, _in_relationship, _short, _misspelt,
)  # fmt: skip


def find_people(text: str, people: Sequence[Person]) -> list[Person]:
    """The people whom a text means, in their given order; several when it fits several equally well.

    The manners of naming are tried from the surest to the loosest (number or address, full name, relationship, part of
    the name, name without its title, name and relationship together, words within the relationship, short name, one
    slip of the pen) and the first that fits anybody decides. Accents, case and possessives are ignored.

    Args:
        text: what was written or said: "Alice", "my travel buddy", "mum", "Nadia's", "555 123 4567".
        people: records with `name` and, where known, `phone_number`, `email`, `relationship`, `is_self`.

    Returns:
        Nobody when nothing fits; the owner (`is_self`) only for "me", "myself" and their full name, number or address.
    """
    plain = fold(text)
    if not re.search(r"\w", plain):
        return []
    if plain in _SELF:
        return [person for person in people if person.get("is_self")]
    if "@" in plain:
        return [person for person in people if fold(str(person.get("email") or "")) == plain]
    if len(_digits(plain)) >= 3 and not re.search(r"[^\W\d_]", plain):
        return [person for person in people if same_number(plain, str(person.get("phone_number") or ""))]
    said = _said(text)
    for manner in _MANNERS:
        everybody = manner is _is_full_name
        found = [person for person in people if (everybody or not person.get("is_self")) and manner(said, person)]
        if found:
            return found
    return []
