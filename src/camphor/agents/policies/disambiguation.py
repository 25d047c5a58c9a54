"""When a person's name fits several, and nothing tells them apart: ask, never guess.

Measured on the gold look-ups of the 1,120 hand-written queries: where a look-up found several people whom its words fit
equally, the query held no word that tells them apart and no other record spoke of one of them, 42 of 51 queries were
ones where the right answer is a question back; of the other nine, five speak to all of them ("both Hubers").
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from camphor.agents.display import show_value
from camphor.agents.policies.base import Policy, Question, Situation, at_once
from camphor.device.people import find_people
from camphor.device.text import COMMON, text_of, words
from camphor.tools.tool import PERSON_ROLES, Toolbox
from camphor.types import Agent, Call, Observation, Turn

_ANSWER = 8  # words of an answer to a question, at most
_ALL = frozenset(("both", "all", "every", "everybody", "everyone", "each"))
_BESIDE = 3  # words after it in which those stand whom it counts
_OF_THEM = (("of", "them"), ("of", "those"), ("of", "these"))
Record = Mapping[str, Any]


def settle_people(
    calls: Sequence[Call], turn: Turn, history: Sequence[Turn], toolbox: Toolbox
) -> tuple[tuple[Call, ...], str]:
    """The calls, meant for whom the person's words single out, and the question to ask where nothing does ("" if none).

    A model that picks the wrong Alice although the query says "Alice from work" is put right, and so is one that writes
    "Sean" where the turn looked up the plumber, one of two Seans; a model that picks one of two without a word for it
    must ask.
    """
    said = set(words(" ".join([turn.query, *(f"{earlier.query} {earlier.response}" for earlier in history)])))
    settled = tuple(calls)
    observations = _observed(turn)
    if any(_means_all(turn.query, [*_fitting(found)], found) for found in observations):
        return settled, ""
    shown = [[*_observed(earlier)] for earlier in history]
    settled = tuple(
        _completed(call, [observations, *reversed(shown)], set(words(turn.query)), toolbox) for call in settled
    )
    if left := _left_open(settled, [*observations, *(each for earlier in shown for each in earlier)], toolbox):
        return settled, _which(left)
    settled = _as_answered(settled, turn, history, toolbox)
    for found in observations:
        fitting = _fitting(found)
        addressed = _addressed(settled, toolbox)
        meant = [person for person in fitting if _names(person) & addressed]
        if len(fitting) < 2 or len(meant) != 1:
            continue
        named = _singled_out(fitting, found, said)
        if len(named) == 1:
            settled = tuple(_readdress(call, meant[0], named[0], toolbox) for call in settled)
        elif meant[0] not in named and not _mentioned_alone(meant[0], fitting, observations):
            return settled, _which(fitting)
    return settled, ""


def _means_all(query: str, people: Sequence[Record], found: Observation) -> bool:
    """Whether a query speaks of all of these people: "both Hubers", "all my sisters", "both of them".

    A word such as "all" or "each" says so only where it stands by them: "text Sean that all is well" asks for one.
    """
    if len(people) < 2:
        return False
    theirs = {word for person in people for word in _traits(person)} | set(words(text_of(dict(found.call.arguments))))
    said = words(query)
    for at, word in enumerate(said):
        beside = said[at + 1 : at + 1 + _BESIDE] if word in _ALL else ()
        if any(other in theirs or other.removesuffix("s") in theirs for other in beside):
            return True
        if word in _ALL and (beside[:2] in _OF_THEM or at == len(said) - 1):
            return True
    return False


def _as_answered(calls: tuple[Call, ...], turn: Turn, history: Sequence[Turn], toolbox: Toolbox) -> tuple[Call, ...]:
    """The calls for whom "the wife" means, said in answer to which of two was meant, and not for the other one."""
    said = set(words(turn.query))
    if not history or not history[-1].response.endswith("?") or len(said) > _ANSWER:
        return calls
    for found in _observed(history[-1]):
        fitting = _fitting(found)
        named = _singled_out(fitting, found, said)
        others = [person for person in fitting if person not in named]
        if len(named) == 1:
            for other in others:
                calls = tuple(_readdress(call, other, named[0], toolbox) for call in calls)
    return calls


def whole_question(answer: str, turn: Turn) -> str:
    """The model's answer; a question that leaves out one of the people it could be about names them all."""
    if not answer.endswith("?"):
        return answer
    for step in turn.steps:
        for found in step.observations:
            fitting = _fitting(found)
            named = [person for person in fitting if str(person["name"]) in answer]
            if named and len(named) < len(fitting):
                return _which(fitting)
    return answer


def asks_whom_in_vain(answer: str, turn: Turn) -> bool:
    """Whether an answer asks which of several people is meant, and the words looked up are those of one alone.

    "mum" finds the mother and, by its words, "Conor's mum" too.
    """
    if not answer.endswith("?"):
        return False
    for found in _observed(turn):
        asked = [person for person in _people(found) if str(person["name"]) in answer]
        meant = _fitting(found)
        if len(asked) > 1 and ((len(meant) == 1 and meant[0] in asked) or _names_one(asked, turn.query)):
            return True
    return False


def _names_one(people: Sequence[Record], query: str) -> bool:
    """Whether a query has the whole name of one of several people, or words of what one of them alone is."""
    said = set(words(query))
    whole = [each for each in people if set(words(str(each["name"]))) <= said]
    if whole:
        return len(whole) == 1
    what = [set(words(str(each.get("relationship") or ""))) - COMMON for each in people]
    return sum(bool(each & said) for each in what) == 1


