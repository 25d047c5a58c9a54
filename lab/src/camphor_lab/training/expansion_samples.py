"""Training samples for a language model that thinks about implicit queries (Context Tuning, "CoT augmentation").

What a good thought is, code knows from the gold items: the app that each is in, and what kind of thing it is about. A
thought has no title, name or time of a person's phone: the query does not tell them, and a model that learned to guess
them would learn one device and not what people mean.

python -m camphor_lab.training.expansion_samples FOLDER OUT.samples.jsonl
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from camphor.types import Segment
from camphor_lab.context.finders import thinking_prompt
from camphor_lab.datasets.context.samples import ContextSample, read_context_samples
from camphor_lab.training.calling import sample_line
from camphor_lab.training.contrastive import TRAIN

KINDS: Mapping[str, str] = {
    "lesson": "a lesson or class",
    "language_class": "a language class",
    "book_club": "a book club meeting",
    "gym_class": "a gym class or training",
    "volunteer_shift": "a shift as a volunteer",
    "standup": "a team meeting at work",
    "commute_music": "what is played on the way",
    "workout_music": "what is played while training",
    "bedtime_music": "what is played in the evening",
    "focus_music": "what is played while working",
    "favourite_album": "a favourite artist or album",
    "family_call": "a regular call with family",
    "missed_call": "a missed call",
    "client_meeting": "a meeting with a client",
    "project": "a project at work",
    "unanswered_mail": "a mail that waits for an answer",
    "interview": "a job interview",
    "appointment": "an appointment with a doctor, dentist or hairdresser",
    "medication": "medicine to take",
    "diet": "a diet or meal plan",
    "recipe": "a recipe",
    "shopping": "groceries, a shopping list",
    "bill": "a bill to pay",
    "chore": "a household chore",
    "birthday": "a birthday",
    "trip": "a journey, flight or hotel",
    "concert": "a concert",
    "date_night": "dinner or an evening out",
    "match": "a team, a match",
    "hobby": "a hobby",
    "daily_search": "what is looked up every day",
    "order": "a parcel, an order",
    "repair": "a repair, someone who comes to fix it",
    "house_hunt": "a flat or house to see",
    "school_run": "a child, the school",
    "pet": "a pet, the vet",
}
"""Each kind of thread in the words that its items are likely to have."""

_ENTRIES: Mapping[str, str] = {
    "mail": "a message",
    "calendar": "an event",
    "google": "a search",
    "music": "a song",
    "reminders": "a reminder",
    "notes": "a note",
    "phone": "a call",
}


def thought_of(sample: ContextSample) -> str:
    """The thought that would find the sample's gold items: `calendar: an event, a lesson or class`."""
    kind = KINDS.get(sample.thread, "")
    apps = dict.fromkeys(ref.app for ref in sample.context)
    return "; ".join(f"{app}: {', '.join(filter(None, (_ENTRIES.get(app, 'an entry'), kind)))}" for app in apps)


def expansion_samples(split: Path) -> Iterator[tuple[str, str]]:
    """Each query of a split's file with its thought.

    Raises:
        DatasetError: the file cannot be read or breaks the format.
    """
    return ((sample.query, thought_of(sample)) for sample in read_context_samples(split) if sample.context)


def write_expansion_samples(split: Path, out: Path) -> int:
    """A file of samples that `camphor lab train` reads; returns how many. Raises: as `expansion_samples`."""
    count = 0
    with out.open("w", encoding="utf-8") as file:
        for count, (query, thought) in enumerate(expansion_samples(split), 1):
            learnt = Segment(thought, trained=True), Segment("<|im_end|>", True, True)
            file.write(sample_line(f"thought-{count}", (*thinking_prompt(query, apps=None), *learnt)))
    return count


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=str(__doc__).split("\n", 1)[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("out", type=Path)
    options = parser.parse_args(arguments)
    print(f"{options.out.name}: {write_expansion_samples(options.folder / TRAIN, options.out)} samples")


if __name__ == "__main__":
    main()
