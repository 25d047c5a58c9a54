"""Writes the figures of the README from the files in results/; a test checks that they agree.

python benchmarks/figures.py          rewrite the README's section
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from camphor_lab.evaluation.metrics import LEVELS
from camphor_lab.evaluation.sources import ages
from camphor_lab.evaluation.tables import false_statements, strict_plan

ROOT = Path(__file__).parents[1]
BEGIN, END = "<!-- figures: written by benchmarks/figures.py -->", "<!-- end of figures -->"
DATASETS = (
    ("generated-test", "generated test split: new people, phones and sentence skeletons"),
    ("generated-unseen-apps", "the same, about apps that training never saw"),
    ("handwritten-test", "hand-written test set: other phones and hands, never read and never tuned on"),
    ("handwritten-development", "hand-written development set: other phones, people and phrasings"),
    ("handwritten-development-2", "a second one, by other hands, of which no wrong answer was read"),
)
ANSWERED = (
    ("handwritten-test", "The test set that is never read"),
    ("questions-test", "plain questions on five more phones, never read"),
    ("questions-development-2", "on four more, for development"),
    ("questions-development-3", "in other words than the records', on six more"),
    ("questions-development", "hard ones on ten more"),
)
STRATEGIES = ("static", "react", "reflexion", "autoact", "camphor")


def section(results: Path) -> str:
    """The README's section, as Markdown; a result file that is missing is left out."""
    reports = [(name, words, _read(results / f"{name}.json")) for name, words in DATASETS]
    columns = "dataset", "queries", "Tool F1", "Delexicalized Plan F1", "Plan F1", "Strict Plan F1"
    columns += "no-call accuracy", "false statements", "invented names"
    lines = [f"| {' | '.join(columns)} |", "|" + "---|" * len(columns)]
    for name, words, report in reports:
        if report:
            lines.append(_scores(name, words, report["metrics"]))
    lines.append("")
    for name, _, report in reports:
        if report:
            lines.append(f"`results/{name}.json`: `{report['run']['command']}`.")
    lines += _agreement(_read(results / "agreement.json"))
    lines += _everyday(_read(results / "everyday.json"))
    lines += _answers(results)
    named = (*(name for name, _ in DATASETS), "everyday", *(name for name, _ in ANSWERED[1:]))
    lines += _older({name: report for name in named if (report := _read(results / f"{name}.json"))})
    lines += ["", *_models(results), *_forms(results), *_functions(results), *_context(results)]
    lines += [*_health(results), *_costs(results), *_comparisons(results)]
    return "\n".join(lines)


def _scores(name: str, words: str, metrics: dict[str, Any]) -> str:
    def percent(key: str) -> str:
        low, high = metrics["interval_95"][key]
        return f"{100 * metrics[key]:.1f} ({100 * low:.1f} to {100 * high:.1f})"

    shown = [*map(percent, LEVELS), strict_plan(metrics), percent("no_call_accuracy"), false_statements(metrics)]
    invented = f"{metrics['hallucinated_tools']}, {metrics['hallucinated_parameters']}"
    return f"| {words} | {metrics['items']} | {' | '.join(shown)} | {invented} |"


def _agreement(report: Any) -> list[str]:
    """What two who did not write the gold reach: the ceiling of the hand-written sets."""
    if not report:
        return []
    told = report["agreement"]

    def of(figure: str) -> str:
        first, second = (f"{100 * told[f'{name}, gold'][figure]:.1f}" for name in "ab")
        return f"{first} and {second} against the gold, {100 * told['a, b'][figure]:.1f} against each other"

    return [
        "",
        f"The ceiling: {report['items']} queries of both development sets, answered by two annotators who saw neither "
        f"the gold nor each other's answers: Plan F1 {of('plan_f1')}; strict {of('strict_plan_f1')}. Both are "
        "instances of a large language model, as the writers of the sets are: people may agree less. "
        f"`results/agreement.json`: `{report['run']['command']}`.",
    ]


def _everyday(report: Any) -> list[str]:
    """What a newcomer types, with the model that ships."""
    if not report:
        return []
    metrics = report["metrics"]
    return [
        "",
        f"Everyday suite, {metrics['items']} plain wishes and questions on demo phones: answers right "
        f"{100 * metrics['answers_right']:.1f}% (of {metrics['answers']['items']}), false statements "
        f"{100 * metrics['false_statement_rate']:.1f}%, actions right {100 * metrics['actions_right']:.1f}%, unwished "
        f"actions {metrics['unwished_actions']}. `results/everyday.json`: `{report['run']['command']}`.",
    ]


