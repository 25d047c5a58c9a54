"""Servers that are slow, busy, broken or gone; models that think; and a person who has seen enough."""

from __future__ import annotations

import contextlib
import json
import logging
import shutil
import socket
import ssl
import statistics
import subprocess
import threading
import time
from collections.abc import Iterator

import pytest

from camphor.errors import ModelError, ModelMissing, UsageError
from camphor.models.base import Finish, Request
from camphor.models.chat import ChatRequest, ChatTool, Message
from camphor.models.openai import OpenAIModel, Timeouts
from camphor.types import Segment
from tests.doubles.model_server import DONE, ModelServer, Said, delta, fault, message, model_server, run, streamed

KEY = "sk-very-secret-123"
TALK = ChatRequest((Message("user", "When did the war end?"),))
ASK = Request((Segment("Which agent?"),), max_tokens=16, stop=("\n",))
QUICK = Timeouts(whole=20, pause=0.01)


@pytest.fixture
def server() -> Iterator[ModelServer]:
    with model_server() as listening:
        yield listening


def endless(pause: float = 0.02) -> Said:
    def pieces() -> Iterator[bytes | float]:
        while True:
            yield delta("on ")
            yield pause

    return Said(pieces=pieces())


# Breaking off


def test_closing_breaks_the_request_off_at_once(server: ModelServer) -> None:
    server.says(endless())
    chatting = OpenAIModel(server.url, "m").chat(TALK)
    assert next(chatting) == "on "
    closed = time.perf_counter()
    chatting.close()
    assert server.gone.wait(5)
    assert server.gone_at - closed < 2


def test_an_answer_that_is_waited_for_can_be_broken_off_from_another_thread(server: ModelServer) -> None:
    server.says(Said(delay=30))
    model = OpenAIModel(server.url, "m")
    threading.Timer(0.2, model.close).start()
    begun = time.perf_counter()
    with pytest.raises(ModelError, match="was broken off"):
        run(model.chat(TALK))
    assert time.perf_counter() - begun < 15
    assert server.gone.wait(5)
    server.says(message("again"))
    assert run(model.chat(TALK))[1].text == "again"
    model.close()
    model.close()


def test_thoughts_can_be_broken_off_too(server: ModelServer) -> None:
    server.says(streamed(*[delta(reasoning_content="hm "), 0.02] * 500))
    model = OpenAIModel(server.url, "m")
    threading.Timer(0.2, model.close).start()
    with pytest.raises(ModelError, match="was broken off"):
        run(model.chat(TALK))
    assert server.gone.wait(5)


def test_a_stop_string_ends_the_request(server: ModelServer) -> None:
    server.says(Said(pieces=[delta("knowledge"), delta("\nand"), *([0.05, delta(" more")] * 400)]))
    reply = OpenAIModel(server.url, "m").complete(ASK)
    assert (reply.text, reply.finish) == ("knowledge", Finish.STOP)
    assert reply.timing.sampled_tokens == 2
    assert server.gone.wait(5)


# Time


def test_each_piece_is_passed_on_within_a_tenth_of_a_second(server: ModelServer) -> None:
    server.says(streamed(*[part for _ in range(20) for part in ("word ", 0.03)]))
    seen = []
    for _ in OpenAIModel(server.url, "m").chat(TALK):
        seen.append(time.perf_counter())
    late = [here - sent for here, sent in zip(seen, server.sent_at, strict=False)]
    assert len(seen) == 20
    assert statistics.median(late) < 0.1
    assert seen[0] < server.sent_at[-1]


def test_the_time_to_the_first_piece_is_noted(server: ModelServer) -> None:
    server.says(Said(pieces=[delta(role="assistant"), 0.3, delta("one"), 0.2, delta("two", "stop"), DONE]))
    timing = run(OpenAIModel(server.url, "m").chat(TALK))[1].timing
    assert 0.3 <= timing.prompt_seconds < 10
    assert 0.2 <= timing.generation_seconds < 10


