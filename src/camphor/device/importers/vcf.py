"""Contacts as vCards (.vcf), versions 2.1, 3.0 and 4.0, as phones, Google, Apple, Outlook and others write them.

A source is read twice, one card at a time: first to learn which of several cards of the same person is the newest, and
whom the owner's own card names as a relative; then for its records.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from datetime import date
from hashlib import blake2b
from json import dumps
from pathlib import Path

from camphor.device.importers.base import Brought, SimpleImporter, Situation, Unread, beginning, without_empty
from camphor.device.importers.content_lines import Line, files, holds, lines, starts_with
from camphor.device.text import fold
from camphor.errors import UsageError

_MOST_CARDS = 1_000_000  # of one source
_MOST_OF_ONE = 100  # numbers, addresses or relatives of one person
_LARGEST = 1_000_000  # characters of one card without its pictures
_LONGEST_PART = 1000  # characters of a name, a number or an address

_ENDS = frozenset((".vcf", ".vcard"))
_WANTED = frozenset((
    "BEGIN", "END", "AGENT", "UID", "REV", "KIND", "X-ADDRESSBOOKSERVER-KIND", "FN", "N", "NICKNAME", "ORG", "TITLE",
    "ROLE", "TEL", "EMAIL", "ADR", "LABEL", "BDAY", "NOTE", "RELATED", "X-ABRELATEDNAMES", "X-ABLABEL",
    "X-ANDROID-CUSTOM", "X-SPOUSE", "X-EVOLUTION-SPOUSE", "X-KADDRESSBOOK-X-SPOUSESNAME",
))  # fmt: skip
_NO_VOICE = frozenset(("fax", "pager", "modem", "bbs", "telex", "textphone"))
_BASE64 = re.compile(r"[A-Za-z0-9+/]*={0,2}")  # of a picture, in the lines of those who do not indent them
_UNSPACED = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af\uf900-\ufaff]+")
_YEARLY = re.compile(r"--(\d\d)-?(\d\d)(?:T.*)?", re.ASCII)
_DATE = re.compile(r"(\d{4})-?(\d\d)-?(\d\d)(?:[T ].*)?", re.ASCII | re.DOTALL)
_NO_YEAR = frozenset((0, 1604))  # what programs write where the year is not known

# Relationships

_APPLE_LABEL = re.compile(r"_\$!<(.*)>!\$_")
_ANDROID = ("", "assistant", "brother", "child", "partner", "father", "friend", "manager", "mother", "parent",
            "partner", "", "relative", "sister", "spouse")  # fmt: skip
_UNSAID = frozenset(("", "other", "contact", "acquaintance", "me", "emergency", "met", "agent", "custom"))
# What a person is to one who is that to them: the mother of my contact is me, so the contact is my child.
_INVERSE = {
    **dict.fromkeys(("mother", "father", "parent"), "child"),
    **dict.fromkeys(("son", "daughter", "child"), "parent"),
    **dict.fromkeys(("brother", "sister", "sibling"), "sibling"),
    **dict.fromkeys(("wife", "husband", "spouse"), "spouse"),
    **dict.fromkeys(("partner", "domestic partner"), "partner"),
    **{each: each for each in ("friend", "relative", "cousin", "colleague", "neighbour", "flatmate")},
    "kin": "relative", "co-worker": "colleague", "neighbor": "neighbour", "co-resident": "flatmate",
}  # fmt: skip
_KIN = (
    "mother|father|mum|mom|mummy|mommy|dad|daddy|parent|stepmother|stepfather|wife|husband|spouse|partner|fianc[eé]e?"
    "|girlfriend|boyfriend|son|daughter|child|brother|sister|sibling|grandmother|grandfather|grandma|grandpa|granny"
    "|grandson|granddaughter|aunt|auntie|uncle|niece|nephew|cousin|godmother|godfather|friend|neighbou?r|colleague"
    "|co-?worker|boss|manager|assistant|flatmate|roommate|landlord|landlady|doctor|gp|dentist|vet|lawyer|accountant"
    "|hairdresser|barber|plumber|electrician|therapist|physio(?:therapist)?|babysitter|nanny|teacher|tutor|coach|trainer"
)
_NOTED = re.compile(
    r"(?:relationship|relation|beziehung|relación|parentesco|relação|relazione)\s*:\s*(?P<told>(?!\S*://)\S[^\n]{0,59})"
    rf"|(?:my |our )?(?P<kin>(?:(?:best|old|step|half|late|ex)[ -])?(?:{_KIN})(?:[ -]in[ -]law)?)\.?",
    re.IGNORECASE,
)


@dataclass
class _Card:
    """One card: its own lines, not those of a card in it. `broken` is what of it could not be read."""

    number: int
    lines: list[Line] = field(default_factory=list)
    size: int = 0
    broken: dict[str, None] = field(default_factory=dict)

    def add(self, line: Line) -> None:
        self.size += len(line.name) + len(line.head) + len(line.raw) + 1
        if not line.name:
            if not _BASE64.fullmatch(line.raw.strip()):
                self.broken["a line of it cannot be read"] = None
        elif self.size > _LARGEST:
            self.broken["too large: the rest of it is left out"] = None
        else:
            self.lines.append(line)

    def all(self, name: str) -> list[Line]:
        """The lines of that name, the preferred ones first."""
        return sorted((line for line in self.lines if line.name == name), key=_preference)

    def text(self, *names: str) -> str:
        """The first text of the first of these names that has one."""
        return next((line.text for name in names for line in self.all(name) if line.text), "")

    @property
    def is_group(self) -> bool:
        return "group" in (self.text("KIND").lower(), self.text("X-ADDRESSBOOKSERVER-KIND").lower())


@dataclass(frozen=True)
class _Contact:
    """What a card says, before it is known what the person is to the owner.

    Args:
        rank: of cards with the same key the greatest is the newest. named: of whom the card says what they are to its
        person: a word, and a name or a UID.
    """

    key: str
    rank: bytes
    record: dict[str, object]
    named: tuple[tuple[str, str], ...]

    @property
    def name(self) -> str:
        return str(self.record["name"])


@dataclass
class _Plan:
    """What the first reading found: by key the newest card, and what the owner's own card says that others are."""

    ranks: dict[bytes, bytes] = field(default_factory=dict)
    relatives: dict[str, str] = field(default_factory=dict)

    def note(self, contact: _Contact, situation: Situation) -> None:
        key = _hash(contact.key)
        if len(self.ranks) < _MOST_CARDS or key in self.ranks:
            self.ranks[key] = max(contact.rank, self.ranks.get(key, b""))
        if _is_owner(contact.name, situation):
            for word, whom in contact.named:
                self.relatives.setdefault(_whom(whom), word)

    def takes(self, contact: _Contact) -> bool:
        """Whether this is the newest card of its person, and the first of equal ones."""
        key = _hash(contact.key)
        newest = self.ranks.get(key) == contact.rank
        if newest:
            self.ranks[key] = b""
        return newest


