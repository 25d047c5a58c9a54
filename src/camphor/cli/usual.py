"""Groups of commands of which one is meant where none is named."""

from __future__ import annotations

from typing import Any

from typer.core import TyperGroup


def group_with_usual(usual: str) -> type[TyperGroup]:
    """A group that runs its command `usual` where the first word is none of its commands."""

    class Group(TyperGroup):
        def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
            if not args or (args[0] not in self.commands and args[0] not in ctx.help_option_names):
                args = [usual, *args]
            return super().parse_args(ctx, args)

    return Group
