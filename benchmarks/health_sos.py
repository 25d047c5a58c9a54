"""How long a hard SOS takes from the press to the hand-over of its last message, with the model busy.

    python benchmarks/health_sos.py [--presses 300] [--commands 10] [--busy model numpy] [--out FILE]

A press is what the health assistant does when it runs: look up the phone, choose the ambulance, write emergency and
messages to the disk, and hand every message to a delivery service (here one on this machine, a process of its own that
apprise posts to). Then the emergency is ended, and the next press begins another. Meanwhile the embedded model reads
and writes without a pause in the same process, with a thread for each processor: the worst neighbour that it can have.
A command is `camphor health sos start` from its first instruction on, which also has to load Python and apprise.
"""

from __future__ import annotations

import argparse
import json
import multiprocessing
import os
import platform
import resource
import shlex
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

from camphor.device.device import Device
from camphor.device.health.database import HealthDatabase
from camphor.device.health.outbox import Channel, MessageState
from camphor.health.emergency.delivery import AppriseDelivery, Courier, Delivery, NoDelivery
from camphor.health.emergency.sos import Emergency
from camphor_lab.evaluation.results import write_report
from camphor_lab.evaluation.sources import HEALTH

CONTACTS, AMBULANCES = 5, 50
WORDS = "I have had a headache since Tuesday and my neck feels stiff when I turn my head. What should I book? "


def phone_file() -> dict[str, Any]:
    """A phone with that many contacts and ambulances."""
    contacts = [{"name": f"Contact {each}", "phone_number": f"+3538555501{each:02}"} for each in range(CONTACTS)]
    ambulances = [
        {"ambulance_id": f"AMB{each}", "phone_no": f"+3531555{each:04}", "latitude": 53 + each / 100, "longitude": -6.2}
        for each in range(AMBULANCES)
    ]
    location = {"latitude": 53.34, "longitude": -6.26, "formatted_address": "12 Dame St, Dublin"}
    clinic = {"profile": {"user_id": "U1"}, "ambulances": ambulances, "emergency_contacts": contacts}
    return {"format": "camphor.device/1", "id": "sos", "owner": "Leah Lima", "now": "2026-03-12T08:45:00",
            "location": location, "apps": {"clinic": clinic}}  # fmt: skip


class _Taking(BaseHTTPRequestHandler):
    """Takes every message and notes when it was there."""

    def do_POST(self) -> None:
        self.rfile.read(int(self.headers["Content-Length"]))
        server: Any = self.server
        server.taken.append(time.monotonic())
        self.send_response(200)
        self.send_header("Content-Length", "0")
        self.end_headers()

    def do_GET(self) -> None:
        """The times since the last look, for the benchmark."""
        server: Any = self.server
        body = json.dumps(server.taken).encode()
        server.taken.clear()
        self.send_response(200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: Any) -> None:
        pass


def _serve(pipe: Connection) -> None:
    server: Any = ThreadingHTTPServer(("127.0.0.1", 0), _Taking)
    server.taken = []
    pipe.send(server.server_port)
    server.serve_forever()


@contextmanager
def service() -> Iterator[int]:
    """A delivery service in a process of its own; its port."""
    here, there = multiprocessing.Pipe()
    process = multiprocessing.get_context("spawn").Process(target=_serve, args=(there,), daemon=True)
    process.start()
    try:
        yield here.recv()
    finally:
        process.terminate()
        process.join()


@contextmanager
def busy(how: str) -> Iterator[Callable[[], int]]:
    """Keeps every processor busy meanwhile; tells how many rounds of its work were done."""
    stop, rounds = threading.Event(), [0]
    work = {"model": _generate, "numpy": _multiply, "none": None}[how]
    threads = []
    if work is not None:
        ready = threading.Event()
        count = 1 if how == "model" else os.cpu_count() or 1
        threads = [threading.Thread(target=work, args=(stop, ready, rounds)) for _ in range(count)]
        for thread in threads:
            thread.start()
        ready.wait()
    try:
        yield lambda: rounds[0]
    finally:
        stop.set()
        for thread in threads:
            thread.join()


def _generate(stop: threading.Event, ready: threading.Event, rounds: list[int]) -> None:
    from camphor.models.base import Request
    from camphor.models.llama import LlamaModel
    from camphor.types import Segment

    with LlamaModel(adapter=False, threads=os.cpu_count()) as model:
        while not stop.is_set():
            model.forget()
            ready.set()
            model.complete(Request((Segment(WORDS * 10),), max_tokens=32))
            rounds[0] += 1


def _multiply(stop: threading.Event, ready: threading.Event, rounds: list[int]) -> None:
    import numpy as np

    matrix = np.random.default_rng(0).random((700, 700))
    while not stop.is_set():
        matrix = np.tanh(matrix @ matrix)
        rounds[0] += 1
        ready.set()