def _looks(path: Path) -> bool:
    if path.is_dir():
        return holds(path, _ENDS)
    return starts_with(beginning(path), "BEGIN:VCARD", anywhere=path.suffix.lower() in _ENDS)


def _read(path: Path, situation: Situation, unread: Unread) -> Iterator[Brought]:
    plan = _plan(path, situation)
    for file in files(path, _ENDS):
        try:
            yield from _records(file, plan, situation, unread)
        except OSError as error:
            if file == path:
                raise
            unread.add(file.name, error.strerror or "cannot be read")


def _plan(path: Path, situation: Situation) -> _Plan:
    """Raises: UsageError, the source has no cards."""
    plan, cards = _Plan(), 0
    for file in files(path, _ENDS):
        try:
            for card in _cards(file, Unread()):
                cards += 1
                if not card.is_group:
                    plan.note(_contact(card), situation)
        except OSError:
            if file == path:
                raise
    if not cards:
        raise UsageError(f"{path}: there are no contacts in it: export your contacts as vCard (.vcf)")
    return plan


def _records(file: Path, plan: _Plan, situation: Situation, unread: Unread) -> Iterator[Brought]:
    cards = 0
    for card in _cards(file, unread):
        cards += 1
        if card.is_group:
            continue
        contact = _contact(card)
        if not any(contact.record[each] for each in ("name", "phone_number", "email")):
            card.broken["a card without a name, a number or an address"] = None
        elif not plan.takes(contact):
            continue
        else:
            is_owner = _is_owner(contact.name, situation)
            relationship = "" if is_owner else _relationship(contact, card, plan, situation)
            told = {"relationship": relationship, "is_self": True if is_owner else None}
            yield Brought("contacts", "people", contact.key, without_empty({**contact.record, **told}))
        for why in card.broken:
            unread.add(f"{file.name}, line {card.number}", why)
    if not cards:
        unread.add(file.name, "there are no contacts in it")


