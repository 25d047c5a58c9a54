"""Write `constraints.txt`: the version of every distribution in this environment, in which the tests were run.

    .venv/bin/python benchmarks/constraints.py

`pip install -c constraints.txt` and `uv pip install -c constraints.txt` then install these and no others.
"""

from __future__ import annotations

import re
from importlib.metadata import distributions
from pathlib import Path

OUT = Path(__file__).parents[1] / "constraints.txt"
HEAD = "# What the tests were run with, on Python 3.11. Written by benchmarks/constraints.py\n"
LEFT_OUT = {"camphor", "camphor-lab", "pip", "setuptools", "wheel", "uv"}


def constraints() -> list[str]:
    """`name==version`, by name; a version for one kind of hardware, such as 2.13.0+cpu, without its ending."""
    found = {}
    for each in distributions():
        name = re.sub(r"[-_.]+", "-", each.metadata["Name"]).lower()
        found[name] = each.version.split("+")[0]
    return [f"{name}=={version}" for name, version in sorted(found.items()) if name not in LEFT_OUT]


def main() -> None:
    OUT.write_text(HEAD + "\n".join(constraints()) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
