"""The plots of the report. Each function draws on a matplotlib figure that it is given and returns nothing."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9")
"""Okabe and Ito's palette, which colour-blind people tell apart."""
GREY = "#6b6b6b"


def save(draw: Any, path: Path, height: float) -> None:
    """Draw on a new figure, 8 inches wide, and write it as PNG; the same figures give the same bytes."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    figure = Figure(figsize=(8, height), layout="constrained")
    FigureCanvasAgg(figure)
    draw(figure)
    figure.savefig(path, dpi=110, metadata={"Software": None})


def _plain(axes: Any, grid: str) -> None:
    axes.spines[["top", "right"]].set_visible(False)
    axes.grid(axis=grid, color="#dddddd", linewidth=0.7)
    axes.set_axisbelow(True)


Bars = Sequence[tuple[str, Sequence[float] | None]]
"""Rows of a bar plot: a label, and values in percent for the names of the plot; None where nothing was measured."""


def bars(figure: Any, rows: Bars, names: Sequence[str]) -> None:
    """Grouped horizontal bars in percent: a group for each row, a bar for each name."""
    _grouped(figure.add_subplot(), rows, names, 100)
    _legend(figure, names)


def beside(figure: Any, panes: Mapping[str, Bars], names: Sequence[str]) -> None:
    """The same rows in several panes, all on one scale, under their titles: grouped bars as in `bars`."""
    most = max((value for rows in panes.values() for _, values in rows for value in values or ()), default=0)
    for axes, (title, rows) in zip(figure.subplots(1, len(panes), sharey=True), panes.items(), strict=True):
        _grouped(axes, rows, names, min(100, 1.15 * most + 1))
        axes.set_title(title, fontsize=10)
    _legend(figure, names)


def _grouped(axes: Any, rows: Bars, names: Sequence[str], most: float) -> None:
    thick = 0.8 / len(names)
    measured = [(place, values) for place, (_, values) in enumerate(rows) if values is not None]
    for place, name in enumerate(names):
        at = [row + (place - (len(names) - 1) / 2) * thick for row, _ in measured]
        shown = [values[place] for _, values in measured]
        drawn = axes.barh(at, shown, thick * 0.92, label=name, color=COLOURS[place])
        axes.bar_label(drawn, fmt="%.0f", padding=2, fontsize=7, color=GREY)
    for row, (_, values) in enumerate(rows):
        if values is None:
            axes.text(0, row, " not measured", va="center", fontsize=8, color=GREY)
    axes.set_yticks(range(len(rows)), [label for label, _ in rows])
    axes.set(xlabel="%", xlim=(0, most), ylim=(len(rows) - 0.4, -0.6))
    _plain(axes, "x")


def _legend(figure: Any, names: Sequence[str]) -> None:
    drawn, _ = figure.axes[0].get_legend_handles_labels()
    figure.legend(drawn, names, loc="outside upper center", ncols=len(names), frameon=False)


def tokens(figure: Any, forms: Mapping[str, Mapping[str, Any]]) -> None:
    """Stacked horizontal bars: the tokens of each form by whose tools they define, and the rest."""
    axes = figure.add_subplot()
    labels = {"personal_context": "tools of personal context", "task_completion": "tools of task completion"}
    begun = [0.0] * len(forms)
    parts = {label: [f[agent] for f in forms.values()] for agent, label in labels.items()}
    parts["all else"] = [f["static_tokens"] - sum(f[agent] for agent in labels) for f in forms.values()]
    for (label, lengths), colour in zip(parts.items(), (*COLOURS[:2], "#bbbbbb"), strict=True):
        drawn = axes.barh(list(forms), lengths, left=begun, label=label, color=colour, height=0.62)
        begun = [start + length for start, length in zip(begun, lengths, strict=True)]
    axes.bar_label(drawn, labels=[f"{total:,.0f}" for total in begun], padding=4, fontsize=9)
    axes.invert_yaxis()
    axes.set(xlabel="static tokens", xlim=(0, max(begun) * 1.08))
    _plain(axes, "x")
    figure.legend(loc="outside upper center", ncols=3, frameon=False)


def recall(figure: Any, agents: Mapping[str, Any], published: Mapping[str, Any]) -> None:
    """Recall at K of each retriever, an axis for each agent, with the published recall at 5 as a cross."""
    panes = figure.subplots(1, len(agents), sharey=True, squeeze=False)[0]
    for axes, (agent, figures) in zip(panes, agents.items(), strict=True):
        for colour, (name, found) in zip(COLOURS, figures["retrievers"].items(), strict=False):
            ks = [int(k) for k in found["recall"]]
            axes.plot(ks, [100 * v for v in found["recall"].values()], "o-", color=colour, label=name, markersize=4)
            low, high = zip(*found["interval_95"].values(), strict=True)
            axes.fill_between(
                ks, [100 * v for v in low], [100 * v for v in high], color=colour, alpha=0.13, linewidth=0
            )
        axes.plot(
            5,
            published["recall_at_5"][agent],
            "x",
            color="black",
            markersize=9,
            markeredgewidth=2,
            label="paper, its data",
        )
        axes.set(title=f"{agent.replace('_', ' ')} ({figures['tools']:.1f} tools on average)", xlabel="K")
        axes.set(ylim=(0, 103), xticks=ks)
        axes.title.set_fontsize(10)
        _plain(axes, "y")
    panes[0].set_ylabel("recall at K, %")
    panes[0].legend(loc="lower right", frameon=False)


def by_group(figure: Any, sets: Mapping[str, Mapping[str, float]], smallest: int) -> None:
    """Dots in percent: a line for each group, a colour for each data set."""
    axes = figure.add_subplot()
    groups = sorted({group for scores in sets.values() for group in scores}, reverse=True)
    for colour, (name, scores) in zip(COLOURS, sets.items(), strict=False):
        there = [group for group in groups if group in scores]
        at = [groups.index(group) for group in there]
        axes.plot([100 * scores[group] for group in there], at, "o", color=colour, label=name, markersize=6)
    axes.set_yticks(range(len(groups)), groups, fontsize=8)
    axes.set(
        xlabel=f"Plan F1, % (tags of {smallest} or more queries)",
        xlim=(-2, 102),
        ylim=(-0.7, len(groups) - 0.3),
    )
    _plain(axes, "both")
    figure.legend(loc="outside upper center", ncols=3, frameon=False)


def seconds(figure: Any, sets: Mapping[str, Sequence[float]]) -> None:
    """For each data set the share of queries that were answered within so many seconds."""
    axes = figure.add_subplot()
    for colour, (name, times) in zip(COLOURS, sets.items(), strict=False):
        shares = [100 * (place + 1) / len(times) for place in range(len(times))]
        axes.plot(sorted(times), shares, color=colour, label=name, linewidth=1.6)
    axes.set(xlabel="seconds", ylabel="queries answered by then, %", ylim=(0, 101), xlim=(0, None))
    _plain(axes, "both")
    axes.legend(loc="lower right", frameon=False)


def recall_lines(figure: Any, rows: Mapping[str, Mapping[str, Any]]) -> None:
    """Recall at K of each row, which has `recall` by K and its `interval_95`; both from 0 to 1."""
    axes = figure.add_subplot()
    for colour, (name, found) in zip((*COLOURS, GREY), rows.items(), strict=False):
        ks = [int(k) for k in found["recall"]]
        axes.plot(ks, [100 * value for value in found["recall"].values()], "o-", color=colour, label=name, markersize=4)
        low, high = zip(*(found["interval_95"][k] for k in found["recall"]), strict=True)
        axes.fill_between(ks, [100 * v for v in low], [100 * v for v in high], color=colour, alpha=0.13, linewidth=0)
    axes.set(xlabel="K", ylabel="recall at K, %", ylim=(0, 103), xticks=ks)
    _plain(axes, "y")
    axes.legend(loc="lower right", frameon=False)
