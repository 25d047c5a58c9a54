"""The plots of a dataset card. Each draws on a matplotlib figure that it is given."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from camphor.errors import MissingExtra

COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9")  # Okabe and Ito's palette
MOST_TOOLS = 15  # of each kind


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
        totals: dict[str, int] = {}
        for split in splits.values():
            for name, count in split[key].items():
                totals[name] = totals.get(name, 0) + count
        names = sorted(totals, key=lambda name: (-totals[name], name))[:MOST_TOOLS]
        thick = 0.8 / len(splits)
        for row, (name, split) in enumerate(splits.items()):
            at = [number + (row - (len(splits) - 1) / 2) * thick for number in range(len(names))]
            per_hundred = [100 * split[key].get(tool, 0) / split["queries"] for tool in names]
            axes.barh(at, per_hundred, thick * 0.92, label=name, color=COLOURS[row % len(COLOURS)])
        axes.set_yticks(range(len(names)), names, fontsize=8)
        axes.invert_yaxis()
        axes.set_title(f"{title}, the {len(names)} most frequent of {len(totals)}", fontsize=9)
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
