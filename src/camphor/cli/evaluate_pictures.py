"""`camphor evaluate pictures`: whether pictures of prescriptions are read right, in doubt, or silently wrong."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated

import typer

from camphor.cli.ask import JsonOption
from camphor.cli.bars import bars
from camphor.cli.evaluate_directions import listed, show_doubts, show_wrong, table


def pictures(
    data: Annotated[Path, typer.Argument(help="A folder of pictures with what they say (items.jsonl).")],
    show: Annotated[bool, typer.Option("--show", help="Also list what is silently wrong, field by field.")] = False,
    doubts: Annotated[bool, typer.Option("--doubts", help="Also list what is in doubt, and why.")] = False,
    tags: Annotated[bool, typer.Option("--tags", help="Also count by layout, and by how hard a picture is.")] = False,
    out: Annotated[
        Path | None, typer.Option("--out", "-o", help="Where to write metrics and what is wrong (JSON).")
    ] = None,
    json_: JsonOption = False,
) -> None:
    """Score the reading of pictures, a medicine at a time: right and certain, in doubt, and silently wrong, to be 0.

    Each picture is recognised and read as for the person, which takes some seconds.

    \b
    camphor evaluate pictures data/prescription-pictures-development --show --doubts
    """
    from camphor.cli.evaluate_context_options import check_out
    from camphor.cli.text import print_json
    from camphor.evaluation.directions import WRONG
    from camphor.evaluation.pictures import evaluate, fingerprint, metrics, read_items
    from camphor.health.prescriptions.ocr import read_file

    check_out(out)
    with bars() as bar:
        task = bar.add_task("Pictures", total=len(read_items(data)))
        scored = evaluate(data, read_file, lambda: bar.advance(task))
    told = metrics(scored)
    if out:
        wrong = [listed(each) for each in scored if each.outcome == WRONG]
        report = {"dataset_sha256": fingerprint(data), "metrics": told, "silently_wrong": wrong}
        out.write_text(json.dumps(report, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    if json_:
        print_json(told)
    else:
        table(told, tags)
        typer.echo(f"{told['extra_in_doubt']} lines that are no medicine were taken for one, in doubt")
    if show:
        show_wrong(scored)
    if doubts:
        show_doubts(scored)