def _answers(results: Path) -> list[str]:
    """Questions of hands that have not seen the code."""
    told = []
    for name, words in ANSWERED:
        report = _read(results / f"{name}.json")
        if report and report["metrics"].get("answers_right") is not None:
            metrics = report["metrics"]
            told.append(
                f"{words}, {metrics['answers']['items']} questions: answers right "
                f"{100 * metrics['answers_right']:.1f}%, false statements "
                f"{100 * metrics['false_statement_rate']:.1f}% (`results/{name}.json`)"
            )
    return ["", f"{'; '.join(told)}."] if told else []


def _older(reports: dict[str, Any]) -> list[str]:
    """Which of the scores are not of the code that stands here."""
    told = [f"`{name}`" for name, age in ages(reports).items() if age != "current"]
    if not told:
        return []
    names = f"Of the files above, older than the code they are about, or of unknown source: {', '.join(told)}"
    return ["", f'{names}; so are most of those below (docs/report.md, "Age").']


def _models(results: Path) -> list[str]:
    """The embedded model untuned, by strategy, and tuned (CAMPHOR, Tables 1 and 2)."""
    names = {f"untuned, {name}": f"table1-{name}-smollm2-135m" for name in STRATEGIES}
    names |= {f"tuned, {name}": f"table1-{name}-smollm2-135m-tuned" for name in STRATEGIES}
    rows, made = [], []
    for title, name in names.items():
        report = _read(results / f"{name}.json")
        if report:
            metrics = report["metrics"]
            scores = " | ".join(f"{100 * metrics[key]:.1f}" for key in ("tool_f1", "delexicalized_plan_f1", "plan_f1"))
            rows.append(f"| {title} | {scores} | {metrics['predicted_calls']} of {metrics['gold_calls']} |")
            made.append(report)
    if not rows:
        return []
    counts = " or ".join(map(str, sorted({report["metrics"]["items"] for report in made})))
    columns = "SmolLM2-135M", "Tool F1", "Delexicalized Plan F1", "Plan F1", "calls made of gold"
    return [
        f"| {' | '.join(columns)} |",
        "|" + "---|" * len(columns),
        *rows,
        "",
        f"The first {counts} queries of the hand-written development set; strategies of CAMPHOR's "
        "Table 1. Untuned they have their full prompts, and a model of this size makes too few calls right to their "
        "values to rank anything. Tuned it knows the loop of `camphor`, as it ships; the others show it prompts that "
        "it never saw. Which of the paper's claims this tests: docs/report.md. "
        f"`results/table1-*.json`: `{made[0]['run']['command']}` and so on.",
        "",
    ]


TABLE3 = ("definitions", "compressed", "hinted", "names")
TABLE3_SETS = {
    "generated test": "table3",
    "hand-written, first": "table3-handwritten",
    "second": "table3-handwritten-2",
}


def _forms(results: Path) -> list[str]:
    """Prompts with definitions, with function tokens and with names of apps, by the same adapter (CAMPHOR, Table 3)."""
    prompts, first = _read(results / "prompts.json"), _read(results / "first-query.json")
    sets = [
        title
        for title, name in TABLE3_SETS.items()
        if any((results / f"{name}-{form}.json").exists() for form in TABLE3)
    ]
    if not (sets and prompts and first):
        return []
    columns = "prompt form", *(f"{title}, Tool / Plan F1" for title in sets)
    columns += "fixed tokens", "KV cache", "first answer of a phone"
    rows, commands = [], []
    for form in TABLE3:
        reports = [_read(results / f"{TABLE3_SETS[title]}-{form}.json") for title in sets]
        if form in first["forms"] and form in prompts["groups"]["demo"]["forms"] and any(reports):
            fixed = prompts["groups"]["demo"]["forms"][form]
            cache = f"{fixed['kv_bytes'] / 1e6:.1f} MB"
            seconds = f"{first['forms'][form]['cpu_seconds']:.2f} CPU s"
            scores = " | ".join(_both(report) for report in reports)
            rows.append(f"| {form} | {scores} | {fixed['static_tokens']:,.0f} | {cache} | {seconds} |")
            commands += [report["run"]["command"] for report in reports if report]
    if not rows:
        return []
    told = [f"Tokens of the demo phone. `results/table3-*.json`: `{commands[0]}`; the others with their names for it."]
    if "hinted" in first["forms"]:
        more = first["forms"]["hinted"]["tokens"] - first["forms"]["compressed"]["tokens"]
        told.append(f"What a retriever finds for a hinted query, {more:.0f} tokens (mean), is not fixed.")
    return [f"| {' | '.join(columns)} |", "|" + "---|" * len(columns), *rows, "", " ".join(told), ""]


