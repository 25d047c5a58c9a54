"""CONTRIBUTING, NOTICE, CHANGELOG and the licence agree with the project."""

from __future__ import annotations

import hashlib
import re
import tomllib
from pathlib import Path

import camphor

ROOT = Path(__file__).parents[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
APACHE = "cfc7749b96f63bd31c3c42b5c471bf756814053e847c10f3eb003417bc523d30"


def page(name: str) -> str:
    return (ROOT / name).read_text(encoding="utf-8")


def test_the_map_of_the_house_has_the_floors_that_are_held() -> None:
    layers = PROJECT["tool"]["importlinter"]["contracts"][0]["layers"]
    floors = [tuple(re.findall(r"camphor\.(\w+)", layer)) for layer in layers]
    house = page("CONTRIBUTING.md").split("## The house")[1].split("\n## ")[0]
    rows = re.findall(r"(?m)^\| (`.*?`) \|", house)
    assert [tuple(re.findall(r"`(\w+)`", row)) for row in rows] == floors


def test_files_named_for_contributors_exist() -> None:
    text = page("CONTRIBUTING.md")
    for name in re.findall(r"\]\(([\w./-]+)\)", text):
        assert (ROOT / name).exists(), name
    for name in re.findall(r"`((?:agents|health|device|models|cli|benchmarks|data|tests)/[\w./-]*\w/?)`", text):
        assert (ROOT / name).exists() or (ROOT / "src/camphor" / name).exists(), name


def test_the_licence_is_whole() -> None:
    assert PROJECT["project"]["license"] == "Apache-2.0"
    assert set(PROJECT["project"]["license-files"]) == {"LICENSE", "NOTICE"}
    assert hashlib.sha256((ROOT / "LICENSE").read_bytes()).hexdigest() == APACHE


def test_the_laboratory_carries_the_same_licence_and_notice() -> None:
    assert [page(f"lab/{name}") for name in ("LICENSE", "NOTICE")] == [page(name) for name in ("LICENSE", "NOTICE")]


def test_the_notice_names_what_is_there() -> None:
    notice = page("NOTICE")
    for name in re.findall(r"\bcamphor/[\w./-]*\w", notice):
        assert (ROOT / "src" / name).exists(), name
    for name in re.findall(r"\bcamphor_lab/[\w./-]*\w", notice):
        assert (ROOT / "lab/src" / name).exists(), name
    table = page("data/README.md").split("| set | source | licence |")[1].split("\n\n")[0]
    told = " ".join(notice.split())
    for licence in re.findall(r"\| ([\w.-]+) \|(?:\n|$)", table):
        assert licence in told


def test_the_changelog_knows_this_version() -> None:
    assert f"## [Unreleased]: {camphor.__version__}" in page("CHANGELOG.md") or (
        f"## [{camphor.__version__}]" in page("CHANGELOG.md")
    )
    lab = tomllib.loads(page("lab/pyproject.toml"))["project"]
    assert PROJECT["project"]["version"] == lab["version"] == camphor.__version__
    assert lab["dependencies"] == [f"camphor=={camphor.__version__}"]