def _cards(file: Path, unread: Unread) -> Iterator[_Card]:
    """The cards of a file as they end. A card that begins before the last has an end is either in it, as its agent, or
    that one was cut off."""
    card: _Card | None = None
    inner, agent = 0, False
    for line in lines(file, _WANTED):
        frame = line.value.strip().upper() if line.name in ("BEGIN", "END") else ""
        if line.name == "BEGIN" and card and (agent or frame != "VCARD"):
            inner += 1
        elif line.name == "BEGIN" and frame == "VCARD":
            if card:
                unread.add(f"{file.name}, line {card.number}", "it has no end")
            card, inner = _Card(line.number), 0
        elif line.name == "END" and card and inner:
            inner -= 1
        elif line.name == "END" and card and frame == "VCARD":
            yield card
            card = None
        elif card and not inner and line.name != "AGENT":
            card.add(line)
        agent = line.name == "AGENT" and not line.raw.strip()
    if card:
        unread.add(f"{file.name}, line {card.number}", "it is cut off")


def _contact(card: _Card) -> _Contact:
    phones, faxes = _numbers(card)
    emails = _emails(card)
    addresses = _addresses(card)
    record: dict[str, object] = {
        "name": _name(card),
        "nickname": _one_line(card.text("NICKNAME")),
        **_first_and_all("phone_number", "phones", phones),
        **_first_and_all("email", "emails", emails),
        "birthday": _birthday(card),
        "organisation": _organisation(card),
        "job": _one_line(card.text("TITLE", "ROLE")),
        **_first_and_all("address", "addresses", addresses),
        "fax": faxes[0] if faxes else "",
        "notes": card.text("NOTE"),
    }
    said = dumps(record, ensure_ascii=False)
    uid = next((line.value.strip() for line in card.all("UID")), "")
    # people of one name are told apart by how they are reached, and if by nothing by all that is said of them
    reached = sorted("".join(filter(str.isdigit, each)) for each in phones) or sorted(map(str.casefold, emails)) or said
    key = uid or _hash(dumps([record["name"], reached])).hex()
    return _Contact(key, _rank(card, record, said), record, tuple(_named(card)))


def _rank(card: _Card, record: Mapping[str, object], said: str) -> bytes:
    """By when it was changed, then by how much it says."""
    changed = re.sub(r"[^0-9]", "", next((line.value for line in card.all("REV")), ""))[:14]
    return f"{changed:14}{len(without_empty(dict(record))):3}".encode() + _hash(said)


def _name(card: _Card) -> str:
    written = _one_line(card.text("FN"))
    if written:
        return written
    for line in card.all("N"):
        family, given, middle, before, after = (*(part.replace(",", " ") for part in line.parts[:5]), *[""] * 5)[:5]
        if _UNSPACED.fullmatch(family + given + middle):
            return _one_line(family + given + middle)
        if name := _one_line(" ".join((before, given, middle, family, after))):
            return name
    return _one_line(card.text("NICKNAME")) or _organisation(card)


def _numbers(card: _Card) -> tuple[list[str], list[str]]:
    """Numbers on which one speaks, and those of fax machines."""
    phones: dict[str, str] = {}
    faxes: list[str] = []
    for line in card.all("TEL")[:_MOST_OF_ONE]:
        number = _number(line.text)
        if not any(map(str.isdigit, number)):
            continue
        if line.types & _NO_VOICE and not line.types & {"voice", "cell"}:
            faxes.append(number)
        else:
            phones.setdefault("".join(each for each in number if each.isalnum() or each in "+*#"), number)
    return list(phones.values()), faxes


def _number(written: str) -> str:
    """As it is written; of a tel: address without what stands behind it, but for an extension."""
    if not written.lower().startswith("tel:"):
        return _one_line(written)
    number, *more = written[4:].split(";")
    extension = next((each[4:] for each in more if each.lower().startswith("ext=")), "")
    return _one_line(f"{number} ext. {extension}" if extension else number)


def _emails(card: _Card) -> list[str]:
    written = (re.sub(r"^mailto:", "", line.text, flags=re.IGNORECASE) for line in card.all("EMAIL")[:_MOST_OF_ONE])
    found: dict[str, str] = {}
    for each in written:
        address = _one_line(each).strip("<>")
        if "@" in address:
            found.setdefault(address.casefold(), address)
    return list(found.values())


def _addresses(card: _Card) -> list[str]:
    """Each in one line, the preferred ones first, then those where the person lives."""
    written = sorted(card.all("ADR")[:_MOST_OF_ONE], key=lambda line: (_preference(line), "home" not in line.types))
    found = [
        ", ".join(filter(None, (_listed(part) for part in line.parts))) or _listed(line.parameter("LABEL"))
        for line in written
    ]
    found = [each for each in found if each] or [_listed(line.text) for line in card.all("LABEL")[:_MOST_OF_ONE]]
    return list(dict.fromkeys(each[:_LONGEST_PART] for each in found if each))


