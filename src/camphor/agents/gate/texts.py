"""Whether a free text (a message, a note, a reminder) says only what was said or found, and means the same."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import date

from camphor.agents.gate.numbers import figures_of_times
from camphor.agents.gate.scene import Scene
from camphor.agents.gate.words import content, gate_words, plain, stem
from camphor.device.text import words
from camphor.device.when.lexicon import MONTHS, WEEKDAYS

_CAPITAL = re.compile(r"[^\W\d_][\w’'-]*")
_SENTENCE_END = re.compile(r"[.!?:;\n\"“”«»(*•–—-]\s*$")
_CLOCK = re.compile(r"\b(\d{1,2})[:.](\d{2,})(?![\d.])")
_NUMBER = re.compile(r"\d+(?:,\d{3})*(?:\.\d+)?")
_INDIRECT = re.compile(
    r"\b(?:tell|text|message|e-?mail|let|inform|write|send) "
    r"(?:(?!(?:i|we|he|she|they|it|that|back) )[^\s,.;!?]+ ){1,3}?"
    r"(?:what|when|where|which|who|how (?:much|many|long)) ",
    re.IGNORECASE,
)
_DAYS = {**{day: at for at, day in enumerate(WEEKDAYS)}, **{day[:3]: at for at, day in enumerate(WEEKDAYS)}}
_MONTHS = frozenset((*MONTHS, *(month[:3] for month in MONTHS), "sept"))
DAY_STEMS = frozenset(stem(day) for day in (*WEEKDAYS, *MONTHS))
_SHORTEST_NUMBER = 6
_NEAR = 3  # words before the first that is rendered, in which a "not" belongs to it
_FEWEST_ABOUT = 3  # words that say what a text is about, under which it is too short to be about something else


def made_up(text: str, scene: Scene) -> tuple[str, ...]:
    """The figures, weekdays and names of a text that were neither said nor found, as they are written."""
    found = (*_figures(text, scene), *_weekdays(text, scene), *_names(text, scene), *_readers_own(text, scene))
    return tuple(dict.fromkeys(found))


def _readers_own(text: str, scene: Scene) -> Iterator[str]:
    """The number or address that a text goes to, where it tells it: that was looked up to reach them, not to say."""
    for each in scene.reached:
        if len(each.value) >= _SHORTEST_NUMBER and each.value in text and each.value not in scene.said:
            yield each.value


def _figures(text: str, scene: Scene) -> Iterator[str]:
    known = scene.digits | {figure.lstrip("0") or "0" for figure in scene.digits} | figures_of_times(scene)
    for found in _CLOCK.finditer(text):
        clock = int(found[1]) % 24, int(found[2])
        if not {clock, ((clock[0] + 12) % 24, clock[1])} & scene.clocks and found[0] not in scene.shown:
            yield found[0]
    for found in _NUMBER.finditer(_CLOCK.sub(" ", text)):
        whole = found[0].replace(",", "")
        if not {whole, whole.lstrip("0") or "0"} & known and not set(re.findall(r"\d+", found[0])) <= known:
            yield found[0]


def _weekdays(text: str, scene: Scene) -> Iterator[str]:
    known = scene.said_words | scene.found_words
    days: set[date] = {at.date() for _, at in scene.moments_said} | {at.date() for at, _, _ in scene.moments_found}
    days.add(scene.now.date())
    held = {day.weekday() for day in days} | {_DAYS[word] for word in known if word in _DAYS}
    for word in words(text):
        day = word.removesuffix("s") if word.removesuffix("s") in _DAYS else word
        if day in WEEKDAYS and _DAYS[day] not in held:
            yield word.capitalize()


def _names(text: str, scene: Scene) -> Iterator[str]:
    """Words that begin large inside a sentence, and names of contacts anywhere, that nobody said and nothing found."""
    known = scene.said_words | scene.found_words | _of_receivers(scene) | set(words(scene.place)) | _MONTHS | {"i"}
    known_stems = {stem(word) for word in known}
    translated = bool(gate_words().languages & scene.said_words)  # its words are another language's
    contacts = {word for person in scene.people for word in words(str(person.get("name") or "")) if len(word) > 2}
    for found in _CAPITAL.finditer(text):
        if not found[0][0].isupper():
            continue
        first = not text[: found.start()].strip() or bool(_SENTENCE_END.search(text[: found.start()]))
        parts = words(found[0].replace("’", "'"))
        unknown = [word for word in parts if word not in known and stem(word) not in known_stems and len(word) > 1]
        if not unknown or any(word in _DAYS or word in gate_words().common for word in unknown):
            continue
        if any(word in contacts for word in unknown) or not (first or translated):
            yield found[0]


def _of_receivers(scene: Scene) -> set[str]:
    return {word for each in scene.reached for word in words(f"{each.name} {each.value}")}


# its sense


def sense_changed(text: str, scene: Scene) -> str:
    """The part of the query that a text renders with a "not" too many or too few; "" where they agree."""
    part, near = _rendered(text, plain(scene.query))
    turned = _denied(scene.query) & _affirmed(text)
    if turned and (_denied(text) & _affirmed(scene.query) if negated(text) else not _opposed(text)):
        return part
    if negated(text):
        return "" if negated(scene.said) or _found_negation(text, scene) else part
    return part if near and not _opposed(text) else ""


def _opposed(text: str) -> bool:
    return bool(set(words(text)) & gate_words().opposites)


def _denied(text: str) -> frozenset[str]:
    """What stands behind a "not" in a text, by stems: "white, not brown" denies brown."""
    tokens = tokens_of(gate_words().idle.sub(" ", plain(text)))
    found: set[str] = set()
    for at, word in enumerate(tokens):
        if is_negation(word):
            behind = [stem(_bare(each)) for each in tokens[at + 1 : at + 1 + _NEAR]]
            found.update([each for each in behind if each not in gate_words().small][:1])
    return frozenset(found)


def _affirmed(text: str) -> frozenset[str]:
    """The stems of a text that no "not" stands shortly before."""
    tokens = tokens_of(plain(text))
    return frozenset(
        stem(word)
        for at, word in enumerate(tokens)
        if not any(is_negation(each) for each in tokens[max(0, at - _NEAR) : at + 1])
    )


def negated(text: str) -> bool:
    """Whether a text denies something; "don't forget" and its like deny nothing."""
    return any(is_negation(word) for word in tokens_of(gate_words().idle.sub(" ", plain(text))))


def is_negation(word: str) -> bool:
    """Whether a folded word denies: "not", "can't"."""
    return word.endswith("n't") or word.replace("'", "") in gate_words().negations


def _found_negation(text: str, scene: Scene) -> bool:
    """Whether a record or an earlier answer that denies something has the words of the text."""
    about = content(text)
    for each in scene.records:
        for _, shown in each.shown:
            if negated(shown) and content(shown) & about:
                return True
    return negated(scene.answered)


def tokens_of(text: str) -> list[str]:
    """The words of a folded text, a short form like "can't" as one."""
    return re.findall(r"[^\W_]+(?:'[^\W_]+)?", text)


def _rendered(text: str, query: str) -> tuple[str, bool]:
    """The clause of a query whose words a text has most of, and whether a "not" stands by these words."""
    about = {stem(_bare(word)) for word in tokens_of(plain(text))} - gate_words().small
    best: tuple[int, str, bool] = (0, query, False)
    for clause in re.split(r"[,;.!?]\s+|\s+(?:and|but|so|because|then)\s+", query):
        tokens = tokens_of(gate_words().idle.sub(lambda found: " ".join("_" * len(found[0].split())), clause))
        tokens = re.findall(r"[^\W_]+(?:'[^\W_]+)?|_", " ".join(tokens)) or tokens
        places = [at for at, word in enumerate(tokens) if stem(_bare(word)) in about]
        if len(places) > best[0]:
            low, high = places[0] - _NEAR, places[-1] + 1
            near = any(is_negation(word) for word in tokens[max(low, 0) : high])
            best = (len(places), clause, near)
    return best[1], best[2] and best[0] >= min(2, len(about))


def _bare(word: str) -> str:
    """A word without its "not": "can't" is "can"."""
    return {"ca": "can", "wo": "will", "sha": "shall"}.get(word[:-3], word[:-3]) if word.endswith("n't") else word


def about_something_else(text: str, scene: Scene) -> bool:
    """Whether a text says nothing of what was asked: it shares no telling word with it or a record it points to."""
    if _answers_nothing(text, scene) or _says_twice(text):
        return True
    told = {word for word in content(text) if not word.isdigit() and word not in DAY_STEMS and word not in _MONTHS}
    if len(told) < _FEWEST_ABOUT or gate_words().languages & scene.said_words:  # another language's words
        return False
    return not told & (content(scene.said) | scene.pointed_words)


def _says_twice(text: str) -> bool:
    """Whether a text says a clause again word for word: what a model writes that has nothing to say."""
    clauses = [words(clause) for clause in re.split(r"[,;.!?]\s+(?:and |but )?", text)]
    long = [tuple(clause) for clause in clauses if len(clause) >= _FEWEST_ABOUT]
    return len(set(long)) < len(long)


def _answers_nothing(text: str, scene: Scene) -> bool:
    """Whether somebody is to be told what, when or where, and the text holds nothing that was found of it."""
    asked = _INDIRECT.search(scene.query)
    if not asked or "?" in text or not scene.turn.steps:
        return False
    clause = re.split(r"[,;.!?]\s+|\s+(?:and|but|then)\s+", scene.query[asked.start() :])[0]
    rendered = content(clause) & content(text)
    new = {word for word in content(text) if word not in content(scene.said)} & {stem(w) for w in scene.found_words}
    return len(rendered) > 1 and not new and not set(re.findall(r"\d+", text)) & scene.digits_found
