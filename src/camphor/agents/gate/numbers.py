"""Numbers: where one comes from, and whether one stands where the person said another."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from camphor.agents.evidence import Evidence, Origin
from camphor.agents.gate.marks import evidence, in_place_of
from camphor.agents.gate.scene import Scene, title_of
from camphor.agents.gate.words import any_of, gate_words, quoted
from camphor.agents.observed_facts import FoundRecord
from camphor.device.text import text_of, words
from camphor.device.when.clocks import length_of
from camphor.device.when.fragments import TimeKind, fragments
from camphor.device.when.lexicon import canonical
from camphor.tools.tool import Parameter, Role, Tool
from camphor.types import Agent, Call

CLOCKED = frozenset({Role.HOUR, Role.MINUTE, Role.DURATION, Role.CLOCK, Role.WEEKDAYS})
_COUNTS: dict[str, float] = {"a": 1, "an": 1, "single": 1, "once": 1, "pair": 2, "couple": 2, "both": 2, "twice": 2}
_COUNTS |= {"dozen": 12, "half": 0.5}
_RECKONED = frozenset({"half", "twice", "dozen"})


def numbers_said(scene: Scene) -> dict[float, str]:
    """The figures that the person said, in digits or in words, lengths of time in each unit; with their words."""
    found: dict[float, str] = {float(digits): digits for digits in scene.digits_said}
    for text in scene.said.splitlines():
        for digits in re.findall(r"\d+(?:[.,]\d+)?", f"{text} {canonical(text)}"):
            found.setdefault(float(digits.replace(",", ".")), digits)
            found.setdefault(float(re.sub(r"[.,]", "", digits)), digits)
        for whole, digits in re.findall(r"((\d+(?:\.\d+)?) ?k)\b", text, re.IGNORECASE):
            found.setdefault(float(digits) * 1000, whole)  # "50k"
        for word in words(text):
            if word in _COUNTS:
                found.setdefault(_COUNTS[word], word)
        for piece in fragments(text, scene.now):
            if piece.kind is TimeKind.LENGTH and (
                length := length_of(re.sub(r"^(?:for|in) ", "", canonical(piece.text)))
            ):
                minutes = length.minutes + 1440 * length.days
                for unit in (1, 60, 1440, 10080, 1 / 60):
                    found.setdefault(minutes / unit, piece.text)
                found.setdefault(float(length.months), piece.text)
    return found


def number_evidence(parameter: Parameter, value: Any, scene: Scene) -> Evidence:
    if isinstance(value, str):  # weekdays
        return evidence(parameter, value, Origin.COMPUTED, "said", said=quoted(scene.query))
    said, figure = numbers_said(scene), float(value)
    if figure in said:
        return evidence(parameter, value, Origin.SAID, "said", said=said[figure])
    clocks = [at for _, at in scene.moments_said]
    if any(figure in (at.hour, at.minute, at.day, at.year, at.month) for at in clocks) and parameter.role in CLOCKED:
        return evidence(parameter, value, Origin.COMPUTED, "time", said=scene.moments_said[0][0].text)
    found = dict(_numbers_found(scene))
    if figure in found:
        if meant := _other_named(figure, found[figure], scene):
            return in_place_of(parameter, value, meant)
        return evidence(parameter, value, Origin.FOUND, "record", title=title_of(found[figure].record))
    # "a bike" counts nothing that could be reckoned with
    told = {one for one, word in said.items() if word not in _COUNTS or word in _RECKONED}
    near = {one + other for one in found for other in told} | {one - other for one in found for other in told}
    ends = clocks + [at.replace(tzinfo=None) for at, _, _ in scene.moments_found][:20]
    units = (60, 3600, 86400)
    spans = {abs((one - other).total_seconds()) / unit for one in clocks for other in ends for unit in units}
    sums = {one * other for one in told for other in told} | {one + other for one in told for other in told}
    if figure in near | spans | sums or round(figure, 2) in {round(each, 2) for each in near | sums}:
        return evidence(parameter, value, Origin.COMPUTED, "said", said=any_of([*said.values()][:2]))
    return evidence(parameter, value, Origin.NOBODY, "nobody")


def _numbers_found(scene: Scene) -> Iterator[tuple[float, FoundRecord]]:
    for each in scene.records:
        for value, shown in each.shown:
            if isinstance(value, int | float) and not isinstance(value, bool):
                yield float(value), each
            else:
                for digits in re.findall(r"\d+(?:\.\d+)?", shown[:400].replace(",", "")):
                    yield float(digits), each
    for digits in re.findall(r"\d+(?:\.\d+)?", scene.answered.replace(",", "")):
        yield float(digits), FoundRecord(Agent.TASK, {"title": "what I told you"}, scene.now.year)


def squeezed(tool: Tool, call: Call, evidence: Mapping[str, Evidence], scene: Scene) -> str:
    """The question where a bound made a figure another than was said; "" where none did."""
    for parameter in tool.parameters:
        value, low, high = call.arguments.get(parameter.name), parameter.minimum, parameter.maximum
        mark = evidence.get(parameter.name)
        if (low is None and high is None) or not isinstance(value, int | float) or isinstance(value, bool):
            continue
        if mark is None or mark.origin in (Origin.SAID, Origin.FOUND):
            continue
        others = text_of({name: each for name, each in call.arguments.items() if name != parameter.name})
        elsewhere = set(re.findall(r"\d+", others))  # "Home, 12 Ogui Lane" counts nobody
        for figure, said in numbers_said(scene).items():
            outside = (high is not None and figure > high) or (low is not None and figure < low)
            if outside and re.search(r"\d", said) and said not in elsewhere and not _of_time(said, scene):
                bounds = " to ".join(f"{bound:g}" for bound in (low, high) if bound is not None)
                name = parameter.name.replace("_", " ").capitalize()
                return gate_words().tell("marked", "squeezed", name=name, bounds=bounds, said=said)
    return ""


def _of_time(said: str, scene: Scene) -> bool:
    """Whether a figure stands in a time alone: "the twelfth of March"."""
    there = re.findall(r"\d+(?:\.\d+)?", canonical(scene.query))
    in_times = [each for piece, _ in scene.moments_said for each in _figures_of_time(canonical(piece.text))]
    return said not in there or there.count(said) <= in_times.count(said)


def _figures_of_time(text: str) -> list[str]:
    return [] if text.isdigit() else re.findall(r"\d+", text)  # a bare number may count anything


# one number in the place of another


def unused(call: Call, scene: Scene) -> str:
    """A number that the query says and that no value of a call has, which has one that was reckoned; "" without one."""
    there = re.findall(r"\d+", text_of(dict(call.arguments)).replace(",", ""))
    return next((each for each in _named(scene) if each.replace(",", "") not in there), "")


def exchanged(text: str, call: Call, scene: Scene) -> tuple[str, str]:
    """A number said with a wish that no value of its call has, and one in a text of it that was not said, or ""."""
    there = _figures(text_of(dict(call.arguments)))
    lost = [each for each in re.findall(r"\d+", _wish(call, scene)) if not _same(each) & there]
    if not lost:
        return "", ""
    known = _figures(f"{scene.said} {canonical(scene.query)}") | _figures_said(scene)
    new = [each for each in re.findall(r"\d+", text) if not _same(each) & known]
    return (lost[0], new[0]) if new else ("", "")


def _wish(call: Call, scene: Scene) -> str:
    """What of a query asks for a call: the part that sounds most like it, and those behind it that do so too."""
    at = max(range(len(scene.parts)), key=lambda each: scene.parts[each].asks_for(call.name))
    end = at + 1
    while end < len(scene.parts) and scene.parts[end].asks_for(call.name) == max(scene.parts[end].acts):
        end += 1
    return scene.query[scene.parts[at].start : scene.parts[end - 1].end]


def _figures(text: str) -> set[int]:
    return {figure for each in re.findall(r"\d+", text) for figure in _same(each)}


def _same(digits: str) -> set[int]:
    """What digits may stand for: "14" is 2 on a clock."""
    figure = int(digits)
    return {figure, figure - 12} if 12 < figure < 24 else {figure}


def _figures_said(scene: Scene) -> set[int]:
    moments = [at for _, at in scene.moments_said]
    return {figure for at in moments for figure in (at.hour, at.hour % 12 or 12, at.minute, at.day)}


def _other_named(figure: float, found: FoundRecord, scene: Scene) -> str:
    """The number that a query names a thing by, where a figure was taken from a record that does not have it: "set job
    406" is no wish for job 405; "" where it names none, or no record's field has figures that look alike."""
    if not any(value == figure for value in found.record.values()):
        return ""
    here = re.findall(r"\d+", text_of(dict(found.record)))
    alike = [each for each in _named(scene) if each not in here and len(each) == len(f"{figure:g}") and len(each) > 1]
    return alike[0] if alike else ""


def _named(scene: Scene) -> list[str]:
    """The numbers of the query, in digits, that are no part of a time."""
    in_times = {each for piece, _ in scene.moments_said for each in _figures_of_time(canonical(piece.text))}
    return [each for each in re.findall(r"(?<![\d.,:])\d[\d,]*(?![\d.:])", scene.query) if each not in in_times]


def figures_of_times(scene: Scene) -> frozenset[str]:
    """Hours, minutes and days of the times that were said or found, as clocks of 12 and of 24 hours write them."""
    moments = [at for _, at in scene.moments_said] + [at for at, _, _ in scene.moments_found]
    written = {str(figure) for at in moments for figure in (at.hour, at.hour % 12 or 12, at.minute, at.day)}
    return frozenset(written)