def press(folder: Path, delivery: Delivery, presses: int) -> dict[str, list[float]]:
    """Seconds of each press until all is written to the disk, and until the service has every message."""
    path = folder / "sos.camphor"
    spent: dict[str, list[float]] = {"written": [], "handed over": []}
    with Device.create(path, phone_file()) as device, HealthDatabase.of(path) as database:
        emergency = Emergency(device, database, time.time, delivery.channels)
        courier = Courier(emergency.outbox, delivery, time.time)
        for _ in range(presses):
            started = time.perf_counter()
            report = emergency.start()
            written = time.perf_counter() - started
            courier.send_all(0)
            handed = time.perf_counter() - started
            states = {emergency.outbox.get(each.id).state for each in report.messages}
            assert len(report.messages) == CONTACTS + 1
            assert states <= {MessageState.SENT, MessageState.KEPT}, states
            spent["written"].append(written)
            spent["handed over"].append(handed)
            emergency.end()
            courier.send_all(0)
    return spent


def command(folder: Path, port: int, number: int) -> dict[str, list[float]]:
    """Seconds of whole commands until the service has the last message, and of the processor's time that they took."""
    home = folder / "home"
    home.mkdir()
    (home / "delivery.toml").write_text(f'[sms]\nurl = "json://127.0.0.1:{port}/{{to}}"\n')
    path = folder / "cold.camphor"
    Device.create(path, phone_file()).close()
    environment = {**os.environ, "CAMPHOR_HOME": str(home)}
    spent: dict[str, list[float]] = {"command": [], "command, processor": []}
    for _ in range(number):
        _taken(port)
        before = _children()
        started = time.monotonic()
        words = [sys.executable, "-m", "camphor", "health", "sos"]
        subprocess.run([*words, "start", "-d", str(path)], env=environment, check=True, stdout=subprocess.DEVNULL)
        spent["command, processor"].append(_children() - before)
        times = _taken(port)
        assert len(times) == CONTACTS + 1
        spent["command"].append(max(times) - started)
        subprocess.run([*words, "end", "-d", str(path)], env=environment, check=True, stdout=subprocess.DEVNULL)
    return spent


def _children() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def _taken(port: int) -> list[float]:
    import urllib.request

    with urllib.request.urlopen(f"http://127.0.0.1:{port}/") as answer:
        times: list[float] = json.load(answer)
    return times


def summary(seconds: list[float]) -> dict[str, float]:
    """Milliseconds."""
    cuts = statistics.quantiles((1000 * each for each in seconds), n=100, method="inclusive")
    figures = {"p50_ms": cuts[49], "p95_ms": cuts[94], "p99_ms": cuts[98], "max_ms": 1000 * max(seconds)}
    return {name: round(value, 1) for name, value in figures.items()}


def measure(how: str, presses: int, commands: int) -> dict[str, Any]:
    """All figures beside a neighbour that is busy in that way."""
    with tempfile.TemporaryDirectory() as name, service() as port:
        delivery = AppriseDelivery({Channel.SMS: f"json://127.0.0.1:{port}/{{to}}"})
        delivery.prepare()
        folder = Path(name)
        for part in ("outbox", "service", "command"):
            (folder / part).mkdir()
        with busy(how) as rounds:
            before, began = rounds(), time.perf_counter()
            kept = press(folder / "outbox", NoDelivery(), presses)
            taken = press(folder / "service", delivery, presses)
            whole = command(folder / "command", port, commands) if commands > 1 else {}
            done, lasted = rounds() - before, time.perf_counter() - began
    return {
        "busy": how,
        "busy_rounds_a_second": round(done / lasted, 2),
        "load_average": round(os.getloadavg()[0], 1),
        "outbox": summary(kept["handed over"]),
        "service, written": summary(taken["written"]),
        "service, handed over": summary(taken["handed over"]),
        **{name: summary(seconds) for name, seconds in whole.items()},
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--presses", type=int, default=300)
    parser.add_argument("--commands", type=int, default=10)
    parser.add_argument("--busy", nargs="+", choices=("model", "numpy"), default=["model"])
    parser.add_argument("--out", type=Path, default=Path("results/health-sos.json"))
    options = parser.parse_args()
    hows = dict.fromkeys((*options.busy, "none"))
    result = {
        "command": shlex.join(["python", *sys.argv]),
        "machine": {"cores": os.cpu_count(), "python": platform.python_version(), "nice": os.nice(0)},
        "messages": CONTACTS + 1,
        "presses": options.presses,
        "commands": options.commands,
        "runs": [measure(how, options.presses, options.commands) for how in hows],
    }
    for run in result["runs"]:
        for name, value in run.items():
            print(f"{name:24}", value)
    options.out.parent.mkdir(parents=True, exist_ok=True)
    write_report(options.out, result, HEALTH)


if __name__ == "__main__":
    main()
