"""The people whose lives are simulated: age, tastes, profession, hobbies, habits, those around them (Appendix A.2)."""

from __future__ import annotations

from random import Random

from camphor.device.text import words as words_of
from camphor_lab.datasets.bank import load as load_phones
from camphor_lab.datasets.context.lives import LifePerson, Persona
from camphor_lab.datasets.context.words import LifeWords

_ADJECTIVE = ("ska", "ski")
_COUPLE = ("wife", "husband", "girlfriend", "boyfriend", "partner")
_GRANDCHILD_TILL = 45
_PARENTS_TILL, _CHILDREN = 62, range(27, 54)


class People:
    """Makes people of one culture; no two in a life share a name or a number."""

    def __init__(self, rng: Random) -> None:
        self._rng = rng
        cultures = load_phones()["personas"]
        self.culture = rng.choice(sorted(cultures))
        self._cultures = cultures
        self.city, self.country, *_, self._form = rng.choice(cultures[self.culture]["cities"]).split("|")
        self._taken: set[str] = set()

    def name(self, pronoun: str, own: bool = False, last: str = "") -> str:
        """A name whose first name nobody else has; most are of the life's own culture. `last`: of the same family."""
        while True:
            culture = (
                self.culture if own or last or self._rng.random() < 0.7 else self._rng.choice(sorted(self._cultures))
            )
            names = self._cultures[culture]
            first = self._rng.choice(names["f" if pronoun == "she" else "m"])
            if first not in self._taken:
                self._taken.add(first)
                return f"{first} {of_gender(last or self._rng.choice(names['last']), pronoun)}"

    def number(self) -> str:
        while True:
            number = "".join(str(self._rng.randint(0, 9)) if sign == "#" else sign for sign in self._form)
            if number not in self._taken:
                self._taken.add(number)
                return number

    def email(self, name: str) -> str:
        local = ".".join("".join(words_of(part)) for part in name.split())
        return f"{local}@{self._rng.choice(('example.org', 'example.com', 'mail.example.net'))}"

    def person(self, relationship: str, circle: str, pronoun: str = "they", last: str = "") -> LifePerson:
        if pronoun == "they":
            pronoun = self._rng.choice(("she", "he"))
        name = self.name(pronoun, last=last)
        return LifePerson(name, relationship, circle, self.number(), self.email(name), pronoun)


def of_gender(last: str, pronoun: str) -> str:
    """A family name as a woman or a man bears it, where the two differ (Kowalska, Kowalski)."""
    she, he = _ADJECTIVE
    stem = last.removesuffix(she).removesuffix(he)
    return last if stem == last else stem + (she if pronoun == "she" else he)


def make_persona(identifier: str, words: LifeWords, rng: Random) -> tuple[Persona, People]:
    """A new person, and the maker of others whom they will meet."""
    people = People(rng)
    pronoun = rng.choice(("she", "he"))
    own = people.name(pronoun, own=True)
    job = rng.choice([topic for topic in words.topics("professions", "shared") if topic["what"] != "retired"])
    age = rng.randint(*_range(job["ages"]))
    if (age > 60 and rng.random() < 0.6) or rng.random() < 0.06:
        job = next(topic for topic in words.topics("professions", "shared") if topic["what"] == "retired")
        age = rng.randint(*_range(job["ages"]))
    work = (float(job["first"]), float(job["last"])) if job["first"] else None
    taste = {key: rng.choice(words.lines("tastes", key)) for key in ("music", "films", "cuisine", "sport")}
    suits = words.suits("hobby", pronoun, age)
    hobbies = rng.sample([topic["what"] for topic in words.topics("hobby") if suits(topic)], 3)
    return Persona(
        id=identifier,
        split=words.split,
        name=own,
        email=people.email(own),
        age=age,
        profession=job["what"],
        **taste,
        hobbies=tuple(hobbies),
        habits=tuple(rng.sample(words.lines("tastes", "habits"), 2)),
        people=_around(own.split(maxsplit=1)[1], age, job["what"], work is not None, people, words, rng),
        city=people.city,
        country=people.country,
        places=_places(words, people.city, rng),
        work=work,
        workdays=tuple(int(day) for day in job["days"]),
        commute_minutes=rng.randint(*_range(job["commute"])),
        pronoun=pronoun,
    ), people


def _range(text: str) -> tuple[int, int]:
    low, high = text.split("-")
    return int(low), int(high)


def _around(
    family: str, age: int, job: str, works: bool, people: People, words: LifeWords, rng: Random
) -> tuple[LifePerson, ...]:
    found: list[LifePerson] = []

    def fits(line: str) -> bool:
        if line.startswith("grand"):
            return age <= _GRANDCHILD_TILL
        return "-in-law" not in line or any(person.relationship in _COUPLE for person in found)

    def add(group: str, circle: str, count: int) -> None:
        lines = [line for line in words.lines("relationships", group) if fits(line)]
        for line in rng.sample(lines, min(count, len(lines))):
            relationship, pronoun = line.split("|")
            last = family if group in ("parent", "child") else ""
            found.append(people.person(relationship, circle, pronoun, last))

    if age < _PARENTS_TILL:
        add("parent", "family", rng.choice((1, 2, 2)))
    if age > 22 and rng.random() < 0.6:
        add("partner", "family", 1)
    if age in _CHILDREN and (job == "stay-at-home parent" or rng.random() < 0.5):
        add("child", "family", rng.choice((1, 1, 2)))
    add("kin", "family", rng.randint(1, 3))
    add("friend", "friend", rng.randint(2, 4))
    if works:
        add("work", "work", rng.randint(2, 4))
    return tuple(found)


def _places(words: LifeWords, city: str, rng: Random) -> dict[str, str]:
    def street() -> str:
        return f"{rng.randint(1, 120)} {words.pick(rng, 'places', 'streets')}, {city}"

    named = {"gym": "gyms", "shop": "shops", "clinic": "clinics", "school": "schools"}
    places = {place: f"{words.pick(rng, 'places', key)}, {street()}" for place, key in named.items()}
    return {"home": street(), "work": street(), **places}
