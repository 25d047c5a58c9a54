"""The dataset card: a README in the hub's form, with figures and plots, for a folder that holds a dataset."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from camphor.errors import MissingExtra
from camphor_lab.datasets.diversity import Split, read_splits, statistics
from camphor_lab.datasets.similarity import tokens

# CAMPHOR sections 4 and 5.5; what they do not say is a dash.
PAPER = {
    "queries": "3,410 (2,728 train, 682 test)",
    "calls_per_query": "3",
    "pairs": "35,444",
    "pairs_per_query": "10.39",
}
MOST_TAGS = 40
COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9")  # Okabe and Ito's palette
MOST_TOOLS = 15  # of each kind
_SIZES = ((1_000, "n<1K"), (10_000, "1K<n<10K"), (100_000, "10K<n<100K"), (1_000_000, "100K<n<1M"))


def write_card(folder: Path, *, seed: int = 0) -> dict[str, Any]:
    """Write `README.md`, `statistics.json` and `plots/*.png` into the folder of a dataset; returns the statistics.

    Raises:
        UsageError: there is no dataset. DatasetError: it breaks the format. MissingExtra: matplotlib is not installed.
    """
    splits = read_splits(folder)
    figures = statistics(splits, seed)
    plots = _plots(folder, splits, figures)
    (folder / "statistics.json").write_text(json.dumps(figures, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    text = "\n\n".join([_front(splits), _about(figures), *_tables(figures), _pictures(plots), _use(splits)]) + "\n"
    (folder / "README.md").write_text(text, encoding="utf-8")
    return figures


def _plots(folder: Path, splits: Sequence[Split], figures: Mapping[str, Any]) -> dict[str, str]:
    """The plots' files, relative to the folder, with what they show."""
    lengths = {split.name: [len(tokens(query)) for query in split.queries] for split in splits}
    drawn: dict[str, tuple[str, Callable[[Any], None], float]] = {
        "calls": ("Action calls per query", lambda figure: calls_per_query(figure, figures["splits"]), 3.6),
        "tools": ("How often each tool is called", lambda figure: tool_frequency(figure, figures["splits"]), 7.0),
        "length": ("Words per query", lambda figure: query_length(figure, lengths), 3.6),
    }
    (folder / "plots").mkdir(exist_ok=True)
    for name, (_, draw, height) in drawn.items():
        save(draw, folder / "plots" / f"{name}.png", height)
    return {f"plots/{name}.png": title for name, (title, _, _) in drawn.items()}


def _front(splits: Sequence[Split]) -> str:
    """The YAML that hubs read."""
    whole = sum(len(split.queries) for split in splits)
    size = next((name for limit, name in _SIZES if whole < limit), "n>1M")
    files = "".join(f"\n  - split: {split.name}\n    path: {split.name}.jsonl" for split in splits)
    return f"""\
---
pretty_name: camphor trajectories
license: apache-2.0
language:
- en
task_categories:
- text-generation
tags:
- function-calling
- tool-use
- agents
- synthetic
- personal-assistant
size_categories:
- {size}
configs:
- config_name: default
  data_files:{files}
---"""


def _about(figures: Mapping[str, Any]) -> str:
    splits = figures["splits"]
    counts = ", ".join(f"{figure['queries']:,} {name}" for name, figure in splits.items())
    return f"""\
# camphor trajectories

Requests to an assistant on a person's phone ({counts}), each with a phone, the steps of several agents that look up
what is needed, the actions that are right, and the answer. People, phones, records and queries are invented: a program
draws them from a seed and a bank of hand-written phrasings. Every step was carried out on the phone, and an item is
kept only where its steps lead to its gold calls.

The task and the form follow CAMPHOR (section 4). Its dataset was written by a large language model and reviewed by
people; this one was not, so figures measured on the two cannot be compared directly."""


def _tables(figures: Mapping[str, Any]) -> list[str]:
    splits: Mapping[str, Any] = figures["splits"]
    sections = [_statistics_section(splits), _diversity_section(splits, figures["alike"])]
    if "share" in figures:
        sections.append(_share_section(figures["share"]))
    tags = _most(splits, "tags")[:MOST_TAGS]
    sections.append(
        "## Kinds of queries\n\nAn item has several tags: the kind of request, and the style of writing.\n\n"
        + _table(["tag", *splits], [[tag, *(_number(s["tags"].get(tag, 0)) for s in splits.values())] for tag in tags])
    )
    return sections