def _both(report: dict[str, Any] | None) -> str:
    if not report:
        return "-"
    return " / ".join(f"{100 * report['metrics'][key]:.1f}" for key in ("tool_f1", "plan_f1"))


def _functions(results: Path) -> list[str]:
    """Function calling over the 24 Android functions (DroidCall, Table 2)."""
    names = {
        "untuned, zero-shot": "zero", "untuned, three examples": "few", "fine-tuned": "tuned",
        "fine-tuned, five functions found by the retriever": "retrieved",
    }  # fmt: skip
    rows, made = [], []
    for title, how in names.items():
        report = _read(results / f"droidcall-{how}-smollm2-135m.json")
        if report:
            metrics = report["metrics"]
            kinds = (metrics["by_kind"][kind]["accuracy"] for kind in ("simple", "complex", "nested"))
            scores = (f"{100 * score:.1f}" for score in (metrics["accuracy"], metrics["soft_accuracy"], *kinds))
            rows.append(f"| {title} | {' | '.join(scores)} |")
            made.append(report["run"]["command"])
    if not rows:
        return []
    lead = _what_is_called(results)
    columns = "SmolLM2-135M, 24 Android functions", "Accuracy", "Soft accuracy", "one call", "two or more", "nested"
    where = (
        "200 requests in DroidCall's format, other wordings and values than in training; the last three are Accuracy"
    )
    return [
        *lead,
        f"| {' | '.join(columns)} |",
        "|" + "---|" * len(columns),
        *rows,
        "",
        f"{where}. `results/droidcall-*.json`: {'; '.join(f'`{command}`' for command in made)}.",
        "",
    ]


def _what_is_called(results: Path) -> list[str]:
    """What a person gets of `camphor call`: all functions shown, words of hands that saw no code, exactly right."""
    told = []
    if hands := _read(results / "droidcall-hands.json"):
        metrics, none = hands["metrics"], hands["metrics"]["by_kind"]["none"]
        told.append(
            f"Calling functions, all calls of a request right: {100 * metrics['accuracy']:.1f}% of {metrics['items']} "
            f"requests by two hands to the 24 Android functions, all of them shown, and {100 * none['accuracy']:.1f}% "
            f"of the {none['items']} among them for which nothing is to be done (`results/droidcall-hands.json`: "
            f"`{hands['run']['command']}`)"
        )
    if unseen := _read(results / "modules-development.json"):
        metrics = unseen["metrics"]
        told.append(
            f"{100 * metrics['right']:.1f}% of {metrics['requests']} requests to {metrics['modules']} modules of six "
            f"functions that no model was trained on (`results/modules-development.json`: `{unseen['run']['command']}`)"
        )
    if trained := _read(results / "tutorial.json"):
        metrics = trained["metrics"]
        told.append(
            f"{100 * metrics['accuracy']:.1f}% of {metrics['items']} requests by another hand to the tutorial's five "
            f"functions, after its ten minutes of training (`results/tutorial.json`: `{trained['run']['command']}`)"
        )
    return [f"{'; '.join(told)}.", ""] if told else []


def _health(results: Path) -> list[str]:
    """The health assistant by use case (medical paper, Tables 2 and 3), and what it makes of people's own words."""
    report = _read(results / "health-turns.json")
    if not report:
        return []
    names = {
        "general": "appointment", "counter": "unclear symptoms", "negative": "declined", "dietician": "dietician",
        "soft_sos": "soft SOS", "hard_sos_start": "hard SOS begins", "hard_sos_end": "hard SOS ends",
    }  # fmt: skip
    rows = []
    for name, told in report["metrics"]["by_use_case"].items():
        planner, caller = told["planner"], told["caller"]
        scores = (planner["rougeL"], caller["rougeL"], caller["tool"], caller["values"])
        rows.append(f"| {names[name]} | {told['cases']} | {' | '.join(f'{100 * score:.1f}' for score in scores)} |")
    columns = "health assistant", "cases", "planner ROUGE-L", "caller ROUGE-L", "ToolAcc", "ValuesAcc"
    words = [f"Each turn after the recorded ones. `results/health-turns.json`: `{report['run']['command']}`."]
    if specialists := _read(results / "health-specialists.json"):
        clear = specialists["metrics"]["clear"]
        words.append(
            f"Of {clear['lines']} hand-written descriptions an acceptable specialist is looked for in "
            f"{100 * clear['accepted']:.1f}%, the best in {100 * clear['best']:.1f}%. "
            f"`results/health-specialists.json`: `{specialists['run']['command']}`."
        )
    if urgency := _read(results / "health-urgency-test.json"):
        urgent, routine = urgency["metrics"]["urgent"], urgency["metrics"]["routine"]
        words.append(
            f"Of {urgent['items']} hand-written urgent messages in five languages {100 * urgent['noticed']:.1f}% are "
            f"found or asked about; of {routine['items']} near misses {100 * routine['alarms']:.1f}% raise an alarm "
            f"and {100 * routine['asked']:.1f}% a question. "
            f"`results/health-urgency-test.json`: `{urgency['run']['command']}`."
        )
    for name, what in (
        ("directions-test", "lines of directions, of which six were read after a first score of 0.5% silently wrong,"),
        ("prescription-pictures-test", "medicines in pictures, scored before anybody here had read one,"),
    ):
        if report := _read(results / f"{name}.json"):
            words.append(_prescriptions(report, name, what))
    return [f"| {' | '.join(columns)} |", "|" + "---|" * len(columns), *rows, "", " ".join(words), ""]