def _birthday(card: _Card) -> str:
    for line in card.all("BDAY"):
        written = line.text
        found = _YEARLY.fullmatch(written) or _DATE.fullmatch(written)
        try:
            if found and found.re is _DATE and int(found[1]) not in _NO_YEAR:
                return date(int(found[1]), int(found[2]), int(found[3])).isoformat()
            if found:
                month, day = found.groups()[-2:]
                return f"--{date(2000, int(month), int(day)):%m-%d}"
        except ValueError:
            found = None
        if written:
            card.broken["its birthday cannot be read"] = None
    return ""


def _organisation(card: _Card) -> str:
    return next((found for line in card.all("ORG") if (found := _one_line(", ".join(filter(None, line.parts))))), "")


def _first_and_all(first: str, every: str, values: list[str]) -> dict[str, object]:
    return {first: values[0] if values else "", every: values if len(values) > 1 else []}


def _preference(line: Line) -> int:
    """The preferred line's is the smallest."""
    number = line.parameter("PREF")
    if re.fullmatch(r"[0-9]{1,3}", number):
        return int(number)
    return 1 if "pref" in line.types or number else 1000


# Relationships


def _relationship(contact: _Contact, card: _Card, plan: _Plan, situation: Situation) -> str:
    """What the person is to the owner: as the owner's card says, as their own card says of the owner, as a note says;
    or what they are to somebody else ("Len Tucker's spouse")."""
    word = plan.relatives.get(_whom(contact.name)) or plan.relatives.get(_whom(contact.key))
    others = ""
    for said, whom in contact.named:
        inverse = _INVERSE.get(said, "")
        if whom and inverse and _is_owner(whom, situation):
            word = word or inverse
        elif inverse and not others and "\n" not in whom and ":" not in whom:
            others = f"{whom}'s {inverse}"
    word = word or next(filter(None, (_noted(line.text) for line in card.all("NOTE"))), "")
    return word[:1].upper() + word[1:] if word else others


def _named(card: _Card) -> Iterator[tuple[str, str]]:
    """Of whom the card says what they are to its person: the word, in small letters, and the name or UID."""
    labels = {line.group: line.text for line in card.all("X-ABLABEL") if line.group}
    for line in card.lines:
        word, whom = "", line.text if line.name != "X-ANDROID-CUSTOM" else ""
        if line.name == "RELATED":
            word = next((each for each in sorted(line.types) if each not in _UNSAID), "")
        elif line.name == "X-ABRELATEDNAMES":
            word = labels.get(line.group, "")
        elif line.name.endswith(("SPOUSE", "SPOUSESNAME")):
            word = "spouse"
        elif line.name == "X-ANDROID-CUSTOM":
            word, whom = _android(line.parts)
        word = _word(word)
        if whom and word not in _UNSAID:
            yield word, _one_line(whom)


def _android(parts: list[str]) -> tuple[str, str]:
    """Of a relative in the form of Android's contacts: the word and the name."""
    kind, name, number, label = (*parts, "", "", "", "")[:4]
    if kind != "vnd.android.cursor.item/relation" or not re.fullmatch(r"[0-9]{1,2}", number):
        return "", ""
    return (_ANDROID[int(number)] if int(number) < len(_ANDROID) else "") or label, name


def _word(label: str) -> str:
    """A label as people would say it: "_$!<MotherInLaw>!$_" is "mother in law"."""
    plain = _APPLE_LABEL.sub(r"\1", _one_line(label))
    return re.sub(r"(?<=[a-z])(?=[A-Z])", " ", plain).lower()[:60]


def _noted(note: str) -> str:
    """What a line of a note says that the person is, if it says nothing else."""
    for line in note.split("\n", 20)[:20]:
        found = _NOTED.fullmatch(line.strip()[:100])
        if found:
            return (found["told"] or found["kin"].lower()).strip(" .")
    return ""


def _is_owner(name: str, situation: Situation) -> bool:
    """Whether that is the owner's full name: a first name alone may be another's."""
    owner = _whom(situation.owner)
    return " " in owner and _whom(name) == owner


def _whom(name: str) -> str:
    return " ".join(fold(name).removeprefix("urn:uuid:").split())


def _one_line(text: str) -> str:
    return " ".join(text[: 2 * _LONGEST_PART].split())[:_LONGEST_PART]


def _listed(text: str) -> str:
    """Several lines as one, divided by commas."""
    return ", ".join(filter(None, (_one_line(each).strip(" ,") for each in text.split("\n"))))


def _hash(text: str) -> bytes:
    return blake2b(text.encode(), digest_size=12).digest()


CONTACTS = SimpleImporter("vcf", "contacts as vCards (.vcf)", _looks, _read)
