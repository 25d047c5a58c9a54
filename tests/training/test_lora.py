import math
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch
from safetensors.torch import load_file

from camphor.errors import UsageError
from camphor.models.function_tokens import Projector
from camphor_lab.training.base import TOKENS, WEIGHTS
from camphor_lab.training.build import worker_count
from camphor_lab.training.checkpoints import CHECKPOINT, CURVE, LOG, Log, draw_curve, read_log
from camphor_lab.training.config import TrainConfig
from camphor_lab.training.data import Mixture, Sample
from camphor_lab.training.functions import FunctionVectors
from camphor_lab.training.loop import train_loop
from camphor_lab.training.lora import AVERAGE, Trainer
from camphor_lab.training.passes import Workers, evaluate
from tests.doubles.lean import NAMES, lean, tiny_llama, vectors
from tests.doubles.trainer import SAMPLES, SHOWING, settings, trainer


class Killed(Exception):
    pass


def run(config: TrainConfig, stop_at: int = -1, functions: FunctionVectors | None = None) -> Trainer:
    def progress(now: object) -> None:
        if getattr(now, "step", 0) == stop_at:
            raise Killed

    folder = Path(config.out)
    folder.mkdir(exist_ok=True)
    made = trainer(config, functions=functions)
    if (folder / CHECKPOINT).exists():
        made.load(folder / CHECKPOINT)
    log = Log(folder / LOG, made.state.step)
    try:
        train_loop(made, folder, log, progress)
    finally:
        log.close()
    return made


def test_a_run_that_was_killed_reaches_the_same_numbers(tmp_path: Path) -> None:
    whole = run(settings(tmp_path / "a", epochs=2.0))
    with pytest.raises(Killed):
        run(settings(tmp_path / "b", epochs=2.0), stop_at=5)
    with open(tmp_path / "b" / LOG, "a") as log:
        log.write('{"step": 6, "loss": 1.0, "tok')  # what a crash leaves
    resumed = run(settings(tmp_path / "b", epochs=2.0))
    assert torch.equal(resumed.model.parameters, whole.model.parameters)
    logs = [[(e["step"], e["loss"]) for e in read_log(tmp_path / f / LOG) if "loss" in e] for f in "ab"]
    assert logs[0] == logs[1]


def test_a_run_with_function_tokens_learns_them_and_resumes_to_the_same_numbers(tmp_path: Path) -> None:
    whole = run(settings(tmp_path / "a", epochs=6.0), functions=vectors("linear"))
    with pytest.raises(Killed):
        run(settings(tmp_path / "b", epochs=6.0), stop_at=7, functions=vectors("linear"))
    moved = vectors("linear")
    moved.fix(Projector())  # the checkpoint knows what was centred, whatever else is at hand
    resumed = run(settings(tmp_path / "b", epochs=6.0), functions=moved)
    assert torch.equal(resumed.model.parameters, whole.model.parameters)
    read = Projector.load(tmp_path / "b" / TOKENS)
    functions = whole.model.functions
    assert functions is not None
    np.testing.assert_allclose(read.apply(functions._raw)[:, 0], functions.forward(functions.rows(NAMES)), atol=1e-5)
    assert not np.array_equal(functions.projector().weight, np.eye(48)[None])
    shown = [s for s in SHOWING if s.definitions]
    seen = evaluate(whole.model, shown, 100, Workers(1)).loss
    swapped = [replace(s, definitions=(NAMES[NAMES.index(s.definitions[0]) - 1],)) for s in shown]
    assert seen < evaluate(whole.model, swapped, 100, Workers(1)).loss - 0.3


def test_a_run_is_told_to_decay_where_it_goes_on_and_ends_with_its_moving_average(tmp_path: Path) -> None:
    stable = settings(tmp_path, epochs=1000.0, schedule="wsd", ema=0.9, checkpoint_dtype="bfloat16")
    with pytest.raises(Killed):
        run(stable, stop_at=20)
    ended = run(replace(stable, decay_from=20, decay_steps=10))
    assert ended.state.step == 30
    rates = [line["rate"] for line in read_log(tmp_path / LOG) if "rate" in line]
    assert rates[15:20] == [0.02] * 5
    assert rates[29] < 0.2 * rates[20]
    ended.save_adapter(tmp_path)
    after = trainer(replace(stable, out=str(tmp_path / "next")))
    after.start_from(tmp_path)
    assert ended.average is not None
    assert torch.equal(after.model.parameters, ended.average)
    assert not torch.equal(ended.model.parameters, ended.average)


def test_a_run_ends_after_its_steps_and_leaves_its_adapter_in_halves(tmp_path: Path) -> None:
    config = settings(tmp_path, epochs=1000.0, steps=7, adapter_dtype="float16")
    ended = run(config)
    assert ended.state.step == 7
    ended.save_adapter(tmp_path)
    assert {tensor.dtype for tensor in load_file(tmp_path / WEIGHTS).values()} == {torch.float16}
    after = trainer(replace(config, out=str(tmp_path / "next")))
    after.start_from(tmp_path)
    assert torch.allclose(after.model.parameters, ended.model.parameters, rtol=1e-3, atol=1e-6)


def test_a_short_checkpoint_goes_on_with_the_same_numbers_but_for_roundings(tmp_path: Path) -> None:
    losses = []
    for name, dtype in ("a", "float32"), ("b", "bfloat16"):
        config = settings(tmp_path / name, epochs=2.0, ema=0.9, checkpoint_dtype=dtype)
        with pytest.raises(Killed):
            run(config, stop_at=5)
        resumed = run(config)
        losses.append([e["loss"] for e in read_log(tmp_path / name / LOG) if "loss" in e])
        assert (tmp_path / name / AVERAGE / WEIGHTS).exists()
        assert resumed.average is not None
    whole, short = losses
    assert whole[:4] == short[:4]
    assert short == pytest.approx(whole, rel=0.02)
    sizes = [(tmp_path / name / CHECKPOINT).stat().st_size for name in "ab"]
    assert sizes[1] < 0.6 * sizes[0]


