"""Any causal language model as transformers opens it, with low-rank factors that peft adds: what `generic` trains."""

from __future__ import annotations

import copy
import importlib.util
import random
import re
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch
from torch import nn
from transformers.pytorch_utils import Conv1D

from camphor.errors import MissingExtra, ModelMissing, UsageError
from camphor.models.function_tokens import DefinitionEncoder, LlamaEncoder, Method
from camphor.models.sequence import Cutter, hub_cutter
from camphor.models.torch_engine import TorchEncoder, load_pretrained
from camphor.models.transformers import CONTEXT
from camphor_lab.training.base import DESCRIPTION, WEIGHTS, gguf_path, number_format
from camphor_lab.training.config import ALL, HUB, TrainConfig

AHEAD = 0.02  # of the largest number at a place: above what roundings of bfloat16 make
LINEAR = (nn.Linear, Conv1D)  # GPT-2 and its kind have the latter, whose weights are turned by 90 degrees


class HubTokenizer:
    """A tokeniser of transformers, used as `camphor.models.transformers` uses it."""

    def __init__(self, tokenizer: Any, vocabulary_size: int) -> None:
        from llguidance.hf import from_tokenizer

        self.cut = hub_cutter(tokenizer)
        self._pieces = from_tokenizer(tokenizer, vocabulary_size)

    def encode(self, text: str, special: bool = False) -> list[int]:
        return self.cut(text, special)

    def bytes_of(self, token: int) -> int:
        return len(self._pieces.decode_bytes([token]))


def note_on_turns(cut: Cutter, name: str) -> str:
    """How a model's turns are told, in words: a run says it before it begins.

    Raises:
        UsageError: the tokenizer has no control token that could end one.
    """
    if not cut.controls:
        raise UsageError(
            f"{name}: its tokenizer has no control token that ends a turn: give it an eos_token that is one of its "
            "tokens (tokenizer_config.json)"
        )
    if cut.marks_roles:
        return f"turns are told by {' '.join(cut.controls)}"
    return f"roles stand as plain text, for which the model has no control tokens; {cut.controls[-1]} ends a turn"


def source_of(config: TrainConfig) -> str:
    """What transformers opens: the embedded model's file where the settings name nothing."""
    return config.model or str(gguf_path())


def short_name(config: TrainConfig) -> str:
    """The model's name without the folders that it happens to lie in."""
    return config.model.removeprefix(HUB) if config.model.startswith(HUB) else Path(source_of(config)).name


def open_base(config: TrainConfig, device: torch.device) -> tuple[Any, Any]:
    """Tokeniser and frozen model, in 4 bits where the settings say so.

    Raises:
        ModelMissing: transformers cannot open it. UsageError: it is to be quantised and there is no GPU, or it is an
        encoder.
        MissingExtra: it is to be quantised without bitsandbytes.
    """
    options: dict[str, Any] = {}
    if config.quantise:
        check_quantise(config, device.type)
        from transformers import BitsAndBytesConfig

        options["quantization_config"] = BitsAndBytesConfig(  # type: ignore[no-untyped-call]
            load_in_4bit=True,
            bnb_4bit_quant_type=config.quantise,
            bnb_4bit_use_double_quant=True,
            bnb_4bit_compute_dtype=number_format(config.dtype),
        )
        options["device_map"] = {"": device.index or 0}
    source = source_of(config)
    if not config.model.startswith(HUB) and not Path(source).exists():
        raise ModelMissing(f"{source}: no such model: expected a folder, a GGUF file or hf:NAME")
    tokenizer, model = load_pretrained(source, number_format(config.dtype), **options)
    if not config.quantise:
        model.to(device)
    model.requires_grad_(False)
    if _looks_ahead(model):
        raise UsageError(
            f"{short_name(config)}: a {type(model).__name__} that cannot write, as what it reads of a word depends on "
            "the words behind it: name a model that writes, such as a Llama, a Gemma, a Phi or a Qwen"
        )
    model.config.use_cache = False
    if config.gradient_checkpointing:
        with _quiet():
            model.gradient_checkpointing_enable({"use_reentrant": False})
    return tokenizer, model


