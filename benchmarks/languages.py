"""How well queries that are not English are noticed, and what it costs.

    python benchmarks/languages.py [--out FILE]

False alarms: English queries of the data sets that may be looked at, and of the second development set, whose queries
are counted and not shown. Recall: the sentences of data/languages, 15 in each of 12 languages.
"""

from __future__ import annotations

import argparse
import json
import resource
import time
from collections.abc import Iterator
from pathlib import Path

from camphor.agents import languages
from camphor_lab.evaluation.results import write_report

ROOT = Path(__file__).parents[1]
ENGLISH = ("handwritten", "handwritten-development", "handwritten-development-2", "questions", "questions-development")


def queries(folder: Path) -> Iterator[str]:
    """Every query and every earlier query of a data set."""
    for file in sorted(folder.rglob("items.jsonl")):
        for line in file.read_text(encoding="utf-8").splitlines():
            item = json.loads(line)
            yield from (each["query"] for each in (*item.get("history", ()), item))


def main() -> None:
    parser = argparse.ArgumentParser(description="Are other languages noticed, and is English left alone?")
    parser.add_argument("--out", type=Path, default=ROOT / "results" / "languages.json")
    out: Path = parser.parse_args().out
    english = {name: list(queries(ROOT / "data" / name)) for name in ENGLISH if (ROOT / "data" / name).is_dir()}
    everything = [query for each in english.values() for query in each]
    started = time.perf_counter()
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    languages._detector()
    load = time.perf_counter() - started
    grown = (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) / 1024
    started = time.perf_counter()
    alarms = {name: sum(bool(languages.not_english(query)) for query in each) for name, each in english.items()}
    spent = time.perf_counter() - started
    text = (ROOT / "data" / "languages" / "sentences.jsonl").read_text(encoding="utf-8")
    sentences = [json.loads(line) for line in text.splitlines()]
    answers = languages._data()["answers"]
    told = [languages.not_english(each["text"]) for each in sentences]
    right = [answer.startswith(answers[each["language"]]) for answer, each in zip(told, sentences, strict=True)]
    result = {
        "command": "python benchmarks/languages.py",
        "english": {name: {"queries": len(each), "false_alarms": alarms[name]} for name, each in english.items()},
        "false_alarm_share": round(sum(alarms.values()) / len(everything), 5),
        "sentences": len(sentences),
        "noticed": round(sum(map(bool, told)) / len(told), 4),
        "answered_in_their_language": round(sum(right) / len(right), 4),
        "ms_a_query": round(1000 * spent / len(everything), 4),
        "detector": {"load_seconds": round(load, 3), "peak_megabytes": round(grown, 1)},
    }
    write_report(out, result, ("agents/languages.py", "agents/languages.toml"))
    print(json.dumps(result, indent=1))


if __name__ == "__main__":
    main()
