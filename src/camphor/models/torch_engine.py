"""transformers as an engine: one model, its tokeniser and one cache, as `camphor.models.native` is for llama.cpp.

Needs the extra `train`; torch and transformers are imported when an engine is opened.
"""

from __future__ import annotations

import contextlib
import hashlib
import logging
import warnings
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, Protocol

import numpy as np
from llguidance import LLTokenizer
from numpy.typing import NDArray

from camphor.errors import ContextFull, MissingExtra, ModelError, ModelMissing
from camphor.models.chat_template import TOOL_USE, Apply, TemplateSource
from camphor.models.function_tokens import DefinitionEncoder, Method
from camphor.models.sequence import CachedSequence, Vectors, hub_cutter

BATCH = 512
HUB = "hf:"
HUB_SECONDS = 20.0
TURN_ENDS = ("<|im_end|>", "<|endoftext|>", "<|eot_id|>", "<|eot|>", "<|end|>", "<end_of_turn>", "<turn|>", "</s>")
"""Control tokens that end a turn in one family or another, also where a model's settings do not say so."""


class TorchEngine(CachedSequence):
    """A causal language model in transformers, with or without a peft adapter.

    Args:
        name: a folder, a GGUF file, or `hf:NAME` for a model on the hub, the only one that may open a connection.
        adapter: a folder in peft's form. context: the most tokens, function tokens included.
        device, dtype: torch's names; None for the GPU in bfloat16 where there is one, else the processor in float32.
        threads: for all that torch does in this process; None for its own choice.

    Raises:
        MissingExtra: torch, transformers or peft are not installed. ModelMissing: the model or the adapter is not
        there, or is no causal language model.
    """

    def __init__(
        self,
        name: str,
        adapter: Path | None,
        context: int,
        device: str | None,
        dtype: str | None,
        threads: int | None = None,
    ) -> None:
        super().__init__()
        try:
            import torch
            import transformers
        except ImportError as error:
            raise MissingExtra("transformers", "transformers") from error
        self._torch = torch
        if threads is not None:
            torch.set_num_threads(threads)
        self._new_cache: Callable[[], Any] = transformers.DynamicCache
        device = device or ("cuda" if torch.cuda.is_available() else "cpu")
        number = getattr(torch, dtype or ("float32" if device == "cpu" else "bfloat16"))
        self._tokenizer, model = load_pretrained(name, number)
        self._cut = hub_cutter(self._tokenizer)
        self.model: Any = (model if adapter is None else _with_adapter(model, adapter)).to(device).eval()
        self.device, self.adapter = self.model.device, adapter
        config = model.config.get_text_config()
        self.vocabulary_size = int(model.get_output_embeddings().weight.shape[0])
        self.dimensions = int(model.get_input_embeddings().weight.shape[1])
        self.context = min(context, getattr(config, "max_position_embeddings", None) or context)
        self._guidance: LLTokenizer | None = None
        self._controls = _control_tokens(self._tokenizer, self.vocabulary_size)
        self._ends = _turn_ends(self._tokenizer, model)
        self._evaluated = 0
        self._cache = self._new_cache()

    @property
    def is_open(self) -> bool:
        return self.model is not None

    def close(self) -> None:
        self.model = None
        self.clear()

    # Tokens

    def tokenise(self, text: str, special: bool = False) -> list[int]:
        """Tokens of a text on its own, control tokens among them only when `special`; a lone surrogate reads as `?`."""
        return self._cut(text, special)

    def encode(self, text: str, special: bool, first: bool = False) -> list[int]:
        """As `tokenise`, with the control tokens that the text has and none in place of ChatML's; `first`: as the
        tokeniser begins a text."""
        return self._cut.as_it_is(text, special, first)

    def piece(self, token: int, special: bool = False) -> bytes:
        """The bytes a token writes; a control token's name when `special`, else none."""
        if token in self._controls:
            return str(self._tokenizer.convert_ids_to_tokens(token) or "").encode() if special else b""
        return self.guidance_tokenizer().decode_bytes([token])

    def ends_turn(self, token: int) -> bool:
        return token in self._ends

    def control_tokens(self) -> list[int]:
        """Tokens that are no text, those among them that only fill the table up."""
        return sorted(self._controls)

    def guidance_tokenizer(self) -> LLTokenizer:
        """llguidance's view of the vocabulary (0.4 s for 49,152 tokens)."""
        if self._guidance is None:
            from llguidance.hf import from_tokenizer

            slices = [r'[^"\\\x00-\x1F\x7F]{1,30}']
            self._guidance = from_tokenizer(self._tokenizer, self.vocabulary_size, max(self._ends), slices)
        return self._guidance

    def chat_template(self) -> Apply:
        """Fills the template that came with the tokeniser; ModelMissing where none did."""
        if not getattr(self._tokenizer, "chat_template", None):
            raise ModelMissing("the model came without a chat template: open it without one")

        def apply(messages: list[dict[str, str]]) -> str:
            return str(self._tokenizer.apply_chat_template(messages, tokenize=False, add_generation_prompt=True))

        return apply

    def own_template(self) -> TemplateSource | None:
        """The chat template that came with the tokeniser; None where none did."""
        told = getattr(self._tokenizer, "chat_template", None)
        named = told if isinstance(told, dict) else {"default": told, TOOL_USE: None}
        default = named.get("default") or named.get(TOOL_USE)
        if not default:
            return None
        added = self._tokenizer.added_tokens_decoder
        return TemplateSource(
            str(default),
            str(named.get(TOOL_USE) or default),
            bos=str(self._tokenizer.bos_token or ""),
            eos=str(self._tokenizer.eos_token or ""),
            controls={each.content: token for token, each in added.items() if token in self._controls},
            added=frozenset(each.content for token, each in added.items() if token not in self._controls),
        )

    # The sequence

    @property
    def evaluated(self) -> int:
        return self._evaluated

    def _drop(self, length: int) -> bool:
        try:
            self._cache.crop(length - self._evaluated)
        except (RuntimeError, ValueError):
            return False
        self._evaluated = length
        return True

    def _empty(self) -> None:
        self._evaluated = 0
        self._cache = self._new_cache()

    def advance(self) -> NDArray[np.float32]:
        """Evaluate what of the sequence is not in the cache yet; logits for the next token, (vocabulary_size,).

        Raises:
            ContextFull: no room. ModelError: transformers failed.
        """
        count = len(self._wanted) + len(self.sequence)
        if count > self.context:
            raise ContextFull(f"{count} tokens do not fit the model's context of {self.context}")
        self._truncate(len(self.sequence) - 1)
        try:
            if self.pending:
                self._evaluate_function_tokens()
            logits: Any = None
            while self._evaluated < len(self.sequence):
                logits = self._decode(self.sequence[self._evaluated : self._evaluated + BATCH])
        except BaseException as error:  # Ctrl-C among them: some layers have taken tokens up and others have not
            self._restart()
            if isinstance(error, (RuntimeError, ValueError)):
                raise ModelError(f"transformers failed: {' '.join(str(error).split())[:200]}") from error
            raise
        return np.asarray(logits.float().cpu().numpy(), np.float32)

    def _evaluate_function_tokens(self) -> None:
        """Bring the wanted function tokens into an empty cache: all at position 0, each seeing itself alone."""
        torch, count = self._torch, len(self._wanted)
        embedding = self.model.get_input_embeddings().weight
        with torch.inference_mode():
            vectors = torch.tensor(self._wanted, dtype=embedding.dtype, device=self.device)[None]
            mask = torch.full((count, count), torch.finfo(embedding.dtype).min, dtype=embedding.dtype)
            mask.fill_diagonal_(0.0)
            self.model(
                inputs_embeds=vectors,
                attention_mask=mask[None, None].to(self.device),
                position_ids=torch.zeros((1, count), dtype=torch.long, device=self.device),
                past_key_values=self._cache,
                use_cache=True,
                logits_to_keep=1,
            )
        self._held = self._wanted

    def _decode(self, tokens: list[int]) -> Any:
        torch = self._torch
        start = self._first + self._evaluated
        with torch.inference_mode():
            out = self.model(
                input_ids=torch.tensor([tokens], device=self.device),
                position_ids=torch.arange(start, start + len(tokens), device=self.device)[None],
                past_key_values=self._cache,
                use_cache=True,
                logits_to_keep=1,
            )
        self._evaluated += len(tokens)
        return out.logits[0, -1]


