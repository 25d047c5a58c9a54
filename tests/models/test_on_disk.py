"""Model files in the folders that people have."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from camphor.models.llama import embedded_model
from camphor.models.on_disk import models_on_disk


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "here").mkdir()
    monkeypatch.chdir(tmp_path / "here")
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("USERPROFILE", str(tmp_path))
    monkeypatch.delenv("OLLAMA_MODELS", raising=False)
    return tmp_path


def put(path: Path, content: str = "GGUF") -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(content)
    return path


def test_nothing_is_there(home: Path) -> None:
    assert models_on_disk(home / "data") == []


def test_files_are_found_where_people_have_them(home: Path) -> None:
    put(home / "here" / "a.gguf", "12345")
    put(home / "here" / "deeper" / "not.gguf")
    mine = put(home / "data" / "models" / "sub" / "b.gguf")
    theirs = put(home / ".lmstudio" / "models" / "org" / "repo" / "c.gguf")
    put(home / ".lmstudio" / "models" / "org" / "repo" / "mmproj-c.gguf")
    parts = [put(theirs.with_name(f"d-0000{part}-of-00012.gguf")) for part in (1, 2)]
    put(theirs.with_name("d-00011-of-00012.gguf"))
    found = {each.name: each for each in models_on_disk(home / "data")}
    assert set(found) == {"a.gguf", str(mine), str(theirs), str(parts[0])}
    assert (found["a.gguf"].size, found["a.gguf"].where) == (5, "this folder")


def test_what_ollama_has_is_known_by_the_name_that_it_serves(home: Path) -> None:
    folder = home / ".ollama" / "models" / "manifests" / "registry.ollama.ai"
    put(folder / "library" / "qwen3" / "8b", json.dumps({"layers": [{"size": 5_000_000_000}, {"size": 12}]}))
    put(folder / "ann" / "own" / "latest", json.dumps({"layers": [{"size": 7}]}))
    put(folder / "library" / "broken" / "1", "{")
    put(folder / "library" / "odd" / "1", json.dumps({"layers": [{"size": None}]}))
    found = {(each.name, each.size) for each in models_on_disk(home / "data")}
    assert found == {("ollama:qwen3:8b", 5_000_000_012), ("ollama:ann/own:latest", 7)}


def test_of_a_file_its_context_and_whether_it_has_a_template_are_found(home: Path) -> None:
    folder = home / "data" / "models"
    put(folder / "other.gguf", "no model at all")
    put(folder / "empty.gguf", "")
    (folder / "real.gguf").symlink_to(embedded_model())
    found = {Path(each.name).name: (each.context, each.template) for each in models_on_disk(home / "data")}
    assert found == {"real.gguf": (8192, True), "other.gguf": (None, None), "empty.gguf": (None, None)}
