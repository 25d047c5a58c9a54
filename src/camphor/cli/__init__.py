"""The `camphor` command. Importing it loads nothing heavy: each command imports what it needs when it runs."""

from __future__ import annotations

from collections.abc import Sequence


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command and return its exit status (contract, section 5).

    Args:
        argv: the words after `camphor`; those of this process when None.
    """
    from camphor.cli.root import run

    return run(argv)