class Opened(Protocol):
    """What of an engine encoding needs; `model` is peft's where there is an adapter."""

    @property
    def model(self) -> Any: ...

    @property
    def adapter(self) -> Path | None: ...

    @property
    def context(self) -> int: ...

    @property
    def device(self) -> Any: ...

    def tokenise(self, text: str, special: bool = False) -> list[int]: ...


class TorchEncoder(DefinitionEncoder):
    """Makes definitions into vectors with an engine's model, its adapter set aside."""

    def __init__(self, engine: Opened, folder: Path | None, method: Method) -> None:
        super().__init__(folder, method)
        self._engine = engine

    def _identity(self) -> str:
        """A hash of some numbers of every tensor: of the model itself, wherever its files are."""
        digest = hashlib.sha256()
        for name, tensor in self._engine.model.state_dict().items():
            if "lora_" not in name:
                name = name.replace("base_model.model.", "", 1).replace(".base_layer.", ".")
                digest.update(f"{name} {tuple(tensor.shape)} {tensor.dtype}".encode())
                digest.update(tensor.flatten()[:256].float().cpu().numpy().tobytes())
        return digest.hexdigest()

    def _output_embeddings(self, texts: Sequence[str]) -> Iterator[Vectors]:
        import torch

        engine = self._engine
        whole = engine.model
        base = whole if engine.adapter is None else whole.get_base_model()
        for text in texts:
            tokens = engine.tokenise(text)
            if not 0 < len(tokens) <= engine.context:
                raise ModelError(f"a tool's definition has {len(tokens)} tokens, at most {engine.context} fit")
            with torch.inference_mode(), _without_adapter(whole, engine.adapter):
                out = base.base_model(input_ids=torch.tensor([tokens], device=engine.device), use_cache=False)
            yield out.last_hidden_state[0].float().cpu().numpy()


