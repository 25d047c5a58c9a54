"""A question answered from the records of a phone: read, ranked, made a program, said."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from camphor.agents.answering.comparing import at_another_time, compared_times, figure_of, not_compared
from camphor.agents.answering.compose import compose
from camphor.agents.answering.lexicon import lexicon, pattern, word_list
from camphor.agents.answering.model import AnsweringModel, read_answering
from camphor.agents.answering.programs import Program
from camphor.agents.answering.question import Operation, ParsedQuestion, names_of, read_question
from camphor.agents.answering.ranking import Sight, rank, read_again
from camphor.agents.answering.render import render, render_gap, tell_uncompared
from camphor.agents.answering.tables import Table, read_by, tables_of
from camphor.agents.gate.asked import tell_unmet
from camphor.agents.parts import Part, PartKind, parts_of, words_of
from camphor.agents.parts import lexicon as parts_lexicon
from camphor.device.text import text_of
from camphor.device.usage_events import ItemRef
from camphor.retrieval.reading.reader import read_reader
from camphor.tools.tool import Toolbox
from camphor.types import Agent, Step

if TYPE_CHECKING:
    from camphor.device.device import Device
    from camphor.retrieval.static import Vector

Found = Mapping[str, Sequence[Mapping[str, Any]]]
_WISHED = 0.7  # how likely a part must wish for something, to be said not to have been done
_PERHAPS_WISHED = 0.3  # the same, where it begins as an order of a certain thing does
_TOLD = 3  # records of an answer that are told one by one
_READ = 300  # characters of a record that its likeness to the question is taken from


@dataclass(frozen=True)
class RecordAnswer:
    """An answer: its words, and the programs that they were made of."""

    text: str
    programs: tuple[Program, ...]

    @property
    def found(self) -> bool:
        """Whether any of it rests on a record."""
        return any(each.operation is not Operation.NONE and not each.lacking for each in self.programs)

    @property
    def shown(self) -> tuple[ItemRef, ...]:
        """The records of the phone's lists that it tells one by one; those of a long list are only listed."""
        picks = [pick for each in self.programs if len(each.picks) <= _TOLD for pick in each.picks]
        return tuple(ItemRef(pick.table.app, pick.table.name, pick.row.ordinal) for pick in picks)


def answer(
    query: str,
    device: Device,
    steps: Sequence[Step] = (),
    model: AnsweringModel | None = None,
    before: Sequence[str] = (),
) -> RecordAnswer:
    """The answer to a question, in words that hold only what records hold.

    Args:
        steps: look-ups that a language model chose for it: what they found is likelier to be meant.
        model: None for the one that ships.
        before: earlier queries, oldest first: "what day?" is about what the last of them is, unless it was looked up.
    """
    model = model or read_answering()
    looked_up = found_in(steps, device.toolbox)
    first, *others = split(query)
    if _bare(first) and not any(looked_up.values()):
        first = next((f"{first} {each}" for each in reversed(before) if not _bare(each)), first)
    named = _named(first, looked_up, steps)
    asked = named if pattern("points_back").search(first) else first
    compared = [] if others else _compare(asked, device, looked_up, model)
    told = compared or [_answer(part, device, looked_up, model) for part in (asked, *others)]
    if told[0][1].operation is Operation.NONE and named != asked:
        told[0] = _answer(named, device, looked_up, model)
    undone = tell_unmet(_orders(query, bool(before)))  # no action was done where records answer
    with_what = "" if compared else not_compared(asked)
    uncompared = tell_uncompared(with_what) if with_what and told[0][1].picks else ""
    texts = dict.fromkeys([undone, *(text for text, _ in told), uncompared])
    return RecordAnswer("\n".join(text for text in texts if text), tuple(program for _, program in told))


def _orders(query: str, follows: bool) -> tuple[Part, ...]:
    """The parts of a query that wish for something to be done, which telling does not do."""
    return tuple(each for each in parts_of(query, follows) if each.orders and _unmet_by_telling(each))


def _unmet_by_telling(part: Part) -> bool:
    """Whether a part orders what is not done by telling: by its kind, and by the words that it begins with."""
    said = [word for word in words_of(part.text) if word not in parts_lexicon().fillers]
    first, *rest = pattern("wants_to").sub("", " ".join(said)).split() or ("",)
    if "acts.base" not in parts_lexicon().classes.get(first, ()) or not rest:
        return False
    least = _PERHAPS_WISHED if rest[0] in word_list("determiners") else _WISHED
    asks = part.kind is PartKind.QUESTION and part.text.endswith("?")
    wished = part.kind in (PartKind.WISH, PartKind.QUESTION) and part.wish >= least and not asks
    told = rest[0] in word_list("after_a_noun") or {first, f"{first}-{rest[0]}"} & word_list("showing")
    return wished and not told


def _answer(query: str, device: Device, looked_up: Found, model: AnsweringModel) -> tuple[str, Program]:
    return _answer_read(read_question(query, device.now, names_of(device.people())), device, looked_up, model)


