"""The commands of `camphor lab`, in the order of the work: data, training, measuring, the report."""

from __future__ import annotations

import typer

from camphor_lab.cli import (
    data,
    evaluate,
    functions,
    public,
    results_report,
    retrieval,
    train,
    train_answers,
    train_health,
    train_parts,
    train_plausible,
    train_ranker,
    train_reader,
)

app = typer.Typer(name="lab", no_args_is_help=True)
app.add_typer(data.app, name="data")
for module in (train, train_ranker, train_reader, train_answers, train_parts, train_plausible, train_health):
    module.register(app)
for module in (evaluate, functions, public, retrieval, results_report):
    module.register(app)