@pytest.mark.parametrize(
    ("said", "timeouts", "limit"),
    [
        (endless(), Timeouts(whole=0.4), "0.4 seconds"),
        (Said(delay=30), Timeouts(first=0.3), "0.3 seconds"),
        (Said(delay=30), Timeouts(whole=0.3), "0.3 seconds"),
        (streamed("one", 30.0, "two"), Timeouts(between=0.3), "0.3 seconds"),
        (Said(pieces=[delta("a")[:5], *([0.1, b"x"] * 100)]), Timeouts(whole=0.5), "0.5 seconds"),
    ],
    ids=["endless", "no first byte", "no answer", "silent in the middle", "trickles"],
)
def test_a_slow_server_runs_out_of_time(server: ModelServer, said: Said, timeouts: Timeouts, limit: str) -> None:
    server.says(said)
    begun = time.perf_counter()
    with pytest.raises(ModelError, match=rf"took longer than {limit}: ask for less, or allow more time"):
        run(OpenAIModel(server.url, "m", timeout=timeouts).chat(TALK))
    assert time.perf_counter() - begun < 15
    assert len(server.asked) == 1


def test_a_server_that_trickles_its_headers_runs_out_of_time() -> None:
    with raw_server(*[b"HTTP/1.1 200 OK\r\n", *[b"X: y\r\n"] * 1000], pause=0.05) as url:
        begun = time.perf_counter()
        with pytest.raises(ModelError, match=r"longer than 0\.4 seconds"):
            run(OpenAIModel(url, "m", timeout=0.4).chat(TALK))
        assert time.perf_counter() - begun < 15


def test_a_slow_reader_is_not_the_servers_fault(server: ModelServer) -> None:
    server.says(streamed("one", "two", "three"))
    chatting = OpenAIModel(server.url, "m", timeout=Timeouts(between=0.2)).chat(TALK)
    assert [next(chatting), next(chatting)] == ["one", "two"]
    time.sleep(0.5)
    assert run(chatting)[0] == ["three"]


def test_an_answer_whose_end_is_not_marked_is_still_one(server: ModelServer) -> None:
    server.says(Said(pieces=[delta("Yes.", "stop"), 30.0]))
    begun = time.perf_counter()
    assert run(OpenAIModel(server.url, "m").chat(TALK))[1].text == "Yes."
    assert time.perf_counter() - begun < 10
    server.says(Said(pieces=[delta("Yes.", "stop")], drop=True))
    assert run(OpenAIModel(server.url, "m").chat(TALK))[1].text == "Yes."


# Again


def test_a_busy_server_is_asked_again_and_the_pause_is_its_own(server: ModelServer) -> None:
    server.says(fault(503, "busy"), fault(429, "wait", Retry_After="0.3"), Said(drop=True), message("Here."))
    begun = time.perf_counter()
    assert run(OpenAIModel(server.url, "m", timeout=QUICK).chat(TALK))[1].text == "Here."
    assert time.perf_counter() - begun >= 0.3
    assert len(server.asked) == 4


@pytest.mark.parametrize(
    ("said", "asked"),
    [
        (fault(503, "busy"), 4),
        (Said(drop=True), 4),
        (fault(429, "wait", Retry_After="3600"), 1),
        (fault(429, "wait", Retry_After="Fri, 01 Jan 2100 00:00:00 GMT"), 1),
        (fault(500, "broken"), 1),
        (streamed("one", drop=True), 1),
    ],
    ids=["busy", "dropped", "for an hour", "until a date", "broken", "dropped in the middle"],
)
def test_not_for_ever_and_not_for_everything(server: ModelServer, said: Said, asked: int) -> None:
    server.says(said)
    with pytest.raises(ModelError):
        run(OpenAIModel(server.url, "m", timeout=QUICK).chat(TALK))
    assert len(server.asked) == asked


def test_the_repetitions_stay_within_the_time_of_one_answer(server: ModelServer) -> None:
    server.says(fault(503, "busy"))
    begun = time.perf_counter()
    with pytest.raises(ModelError, match="status 503"):
        run(OpenAIModel(server.url, "m", timeout=Timeouts(whole=3, pause=1.2)).chat(TALK))
    assert time.perf_counter() - begun < 5
    assert len(server.asked) == 2


