"""Models in transformers: what cannot be opened, and what only this runtime has."""

from __future__ import annotations

import warnings
from pathlib import Path

import numpy as np
import pytest
import torch
from peft import LoraConfig, get_peft_model

from camphor.errors import ContextFull, ModelError, ModelMissing
from camphor.models import Finish, LanguageModel, Request
from camphor.models.function_tokens import Method, Projector
from camphor.models.torch_engine import TorchEncoder, TorchEngine
from camphor.models.transformers import TransformersModel
from camphor.types import Segment
from tests.doubles.tiny_llama import make_llama, write_folder, write_gguf

TOOLS = tuple(Segment(f"tool_{name}: Do {name}.", compressed=True) for name in ("mail", "music"))
ASK = Segment("Play the song")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_folder(tmp_path_factory.mktemp("model"), make_llama())


def write_adapter(folder: Path, target: Path) -> Path:
    """A random adapter that matters, as peft writes it."""
    torch.manual_seed(3)
    settings = LoraConfig(r=2, lora_alpha=8, target_modules=["q_proj", "up_proj"], init_lora_weights=False)
    with warnings.catch_warnings():  # peft 0.21 asks transformers 5.23 under a name that goes away in 6
        warnings.filterwarnings("ignore", "`is_gradient_checkpointing`", FutureWarning)
        get_peft_model(make_llama(), settings).save_pretrained(str(target))
    return target


def test_it_is_a_language_model(folder: Path) -> None:
    model: LanguageModel = TransformersModel(folder, device="cpu")
    assert model.context == 512
    assert model.count_tokens("<|im_end|>") > 1
    reply = model.complete(Request((ASK,), 'start: "the " /[a-z]{4}/', max_tokens=20))
    assert (reply.text[:4], len(reply.text), reply.finish) == ("the ", 8, Finish.GRAMMAR)
    with pytest.raises(ContextFull, match="512"):
        model.complete(Request((Segment("word " * 200),)))
    model.close()
    model.close()
    with pytest.raises(ModelError, match="closed"):
        model.complete(Request((ASK,)))


def test_a_diverging_prompt_keeps_the_common_beginning(folder: Path) -> None:
    with TransformersModel(folder, device="cpu") as grown, TransformersModel(folder, device="cpu") as fresh:
        grown.complete(Request((ASK, Segment(" one")), max_tokens=5))
        prompt = (ASK, Segment(" two"))
        again = grown.complete(Request(prompt, max_tokens=9))
        assert again.timing.cached_tokens == grown.count_tokens(ASK.text) + 1  # and the space
        assert again.text == fresh.complete(Request(prompt, max_tokens=9)).text


def test_a_failure_leaves_nothing_half_evaluated(folder: Path) -> None:
    engine = TorchEngine(str(folder), None, 512, "cpu", None)
    tokens = engine.tokenise("the quick brown fox")
    engine.align(tokens)
    right = engine.advance()
    engine.sequence.append(10_000)  # no such token
    with pytest.raises((ModelError, IndexError)):
        engine.advance()
    engine.align(tokens)
    assert np.abs(engine.advance() - right).max() < 1e-4


def test_an_adapter_writes_and_the_base_encodes(folder: Path, tmp_path: Path) -> None:
    adapter = write_adapter(folder, tmp_path / "adapter")
    plain = TorchEngine(str(folder), None, 512, "cpu", None)
    adapted = TorchEngine(str(folder), adapter, 512, "cpu", None)
    for engine in (plain, adapted):
        engine.align(engine.tokenise("the quick brown fox"))
    assert np.abs(plain.advance() - adapted.advance()).max() > 0.1
    texts = [tool.text for tool in TOOLS]
    one, two = (TorchEncoder(engine, tmp_path / "kept", Method.LAST_AND_MEAN) for engine in (plain, adapted))
    assert one._identity() == two._identity()
    np.testing.assert_allclose(one.encode(texts), two.encode(texts), atol=1e-5)


def test_a_projector_beside_the_adapter_is_found(folder: Path, tmp_path: Path) -> None:
    adapter = write_adapter(folder, tmp_path / "adapter")
    prompt = (*TOOLS, ASK)
    with TransformersModel(folder, adapter, device="cpu") as model:
        assert model.projector_path is None
        plain = model.complete(Request(prompt, max_tokens=12)).text
    Projector(norm=0.01).save(adapter / "tokens.npz")
    with TransformersModel(folder, adapter, device="cpu") as model:
        assert model.projector_path == adapter / "tokens.npz"
        assert model.complete(Request(prompt, max_tokens=12)).text != plain


def test_a_gguf_file_is_opened_too(tmp_path: Path) -> None:
    path = write_gguf(tmp_path / "tiny.gguf", make_llama())
    with TransformersModel(path, device="cpu") as model:
        assert model.complete(Request((*TOOLS, ASK), max_tokens=3)).timing.function_tokens == 2


def test_what_cannot_be_opened_is_told_in_one_line(folder: Path, tmp_path: Path) -> None:
    (tmp_path / "config.json").write_text("{}")
    (tmp_path / "empty").mkdir()
    for name, told in (
        (tmp_path, "cannot open"),
        (tmp_path / "empty", "expected a folder with config.json"),
        ("some/name", "hf:NAME"),
    ):
        with pytest.raises(ModelMissing, match=told) as caught:
            TransformersModel(name, device="cpu")
        assert "\n" not in str(caught.value)
    with pytest.raises(ModelMissing, match="no adapter here"):
        TransformersModel(folder, tmp_path, device="cpu")
    with pytest.raises(ModelMissing, match="no such projector"):
        TransformersModel(folder, projector=tmp_path / "x.npz", device="cpu")