def _looks_ahead(model: Any) -> bool:
    """Whether what is read at the first place depends on the second, as in an encoder. Its settings do not say so for
    sure: transformers opens a BERT as if it were a decoder."""
    size = model.get_input_embeddings().weight.shape[0]
    texts = torch.tensor([[size // 3, size // 2], [size // 3, size // 4]], device=model.device)
    with torch.no_grad():
        one, other = model.train(False)(input_ids=texts).logits[:, 0].float()
    return float((one - other).abs().max()) > AHEAD * float(one.abs().max())


def check_window(model: Any, longest: int, name: str) -> None:
    """Raises: UsageError, samples of `longest` tokens show function tokens to a model of which some layers look back
    over fewer: text that is further on would learn from what it does not see when it runs."""
    settings = model.config.get_text_config()
    window, kinds = getattr(settings, "sliding_window", None), getattr(settings, "layer_types", None)
    slides = kinds is None or any("sliding" in kind for kind in kinds)
    if window and slides and window < longest:
        raise UsageError(
            f"{name}: some of its layers look back over {window} tokens, and function tokens stand before texts of up "
            f'to {longest}: set form = "names" or "instructed" in [[data]]'
        )


@dataclass
class Base:
    """The frozen model as `TorchEncoder` takes it, which makes function tokens of definitions."""

    model: Any
    cut: Cutter
    context: int = CONTEXT
    adapter: Path | None = None

    @property
    def device(self) -> Any:
        return self.model.device

    def tokenise(self, text: str, special: bool = False) -> list[int]:
        return self.cut(text, special)


def encoder_of(config: TrainConfig, tokenizer: Any, model: Any, folder: Path, method: Method) -> DefinitionEncoder:
    """What makes vectors of definitions, as `TransformersModel` does: llama.cpp for a GGUF file, else the model."""
    if Path(source_of(config)).is_file():
        return LlamaEncoder(Path(source_of(config)), folder, method, threads=1)
    return TorchEncoder(Base(model, hub_cutter(tokenizer)), folder, method)


def check_quantise(config: TrainConfig, device: str) -> None:
    """Whether a base model can be held in 4 bits here."""
    if device != "cuda":
        raise UsageError(
            f'quantise = "{config.quantise}" needs a GPU that CUDA reaches, and this machine shows none: leave it out'
        )
    if importlib.util.find_spec("bitsandbytes") is None:
        raise MissingExtra("bitsandbytes", "qlora", "camphor-lab")


def add_factors(model: Any, config: TrainConfig) -> Any:
    """The model with new factors, in float32, on `config.targets`; the same for the same seed.

    Raises:
        UsageError: the model has no projection of a target's name.
    """
    from peft import LoraConfig, get_peft_model

    torch.manual_seed(random.Random(f"factors/{config.seed}").getrandbits(63))
    targets = find_targets(model, config)
    turned = any(isinstance(part, Conv1D) for name, part in model.named_modules() if _last(name) in targets)
    text = _text_part(model)
    settings = LoraConfig(
        r=config.rank,
        lora_alpha=config.alpha,  # type: ignore[arg-type]  # peft accepts any number
        lora_dropout=config.dropout,
        target_modules=targets,
        fan_in_fan_out=turned,
        layers_to_transform=_layers(model, config),
        exclude_modules=rf"(?!{re.escape(text)}).*" if text else None,
        task_type="CAUSAL_LM",
    )
    with _quiet():
        return get_peft_model(model, settings)


def find_targets(model: Any, config: TrainConfig) -> list[str]:
    """The targets' names in this model; all linear layers of its text part but the output for ["all"]."""
    head, text = model.get_output_embeddings(), _text_part(model)
    parts = ((name, part) for name, part in model.named_modules() if name.startswith(text))
    linear = sorted({_last(name) for name, part in parts if _is_linear(part) and part is not head})
    if config.targets == (ALL,):
        return linear
    if missing := [target for target in config.targets if target not in linear]:
        raise UsageError(
            f"targets: {short_name(config)} has no {', '.join(missing)}: choose of {', '.join(linear)}, "
            f'or ["{ALL}"] for all of them'
        )
    return list(config.targets)


def _is_linear(part: Any) -> bool:
    """Whether a part is a product with a matrix and nothing else; some models derive a choice of experts from it."""
    return isinstance(part, LINEAR) and not type(part).__module__.startswith("transformers.models.")


def _text_part(model: Any) -> str:
    """What the names of text layers begin with in a model that has others too, for pictures or sounds, in which
    nothing is learnt; empty in any other."""
    decoder = model.get_decoder()
    place = next((name for name, part in model.named_modules() if part is decoder), "")
    return f"{place}." if place and model.config.get_text_config() is not model.config else ""


def _last(name: str) -> str:
    return name.rsplit(".", 1)[-1]


def _layers(model: Any, config: TrainConfig) -> list[int] | None:
    if not config.first_layer:
        return None
    return list(range(config.first_layer, model.config.get_text_config().num_hidden_layers))


def factors_of(model: Any) -> dict[str, nn.Parameter]:
    """What is learnt, by name."""
    return {name: parameter for name, parameter in model.named_parameters() if parameter.requires_grad}


def save_factors(model: Any, folder: Path, base: str) -> None:
    """Write the adapter in peft's form; it appears whole or not at all. `base` is the model's name in it."""
    from peft import get_peft_model_state_dict
    from safetensors.torch import save_file

    folder.mkdir(parents=True, exist_ok=True)
    # without the embeddings, of which peft would ask the hub
    found = get_peft_model_state_dict(model, save_embedding_layers=False)
    partial = folder / (WEIGHTS + ".part")
    tensors = {name: value.detach().cpu().contiguous() for name, value in found.items()}
    save_file(tensors, str(partial), metadata={"format": "pt"})
    partial.replace(folder / WEIGHTS)
    settings = copy.copy(model.peft_config["default"])
    settings.inference_mode, settings.base_model_name_or_path = True, base
    settings.save_pretrained(str(folder))


def load_factors(model: Any, folder: Path) -> None:
    """Take the factors of an earlier run's adapter.

    Raises:
        UsageError: there is none, or its factors have other names or shapes.
    """
    from peft import set_peft_model_state_dict
    from safetensors.torch import load_file

    if not (folder / WEIGHTS).is_file() or not (folder / DESCRIPTION).is_file():
        raise UsageError(f"{folder}: no adapter to start from: name the out folder of an earlier run in init")
    saved = load_file(str(folder / WEIGHTS))
    wanted = {name.replace(".default.", "."): parameter.shape for name, parameter in factors_of(model).items()}
    if {name: tensor.shape for name, tensor in saved.items()} != wanted:
        raise UsageError(f"{folder}: made with another model, rank or targets: restore them or leave init out")
    set_peft_model_state_dict(model, saved)


@contextmanager
def _quiet() -> Iterator[None]:
    """Without what transformers 5.23 says of names that go away in 6, which peft 0.21 uses and earlier ones lack."""
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "`(is_gradient_checkpointing|gradient_checkpointing_enable)`", FutureWarning)
        yield
