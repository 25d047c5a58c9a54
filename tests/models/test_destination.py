"""Where words go: names of models, and whether the computer behind an address is this one."""

from __future__ import annotations

import pytest

from camphor.errors import UsageError
from camphor.models.destination import destination_of, full_name, short_name


@pytest.mark.parametrize("name", [None, "embedded", "model.gguf", "hf:org/name", "C:\\models\\m.gguf"])
def test_what_runs_here_goes_nowhere(name: str | None) -> None:
    assert destination_of(name) is None


@pytest.mark.parametrize(
    "host", ["127.0.0.1", "127.9.9.9:1", "localhost:8080", "LOCALHOST.", "[::1]:11434", "[::ffff:127.0.0.1]"]
)
def test_the_loopback_interface_is_this_computer(host: str) -> None:
    found = destination_of(f"http://{host}/v1#m")
    assert found is not None
    assert found.computer is None
    assert "on this computer" in found.told


@pytest.mark.parametrize(
    "host", ["192.168.1.5", "0.0.0.0", "127.0.0.1.example.org", "localhost.example.org", "127.1", "2130706433", "[::2]"]
)
def test_whatever_is_not_for_certain_this_one_is_another(host: str) -> None:
    found = destination_of(f"http://{host}:11434/v1#qwen3:8b")
    assert found is not None
    assert found.computer == host.strip("[]")
    assert found.host == f"{host}:11434"
    assert "ANOTHER COMPUTER" in found.told
    assert "(qwen3:8b)" in found.told


def test_that_words_travel_unencrypted_is_said() -> None:
    plain, safe = destination_of("http://pc.home/v1#m"), destination_of("https://pc.home/v1#m")
    assert plain is not None
    assert safe is not None
    assert "unencrypted" in plain.told
    assert "unencrypted" not in safe.told


@pytest.mark.parametrize("name", ["ollama:gpt-oss:120b-cloud", "ollama:kimi-k2:cloud"])
def test_a_model_that_ollama_hands_on_is_on_another_computer(name: str) -> None:
    found = destination_of(name)
    assert found is not None
    assert found.computer == "ollama.com"
    assert "ollama.com through 127.0.0.1:11434" in found.told


def test_short_names_are_addresses_on_this_computer_and_back() -> None:
    for name in ("ollama:qwen3:8b", "lmstudio:a/b", "llama-server:x", "vllm:Qwen/Qwen3-8B"):
        address, _, model = full_name(name).partition("#")
        assert address.startswith("http://127.0.0.1:")
        assert short_name(address, model) == name
    assert short_name("http://10.0.0.2:11434/v1", "m") == "http://10.0.0.2:11434/v1#m"


def test_a_short_name_needs_a_model() -> None:
    with pytest.raises(UsageError, match="--find"):
        full_name("ollama:")


@pytest.mark.parametrize(
    "address", ["http://u:secret@h/v1", "http://", "ftp://h", "http://h:0/v1", "http://h/v1?key=secret"]
)
def test_addresses_that_cannot_be_used_are_refused_without_their_password(address: str) -> None:
    if address.startswith("ftp"):
        assert destination_of(f"{address}#m") is None  # no server's: the name of nothing
        return
    with pytest.raises(UsageError) as error:
        destination_of(f"{address}#m")
    if "u:secret" in address:
        assert "secret" not in str(error.value)