def _statistics_section(splits: Mapping[str, Any]) -> str:
    rows = [
        ("queries", "queries", "queries"),
        ("phones", "phones", ""),
        ("personas (owners of phones)", "personas", ""),
        ("apps with a manifest of their own", "own_apps", ""),
        ("queries that need an action", "acting_queries", ""),
        ("action calls per query", "calls_per_query", "calls_per_query"),
        ("action calls per query that acts", "calls_per_acting_query", ""),
        ("look-ups per query", "look_ups_per_query", ""),
        ("prompt-completion pairs", "pairs", "pairs"),
        ("pairs per query", "pairs_per_query", "pairs_per_query"),
        ("words per query", "words_per_query", ""),
    ]
    table = [[label, *(_number(s[key]) for s in splits.values()), PAPER.get(paper, "-")] for label, key, paper in rows]
    return (
        "## Statistics\n\n"
        + _table(["", *splits, "the paper's dataset"], table)
        + "\n\nA pair is one turn of an agent: the high-order agent names an expert, the expert writes its calls.\n"
        "Look-ups that do not wait for each other are one turn here, and an agent that a query does not need is not\n"
        "asked, so there are fewer turns than in the paper."
    )


def _diversity_section(splits: Mapping[str, Any], alike: int) -> str:
    subset = next(key for s in splits.values() for key in s["diversity"] if key.startswith("distinct_of_"))
    rows: list[list[str]] = []
    for n in (1, 2, 3):
        rows.append([f"distinct-{n}", *(_number(s["diversity"][f"distinct_{n}"]) for s in splits.values())])
    for n in (1, 2, 3):
        some = [next(v for k, v in s["diversity"].items() if k.startswith("distinct_of_")) for s in splits.values()]
        label = f"distinct-{n} of {subset.removeprefix('distinct_of_')} queries"
        rows.append([label, *(_number(values[f"distinct_{n}"]) for values in some)])
    for label, key in (
        ("ROUGE-L F with the nearest other query, mean", "nearest_rouge_l"),
        ("the same, highest", "nearest_rouge_l_max"),
        ("queries whose nearest was looked for, among all", "nearest_sample"),
        ("sentence skeletons", "skeletons"),
        ("queries with a skeleton not met before", "new_skeletons"),
        ("queries with a combination of skeletons not met before", "new_combinations"),
    ):
        rows.append([label, *(_number(s["diversity"][key]) for s in splits.values())])
    return f"""\
## Diversity

{_table(["", *splits], rows)}

Queries of train and test, earlier turns of conversations included, that have a ROUGE-L F of 0.75 or more with one
before them: {_number(alike)}, every pair counted (words as `rouge-score` takes them, without stemming). Distinct-n
falls with size, so it is given for a sample too."""


def _share_section(share: Mapping[str, Any]) -> str:
    labels = {
        "personas": "personas",
        "phones": "phones",
        "skeletons": "sentence skeletons",
        "own_apps": "apps with a manifest of their own",
        "free_texts": "free texts in gold calls",
        "queries": "queries",
    }
    rows = [
        [label, *(_number(share[key][part]) for part in ("train", "test", "shared"))] for key, label in labels.items()
    ]
    return f"""\
## What train and test share

{_table(["", "train", "test", "in both"], rows)}

ROUGE-L F of a test query with the nearest training query: {share["nearest_rouge_l_of_test_in_train"]} on average,
{share["nearest_rouge_l_of_test_in_train_max"]} at most. First and last names of contacts, and short lists such as kinds
of places, are shared."""


def _pictures(plots: Mapping[str, str]) -> str:
    return "## Plots\n\n" + "\n\n".join(f"![{title}]({path})" for path, title in plots.items())


def _use(splits: Sequence[Split]) -> str:
    return f"""\
## Form

One query a line: `id`, `device` (a file beside, one person's phone), `query`, `history` (earlier turns), `steps`
(`agent` and `calls`, in the words of the person), `calls` (the gold actions, with normalised values; where several are
right, `any_of`), `response`, `tags`, `situation` and `skeletons`. Other forms (`pairs`, `chat`, `openai`, `parquet`)
are written by `camphor lab data export {splits[0].name}.jsonl --format pairs --out FILE`."""


