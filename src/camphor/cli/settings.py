"""What a person set for all commands: a small TOML file, `config.toml` in the folder that the system has for such.

    [model]
    name = "ollama:qwen3:8b"
    key_env = "OPENROUTER_API_KEY"

Comments stay when a key is set. A file that is damaged is told and never written over.
"""

from __future__ import annotations

import os
import re
import tomllib
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from camphor.cli.home import config_folder
from camphor.errors import StoreError, UsageError
from camphor.models.destination import destination_of, full_name, is_server

EMBEDDED = "embedded"
"""The name of the model that ships."""


def _model(value: Any) -> str:
    if not isinstance(value, str) or not value.isprintable() or not 0 < len(value) <= 1000 or value[:9] == "scripted:":
        raise UsageError("a model as --model takes it, such as embedded, FILE.gguf or ollama:qwen3:8b")
    if is_server(value):
        destination_of(value)
        if not full_name(value).partition("#")[2]:
            raise UsageError("a server's address and its model, as http://HOST/v1#NAME")
    elif value == EMBEDDED or value.startswith("hf:"):
        return value
    elif value.endswith(".gguf") or Path(value).exists():
        return str(Path(value).resolve())  # whatever folder the next command runs in
    elif not Path(value).is_absolute():
        raise UsageError("a model as --model takes it, and there is no such file")
    return value


def _variable(value: Any) -> str:
    if not isinstance(value, str) or not re.fullmatch(r"[A-Z_][A-Z0-9_]*", value):
        raise UsageError("the NAME of an environment variable, in capitals, and never the key itself")
    return value


def _number(least: int, most: int, of: str) -> Callable[[Any], int]:
    def check(value: Any) -> int:
        try:
            number = int(value) if isinstance(value, str) else value
        except ValueError:
            number = None
        if not isinstance(number, int) or isinstance(number, bool) or not least <= number <= most:
            raise UsageError(f"{of} from {least} to {most:,}")
        return number

    return check


@dataclass(frozen=True)
class Key:
    """A key: where the file has it, what it is where nobody set it, what it means, and what it may be.

    `check` gives the value to keep; UsageError says what is expected, and never what was given: it may be a secret.
    """

    place: tuple[str, str]
    usual: str | int
    about: str
    check: Callable[[Any], str | int]


KEYS = {
    "model": Key(("model", "name"), EMBEDDED, "the model of ask, chat, serve, mcp, call and teach", _model),
    "model.key_env": Key(
        ("model", "key_env"), "OPENAI_API_KEY", "the environment variable that holds the key of servers", _variable
    ),
    "model.timeout": Key(
        ("model", "timeout"), 120, "seconds for one answer of a server", _number(1, 3600, "a whole number of seconds")
    ),
    "model.context": Key(
        ("model", "context"), 32_768, "tokens of prompt and answer together that a server's model takes",
        _number(512, 4_000_000, "a whole number of tokens"),
    ),
}  # fmt: skip


def config_file() -> Path:
    """The file. It need not exist."""
    return config_folder() / "config.toml"


def read_settings() -> dict[str, str | int]:
    """What was set, by key; what nobody set is missing.

    Raises:
        UsageError: the file is damaged, or holds what is no setting.
    """
    path = config_file()
    try:
        found = tomllib.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        return {}
    except (OSError, ValueError) as error:
        told = " ".join(str(error).split())[:150]
        raise UsageError(f"{path} cannot be read ({told}): mend or remove it") from None
    settings, places = {}, {key.place: name for name, key in KEYS.items()}
    for table, values in found.items():
        for field, value in values.items() if isinstance(values, dict) else (("", None),):
            if (table, field) not in places:
                where = f"{table}.{field}" if field else table
                raise UsageError(f"{path}: {where[:80]!r} is no setting: take it out; see  camphor config")
            name = places[table, field]
            try:
                settings[name] = KEYS[name].check(value)
            except UsageError as error:
                raise UsageError(f"{path}: {table}.{field}: expected {error}") from None
    return settings


def setting(name: str) -> str | int:
    """The value of a key, set or usual. Raises: as `read_settings`."""
    return read_settings().get(name, KEYS[name].usual)


def known_key(name: str) -> Key:
    """Raises UsageError: there is no such key."""
    if name not in KEYS:
        raise UsageError(f"There is no setting {name[:80]!r}: choose from {', '.join(KEYS)}")
    return KEYS[name]


def set_key(name: str, value: str) -> str | int:
    """Keep a value; gives it as it is kept.

    Raises:
        UsageError: no such key, a wrong value, or a damaged file. StoreError: the file cannot be written.
    """
    key = known_key(name)
    try:
        kept = key.check(value)
    except UsageError as error:
        raise UsageError(f"{name}: expected {error}") from None
    _change(key, kept)
    return kept


def unset_key(name: str) -> None:
    """Go back to what the key usually is. Raises: as `set_key`."""
    _change(known_key(name), None)


def _change(key: Key, value: str | int | None) -> None:
    import tomlkit

    path = config_file()
    read_settings()  # a damaged file is mended by its owner
    document: Any = tomlkit.parse(path.read_text(encoding="utf-8") if path.exists() else "")
    table, field = key.place
    if value is not None:
        document.setdefault(table, tomlkit.table())[field] = value
    elif field in document.get(table, {}):
        del document[table][field]
    beside = path.with_name(f".{path.name}.{os.getpid()}.new")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        beside.touch(mode=0o600)
        beside.write_text(tomlkit.dumps(document), encoding="utf-8")
        beside.replace(path)
    except OSError as error:
        beside.unlink(missing_ok=True)
        raise StoreError(f"{path}: it cannot be written ({error.strerror}): nothing was changed") from error