def _without_adapter(model: Any, adapter: Path | None) -> Any:
    return contextlib.nullcontext() if adapter is None else model.disable_adapter()


def load_pretrained(name: str, dtype: Any, **options: Any) -> tuple[Any, Any]:
    """Tokeniser and model; only a name that begins with `hf:` may be looked for elsewhere than on this machine.

    Args:
        options: for transformers' `from_pretrained` of the model.

    Raises:
        ModelMissing: it cannot be opened. MissingExtra: a part that it needs is not installed.
    """
    remote, path = name.startswith(HUB), Path(name)
    settings: dict[str, Any] = {"local_files_only": True}
    source = name.removeprefix(HUB) if remote else name
    if path.is_file():
        source, settings["gguf_file"] = str(path.parent), path.name
    elif not remote and not (path / "config.json").is_file():
        raise ModelMissing(f"{name}: expected a folder with config.json, or hf:NAME for a model on the hub")
    try:
        with _quiet():
            if remote:
                with contextlib.suppress(OSError):  # not here, or not all of it
                    return _pretrained(source, dtype, settings, options)
                _ask_hub(source)
                settings["local_files_only"] = False
            return _pretrained(source, dtype, settings, options)
    except ImportError as error:
        raise MissingExtra(str(error.name or "a part that transformers needs"), "transformers") from error
    except Exception as error:  # the hub's client raises errors of several packages
        reason = " ".join(str(error).split())[:200].rstrip(".:")
        advice = "check the name and the connection, or give a folder" if remote else "the files may be damaged"
        raise ModelMissing(f"{name}: transformers cannot open this model ({reason}): {advice}") from error


def _pretrained(source: str, dtype: Any, settings: dict[str, Any], options: dict[str, Any]) -> tuple[Any, Any]:
    from transformers import AutoModelForCausalLM, AutoTokenizer

    tokenizer = AutoTokenizer.from_pretrained(source, **settings)
    return tokenizer, AutoModelForCausalLM.from_pretrained(source, dtype=dtype, **settings, **options)


def _ask_hub(name: str) -> None:
    """An error unless the hub answers and has the model: transformers would try for 50 seconds to reach it."""
    from huggingface_hub import HfApi

    HfApi().model_info(name, timeout=HUB_SECONDS)


@contextlib.contextmanager
def _quiet() -> Iterator[None]:
    """Without the loaders' progress and remarks: what matters comes back as an error."""
    from transformers.utils import logging as progress

    progress.disable_progress_bar()  # type: ignore[no-untyped-call]
    loggers = [logging.getLogger(name) for name in ("transformers", "huggingface_hub")]
    levels = [each.level for each in loggers]
    for each in loggers:
        each.setLevel(logging.ERROR)
    try:
        yield
    finally:
        for each, level in zip(loggers, levels, strict=True):
            each.setLevel(level)


def _with_adapter(model: Any, folder: Path) -> Any:
    try:
        from peft import PeftModel
    except ImportError as error:
        raise MissingExtra("peft", "transformers") from error
    if not (folder / "adapter_config.json").is_file():
        raise ModelMissing(f"{folder}: no adapter here: expected a folder in peft's form, with adapter_config.json")
    try:
        with warnings.catch_warnings():  # peft 0.21 asks transformers 5.23 under a name that goes away in 6
            warnings.filterwarnings("ignore", "`is_gradient_checkpointing`", FutureWarning)
            return PeftModel.from_pretrained(model, str(folder), local_files_only=True)
    except (OSError, ValueError, RuntimeError) as error:
        reason = " ".join(str(error).split())[:200]
        raise ModelMissing(f"{folder}: this adapter does not fit the model ({reason})") from error


def _control_tokens(tokenizer: Any, size: int) -> frozenset[int]:
    added = tokenizer.added_tokens_decoder
    controls = {token for token, described in added.items() if described.special} | set(tokenizer.all_special_ids)
    return frozenset(controls | set(range(len(tokenizer), size)))


def _turn_ends(tokenizer: Any, model: Any) -> frozenset[int]:
    found = {tokenizer.eos_token_id}
    for settings in (model.config, model.generation_config):
        told = getattr(settings, "eos_token_id", None)
        found |= set(told) if isinstance(told, (list, tuple)) else {told}
    names = {described.content: token for token, described in tokenizer.added_tokens_decoder.items()}
    found |= {names.get(name) for name in TURN_ENDS}
    ends = frozenset(token for token in found if token is not None)
    if not ends:
        raise ModelMissing("this model does not say which token ends its turn: camphor cannot use it")
    return ends