def _most(splits: Mapping[str, Any], key: str) -> list[str]:
    """What the splits count under a key, the most frequent first."""
    totals: Counter[str] = Counter()
    for split in splits.values():
        totals.update(split[key])
    return sorted(totals, key=lambda name: (-totals[name], name))


def _number(value: float) -> str:
    return f"{value:,}"


def _table(header: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    lines = [header, ["---"] + ["---:"] * (len(header) - 1), *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


# plots: each is drawn on a matplotlib figure


def save(draw: Callable[[Any], None], path: Path, height: float) -> None:
    """Draw on a new figure, 8 inches wide, and write it as PNG; the same figures give the same bytes.

    Raises:
        MissingExtra: matplotlib is not installed.
    """
    try:
        from matplotlib.backends.backend_agg import FigureCanvasAgg
        from matplotlib.figure import Figure
    except ImportError:
        raise MissingExtra("matplotlib", "data", "camphor-lab") from None
    figure = Figure(figsize=(8, height), layout="constrained")
    FigureCanvasAgg(figure)
    draw(figure)
    figure.savefig(path, dpi=110, metadata={"Software": None})


def calls_per_query(figure: Any, splits: Mapping[str, Any]) -> None:
    """Grouped bars: the share of each split's queries with so many action calls."""
    axes = figure.add_subplot()
    sizes = range(max((int(size) for split in splits.values() for size in split["calls"]), default=0) + 1)
    thick = 0.8 / len(splits)
    for place, (name, split) in enumerate(splits.items()):
        at = [size + (place - (len(splits) - 1) / 2) * thick for size in sizes]
        shares = [100 * split["calls"].get(str(size), 0) / split["queries"] for size in sizes]
        drawn = axes.bar(at, shares, thick * 0.92, label=name, color=COLOURS[place % len(COLOURS)])
        axes.bar_label(drawn, fmt="%.0f", padding=2, fontsize=8)
    axes.set_xticks(list(sizes))
    axes.set(xlabel="action calls", ylabel="% of queries")
    _plain(axes, "y")
    axes.legend(frameon=False)


def tool_frequency(figure: Any, splits: Mapping[str, Any]) -> None:
    """Two columns of horizontal bars, actions and look-ups: calls per hundred queries, most frequent first."""
    for place, (key, title) in enumerate((("actions", "actions"), ("look_ups", "look-ups"))):
        axes = figure.add_subplot(1, 2, place + 1)
        called = _most(splits, key)
        names = called[:MOST_TOOLS]
        thick = 0.8 / len(splits)
        for row, (name, split) in enumerate(splits.items()):
            at = [number + (row - (len(splits) - 1) / 2) * thick for number in range(len(names))]
            per_hundred = [100 * split[key].get(tool, 0) / split["queries"] for tool in names]
            axes.barh(at, per_hundred, thick * 0.92, label=name, color=COLOURS[row % len(COLOURS)])
        axes.set_yticks(range(len(names)), names, fontsize=8)
        axes.invert_yaxis()
        axes.set_title(f"{title}, the {len(names)} most frequent of {len(called)}", fontsize=9)
        axes.set(xlabel="calls per 100 queries")
        _plain(axes, "x")
        axes.legend(frameon=False, loc="lower right")


def query_length(figure: Any, lengths: Mapping[str, Sequence[int]]) -> None:
    """Lines: the share of each split's queries that have so many words."""
    axes = figure.add_subplot()
    longest = max((max(words, default=0) for words in lengths.values()), default=0)
    for place, (name, words) in enumerate(lengths.items()):
        shares = [0.0] * (longest + 2)
        for length in words:
            shares[length] += 100 / len(words)
        mean = sum(words) / len(words)
        label = f"{name} (mean {mean:.1f})"
        axes.step(range(longest + 2), shares, where="mid", label=label, color=COLOURS[place % len(COLOURS)])
    axes.set(xlabel="words in the query", ylabel="% of queries", xlim=(0, longest + 1), ylim=(0, None))
    _plain(axes, "y")
    axes.legend(frameon=False)


def _plain(axes: Any, grid: str) -> None:
    axes.spines[["top", "right"]].set_visible(False)
    axes.grid(axis=grid, color="#dddddd", linewidth=0.7)
    axes.set_axisbelow(True)