def _answer_read(
    question: ParsedQuestion, device: Device, looked_up: Found, model: AnsweringModel
) -> tuple[str, Program]:
    sight = sight_of(question.text, device, looked_up, model)
    ranked = rank(question, sight, model.weights)
    program = compose(question, sight, read_again(question, ranked, device.now, read_reader()))
    return render(program, sight), program


def _compare(query: str, device: Device, looked_up: Found, model: AnsweringModel) -> list[tuple[str, Program]]:
    """The answers of a query that compares a figure at two times, with how far these are apart; none for any other."""
    now = device.now
    compared = compared_times(query, now, names_of(device.people()))
    if compared is None:
        return []
    questions = (compared.first, compared.second)
    told = [_answer_read(each, device, looked_up, model) for each in questions]
    for place, other in ((0, 1), (1, 0)):  # what is all that there is of one time is so of the other
        program = told[place][1]
        if figure_of(program, now) and (elsewhen := at_another_time(program, questions[other], now)):
            told[other] = (render(elsewhen, sight_of(query, device, looked_up, model)), elsewhen)
            break
    programs = [program for _, program in told]
    figures = [figure_of(each, now) for each in programs]
    if (gap := render_gap(programs, figures, questions)) is not None:
        return [(gap, programs[0]), ("", programs[1])]
    known = next((place for place, figure in enumerate(figures) if figure), None)
    if known is None:
        return []
    unknown = questions[1 - known].stretch
    return [told[known], (tell_uncompared(unknown.said if unknown else "now"), programs[1 - known])]


def sight_of(query: str, device: Device, looked_up: Found, model: AnsweringModel) -> Sight:
    """All that a question can be answered from."""
    tables = tables_of(device)
    return Sight(
        tables, device.people(), device.now, looked_up, model.likely(query), model.common, _likeness(query, tables)
    )


def _likeness(query: str, tables: Sequence[Table]) -> dict[str, Vector]:
    """For each list the cosines of its records with a question, by word vectors."""
    meant = _vectors((query,))[0]
    return {
        each.key: _vectors(tuple(f"{each.noun} {text_of(dict(row.record))[:_READ]}" for row in each.rows)) @ meant
        for each in tables
    }


@lru_cache(maxsize=256)
def _vectors(texts: tuple[str, ...]) -> Vector:
    from camphor.retrieval.static import StaticEncoder

    return StaticEncoder().encode(texts)


def found_in(steps: Sequence[Step], toolbox: Toolbox) -> dict[str, list[Mapping[str, Any]]]:
    """What look-ups found, by the list "app.list" that each read."""
    found: dict[str, list[Mapping[str, Any]]] = {}
    for step in steps:
        for call, seen in zip(step.calls, step.observations, strict=True):
            if step.agent is not Agent.TASK and call.name in toolbox and (key := read_by(toolbox.get(call.name))):
                found.setdefault(key, []).extend(seen.records)
    return found


_JOINT = pattern("next_question")
_COUNTED = pattern("number_of_questions")
_ANY = datetime(2026, 1, 1)
_POINTING = word_list("pointing_back")


def split(query: str) -> list[str]:
    """The questions of a query that asks several; one that points back takes over what the first is about."""
    parts = [part.strip(" ,") for part in _JOINT.split(query) if len(part.split()) > 1]
    if len(parts) < 2:
        return [query]
    parts[0] = _COUNTED.sub("", parts[0])
    return [parts[0], *(part if _whole(part) else _about(part, parts[0]) for part in parts[1:])]


def _about(question: str, before: str) -> str:
    """A question with the words that say what the one before is about."""
    return " ".join([question, *read_question(before, _ANY).content.values()])


def _named(question: str, looked_up: Found, steps: Sequence[Step]) -> str:
    """A question that points back, or for which an item was ranked, with the name of the record looked up for it.

    An item that the person's context ranks first is looked up by its very title, by code.
    """
    for step in reversed(steps):
        for call, seen in zip(step.calls, step.observations, strict=True):
            said = {str(each).casefold() for each in call.arguments.values()}
            if len(seen.records) == 1 and (title := said & {str(each).casefold() for each in seen.records[0].values()}):
                return question if min(title) in question.casefold() else f"{question} {min(title)}"
    found = [record for records in looked_up.values() for record in records]
    titles = [str(found[0][each]) for each in lexicon("tables.toml")["titles"] if found[0].get(each)] if found else []
    points = pattern("points_back").search(question)
    return f"{question} {titles[0]}" if points and len(found) == 1 and titles else question


def _bare(query: str) -> bool:
    """Whether a question names neither a thing nor a time: "what day?", "where?"."""
    read = read_question(query, _ANY)
    return not read.content and read.stretch is None


def _whole(part: str) -> bool:
    """Whether a question says by itself what it is about."""
    return bool(set(read_question(part, _ANY).content) - _POINTING) and not pattern("points_back").search(part)
