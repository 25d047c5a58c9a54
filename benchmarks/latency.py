"""How long a query takes beside the least it could take: its floor.

The floor is plain llama.cpp's: every token of the sequence evaluated once at the prompt rate, and every token written
at the generation rate, both measured in the same run with the same model file, adapter, context and threads, and
nothing of camphor in between. Work of any kind that comes on top shows as a ratio above 1.
"""

from __future__ import annotations

import argparse
import ctypes
import os
import resource
import statistics
import subprocess
import sys
import time
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Protocol

import camphor
from camphor.app import Assistant, run_to_end
from camphor.cli.home import cache_folder
from camphor.device.device import Device
from camphor.models.base import Reply, Request, Timing
from camphor.models.llama import LlamaModel
from camphor.models.native import llama_cpp, model_parameters
from camphor.trajectories.items import Item, read_items
from camphor_lab.evaluation.results import write_report

# A query's sequence is some 300 tokens long; generation slows down with depth, so a deeper floor would flatter.
PROMPT_TOKENS = 256
GENERATED_TOKENS = 64
REPETITIONS = 5
DEMO = Path(camphor.__file__).parent / "demo" / "ines-dublin.device.json"
QUERY = "Text my travel buddy that I'll be ten minutes late and remind me at 6 to call her"


class LocalModel(Protocol):
    """What the floor has to know about a model: `LlamaModel` has it."""

    @property
    def context(self) -> int: ...
    @property
    def model_path(self) -> Path: ...
    @property
    def adapter_path(self) -> Path | None: ...
    @property
    def merged_path(self) -> Path | None: ...
    @property
    def threads(self) -> int: ...


class Completes(Protocol):
    def complete(self, request: Request) -> Reply: ...


@dataclass(frozen=True)
class FloorRates:
    """Tokens a second of plain llama.cpp; the median of several repetitions."""

    prompt_rate: float
    generation_rate: float

    def seconds(self, timing: Timing) -> float:
        """The floor of what `timing` tells: each token evaluated once, each written token generated.

        Tokens written, also those that the grammar forced, are paid at the generation rate and not once more at the
        prompt rate: without camphor each would be generated.
        """
        return timing.prompt_tokens / self.prompt_rate + timing.generated_tokens / self.generation_rate

    def strict_seconds(self, timing: Timing) -> float:
        """The same, with forced tokens paid at the prompt rate, as if a few at a time ran as fast as a long prompt."""
        read = timing.prompt_tokens + timing.forced_tokens
        return read / self.prompt_rate + timing.sampled_tokens / self.generation_rate


@dataclass(frozen=True)
class QueryCost:
    """One query, all its requests together. `sequence_tokens` is the length of its text at the end."""

    seconds: float
    floor_seconds: float
    evaluated_tokens: int
    sequence_tokens: int
    timing: Timing

    @property
    def ratio(self) -> float:
        return self.seconds / self.floor_seconds if self.floor_seconds else float("nan")

    def to_json(self) -> dict[str, Any]:
        return {**asdict(self), "ratio": self.ratio}


def floor_rates(
    model: LocalModel,
    prompt_tokens: int = PROMPT_TOKENS,
    generated_tokens: int = GENERATED_TOKENS,
    repetitions: int = REPETITIONS,
) -> FloorRates:
    """Prompt and generation rate of plain llama.cpp for a model's file and adapter.

    The prompt is evaluated in one call; then single tokens follow it, each chosen from its logits by llama.cpp's own
    greedy sampler, as the plainest program would.
    """
    with _Plain(model, prompt_tokens + generated_tokens + 8) as plain:
        plain.measure(64, 8)  # pages of the file are read, threads started
        measured = [plain.measure(prompt_tokens, generated_tokens) for _ in range(repetitions)]
    return FloorRates(statistics.median(rate for rate, _ in measured), statistics.median(rate for _, rate in measured))


def replay(model: Completes, requests: Sequence[Request], rates: FloorRates, seconds: float | None = None) -> QueryCost:
    """Run one query's recorded requests again and compare with the floor.

    A model that can `forget` does so first, so that everything is evaluated in this query.

    Args:
        seconds: the query's whole time where it was measured from outside, with tools and prompts; without it the
            time of the requests themselves counts.
    """
    if not requests:
        raise ValueError("a query has at least one request")
    forget = getattr(model, "forget", None)
    if forget is not None:
        forget()
    started = time.perf_counter()
    replies = [model.complete(request) for request in requests]
    taken = time.perf_counter() - started
    total = sum((reply.timing for reply in replies), Timing())
    last = replies[-1].timing
    length = last.prompt_tokens + last.cached_tokens + last.generated_tokens
    return QueryCost(seconds or taken, rates.seconds(total), total.evaluated_tokens, length, total)


def summary(costs: Iterable[QueryCost], rates: FloorRates) -> dict[str, Any]:
    """Median and 95th percentile of the ratios, and tokens evaluated over tokens of the sequences."""
    known = sorted(costs, key=lambda cost: cost.ratio)
    if not known:
        raise ValueError("nothing was measured")
    ratios = [cost.ratio for cost in known]
    return {
        "queries": len(known),
        "prompt_rate": rates.prompt_rate,
        "generation_rate": rates.generation_rate,
        "ratio_median": statistics.median(ratios),
        "ratio_p95": ratios[min(len(ratios) - 1, int(0.95 * len(ratios)))],
        "strict_ratio_median": statistics.median(cost.seconds / rates.strict_seconds(cost.timing) for cost in known),
        "seconds_median": statistics.median(cost.seconds for cost in known),
        "evaluated_over_sequence": sum(c.evaluated_tokens for c in known) / sum(c.sequence_tokens for c in known),
    }