def _prescriptions(report: dict[str, Any], name: str, what: str) -> str:
    told, shares = report["metrics"], report["metrics"]["shares"]
    return (
        f"Of {told['items']:,} {what} {100 * shares['right and certain']:.1f}% are read "
        f"right and for certain, {100 * shares['in doubt']:.1f}% are asked about and "
        f"{100 * shares['silently wrong']:.1f}% are silently wrong (wanted: 75% and none). "
        f"`results/{name}.json`: `{report['run']['command']}`."
    )


def _context(results: Path) -> list[str]:
    """What an implicit query is about, found by each method (Context Tuning, Table 2)."""
    report = _read(results / "context-retrieval.json")
    if not report:
        return []
    names = {
        "lexical": "BM25", "semantic": "semantic search, word vectors", "minilm": "semantic search, all-MiniLM-L6-v2",
        "cot-nearest": "word vectors with thoughts about like queries",
        "finetuned": "fine-tuned word vectors", "minilm-finetuned": "fine-tuned all-MiniLM-L6-v2",
        "lambdamart-rrf": "LambdaMART with RRF", "hybrid": "LambdaMART with RRF and fine-tuned word vectors",
    }  # fmt: skip
    methods = {name: report["methods"][name] for name in names if name in report["methods"]}
    ks = list(next(iter(methods.values()))["recall"])
    rows = []
    for name, told in methods.items():
        low, high = told["interval_95"]["recall"][ks[0]]
        first = f"{100 * told['recall'][ks[0]]:.1f} ({100 * low:.1f} to {100 * high:.1f})"
        others = (f"{100 * told['recall'][k]:.1f}" for k in ks[1:])
        ndcg = (f"{100 * told['ndcg'][k]:.1f}" for k in ks)
        rows.append(f"| {names[name]} | {first} | {' | '.join((*others, *ndcg))} |")
    columns = "what an implicit query is about", *(f"{metric}@{k}" for metric in ("recall", "NDCG") for k in ks)
    run = report["run"]
    return [
        f"| {' | '.join(columns)} |",
        "|" + "---|" * len(columns),
        *rows,
        "",
        f"{run['queries']} queries of people whom training never saw, in other wordings; {run['among']:g} items on a "
        f"device. `results/context-retrieval.json`: `{run['command']}`.",
        "",
    ]


