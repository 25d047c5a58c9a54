"""`camphor lab evaluate directions` and `pictures`: prescriptions are read right, in doubt, or silently wrong."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from camphor.cli.ask import JsonOption
from camphor.cli.text import bars, print_json, print_table
from camphor_lab.cli.options import check_out, told_command, written

if TYPE_CHECKING:
    from camphor_lab.evaluation.directions import Said, Scored

ShowOption = Annotated[bool, typer.Option("--show", help="Also list what is silently wrong, field by field.")]
DoubtsOption = Annotated[bool, typer.Option("--doubts", help="Also list what is in doubt, and why.")]
OutOption = Annotated[Path | None, written("metrics and which items are wrong")]


def directions(
    data: Annotated[Path, typer.Argument(help="A folder of directions with what they mean, or one of its files.")],
    show: ShowOption = False,
    doubts: DoubtsOption = False,
    tags: Annotated[bool, typer.Option("--tags", help="Also count by tag.")] = False,
    out: OutOption = None,
    json_: JsonOption = False,
) -> None:
    """Score the reading of directions: right and certain, in doubt, and silently wrong, which must be 0.

    Silently wrong is what the reader is certain of and the gold says otherwise, and what it leaves out without a doubt.

    \b
    camphor lab evaluate directions data/directions-development --show
    camphor lab evaluate directions data/directions-development/a.jsonl --doubts
    """
    from camphor_lab.evaluation.directions import evaluate, fingerprint, metrics

    check_out(out)
    scored = evaluate(data, _read)
    told = metrics(scored)
    if out:
        _write(out, fingerprint(data), told, scored)
    if json_:
        print_json(told)
    else:
        _table(told, tags)
    _show_scored(scored, show, doubts)


def pictures(
    data: Annotated[Path, typer.Argument(help="A folder of pictures with what they say (items.jsonl).")],
    show: ShowOption = False,
    doubts: DoubtsOption = False,
    tags: Annotated[bool, typer.Option("--tags", help="Also count by layout, and by how hard a picture is.")] = False,
    out: OutOption = None,
    json_: JsonOption = False,
) -> None:
    """Score the reading of pictures, a medicine at a time: right and certain, in doubt, and silently wrong, to be 0.

    Each picture is recognised and read as for the person, which takes some seconds.

    \b
    camphor lab evaluate pictures data/prescription-pictures-development --show --doubts
    """
    from camphor.health.prescriptions.ocr import read_file
    from camphor_lab.evaluation.pictures import evaluate, fingerprint, metrics, read_items

    check_out(out)
    with bars() as bar:
        task = bar.add_task("Pictures", total=len(read_items(data)))
        scored = evaluate(data, read_file, lambda: bar.advance(task))
    told = metrics(scored)
    if out:
        _write(out, fingerprint(data), told, scored)
    if json_:
        print_json(told)
    else:
        _table(told, tags)
        typer.echo(f"{told['extra_in_doubt']} lines that are no medicine were taken for one, in doubt")
    _show_scored(scored, show, doubts)


def _read(text: str) -> Said:
    from camphor.health.prescriptions.parse import read_checked
    from camphor_lab.evaluation.directions import Said

    said = read_checked(text)
    fields = frozenset(name for each in said.doubts for name in each.fields)
    return Said(said.to_json(), fields, tuple(each.why for each in said.doubts))


def _write(out: Path, fingerprint: str, told: dict[str, Any], scored: list[Scored]) -> None:
    """Writes metrics, and which items are silently wrong in which fields: never their words, which nobody may read."""
    from camphor_lab.evaluation.directions import WRONG
    from camphor_lab.evaluation.results import write_report
    from camphor_lab.evaluation.sources import PRESCRIPTIONS

    wrong = [{"id": each.id, "wrong": [name for name, _, _ in each.wrong]} for each in scored if each.outcome == WRONG]
    run = {
        "command": told_command(),
        "dataset_sha256": fingerprint,
        "date": datetime.now(UTC).isoformat(timespec="seconds"),
    }
    write_report(out, {"metrics": told, "run": run, "silently_wrong": wrong}, PRESCRIPTIONS)


def _table(told: dict[str, Any], tags: bool) -> None:
    rows = [[name, str(count), f"{told['shares'][name]:.1%}"] for name, count in told["outcomes"].items()]
    print_table(["", "items", "share"], [*rows, ["all", str(told["items"]), ""]])
    if told["wrong_fields"]:
        print_table(["silently wrong", "items"], [[name, str(count)] for name, count in told["wrong_fields"].items()])
    if tags:
        outcomes = list(told["outcomes"])
        rows = [[tag, *(str(counts[name]) for name in outcomes)] for tag, counts in told["by_tag"].items()]
        print_table(["tag", *outcomes], rows)


def _show_scored(scored: list[Scored], wrong: bool, doubts: bool) -> None:
    """Lists what is silently wrong, then what is in doubt, as far as it is asked for."""
    from camphor_lab.evaluation.directions import DOUBT, WRONG

    for each in scored if wrong else ():
        if each.outcome == WRONG:
            typer.echo(f"{each.id}: {each.text!r}")
            for name, read, right in each.wrong:
                typer.echo(f"    {name}: read {json.dumps(read)}, right {json.dumps(right)}")
    for each in scored if doubts else ():
        if each.outcome == DOUBT:
            typer.echo(f"{each.id}: {each.text!r}")
            for why in each.whys:
                typer.echo(f"    {why}")
