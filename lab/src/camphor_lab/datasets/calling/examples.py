"""Requests in plain text with the calls that answer them, and many more made of them by exchanging what they name.

A file of examples has a request a line, or several that mean the same, and below them, indented, the calls:

    give the north bed ten minutes of water
    water the north bed for ten minutes, please
        water_bed(bed="north bed", minutes=10)

    find the basil and water its bed for five minutes
        bed = find_plant(plant="basil")
        water_bed(bed=bed, minutes=5)

    will it rain on Saturday?
        none

A text is given in the request's own words, and so is a time ("tomorrow at nine"): the model copies, code computes. A
line that begins with # is a remark.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from pathlib import Path
from random import Random
from typing import Any

from camphor.agents.calling.caller import answer_grammar
from camphor.agents.calling.prompts import CallForm, render_answer
from camphor.agents.calling.times import settle_times
from camphor.errors import DatasetError, ToolError, UsageError
from camphor.models.constraint import accepts
from camphor.tools.call_formats import NO_CALL, read_code
from camphor.tools.plans import Plan, check
from camphor.tools.tool import COMPUTED, Role, Tool, Toolbox
from camphor.trajectories.call_samples import CallSample
from camphor.types import Call
from camphor_lab.datasets.bank import Bank
from camphor_lab.datasets.joins import join
from camphor_lab.datasets.wording import listed

CLOCK = datetime(2026, 1, 15, 12, 0)
"""What "tomorrow" is counted from in an example: any moment does, as the words are what is learnt."""

_NONE = "none"
_SEVERAL = 0.25  # of what is made has two calls
_KEPT = 0.3  # of values stay as they are; as many of numbers become any other of their size
_TIRED = 20  # draws in a row that give nothing new
_TIMED = (*COMPUTED, Role.TIME_RANGE)


def read_examples(path: Path, tools: Sequence[Tool]) -> list[CallSample]:
    """The examples of a file, each checked against the functions.

    Raises:
        DatasetError: the file cannot be read, a request has no calls, or calls that are not right; names the line.
        UsageError: it holds no example.
    """
    try:
        text = path.read_text(encoding="utf-8-sig")
    except OSError as error:
        raise DatasetError(str(path), None, f"cannot be read: {error.strerror}") from None
    except UnicodeDecodeError:
        raise DatasetError(str(path), None, "not UTF-8 text: save it as UTF-8") from None
    samples: list[CallSample] = []
    for queries, code, line in _blocks(path, text):
        for query in queries:
            try:
                samples.append(_sample(f"line-{line}-{len(samples)}", query, code, tools))
            except ToolError as error:
                raise DatasetError(str(path), line, f"{query[:60]!r}: {error}") from None
    if not samples:
        raise UsageError(f"{path}: holds no example: write a request, and below it, indented, its calls")
    return samples


def _blocks(path: Path, text: str) -> Iterator[tuple[list[str], str, int]]:
    """Requests that mean the same, their calls, and the line on which these begin."""
    queries: list[str] = []
    code: list[str] = []
    begun = 0
    for number, line in enumerate([*text.splitlines(), ""], 1):
        if line.strip() and line[0] in " \t":
            if not queries:
                raise DatasetError(str(path), number, "calls without a request above them: a request is not indented")
            begun = begun or number
            code.append(line.strip())
            continue
        if code:
            yield queries, "\n".join(code), begun
            queries, code, begun = [], [], 0
        if line.strip() and not line.startswith("#"):
            queries.append(" ".join(line.split()))
    if queries:
        raise DatasetError(
            str(path), None, f"{queries[-1][:60]!r} has no calls: write them below it, indented, or {_NONE}"
        )


def _sample(name: str, query: str, code: str, tools: Sequence[Tool]) -> CallSample:
    """Raises: ToolError, the calls are not right; says why."""
    toolbox = Toolbox(tools)
    plan = read_code(NO_CALL if code.strip("# .").casefold() == _NONE else code, tools)
    said = {
        f"{place}.{parameter.name}": call.arguments[parameter.name]
        for place, call in enumerate(plan)
        for parameter in (toolbox.get(call.name).parameters)
        if parameter.role in _TIMED and isinstance(call.arguments.get(parameter.name), str)
    }
    settled = check(settle_times(plan, toolbox, CLOCK), toolbox)
    sample = CallSample(name, query, settled, CLOCK if said else None, said, (_kind(settled),))
    if not _is_writable(sample, tools):
        raise ToolError(f"its texts are not all words of the request: {_unsaid(query, plan) or code}")
    return sample


def _kind(plan: Plan) -> str:
    return _NONE if not plan else "simple" if len(plan) == 1 else "several"


def _is_writable(sample: CallSample, tools: Sequence[Tool]) -> bool:
    grammar = answer_grammar(tools, sample.query, now=sample.now)
    return accepts(grammar, render_answer(sample.answers, tools, CallForm.COMPACT, sample.said))


def _unsaid(query: str, plan: Plan) -> str:
    """The first text of a plan that its request does not have."""
    texts = (value for call in plan for value in call.arguments.values() if isinstance(value, str))
    return next((repr(text) for text in texts if text.casefold() not in query.casefold()), "")


# ---- more of them -----------------------------------------------------------------------------------------------


def varied(samples: Sequence[CallSample], tools: Sequence[Tool], count: int, seed: int) -> list[CallSample]:
    """The examples, and others made of them, `count` in all or as many as there are.

    What an example says of a parameter is exchanged for what another says of one that is called the same, or for
    another number, and two examples of one call each are asked for in one breath. Each is checked as a written one is.
    """
    rng, bank = Random(seed), Bank("train")
    values = _values(samples)
    made = {sample.query.casefold(): sample for sample in samples}
    simple = [sample for sample in samples if len(sample.answers) == 1]
    acting = [sample for sample in samples if sample.answers]

    def one() -> CallSample:
        return _exchanged(rng.choice(acting), values, rng)

    def pair() -> CallSample:
        return _joined(bank, rng, [_exchanged(each, values, rng) for each in rng.sample(simple, 2)])

    ways = [(one, count)] if len(simple) < 2 else [(one, round(count * (1 - _SEVERAL))), (pair, count)]
    for make, most in ways:
        failed = 0
        while acting and len(made) < most and failed < _TIRED:
            new = make()
            if new.query.casefold() in made or not _is_writable(new, tools):
                failed += 1
                continue
            made[new.query.casefold()], failed = replace(new, id=f"made-{len(made)}"), 0
        count = min(count, round(len(made) / (1 - _SEVERAL)))  # pairs stay a share of what there is
    return list(made.values())


_Said = tuple[str, Any]  # words of a request, and the value that they mean


def _values(samples: Iterable[CallSample]) -> Mapping[str, list[_Said]]:
    """What requests say of parameters of each name, where they say it in words of its own."""
    found: dict[str, dict[str, Any]] = {}
    for sample in samples:
        for place, call in enumerate(sample.answers):
            for name, value in call.arguments.items():
                if words := _words(sample, place, name, value):
                    found.setdefault(name, {})[words] = value
    return {name: list(said.items()) for name, said in found.items()}


def _words(sample: CallSample, place: int, name: str, value: Any) -> str:
    """The words of a request that say a value, where they stand there once and by themselves; "" else."""
    said = sample.said.get(f"{place}.{name}")
    if said is None and (isinstance(value, bool) or not isinstance(value, str | int | float)):
        return ""
    words = said or str(value)
    alone = re.findall(rf"(?<!\w){re.escape(words)}(?!\w)", sample.query, re.IGNORECASE)
    others = [str(each) for call in sample.answers for each in call.arguments.values() if each != value]
    return words if len(alone) == 1 and not any(words.casefold() in other.casefold() for other in others) else ""


def _exchanged(sample: CallSample, values: Mapping[str, list[_Said]], rng: Random) -> CallSample:
    """The example with other values, each for one that can be told apart in its request."""
    query, said = sample.query, dict(sample.said)
    plan = [dict(call.arguments) for call in sample.answers]
    for place, call in enumerate(sample.answers):
        for name, value in call.arguments.items():
            words = _words(replace(sample, query=query), place, name, value)
            others = [other for other in values.get(name, ()) if type(other[1]) is type(value)]
            if not words or rng.random() < _KEPT:
                continue
            new_words, new = rng.choice(others)
            if words.isdigit() and isinstance(value, int) and rng.random() < _KEPT:
                new = rng.randint(value // 2 + 1, 2 * value + 3)
                new_words = str(new)
            query = re.sub(rf"(?<!\w){re.escape(words)}(?!\w)", new_words.replace("\\", r"\\"), query, flags=re.I)
            plan[place][name] = new
            if f"{place}.{name}" in said:
                said[f"{place}.{name}"] = new_words
    calls = tuple(Call(call.name, plan[place]) for place, call in enumerate(sample.answers))
    return replace(sample, query=query, answers=calls, said=said)


def _is_command(text: str) -> bool:
    return text.split()[0].casefold() in listed("commands") and not re.search(r"[.?!:;,]", text)


def _joined(bank: Bank, rng: Random, pair: Sequence[CallSample]) -> CallSample:
    """Two requests in one breath, and their calls one after the other."""
    texts = [sample.query.rstrip(" .!") for sample in pair]
    if all(_is_command(text) for text in texts):
        query = join(bank, rng, [text[:1].lower() + text[1:] for text in texts], ["", ""], clause=True)
    else:
        query = " ".join(text if text.endswith("?") else f"{text}." for text in texts)
    shift = len(pair[0].answers)
    said = {**pair[0].said}
    for key, words in pair[1].said.items():
        place, _, name = key.partition(".")
        said[f"{int(place) + shift}.{name}"] = words
    calls = (*pair[0].answers, *pair[1].answers)
    return CallSample("", query, calls, pair[0].now or pair[1].now, said, ("several",))