class _Plain:
    """llama.cpp with its defaults, apart from what the measured model has: file, parameters, adapter and threads."""

    def __init__(self, model: LocalModel, context: int) -> None:
        self._model = llama_cpp.llama_model_load_from_file(
            str(model.merged_path or model.model_path).encode(), model_parameters()
        )
        adapter = None if model.merged_path else model.adapter_path
        lora = llama_cpp.llama_adapter_lora_init(self._model, str(adapter).encode()) if adapter else None
        settings = llama_cpp.llama_context_default_params()
        settings.n_ctx = max(context, model.context)
        settings.n_threads = settings.n_threads_batch = model.threads
        self._context = llama_cpp.llama_init_from_model(self._model, settings)
        if lora:
            adapters = (llama_cpp.llama_adapter_lora_p_ctypes * 1)(lora)
            llama_cpp.llama_set_adapters_lora(self._context, adapters, 1, (ctypes.c_float * 1)(1.0))
        self._sampler = llama_cpp.llama_sampler_init_greedy()

    def __enter__(self) -> _Plain:
        return self

    def __exit__(self, *_: object) -> None:
        llama_cpp.llama_sampler_free(self._sampler)
        llama_cpp.llama_free(self._context)
        llama_cpp.llama_model_free(self._model)

    def measure(self, prompt_tokens: int, generated_tokens: int) -> tuple[float, float]:
        """Prompt and generation rate of one run from an empty cache."""
        llama_cpp.llama_memory_clear(llama_cpp.llama_get_memory(self._context), True)
        started = time.perf_counter()
        self._decode([1000 + place * 7 for place in range(prompt_tokens)])
        token = llama_cpp.llama_sampler_sample(self._sampler, self._context, -1)
        read = time.perf_counter()
        for _ in range(generated_tokens):
            self._decode([token])
            token = llama_cpp.llama_sampler_sample(self._sampler, self._context, -1)
        finished = time.perf_counter()
        return prompt_tokens / (read - started), generated_tokens / (finished - read)

    def _decode(self, tokens: list[int]) -> None:
        array = (llama_cpp.llama_token * len(tokens))(*tokens)
        status = llama_cpp.llama_decode(self._context, llama_cpp.llama_batch_get_one(array, len(tokens)))
        if status:
            raise RuntimeError(f"llama_decode failed with status {status}")


class Recorder:
    """A model that notes what it cost, and passes everything on."""

    def __init__(self, model: LlamaModel) -> None:
        self.model = model
        self.timing = Timing()
        self.length = 0

    @property
    def context(self) -> int:
        return self.model.context

    def complete(self, request: Request) -> Reply:
        reply = self.model.complete(request)
        self.timing += reply.timing
        self.length = reply.timing.prompt_tokens + reply.timing.cached_tokens + reply.timing.generated_tokens
        return reply

    def count_tokens(self, text: str) -> int:
        return self.model.count_tokens(text)

    def close(self) -> None:
        self.model.close()


def measure_query(model: LlamaModel, item: Item, device: Device, rates: FloorRates) -> QueryCost:
    """A whole query as the command line answers it, tools and grammars included, from an empty cache."""
    model.forget()
    recorder = Recorder(model)
    assistant = Assistant(device, recorder)
    started = time.perf_counter()
    run_to_end(assistant, item.query, consent=True)
    seconds = time.perf_counter() - started
    timing = recorder.timing
    return QueryCost(seconds, rates.seconds(timing), timing.evaluated_tokens, recorder.length, timing)


def peak_memory(adapter: Path | None) -> int:
    """Of a whole `camphor ask` in a process of its own, MB."""
    command = [sys.executable, "-m", "camphor", "ask", "--yes", "--device", str(DEMO), QUERY]
    subprocess.run([*command, *(["--adapter", str(adapter)] if adapter else [])], check=True, capture_output=True)
    return round(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024)


def main() -> None:
    parser = argparse.ArgumentParser(description="Time of whole queries over their floor; see the module's text.")
    parser.add_argument("--dataset", type=Path, default=Path("data/handwritten/t1/items.jsonl"))
    parser.add_argument("--queries", type=int, default=40)
    parser.add_argument("--adapter", type=Path, help="another adapter than the one that ships")
    parser.add_argument("--out", type=Path, default=Path("results/latency.json"))
    options = parser.parse_args()
    memory = peak_memory(options.adapter)  # first: a child's peak counts from its parent's size when it was begun
    model = LlamaModel(adapter=options.adapter, merged_folder=cache_folder())
    items = [item for item in read_items(options.dataset) if not item.history][: options.queries]
    blocks, costs = 4, []
    measured = []
    for block in range(blocks):  # the floor is measured again in between, because machines drift
        rates = floor_rates(model)
        measured.append(rates)
        for item in items[block::blocks]:
            with Device.from_file(options.dataset.parent / str(item.device)) as device:
                costs.append(measure_query(model, item, device, rates))
    rates = FloorRates(
        statistics.median(each.prompt_rate for each in measured),
        statistics.median(each.generation_rate for each in measured),
    )
    told = summary(costs, rates)
    told |= {
        "peak_memory_mb": memory,
        "threads": model.threads,
        "model": (model.merged_path or model.model_path).name,
        "command": " ".join(["python benchmarks/latency.py", *sys.argv[1:]]),
        "machine": f"{os.cpu_count()} processors, load {os.getloadavg()[0]:.1f}",
    }
    write_report(options.out, told)
    for name, value in told.items():
        print(f"{name:24} {value:.3f}" if isinstance(value, float) else f"{name:24} {value}")


if __name__ == "__main__":
    main()
