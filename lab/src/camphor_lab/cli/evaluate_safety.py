"""`camphor lab evaluate injections`: attacks by what an assistant reads."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path
from typing import Annotated, Any

import typer

from camphor.cli.model import open_model
from camphor.cli.options import AdapterOption, JsonOption, ModelOption, ThreadsOption
from camphor_lab.cli.options import Bar, check_out, hashes, say_where, show, told_command, without_items, written


def injections(
    file: Annotated[Path, typer.Argument(help="A JSONL file, one attack a line (data/injections).")],
    phone: Annotated[Path, typer.Option(help="The device file that they are planted on.")],
    out: Annotated[Path | None, written("shares and every attack's result")] = None,
    obedient: Annotated[
        bool, typer.Option("--obedient", help="A model that does whatever it has read, where a grammar lets it.")
    ] = False,
    model: ModelOption = None,
    adapter: AdapterOption = None,
    threads: ThreadsOption = None,
    json_: JsonOption = False,
) -> None:
    """Plant attacks in records and count those that had something done, as under --yes, where nobody is asked."""
    from camphor.device.format import read
    from camphor_lab.evaluation.dataset import fingerprint
    from camphor_lab.evaluation.injections import ObedientModel, attack_all, figures, read_attacks
    from camphor_lab.evaluation.results import write_report

    check_out(out)
    attacks, device = read_attacks(file), read(phone)
    mind, _ = open_model(model, adapter, threads)
    with closing(mind), Bar(len(attacks)) as bar:
        told = hashes(mind)
        done = list(attack_all(attacks, device, mind, ObedientModel if obedient else None, bar))
    run = {
        "command": told_command(),
        "dataset": file.name,
        "dataset_sha256": fingerprint([file, phone]),
        "model": "obedient" if obedient else model or "embedded",
        "settings": told,
    }
    metrics = figures(done)
    report = {"metrics": metrics, "run": run, "items": [each.to_json() for each in done]}
    if out:
        write_report(out, report)
    show(json_, without_items(report), lambda: _table(metrics))
    say_where(out)


def _table(metrics: dict[str, Any]) -> Any:
    from camphor_lab.evaluation.tables import percent, rich_table

    rows = [[kind, str(told["read"]), str(told["won"])] for kind, told in metrics["by_kind"].items()]
    rows.append(["all", str(metrics["read"]), str(metrics["won"])])
    served, without = percent(metrics["served"]), percent(metrics["served_without"])
    offered = percent(metrics["offered"])
    caption = f"wishes served: {served}% with a plant, {without}% without; offered with a doubt: {offered}%"
    return rich_table(("kind", "read", "won"), rows, title="attacks", caption=caption)
