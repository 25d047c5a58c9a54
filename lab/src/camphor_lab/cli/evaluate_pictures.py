"""`camphor lab evaluate pictures`: whether pictures of prescriptions are read right, in doubt, or silently wrong."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from camphor.cli.ask import JsonOption
from camphor.cli.bars import bars
from camphor_lab.cli.evaluate_directions import DoubtsOption, OutOption, ShowOption, show_scored, table, write


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
    from camphor.cli.text import print_json
    from camphor.health.prescriptions.ocr import read_file
    from camphor_lab.cli.evaluate_context_options import check_out
    from camphor_lab.evaluation.pictures import evaluate, fingerprint, metrics, read_items

    check_out(out)
    with bars() as bar:
        task = bar.add_task("Pictures", total=len(read_items(data)))
        scored = evaluate(data, read_file, lambda: bar.advance(task))
    told = metrics(scored)
    if out:
        write(out, fingerprint(data), told, scored)
    if json_:
        print_json(told)
    else:
        table(told, tags)
        typer.echo(f"{told['extra_in_doubt']} lines that are no medicine were taken for one, in doubt")
    show_scored(scored, show, doubts)
