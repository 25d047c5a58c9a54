"""Writes the figures of the README from the files in results/; a test checks that they agree.

python benchmarks/figures.py          rewrite the README's section
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[1]
BEGIN, END = "<!-- figures: written by benchmarks/figures.py -->", "<!-- end of figures -->"
DATASETS = (
    ("generated-test", "generated test split: new people, phones and sentence skeletons"),
    ("generated-unseen-apps", "the same, about six apps that training never saw"),
    ("handwritten-development", "hand-written development set: other phones, people and phrasings"),
)


def section(results: Path) -> str:
    """The README's section, as Markdown; a result file that is missing is left out."""
    reports = [(name, words, _read(results / f"{name}.json")) for name, words in DATASETS]
    columns = "dataset", "queries", "Tool F1", "Delexicalized Plan F1", "Plan F1", "no-call accuracy", "invented names"
    lines = [f"| {' | '.join(columns)} |", "|" + "---|" * len(columns)]
    for name, words, report in reports:
        if report:
            lines.append(_scores(name, words, report["metrics"]))
    lines.append("")
    for name, _, report in reports:
        if report:
            lines.append(f"`results/{name}.json`: `{report['run']['command']}`.")
    lines += ["", *_costs(results)]
    return "\n".join(lines)


def _scores(name: str, words: str, metrics: dict[str, Any]) -> str:
    def percent(key: str) -> str:
        low, high = metrics["interval_95"][key]
        return f"{100 * metrics[key]:.1f} ({100 * low:.1f} to {100 * high:.1f})"

    shown = [percent(key) for key in ("tool_f1", "delexicalized_plan_f1", "plan_f1", "no_call_accuracy")]
    invented = f"{metrics['hallucinated_tools']}, {metrics['hallucinated_parameters']}"
    return f"| {words} | {metrics['items']} | {' | '.join(shown)} | {invented} |"


def _costs(results: Path) -> list[str]:
    lines = []
    latency, store = _read(results / "latency.json"), _read(results / "store.json")
    if latency:
        lines.append(
            "- A query takes {ratio_median:.2f} times its floor, {seconds_median:.2f} s (median of {queries}). The "
            "floor is plain llama.cpp with the same model evaluating each token once, at {prompt_rate:.0f} prompt "
            "and {generation_rate:.0f} generated tokens/s on 2 cores. Tokens evaluated over tokens of the trajectory: "
            "{evaluated_over_sequence:.2f}. (With tokens that the grammar forces counted at the prompt rate: "
            "{strict_ratio_median:.2f}.) Peak memory {peak_memory_mb} MB. "
            "`results/latency.json`: `{command}`.".format(**latency)
        )
    if store:
        slowest = store["all"]["p95_ms"]
        lines.append(
            f"- With {store['records']:,} records on a device a look-up takes {slowest:.1f} ms at the 95th percentile. "
            f"`results/store.json`: `{store['command']}`."
        )
    return lines


def _read(path: Path) -> Any:
    return json.loads(path.read_text(encoding="utf-8")) if path.exists() else None


def replace(readme: str, text: str) -> str:
    """The README with that section between its marks."""
    before, _, rest = readme.partition(BEGIN)
    _, _, after = rest.partition(END)
    return f"{before}{BEGIN}\n{text}\n{END}{after}"


def main() -> None:
    path = ROOT / "README.md"
    path.write_text(replace(path.read_text(encoding="utf-8"), section(ROOT / "results")), encoding="utf-8")


if __name__ == "__main__":
    main()