def test_the_projector_has_a_rate_of_its_own(tmp_path: Path) -> None:
    made = trainer(settings(tmp_path, projector_rate=0.1), functions=vectors("linear"))
    before = made.model.parameters.clone()
    _, rate = made.advance()
    moved = (made.model.parameters - before).abs()
    size = made.model.factor_size
    assert float(moved[:size].max()) == pytest.approx(rate, rel=1e-3)  # the first step of Adam
    assert float(moved[size:].max()) == pytest.approx(0.1 * rate, rel=1e-3)


def test_a_run_starts_from_factors_and_projector_of_another(tmp_path: Path) -> None:
    plain = run(settings(tmp_path / "a"))
    showing = trainer(settings(tmp_path / "b"), functions=vectors("linear"))
    showing.start_from(tmp_path / "a")
    size = showing.model.factor_size
    assert torch.equal(showing.model.parameters[:size], plain.model.parameters)
    learnt = run(settings(tmp_path / "c"), functions=vectors("linear"))
    showing.start_from(tmp_path / "c")
    assert torch.equal(showing.model.parameters, learnt.model.parameters)
    without = trainer(settings(tmp_path / "d"))
    without.start_from(tmp_path / "c")
    assert torch.equal(without.model.parameters, learnt.model.parameters[:size])


def test_tokens_that_decide_weigh_more(tmp_path: Path) -> None:
    samples = [replace(s, deciding=(3, 6)) for s in SAMPLES[:6]]
    double = [*samples, *(replace(s, trained=((3, 4), (6, 7))) for s in samples)]
    gradients = []
    for decide, used in ((2.0, samples), (1.0, double)):
        config = settings(tmp_path, decide_weight=decide, batch_tokens=200, micro_tokens=100)
        mixture = Mixture([(config.data[0], used)], config.batch_tokens, 0)
        made = Trainer(config, lean(tiny_llama(), slots=4), mixture, [], Workers(1))
        made.advance()
        gradients.append(made.model.gradients[0].clone())
    torch.testing.assert_close(*gradients, rtol=1e-4, atol=1e-7)


def test_it_learns_and_the_number_of_workers_changes_nothing(tmp_path: Path) -> None:
    one, two = (trainer(settings(tmp_path, epochs=20.0, micro_tokens=35), n) for n in (1, 2))
    losses = []
    for _ in range(60):
        losses.append(one.advance()[0])
        two.advance()
    assert torch.allclose(one.model.parameters, two.model.parameters, atol=1e-4)
    assert sum(losses[-5:]) < 0.7 * sum(losses[:5])
    assert one.evaluate().loss < losses[0]


def test_a_checkpoint_of_other_settings_is_refused(tmp_path: Path) -> None:
    first = trainer(settings(tmp_path))
    first.save(tmp_path / CHECKPOINT)
    with pytest.raises(UsageError, match="learning_rate"):
        trainer(settings(tmp_path, learning_rate=0.5)).load(tmp_path / CHECKPOINT)
    trainer(settings(tmp_path, max_minutes=3.0)).load(tmp_path / CHECKPOINT)


def test_time_and_data_both_end_a_run(tmp_path: Path) -> None:
    made = trainer(settings(tmp_path, epochs=1.0, max_minutes=1.0))
    made.state.seconds = 45
    assert made.fraction == pytest.approx(0.75)
    made.state.seconds = 0
    made.state.batch = len(made.batches) // 2
    assert made.fraction == pytest.approx(made.state.batch / len(made.batches))
    made.state.seconds = 600
    assert made.fraction == 1.0


def test_held_out_scores_are_shares_of_segments_and_samples() -> None:
    model = lean(tiny_llama())
    sample = SAMPLES[0]
    tokens = sample.tokens.copy()
    with torch.no_grad():
        for place in (3, 4):
            tokens[place] = int(tiny_llama()(input_ids=torch.tensor(tokens[None, :place])).logits[0, -1].argmax())
        wrong = int(tiny_llama()(input_ids=torch.tensor(tokens[None, :6])).logits[0, -1].argmin())
    tokens[6] = wrong
    scored = evaluate(model, [Sample("a", tokens, sample.trained)], 100, Workers(1))
    assert (scored.exact_segments, scored.exact_samples) == (0.5, 0.0)
    assert math.isfinite(scored.loss)


def test_the_curve_is_drawn_from_the_log(tmp_path: Path) -> None:
    log = Log(tmp_path / LOG, 0)
    for step in (1, 2, 3):
        log.write(step=step, loss=3.0 / step, tokens=100 * step)
    log.write(step=3, held_out={"loss": 1.2})
    log.close()
    draw_curve(tmp_path)
    assert (tmp_path / CURVE).read_bytes()[:4] == b"\x89PNG"


def test_every_core_works_also_where_one_product_may_use_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("camphor_lab.training.build.physical_cores", lambda: 6)
    monkeypatch.setattr(torch, "get_num_threads", lambda: 1)  # as OMP_NUM_THREADS=1 has it
    monkeypatch.setattr(torch.cuda, "is_available", lambda: False)
    assert (worker_count(settings(tmp_path)), worker_count(settings(tmp_path, workers=2))) == (6, 2)
