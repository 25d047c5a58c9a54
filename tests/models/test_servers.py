"""The models that a server lists, asked for over a real connection."""

from __future__ import annotations

import json
import socket
import threading
import time
from typing import Any

import pytest

from camphor.errors import ModelError, ModelMissing, UsageError
from camphor.models.servers import ServedModel, find_servers, list_models
from tests.doubles.chat_server import model_server

LISTED: list[Any] = [
    {"id": "qwen3:8b", "object": "model", "owned_by": "library"},  # as Ollama lists them
    {"id": "model.gguf", "meta": {"size": 5_200_000_000, "n_ctx_train": 40_960}},  # llama-server
    {"id": "Qwen/Qwen3-8B", "max_model_len": 32_768},  # vLLM
    {"id": "qwen3-8b", "max_context_length": 131_072},  # LM Studio
]


def test_models_are_listed_with_what_servers_tell() -> None:
    with model_server(listed=LISTED) as server:
        assert list_models(server.address) == (
            ServedModel("qwen3:8b"),
            ServedModel("model.gguf", 5_200_000_000, 40_960),
            ServedModel("Qwen/Qwen3-8B", None, 32_768),
            ServedModel("qwen3-8b", None, 131_072),
        )
        list_models(server.address, "sk-1")
        assert server.seen == [("/v1/models", ""), ("/v1/models", "Bearer sk-1")]


def test_entries_that_are_no_models_are_left_out() -> None:
    strange = ["text", {"id": 7}, {"id": ""}, {"id": "x" * 201}, {"id": "\x1b[2Jgone"}, {"id": "ok", "meta": "no"}]
    with model_server(listed=[*strange, {"id": "neg", "meta": {"size": -1, "n_ctx_train": True}}]) as server:
        assert list_models(server.address) == (ServedModel("ok"), ServedModel("neg"))


@pytest.mark.parametrize(("status", "told"), [(401, "model.key_env"), (500, "status 500"), (302, "status 302")])
def test_what_is_no_list_is_told_in_one_line(status: int, told: str) -> None:
    with model_server(models_status=status) as server:
        with pytest.raises(ModelError, match=told) as error:
            list_models(server.address, "sk-secret")
        assert "sk-secret" not in str(error.value)
        assert "\n" not in str(error.value)
        assert len(server.seen) == 1  # nothing was followed


def test_nobody_there() -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
    with pytest.raises(ModelMissing, match="start it, or check the address"):
        list_models(f"http://127.0.0.1:{port}/v1")
    with pytest.raises(UsageError):
        list_models("http://user:pw@127.0.0.1/v1")


def slow(listener: socket.socket, piece: bytes) -> None:
    """Sends an answer in small pieces for ever."""
    connection, _ = listener.accept()
    with connection:
        connection.recv(4096)
        connection.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 900000\r\n\r\n")
        try:
            for _ in range(1000):
                connection.sendall(piece)
                time.sleep(0.05)
        except OSError:
            return


def test_an_answer_that_trickles_or_never_ends_is_given_up() -> None:
    for piece in (b" ", b" " * 100_000):
        with socket.create_server(("127.0.0.1", 0)) as listener:
            threading.Thread(target=slow, args=(listener, piece), daemon=True).start()
            began = time.monotonic()
            with pytest.raises(ModelError):
                list_models(f"http://127.0.0.1:{listener.getsockname()[1]}/v1", seconds=0.1)
            assert time.monotonic() - began < 5


def test_servers_are_found_on_their_ports_all_at_once() -> None:
    with (
        model_server(listed=LISTED[:1]) as one,
        model_server(models_status=404) as other,
        socket.create_server(("127.0.0.1", 0)) as silent,  # takes connections and never answers
        socket.create_server(("127.0.0.1", 0)) as gone,
    ):
        ports = {"one": one.server_port, "other": other.server_port, "silent": silent.getsockname()[1]}
        ports["gone"] = gone.getsockname()[1]
        gone.close()
        began = time.monotonic()
        found = find_servers(ports, seconds=0.3)
        assert time.monotonic() - began < 3
        assert [(each.kind, [model.name for model in each.models]) for each in found] == [
            ("one", ["qwen3:8b"]),
            ("other", []),
        ]
        assert "404" in found[1].problem
        assert one.seen == [("/v1/models", "")]
        assert json.dumps(one.asked) == "[]"