@pytest.mark.parametrize("nothing", [b"", DONE, b": ping\n\n"], ids=["empty", "only its end", "only a comment"])
def test_a_stream_without_an_answer_is_asked_for_whole(server: ModelServer, nothing: bytes) -> None:
    server.says(Said(pieces=[nothing]), message("Here."))
    assert run(OpenAIModel(server.url, "m", timeout=QUICK).chat(TALK))[1].text == "Here."
    assert [asked.body.get("stream") for asked in server.asked] == [True, None]


def test_nobody_there_is_told_at_once() -> None:
    begun = time.perf_counter()
    with pytest.raises(ModelMissing, match=r"answers at http://127\.0\.0\.1:1/v1 \(Connection refused\)"):
        run(OpenAIModel("http://127.0.0.1:1", "m", KEY).chat(TALK))
    assert time.perf_counter() - begun < 2


def test_a_server_that_restarts_is_waited_for() -> None:
    with model_server() as server:
        server.says(message("Here."))
        model = OpenAIModel(server.url, "m", timeout=Timeouts(whole=1.5, pause=0.1))
        run(model.chat(TALK))
    begun = time.perf_counter()
    with pytest.raises(ModelMissing, match="no model server answers"):
        run(model.chat(TALK))
    assert time.perf_counter() - begun > 0.2


# What comes back


@pytest.mark.parametrize(
    "body",
    [
        *(b"", b"[]", b"{}", b"<html>", b"data: [DONE]\n\n", b"data: nonsense\n\n", b"data: 3\n\n", b"[" * 100_000),
        b'data: {"choices": [{"delta": {"content": 3}}]}\n\n',
        b'{"choices": [{"message": {"tool_calls": [3]}}]}',
    ],
)
def test_what_is_no_chat_completion(server: ModelServer, body: bytes) -> None:
    server.says(Said(body))
    with pytest.raises(ModelError, match="no chat completion"):
        run(OpenAIModel(server.url, "m").chat(TALK))


def test_a_body_without_an_end_is_not_read_for_ever(server: ModelServer) -> None:
    for start in (b"{", b"data: {", b" "):
        server.says(Said(pieces=[start, *[b" " * 1_000_000] * 12]))
        with pytest.raises(ModelError, match="more than 8 MB"):
            run(OpenAIModel(server.url, "m").chat(TALK))
    server.says(Said(status=400, pieces=[b"x" * 1_000_000] * 12))
    with pytest.raises(ModelError, match="more than 8 MB"):
        run(OpenAIModel(server.url, "m").chat(TALK))


def test_a_reply_of_nothing_but_calls_has_an_end(server: ModelServer) -> None:
    calls = [{"index": number, "function": {"name": "f", "arguments": "{}"}} for number in range(300)]
    server.says(streamed(delta(tool_calls=calls)))
    with pytest.raises(ModelError, match="no chat completion"):
        run(OpenAIModel(server.url, "m").chat(TALK))


def test_lines_may_end_in_two_ways_and_comments_mean_nothing(server: ModelServer) -> None:
    lines = b": ping\r\n\r\n" + delta("Yes", "stop").replace(b"\n", b"\r\n") + b"retry: 3\nid: 7\ndata:[DONE]\n"
    server.says(Said(b"\xef\xbb\xbf" + lines))
    assert run(OpenAIModel(server.url, "m").chat(TALK))[1].text == "Yes"
    server.says(Said(delta("a\u2028b", "stop").rstrip()))  # the last line without an end, and no other mark
    assert run(OpenAIModel(server.url, "m").chat(TALK))[1].text == "a\u2028b"


def test_an_address_that_speaks_no_http_and_one_that_speaks_no_tls(server: ModelServer) -> None:
    with raw_server(b"SSH-2.0-OpenSSH_9.2\r\n") as url, pytest.raises(ModelError, match="broke off"):
        run(OpenAIModel(url, "m", timeout=QUICK).chat(TALK))
    with pytest.raises(ModelError, match=r"no safe connection \(it does not speak TLS"):
        run(OpenAIModel(server.url.replace("http", "https"), "m", KEY).chat(TALK))
    assert server.asked == []


