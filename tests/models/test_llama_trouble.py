"""The embedded model when something is wrong: files, adapters, interruptions."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from camphor.errors import ModelError, ModelMissing
from camphor.models import Request
from camphor.models.llama import LlamaModel, embedded_model, shipped_adapter
from camphor.types import Segment
from tests.doubles.embedded import OpenModel
from tests.doubles.random_adapter import write_random_adapter

PROMPT = (Segment("Alice, Bob and Carol went to the market and bought"),)


def test_a_missing_file_is_told_with_its_path(tmp_path: Path) -> None:
    missing = tmp_path / "none.gguf"
    with pytest.raises(ModelMissing, match=r"none\.gguf: there is no such"):
        LlamaModel(missing)
    with pytest.raises(ModelMissing, match=r"none\.gguf: there is no such LoRA adapter: name a GGUF file$"):
        LlamaModel(adapter=missing)


@pytest.mark.parametrize(
    "content", [b"", b"GG", b"<html>not found</html>", b"GGUF", b"GGUF\x03\x00\x00\x00" + b"\xff" * 64]
)
def test_a_broken_file_is_told_in_one_line(tmp_path: Path, content: bytes, capfd: pytest.CaptureFixture[str]) -> None:
    broken = tmp_path / "broken.gguf"
    broken.write_bytes(content)
    for arguments in ((broken, False), (None, broken)):
        with pytest.raises(ModelMissing, match=r"broken\.gguf") as caught:
            LlamaModel(*arguments)
        assert "\n" not in str(caught.value)
    assert capfd.readouterr() == ("", "")


def test_a_truncated_model_is_told(tmp_path: Path) -> None:
    cut = tmp_path / "cut.gguf"
    with embedded_model().open("rb") as whole:
        cut.write_bytes(whole.read(5_000_000))
    with pytest.raises(ModelMissing, match="damaged"):
        LlamaModel(cut)


def test_a_folder_is_no_model(tmp_path: Path) -> None:
    with pytest.raises(ModelMissing, match="cannot be read"):
        LlamaModel(tmp_path)


def test_an_adapter_that_does_not_fit_is_told(tmp_path: Path) -> None:
    wrong = write_random_adapter(tmp_path / "wrong.gguf", hidden=64)
    with pytest.raises(ModelMissing, match=r"wrong\.gguf: llama\.cpp cannot use this adapter"):
        LlamaModel(adapter=wrong)


def test_a_model_file_is_no_adapter() -> None:
    with pytest.raises(ModelMissing, match="adapter"):
        LlamaModel(adapter=embedded_model())


def test_an_adapter_changes_what_is_written(tmp_path: Path, open_model: OpenModel) -> None:
    request = Request(PROMPT, max_tokens=6)
    plain = open_model().complete(request)
    strong = open_model(None, write_random_adapter(tmp_path / "strong.gguf", scale=0.3)).complete(request)
    silent = open_model(None, write_random_adapter(tmp_path / "silent.gguf", scale=0.0)).complete(request)
    assert strong.text != plain.text
    assert silent.text == plain.text


def test_the_shipped_adapter_is_used_only_with_the_embedded_model(open_model: OpenModel) -> None:
    own = LlamaModel(embedded_model(), context=256, threads=1)
    assert own.adapter_path is None
    own.close()
    with LlamaModel(context=256, threads=1) as default:
        assert default.adapter_path == shipped_adapter()


@pytest.mark.parametrize("context", [0, -1, 1_000_000])
def test_a_context_that_cannot_be_is_refused(context: int) -> None:
    with pytest.raises(ModelError, match=f"context of {context}"):
        LlamaModel(adapter=False, context=context)


def test_a_closed_model_says_so() -> None:
    model = LlamaModel(adapter=False, context=256, threads=1)
    model.close()
    model.close()
    with pytest.raises(ModelError, match="closed"):
        model.complete(Request(PROMPT))


@contextmanager
def interrupted_after(seconds: float) -> Iterator[None]:
    def interrupt(*_: object) -> None:
        raise KeyboardInterrupt

    previous = signal.signal(signal.SIGALRM, interrupt)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, previous)


@pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="needs interval timers")
@pytest.mark.parametrize("seconds", [0.003, 0.05, 0.2])
def test_ctrl_c_leaves_the_session_usable(model: LlamaModel, open_model: OpenModel, seconds: float) -> None:
    long = Request(
        (*PROMPT, Segment(f" {seconds} kilos of apples, pears" * 8)), "start: /[a-z ,]{2000}/", max_tokens=300
    )
    with pytest.raises(KeyboardInterrupt), interrupted_after(seconds):
        model.complete(long)
    request = Request(long.prompt, max_tokens=5)
    after, fresh = model.complete(request), open_model().complete(request)
    assert after.text == fresh.text
    assert after.timing.cached_tokens + after.timing.prompt_tokens == fresh.timing.prompt_tokens


SILENT = """
from camphor.models.llama import LlamaModel
from camphor.models import Request
from camphor.types import Segment
model = LlamaModel(adapter=False, threads=1)
model.complete(Request((Segment("word " * 600),), 'start: "[" /[a-z ]{1,9}/ "]"'))
with open("/proc/self/status") as status:
    print(next(int(line.split()[1]) // 1024 for line in status if line.startswith("VmHWM")))
"""


@pytest.mark.skipif(sys.platform != "linux", reason="reads the peak from /proc")
def test_a_process_with_the_model_is_silent_and_small() -> None:
    ended = subprocess.run([sys.executable, "-c", SILENT], capture_output=True, text=True, check=False)
    assert (ended.returncode, ended.stderr) == (0, "")
    assert int(ended.stdout) < 400  # MB; 275 measured, and 450 is the limit for the whole assistant


MISSING = """
from camphor.errors import ModelMissing
from camphor.models.llama import LlamaModel
try:
    LlamaModel("none.gguf")
except ModelMissing as error:
    print(error)
"""


def test_a_missing_file_leaves_no_warning_at_exit() -> None:
    command = [sys.executable, "-W", "error", "-c", MISSING]
    ended = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (ended.returncode, ended.stderr) == (0, "")
    assert ended.stdout.startswith("none.gguf: there is no such language model")


def test_the_interface_is_had_without_loading_the_libraries() -> None:
    code = "import camphor.models, sys; print([n for n in ('llama_cpp', 'llguidance', 'numpy') if n in sys.modules])"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout == "[]\n"


SMALL = """
import resource
from camphor.errors import ModelError
from camphor.models.llama import LlamaModel
resource.setrlimit(resource.RLIMIT_AS, (450_000_000, 450_000_000))
try:
    LlamaModel(adapter=False, threads=1)
except ModelError as error:
    print(error)
"""


@pytest.mark.skipif(sys.platform != "linux", reason="limits memory as Linux does")
def test_too_little_memory_is_told_in_one_line() -> None:
    environment = {**os.environ, "OPENBLAS_NUM_THREADS": "1"}
    ended = subprocess.run([sys.executable, "-c", SMALL], capture_output=True, text=True, check=False, env=environment)
    assert (ended.returncode, ended.stderr) == (0, "")
    assert ended.stdout.startswith("There is too little memory for the language model")
    assert ended.stdout.count("\n") == 1
