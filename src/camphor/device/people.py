"""People: as they are spoken of (by name, relationship, number or address), and whom an action reaches."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import lru_cache
from typing import Any, Protocol

from camphor.device.text import fold as _plain
from camphor.device.text import text_of
from camphor.tools.tool import Role, Tool
from camphor.types import Call

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


# Whom an action reaches, and where each number and address comes from.
#
# Anybody can write any name into the header of a mail: an address that stands beside a contact's name there is not the
# contact's. So a value is judged by itself, however it was found: an address book that has it, the person who said it,
# or a record in which it stands.

_ROLES = frozenset({Role.PHONE, Role.EMAIL, Role.PERSON})
_HEADER = ("sender", "from", "recipients", "to", "cc", "bcc", "reply_to")
_WRITTEN_BY_OTHERS = (*_HEADER, "contact", "author")
_NUMBERS = re.compile(r"\+?\(?\d[\d\s().\-/]*")
_LABELLED = re.compile(r"\s*\"?([^\"<(]*?)\"?\s*(?:<([^<>]+)>|\((.+)\))\s*")
_ADDRESS = re.compile(r"[^\s@<>,;]+@[^\s@<>,;]+\.[^\s@<>,;.]+")
_NUMBER = re.compile(r"\+?[\d\s().\-/]+(?:\s*(?:x|ext\.?)\s*\d+)?", re.IGNORECASE)
_FEWEST_DIGITS, _MOST_DIGITS = 3, 15  # a short code has three; E.164 allows fifteen


class AddressOrigin(StrEnum):
    """Where a number or an address comes from, the surest first."""

    CONTACT = "contact"
    SAID = "said by the person"
    RECORD = "record"
    MAIL_HEADER = "mail header"
    MESSAGE = "message"
    UNKNOWN = "unknown"


_SURE = frozenset({AddressOrigin.CONTACT, AddressOrigin.SAID, AddressOrigin.RECORD})


@dataclass(frozen=True)
class Receiver:
    """Whom one value of a normalised call reaches.

    Args:
        parameter: whose value it is. value: the number, address or name, as the tool takes it.
        name: the contact's, or the one that stands before the address in the record: a claim, no more.
        source: what the record is called: a title or subject; "" where there is none.
    """

    parameter: str
    value: str
    origin: AddressOrigin
    name: str = ""
    source: str = ""

    @property
    def sure(self) -> bool:
        """False where only the person can tell who this is: `--yes` never stands for their word then."""
        return self.origin in _SURE

    @property
    def doubt(self) -> str:
        """What the person is told before they agree; "" where it is sure."""
        if self.sure:
            return ""
        if self.origin is AddressOrigin.UNKNOWN:
            return f"{self.value} is no contact's, and was neither said nor found: is it right?"
        place = "the header of a mail" if self.origin is AddressOrigin.MAIL_HEADER else "a message"
        which = f" (“{self.source}”)" if self.source else ""
        name = f" beside the name {self.name}" if self.name else ""
        told = f"{self.value} is no contact's: it stands in {place}{which}{name}"
        return f"{told}, where anybody can write any: is it right?"


class AddressBook(Protocol):
    """What must be known of a device."""

    def people(self) -> Sequence[Person]: ...

    def rows(self, query: str = "") -> Iterator[tuple[Any, list[tuple[int, dict[str, Any]]]]]: ...


def receivers(phone: AddressBook, tool: Tool, call: Call, said: Iterable[str]) -> tuple[Receiver, ...]:
    """Whom a normalised call reaches, value by value; nothing for one that reaches nobody.

    Args:
        said: what the person wrote in this conversation.
    """
    words = tuple(said)
    found = []
    for parameter in tool.parameters:
        value = call.arguments.get(parameter.name) if parameter.role in _ROLES else None
        for each in value if isinstance(value, list | tuple) else (value,):
            if isinstance(each, str) and each.strip():
                found.append(_receiver(phone, parameter.name, each.strip(), words))
    return tuple(found)


def without_claims(written: Call, call: Call, reached: Iterable[Receiver]) -> Call:
    """The call as it was written, to be shown: a contact's name stays, or comes in place of a number that was written
    alone; where it is no contact's stands the bare address."""
    shown = dict(written.arguments)
    for each in reached:
        if not each.sure:
            shown[each.parameter] = call.arguments[each.parameter]
        elif each.origin is AddressOrigin.CONTACT and each.name and shown.get(each.parameter) == each.value:
            shown[each.parameter] = each.name
    return Call(written.name, shown)


def _receiver(phone: AddressBook, parameter: str, value: str, said: Sequence[str]) -> Receiver:
    if meant := find_people(value, phone.people()):
        return Receiver(parameter, value, AddressOrigin.CONTACT, str(meant[0].get("name") or ""))
    if any(_holds(text, value) for text in said):
        return Receiver(parameter, value, AddressOrigin.SAID)
    places = [_place(record, value) for _, rows in phone.rows(value) for _, record in rows]
    order = list(AddressOrigin)
    surest = min((each for each in places if each), key=lambda each: order.index(each[0]), default=None)
    return Receiver(parameter, value, *surest) if surest else Receiver(parameter, value, AddressOrigin.UNKNOWN)


def _place(record: Mapping[str, Any], value: str) -> tuple[AddressOrigin, str, str] | None:
    """Where in a record the value stands, the name beside it, and what the record is called."""
    source = str(record.get("subject") or record.get("title") or "")
    for text in (text for field in _HEADER for text in _texts(record.get(field))):
        if _holds(text, value):
            label = labelled(text)
            return AddressOrigin.MAIL_HEADER, label[0] if label else "", source
    if not _holds(text_of(record), value):
        return None
    written = any(record.get(field) for field in _WRITTEN_BY_OTHERS)
    return AddressOrigin.MESSAGE if written else AddressOrigin.RECORD, "", source


def _holds(text: str, value: str) -> bool:
    """Whether a text has that very address or number."""
    if "@" in value:
        return re.search(rf"(?<![\w.+-]){re.escape(fold(value))}(?![\w-]|\.\w)", fold(text)) is not None
    if well_formed_number(value):
        return any(same_number(value, each) for each in _NUMBERS.findall(text))
    return fold(value) in fold(text)


def _texts(value: object) -> list[str]:
    values = value if isinstance(value, list | tuple) else [value]
    return [each for each in values if isinstance(each, str)]


# how they are written


def labelled(text: str) -> tuple[str, str] | None:
    """`Ana (+44 7700 900123)` and `Ana <ana@example.org>`: the name, and the number or address; None for others."""
    found = _LABELLED.fullmatch(text)
    inside = (found[2] or found[3] or "").strip() if found else ""
    return (found[1], inside) if found and (is_address(inside) or well_formed_number(inside)) else None


def bare(text: str) -> str:
    """The number or address alone where a name stands before it: it says who is meant, and the name says nothing."""
    label = labelled(text)
    return label[1] if label else text.strip()


def is_address(text: str) -> bool:
    return _ADDRESS.fullmatch(text) is not None


def well_formed_number(text: str) -> bool:
    """Whether a text is a phone number: 3 to 15 digits with the usual signs between them."""
    digits = sum(char.isdigit() for char in text)
    return _NUMBER.fullmatch(text.strip()) is not None and _FEWEST_DIGITS <= digits <= _MOST_DIGITS