def test_a_certificate_that_nobody_vouches_for_is_refused(tls_port: int) -> None:
    with pytest.raises(ModelError, match=r"no safe connection \(its certificate is not trusted: self-signed"):
        run(OpenAIModel(f"https://localhost:{tls_port}", "m", KEY).chat(TALK))


def test_the_environment_decides_nothing(server: ModelServer, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("HTTP_PROXY", "http_proxy", "ALL_PROXY", "all_proxy"):
        monkeypatch.setenv(name, "http://127.0.0.1:1")
    server.says(message("Here."))
    assert run(OpenAIModel(server.url, "m").chat(TALK))[1].text == "Here."
    assert "Authorization" not in server.asked[0].headers


@pytest.mark.parametrize("end", ["", "/", "/v1", "/v1/", "/v1/chat/completions"])
def test_addresses_as_people_write_them(server: ModelServer, end: str) -> None:
    server.says(message("Here."))
    run(OpenAIModel(server.url.removesuffix("/v1") + end, "m").chat(TALK))
    assert server.asked[0].path == "/v1/chat/completions"


def test_a_path_of_its_own_is_kept(server: ModelServer) -> None:
    server.says(message("Here."))
    run(OpenAIModel(server.url.replace("/v1", "/api/openai/"), "m").chat(TALK))
    assert server.asked[0].path == "/api/openai/chat/completions"


def test_the_key_is_in_no_word_of_ours(server: ModelServer, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG)
    model = OpenAIModel(server.url, "m", KEY, timeout=QUICK)
    told = [repr(model), str(vars(model)["_connection"])]
    long = "x" * 230 + KEY
    for said in (fault(400, long), fault(401, KEY), fault(500, f"a{KEY}b"), Said(f'{{"error": "{KEY}"}}'.encode())):
        server.says(said)
        with pytest.raises(ModelError) as caught:
            run(model.chat(TALK))
        told += [str(caught.value), repr(caught.value), repr(caught.value.__cause__), repr(caught.value.__context__)]
    told += [record.getMessage() for record in caplog.records]
    assert server.asked[0].headers["Authorization"] == f"Bearer {KEY}"
    for text in told:
        assert KEY not in text
        assert "very-secret" not in text
    with pytest.raises(UsageError) as odd:
        OpenAIModel(server.url, "m", f"{KEY}\n")
    assert KEY not in str(odd.value)


def test_words_of_a_server_cannot_move_the_cursor(server: ModelServer) -> None:
    server.says(fault(400, "\x1b[2J\x1b]0;owned\x07 a\u202eb\r\nc" + "y" * 3000))
    with pytest.raises(ModelError) as caught:
        run(OpenAIModel(server.url, "m").chat(TALK))
    assert str(caught.value).isprintable()
    assert len(str(caught.value)) < 400


# Models that think


def test_thoughts_cut_by_a_stop_string_are_not_the_answer(server: ModelServer) -> None:
    think = "<think>\nThe user wants an agent.\nSo personal.\n</think>\n\npersonal_context\nand more"
    server.says(message("<think>"), message(think), message(think))
    model = OpenAIModel(server.url, "m")
    reply = model.complete(ASK)
    assert (reply.text, reply.finish) == ("personal_context", Finish.STOP)
    first, second = (each.body for each in server.asked)
    assert (first["stop"], first["max_tokens"]) == (["\n"], 16)
    assert "stop" not in second
    assert second["max_tokens"] == 16 + 8192
    assert model.complete(ASK).text == "personal_context"
    assert len(server.asked) == 3  # it is known by now


def test_thoughts_cut_by_max_tokens_are_not_the_answer(server: ModelServer) -> None:
    server.says(message("<think>The user", reason="length"), message("<think>The user…</think>knowledge"))
    assert OpenAIModel(server.url, "m").complete(ASK).text == "knowledge"
    server.says(message("", reason="length", reasoning="The user"), message("knowledge", reasoning="The user…"))
    assert OpenAIModel(server.url, "m").complete(ASK).text == "knowledge"
    server.says(message("<think>The user", reason="length"))
    reply = OpenAIModel(server.url, "m").complete(ASK)
    assert (reply.text, reply.finish) == ("", Finish.LENGTH)


def test_a_model_that_thinks_is_still_held_to_max_tokens(server: ModelServer) -> None:
    server.says(streamed("<think>x</think>", *["and on "] * 100))
    reply = OpenAIModel(server.url, "deepseek-r1").complete(Request((Segment("Hi"),), max_tokens=5))
    assert reply.finish == Finish.LENGTH
    assert len(reply.text) < 60


def test_thoughts_that_a_template_opened_are_held_back_once_they_are_known(server: ModelServer) -> None:
    server.says(streamed("Okay, ", "a war.\n", "</think>", "\n\nIn ", "1945."))
    model = OpenAIModel(server.url, "some-model")
    assert run(model.chat(TALK))[1].text == "In 1945."
    assert run(model.chat(TALK))[0] == ["In ", "1945."]
    assert "temperature" not in server.asked[1].body
    assert run(OpenAIModel(server.url, "qwq:32b").chat(TALK))[0] == ["In ", "1945."]


def test_several_threads_ask_at_once(server: ModelServer) -> None:
    server.says(streamed("one ", 0.05, "two"))
    model = OpenAIModel(server.url, "m")
    found: list[str] = []
    threads = [threading.Thread(target=lambda: found.append(run(model.chat(TALK))[1].text)) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == ["one two"] * 8


def test_a_call_and_its_halves_of_a_letter(server: ModelServer) -> None:
    tool = ChatTool("say", "", {"type": "object", "properties": {}})
    whole = json.dumps({"text": "😅 ünï"}, ensure_ascii=False)
    parts = [delta(tool_calls=[{"index": 0, "function": {"name": "say", "arguments": letter}}]) for letter in whole]
    server.says(Said(pieces=[delta("😀"[0:1]), *parts, delta(reason="tool_calls"), DONE]))
    reply = run(OpenAIModel(server.url, "m").chat(ChatRequest(TALK.messages, (tool,))))[1]
    assert [(call.name, json.loads(call.arguments)) for call in reply.calls] == [("say", {"text": "😅 ünï"})]
    halves = [delta("a\ud83d"), delta("\ude05b"), delta("\ud83d"), delta("c")]
    server.says(streamed(*halves))
    pieces, reply = run(OpenAIModel(server.url, "m").chat(TALK))
    assert (reply.text, "".join(pieces)) == ("a😅b\ufffdc", "a😅b\ufffdc")


@contextlib.contextmanager
def raw_server(*lines: bytes, pause: float = 0.0) -> Iterator[str]:
    """A server that speaks its lines to whoever connects."""
    with socket.create_server(("127.0.0.1", 0)) as listening:
        listening.settimeout(0.05)
        over = threading.Event()

        def serve() -> None:
            while not over.is_set():
                with contextlib.suppress(OSError):
                    connection, _ = listening.accept()
                    with connection:
                        connection.recv(1)
                        for line in lines:
                            connection.sendall(line)
                            if over.wait(pause):
                                return

        thread = threading.Thread(target=serve)
        thread.start()
        try:
            yield f"http://127.0.0.1:{listening.getsockname()[1]}/v1"
        finally:
            over.set()
            thread.join()


@pytest.fixture
def tls_port(tmp_path_factory: pytest.TempPathFactory) -> Iterator[int]:
    """A server with a certificate that it signed itself."""
    if shutil.which("openssl") is None:
        pytest.skip("there is no openssl to make a certificate with")
    folder = tmp_path_factory.mktemp("tls")
    make = "openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -keyout key -out certificate"
    subprocess.run([*make.split(), "-subj", "/CN=localhost"], cwd=folder, check=True, capture_output=True)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(folder / "certificate", folder / "key")
    with socket.create_server(("127.0.0.1", 0)) as listening:

        def serve() -> None:
            with contextlib.suppress(OSError):
                connection, _ = listening.accept()
                with connection, contextlib.suppress(OSError):
                    context.wrap_socket(connection, server_side=True).close()

        thread = threading.Thread(target=serve)
        thread.start()
        yield listening.getsockname()[1]
        thread.join()
