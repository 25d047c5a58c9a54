"""`camphor config`: settings in a file of the person's own."""

from __future__ import annotations

import json
import stat

import pytest

from tests.doubles.command import Camphor, one_line


def values(camphor: Camphor) -> dict[str, object]:
    told = json.loads(camphor("config", "--json").out)["settings"]
    return {name: each["value"] for name, each in told.items() if each["set"]}


def test_nothing_is_set_at_first_and_no_file_is_made(camphor: Camphor) -> None:
    ran = camphor("config")
    assert ran.status == 0
    for key in ("model", "model.key_env", "model.timeout", "model.context"):
        assert key in ran.out
    assert "OPENAI_API_KEY" in ran.out
    assert values(camphor) == {}
    assert not (camphor.home / "config.toml").exists()


def test_what_is_set_stays_until_it_is_unset(camphor: Camphor) -> None:
    assert camphor("config", "set", "model.timeout", "30").status == 0
    assert camphor("config", "set", "model", "http://192.168.1.5:8080/v1#qwen3").status == 0
    assert values(camphor) == {"model": "http://192.168.1.5:8080/v1#qwen3", "model.timeout": 30}
    file = camphor.home / "config.toml"
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert camphor("config", "unset", "model").status == 0
    assert values(camphor) == {"model.timeout": 30}
    assert [each.name for each in camphor.home.iterdir() if "config" in each.name] == ["config.toml"]


def test_comments_of_the_person_stay(camphor: Camphor) -> None:
    camphor.home.mkdir()
    file = camphor.home / "config.toml"
    file.write_text("# mine\n[model]\ntimeout = 40 # slow\n", encoding="utf-8")
    assert camphor("config", "set", "model.context", "8192").status == 0
    assert file.read_text(encoding="utf-8") == "# mine\n[model]\ntimeout = 40 # slow\ncontext = 8192\n"
    assert stat.S_IMODE(file.stat().st_mode) == 0o600


@pytest.mark.parametrize(
    ("key", "value", "told"),
    [
        ("model.timeout", "0", "from 1 to 3,600"),
        ("model.timeout", "soon", "from 1 to 3,600"),
        ("model.context", "1.5", "a whole number"),
        ("model", "nonsense", "no such file"),
        ("model", "http://192.168.1.5/v1", "http://HOST/v1#NAME"),
        ("model", "scripted:x.json", "as --model takes it"),
        ("model.temperature", "1", "choose from model"),
    ],
)
def test_wrong_values_and_unknown_keys_are_refused(camphor: Camphor, key: str, value: str, told: str) -> None:
    ran = camphor("config", "set", key, value)
    assert ran.status == 2
    assert told in one_line(ran.err)
    assert not (camphor.home / "config.toml").exists()


@pytest.mark.parametrize(
    ("key", "value"), [("model.key_env", "sk-proj-abc123secret"), ("model", "http://ann:secret@192.168.1.5/v1#m")]
)
def test_a_key_is_neither_kept_nor_shown(camphor: Camphor, key: str, value: str) -> None:
    ran = camphor("config", "set", key, value)
    assert ran.status == 2
    assert "secret" not in one_line(ran.err)
    assert not (camphor.home / "config.toml").exists()


@pytest.mark.parametrize(
    "text",
    ["[model", "[model]\nname = 7\n", "[model]\nspeed = 1\n", 'model = "embedded"\n', "[mdoel]\nname = 'x'\n", "\xff"],
)
def test_a_damaged_file_is_told_and_not_written_over(camphor: Camphor, text: str) -> None:
    camphor.home.mkdir()
    file = camphor.home / "config.toml"
    file.write_bytes(text.encode("latin-1"))
    for words in (
        ("config",),
        ("config", "set", "model.timeout", "30"),
        ("config", "unset", "model"),
        ("ask", "hello"),
    ):
        ran = camphor(*words)
        assert ran.status == 2, words
        assert "config.toml" in one_line(ran.err)
    assert file.read_bytes() == text.encode("latin-1")


def test_who_names_a_model_needs_no_settings(camphor: Camphor) -> None:
    camphor.home.mkdir()
    (camphor.home / "config.toml").write_text("[model", encoding="utf-8")
    replies = camphor.home / "replies.json"
    replies.write_text("[]", encoding="utf-8")
    ran = camphor("ask", "don't call Alice", "--model", f"scripted:{replies}")
    assert ran.status == 0, ran.err
