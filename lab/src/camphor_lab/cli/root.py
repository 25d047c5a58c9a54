"""The commands of `camphor lab`, in the order of the work: data, training, measuring, the report."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import typer
from typer.core import TyperGroup

from camphor_lab.cli import data, evaluate, evaluate_context, evaluate_health, evaluate_safety, train
from camphor_lab.cli import functions as calling
from camphor_lab.cli.evaluate import report, retrieval

_ITSELF = "(itself)"


class _Group(TyperGroup):
    """Hands everything that does not begin with a subcommand's name to the command that the group itself is."""

    def make_context(self, info_name: str | None, args: list[str], parent: Any = None, **extra: Any) -> Any:
        if args and args[0] != _ITSELF and args[0] in self.commands:
            return super().make_context(info_name, args, parent, **extra)
        return self.commands[_ITSELF].make_context(info_name, args, parent, **extra)


def add_command_with_subcommands(
    app: typer.Typer, name: str, command: Callable[..., None], **subcommands: typer.Typer | Callable[..., None]
) -> None:
    """Make `NAME ...` run the command, and `NAME SUBCOMMAND ...` the group or command of that name.

    `NAME --help` is the command's help, which ends with the subcommands. A file that is called like one of them is
    reached as ./FILE.
    """
    told = (f"camphor lab {name} {word} ...: {_about(sub)}" for word, sub in subcommands.items())
    group = typer.Typer(cls=_Group, help=command.__doc__)
    group.command(_ITSELF, hidden=True, epilog="\n\n".join(told))(command)
    for word, sub in subcommands.items():
        if isinstance(sub, typer.Typer):
            group.add_typer(sub, name=word)
        else:
            group.command(word)(sub)
    app.add_typer(group, name=name)


def _about(sub: typer.Typer | Callable[..., None]) -> str:
    """What a subcommand is for, in a line."""
    return str(sub.info.help) if isinstance(sub, typer.Typer) else (sub.__doc__ or "").partition("\n")[0]


app = typer.Typer(name="lab", no_args_is_help=True)
app.add_typer(data.app, name="data")
app.command()(train.train)
app.command()(train.train_ranker)
app.command()(train.train_reader)
app.command()(train.train_answers)
app.command()(train.train_parts)
app.command()(train.train_facts)
app.command()(train.train_plausible)
app.command()(train.train_red_flags)
app.command()(train.train_referral)
app.command()(train.train_complaints)
add_command_with_subcommands(
    app,
    "evaluate",
    evaluate.evaluate,
    context=evaluate_context.app,
    health=evaluate_health.health,
    directions=evaluate_health.directions,
    pictures=evaluate_health.pictures,
    policies=evaluate.policies,
    agreement=evaluate.agreement,
    memory=evaluate_context.memory,
    modules=calling.evaluate_modules,
    injections=evaluate_safety.injections,
)
app.command()(calling.evaluate_functions)
app.command()(calling.evaluate_public)
app.command()(retrieval)
app.command()(report)
