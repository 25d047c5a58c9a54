from __future__ import annotations

from pathlib import Path

import pytest

from camphor_lab.evaluation.sources import Energy, Meter


def package(folder: Path, name: str, microjoules: int, most: int = 1_000_000_000) -> Path:
    made = folder / name
    made.mkdir(exist_ok=True)
    (made / "energy_uj").write_text(f"{microjoules}\n")
    (made / "max_energy_range_uj").write_text(f"{most}\n")
    return made


def test_energy_is_the_sum_of_the_packages_and_not_of_their_parts(tmp_path: Path) -> None:
    for name in ("intel-rapl:0", "intel-rapl:1", "intel-rapl:0:0"):
        package(tmp_path, name, 0)
    meter = Meter(Energy(tmp_path))
    package(tmp_path, "intel-rapl:0", 2_000_000)
    package(tmp_path, "intel-rapl:1", 500_000)
    package(tmp_path, "intel-rapl:0:0", 1_500_000)  # the cores, counted in their package
    assert meter.spent()["joules"] == 2.5


def test_a_counter_that_begins_anew(tmp_path: Path) -> None:
    package(tmp_path, "intel-rapl:0", 9_000_000, most=10_000_000)
    energy = Energy(tmp_path)
    assert energy.joules([9_000_000], [1_000_000]) == pytest.approx(2.0)
    (tmp_path / "intel-rapl:0" / "max_energy_range_uj").unlink()
    assert energy.joules([9_000_000], [1_000_000]) is None


@pytest.mark.parametrize("text", [None, "", "no figure"])
def test_no_energy_is_told_where_none_can_be_read(tmp_path: Path, text: str | None) -> None:
    if text is not None:
        (package(tmp_path, "intel-rapl:0", 0) / "energy_uj").write_text(text)
    spent = Meter(Energy(tmp_path)).spent()
    assert set(spent) == {"cpu_seconds"}
    assert spent["cpu_seconds"] >= 0


def test_work_is_counted() -> None:
    meter = Meter()
    sum(range(3_000_000))
    assert meter.spent()["cpu_seconds"] > 0