def _comparisons(results: Path) -> list[str]:
    lines = []
    peers, public, made = (_read(results / f"{name}.json") for name in ("peers", "bfcl", "dataset"))
    if peers:
        ratio = peers["smolagents_over_camphor"]["seconds"]
        low, high = ratio["of_means_95"]
        ours, theirs = peers["camphor"], peers["smolagents"]
        lines.append(
            f"- The same model, tools and {peers['queries']} queries, driven by "
            f"{peers['peer']['library'].split(',')[0]} with all definitions in every prompt, in "
            f"the same run: {ratio['of_means']:.1f} times ({low:.1f} to {high:.1f}) our "
            f"{ours['seconds_mean']:.2f} s a query; Tool F1 {100 * theirs['tool_f1']:.1f}, ours "
            f"{100 * ours['tool_f1']:.1f}; Plan F1 {100 * theirs['plan_f1']:.1f}, ours {100 * ours['plan_f1']:.1f}. "
            f"It stopped at its limit of "
            f"{peers['peer']['steps_at_most']} steps {theirs['stopped_at_limit']} times. "
            f"`results/peers.json`: `{peers['command']}`."
        )
    if public:
        beside = ", ".join(f"{name} {100 * share:.1f}" for name, share in public["published"].items())
        lines.append(
            f"- Berkeley Function-Calling Leaderboard, single turn, {public['lines']} lines, our harness: "
            f"{100 * public['accuracy']:.1f}% right. Published, by the leaderboard's own harness, which cannot be "
            f"compared directly: {beside}. `results/bfcl.json`: `{public['command']}`."
        )
    if made:
        paper = made["3410"]
        train = paper["splits"]["train"]
        lines.append(
            f"- A dataset of the paper's size, 3,410 queries, is made in {paper['cpu_seconds']:.0f} CPU seconds: "
            f"{train['calls_per_acting_query']:.1f} actions a query that acts, {train['pairs_per_query']:.1f} "
            f"prompt-completion pairs a query, mean ROUGE-L to the nearest other query "
            f"{train['diversity']['nearest_rouge_l']:.2f}, none at 0.75 or more. "
            f"`results/dataset.json`: `{paper['command']}`."
        )
    return lines


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
    speed, usage = _read(results / "context-speed.json"), _read(results / "usage.json")
    if speed:
        search, changed = speed["searches"]["LambdaMART-RRF"], speed["updates"]["a changed item is taken in"]
        lines.append(
            f"- Among {speed['items']:,} items of a device the ranker answers in {search['p95_ms']:.1f} ms at the 95th "
            f"percentile on {speed['machine']['cores']} core; their index is built in {speed['build_seconds']:.0f} s "
            f"and loaded in {speed['load_seconds']:.1f} s, and takes in a changed item in {changed['p95_ms']:.1f} ms. "
            f"`results/context-speed.json`: `{speed['command']}`."
        )
    lines += _matters(_read(results / "context-assistant.json"))
    lines += _turns(_read(results / "turns.json"))
    if usage:
        event = usage["record"]
        lines.append(
            f"- A use of an item is noted, on disk and in the signals, in {event['p50_ms']:.2f} ms (median; "
            f"{event['p95_ms']:.2f} ms at the 95th percentile), with {usage['events']:,} noted before. "
            f"`results/usage.json`: `{usage['command']}`."
        )
    lines += _web(_read(results / "web.json"))
    return lines


def _web(told: Any) -> list[str]:
    """What the web app adds; of a run that was cut off nothing yet."""
    if not told or not {"pages", "overhead", "steps", "crowd"} <= told.keys():
        return []
    pages, added, seen, crowd = told["pages"], told["overhead"], told["steps"]["first_step"], told["crowd"]
    slowest = max(pages["places"], key=lambda place: pages["places"][place]["p95_ms"])
    return [
        f"- The web app on {told['machine']['cores']} cores: every page is ready within "
        f"{pages['p95_ms'] / 1000:.2f} s at the 95th percentile ({slowest} takes longest), the server adds "
        f"{100 * added['share']:.1f}% to a query, a step is seen {seen['median_ms']:.0f} ms after it came from the "
        f"model (median; {seen['p95_ms']:.0f} ms at the 95th percentile), and with {crowd['pages']} open pages a query "
        f"takes {crowd['ratio']:.2f} times as long as with one. `results/web.json`: `{told['command']}`."
    ]


def _matters(report: Any) -> list[str]:
    """What the items that matter now change in the whole assistant."""
    if not report:
        return []
    off, on, items = (report["metrics"][key] for key in ("off", "on", "items"))
    return [
        f"- {report['metrics']['queries']} implicit queries on phones with weeks of use: with the items that matter "
        f"now the assistant's look-ups find one that is meant in {100 * on['found']:.1f}% of them "
        f"({100 * off['found']:.1f}% without) and an action it proposes names one in {100 * on['aimed']:.1f}% "
        f"({100 * off['aimed']:.1f}%); of the items it looks up {100 * items['precision']:.0f}% are meant, but it also "
        f"proposes actions where none names one. "
        f"`results/context-assistant.json`: `{report['run']['command']}`."
    ]


def _turns(report: Any) -> list[str]:
    """What a turn about something else does to a query."""
    if not report:
        return []
    alone, seen, apart = report["rows"]
    told, lost = report["follow_ups"]["all"], report["follow_ups"]["taken_for_alone"]
    return [
        f"- {report['queries']} hand-written queries after a turn about something else: Plan F1 "
        f"{100 * seen['plan_f1']:.1f} where the model sees that turn, {100 * apart['plan_f1']:.1f} as it runs, by "
        f"themselves {100 * alone['plan_f1']:.1f} (Tool F1 {100 * seen['tool_f1']:.1f}, {100 * apart['tool_f1']:.1f}, "
        f"{100 * alone['tool_f1']:.1f}). Of {told} follow-ups {lost} would be asked without what they follow. "
        f"`results/turns.json`: `{report['command']}`."
    ]


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