def _which(people: Sequence[Record]) -> str:
    return f"Which one do you mean: {_either(people)}?"


def _completed(call: Call, shown: Sequence[Sequence[Observation]], said: set[str], toolbox: Toolbox) -> Call:
    """The call with a part of a name made whole, where it can mean but one of the people who were looked up.

    Args:
        shown: what the turns found, the newest first. said: the words of the query.
    """
    arguments = dict(call.arguments)
    for name, value in _receivers(call, toolbox):
        for observations in shown:
            people = _by_name(observations)
            if any(value.casefold() in _names(person) for person in people):
                break
            meant = find_people(value, people) if words(value) else []
            if len(meant) > 1:
                meant = _looked_up_alone(meant, observations) or _told_apart(meant, said)
            if len(meant) == 1:
                arguments[name] = str(meant[0]["name"])
            if meant:
                break
    return Call(call.name, arguments)


def _looked_up_alone(people: Sequence[Record], observations: Sequence[Observation]) -> list[Record]:
    """Those of the people whom a look-up found without the others: "the plumber" finds one of two Seans."""
    names = {str(person["name"]) for person in people}
    alone = {
        found.pop()
        for each in observations
        if len(found := names & {str(person["name"]) for person in _people(each)}) == 1
    }
    return [person for person in people if person["name"] in alone]


def _told_apart(people: Sequence[Record], said: set[str]) -> list[Record]:
    """Those of whom a word was said that fits no other of them; all where that is so of none."""
    told = []
    for person in people:
        others = {word for other in people if other is not person for word in _traits(other)}
        if (_traits(person) - others) & said:
            told.append(person)
    return told or list(people)


def _left_open(calls: Sequence[Call], observations: Sequence[Observation], toolbox: Toolbox) -> list[Record]:
    """Several people who were looked up and whom the name in a call fits equally: the device would refuse it."""
    people = _by_name(observations)
    for call in calls:
        for _, value in _receivers(call, toolbox):
            if any(value.casefold() in _names(person) for person in people):
                continue
            fitting = find_people(value, people) if words(value) else []
            if len(fitting) > 1:
                return fitting
    return []


def _receivers(call: Call, toolbox: Toolbox) -> list[tuple[str, str]]:
    """The parameters of a call that mean people, with their values."""
    parameters = toolbox.get(call.name).parameters if call.name in toolbox else ()
    values = [(each.name, str(call.arguments.get(each.name, ""))) for each in parameters if each.role in PERSON_ROLES]
    return [(name, value) for name, value in values if value]


def _by_name(observations: Sequence[Observation]) -> list[Record]:
    return list({str(person["name"]): person for found in observations for person in _people(found)}.values())


def _observed(turn: Turn) -> list[Observation]:
    return [found for step in turn.steps if step.agent is not Agent.TASK for found in step.observations]


def _addressed(calls: Sequence[Call], toolbox: Toolbox) -> set[str]:
    """Whom the calls are for, as written: names, numbers or addresses, folded."""
    return {value.casefold() for call in calls for _, value in _receivers(call, toolbox)}


def _fitting(found: Observation) -> list[Record]:
    """The people found whom the look-up's words fit equally well; none if it was no look-up of people."""
    people = _people(found)
    asked = " ".join(str(value) for value in found.call.arguments.values())
    return list(find_people(asked, people)) if len(people) > 1 else []


def _people(found: Observation) -> list[Record]:
    return [
        record
        for record in found.records
        if record.get("name") and ("relationship" in record or "phone_number" in record)
    ]


def _singled_out(fitting: Sequence[Record], found: Observation, said: set[str]) -> list[Record]:
    """Those of whom the person said a word that fits no other of them and is not the one looked up."""
    asked = set(words(text_of(dict(found.call.arguments))))
    named = []
    for person in fitting:
        others = {word for other in fitting if other is not person for word in _traits(other)}
        if (_traits(person) - asked - others) & said:
            named.append(person)
    return named


def _mentioned_alone(person: Record, fitting: Sequence[Record], observations: Sequence[Observation]) -> bool:
    """Whether other records, such as messages, speak of this one and of no other who fits."""
    elsewhere = "\n".join(text_of(list(found.records)) for found in observations if not _fitting(found))
    spoken_of = [
        each for each in fitting if any(each[name] in elsewhere for name in ("name", "email") if each.get(name))
    ]
    return spoken_of == [person]


def _readdress(call: Call, old: Record, new: Record, toolbox: Toolbox) -> Call:
    arguments = dict(call.arguments)
    for parameter in toolbox.get(call.name).parameters if call.name in toolbox else ():
        if parameter.role in PERSON_ROLES and str(arguments.get(parameter.name, "")).casefold() in _names(old):
            arguments[parameter.name] = str(new["name"])
    return Call(call.name, arguments)


def _traits(person: Record) -> set[str]:
    return set(words(f"{person['name']} {person.get('relationship') or ''}"))


def _names(person: Record) -> set[str]:
    return {str(person.get(field)).casefold() for field in ("name", "phone_number", "email") if person.get(field)}


def _either(people: Sequence[Record]) -> str:
    shown = [
        f"{person['name']} ({show_value(person['relationship'], 0)})"
        if person.get("relationship")
        else str(person["name"])
        for person in people
    ]
    return ", ".join(shown[:-1]) + " or " + shown[-1]


def _revise(situation: Situation, calls: tuple[Call, ...]) -> tuple[Call, ...] | Question:
    settled, question = settle_people(calls, situation.turn, situation.history, situation.toolbox)
    return Question(question) if question else settled


DISAMBIGUATION = Policy("disambiguation", at_once(_revise))
