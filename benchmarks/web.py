"""What the web app adds: how soon its pages are ready, its share of a query, how soon a step is seen, twenty pages.

    python benchmarks/web.py [--parts pages overhead steps crowd] [--queries 10] [--loads 7] [--out FILE]

A server of its own, `camphor serve` in another process on this machine, works on a copy of the demo phone with the
model that ships; Chromium shows its pages. Nothing is sped up for the measurement: the browser's cache is emptied
before each page, and every query passes the interface, is kept on the disk and comes back as server-sent events.

pages       milliseconds from the start of a navigation until what the page is for is painted and can be used.
overhead    the same queries in this process and through the interface, in turns, each in a new conversation. What the
            model takes is told apart from the rest, as the model's time alone varies more than the server's share.
steps       milliseconds from the moment when a step came from the model (the time that its event was written down with)
            until Chromium has painted it.
crowd       the same conversation with one page that follows it and with twenty, and with twenty of which four are
            windows of Chromium, which paints on the same processors: that is the browser's part, not the server's.

Each part is written down as soon as it is done; what is in the file already is measured again only if it is named.
"""

from __future__ import annotations

import argparse
import http.client
import json
import os
import platform
import re
import shutil
import signal
import socket
import statistics
import subprocess
import sys
import tempfile
import threading
import time
import uuid
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, suppress
from datetime import datetime
from pathlib import Path
from typing import IO, Any

from camphor.agents.memory.long_term import LongTermMemory
from camphor.agents.prompts import Form
from camphor.agents.strategies.registry import CAMPHOR, TOLD, choose
from camphor.app import Assistant, run_to_end
from camphor.cli.home import DEMO, cache_folder
from camphor.cli.model import open_model
from camphor.device.device import Device
from camphor.models.base import LanguageModel
from camphor_lab.evaluation.results import write_report
from camphor_lab.evaluation.sources import ASSISTANT

ROOT = Path(__file__).parents[1]
PHONE = f"/api/phones/{DEMO}"
ENDS = frozenset({"answered", "stopped", "failed", "interrupted"})
STEPS = frozenset({"agent", "calls", "observed"})
PAGES, WINDOWS = 20, 4
"""Pages that are open at once; so many of them in the browser, which opens six connections to a server at most."""
LOOK_UPS = (
    "What's on today?",
    "What is Zofia's phone number?",
    "When is the dentist?",
    "Which mails came from Dev?",
    "What is the wifi password?",
)
QUERIES = (
    *LOOK_UPS,
    "Text Alice that I'll be ten minutes late",
    "Remind me at 6 to call mum",
    "How many bikes are at Dame Street?",
    "Make a note: buy polenta for the orange cake",
    "Put lunch with Conor into the calendar for Saturday at 1",
)
READY = {
    "chat": ("#log .turn .theirs", "#talks li", "#send:not([hidden])"),
    "device": ("#owner[aria-busy=false]", "#app-cards li"),
    "memory": ("#count:not(:empty)",),
    "health": ("#panel-vitals .curve .line",),
    "results": ("#report section",),
    "teach": ("#tool option", "#past li"),
}
"""What is there when a place is ready: the chat with its last answer, the phone's apps, the curves of a day ..."""
AIMS = {"pages": "p95 under 1500 ms", "overhead": "under 5%", "steps": "under 500 ms", "crowd": "under 1.10"}
WATCH = """
(() => {
  const wanted = %s[location.pathname.slice(1)];
  const painted = (then) => requestAnimationFrame(() => setTimeout(then, 0));
  window.steps = [];
  const look = (changes) => {
    if (wanted && !window.readyAt && wanted.every((each) => document.querySelector(each))) {
      window.readyAt = -1;
      painted(() => (window.readyAt = performance.now()));
    }
    for (const made of changes.flatMap((each) => [...each.addedNodes])) {
      if (made.matches?.(".steps > .step")) painted(() => window.steps.push(Date.now()));
    }
  };
  new MutationObserver(look).observe(document, { subtree: true, childList: true, attributes: true });
})();
"""


class Server:
    """`camphor serve` on a free port, and a program that uses its interface as a page does."""

    def __init__(self, home: Path, model: str) -> None:
        words = [sys.executable, "-m", "camphor", "serve", "--port", "0", "--model", model]
        words += ["--results", str(ROOT / "results")]
        environment = {**os.environ, "CAMPHOR_HOME": str(home)}
        self.process = subprocess.Popen(words, env=environment, stderr=subprocess.PIPE, text=True)
        assert self.process.stderr is not None
        try:
            self.address, self.port, way_in = self._address(self.process.stderr)
            self._head: dict[str, str] = {}
            _, _, cookie = self._send("GET", way_in)
            self.cookie = cookie.partition(";")[0]
            self._head = {"cookie": self.cookie}
            _, text, _ = self._send("GET", "/api/session")
        except BaseException:
            self.process.kill()
            raise
        self._head |= {"x-csrf-token": json.loads(text)["csrf_token"], "content-type": "application/json"}

    def _address(self, said: IO[str]) -> tuple[str, int, str]:
        """The address, its port, and the path that lets this program in."""
        told = ""
        while not (found := re.search(r"(http://127\.0\.0\.1:(\d+))(/enter/\S+)", told)):
            if not (line := said.readline()):
                raise SystemExit(f"The server ended: {told}")
            told += line
        threading.Thread(target=said.read, daemon=True).start()  # what else it says must not hold it up
        return found[1], int(found[2]), found[3]

    def _send(self, method: str, path: str, body: bytes | None = None, **head: str) -> tuple[int, str, str]:
        """Status, text and cookie of the answer; on a connection of its own, as the server drops idle ones."""
        line = http.client.HTTPConnection("127.0.0.1", self.port)
        try:
            line.request(method, path, body, {**self._head, **head})
            answer = line.getresponse()
            return answer.status, answer.read().decode(), answer.getheader("set-cookie") or ""
        finally:
            line.close()

    def ask(self, method: str, path: str, body: Any = None) -> Any:
        status, text, _ = self._send(method, path, None if body is None else json.dumps(body).encode())
        if status >= 400:
            raise SystemExit(f"{method} {path}: {status} {text[:300]}")
        return json.loads(text) if text else None

    def take(self, phone: str, table: str) -> None:
        """Vitals, as the page Health takes a file in."""
        mark = uuid.uuid4().hex
        part = '--{}\r\ncontent-disposition: form-data; name="{}"{}\r\n\r\n{}\r\n'
        name = '; filename="day.csv"'
        body = part.format(mark, "phone", "", phone) + part.format(mark, "file", name, table) + f"--{mark}--\r\n"
        kind = f"multipart/form-data; boundary={mark}"
        status, text, _ = self._send("POST", "/api/health/import", body.encode(), **{"content-type": kind})
        if status != 201:
            raise SystemExit(text)

    def begin(self) -> str:
        """The path of a new conversation."""
        return f"{PHONE}/conversations/{self.ask('POST', f'{PHONE}/conversations')['id']}"

    @contextmanager
    def following(self, talk: str, after: int = 0) -> Iterator[Iterator[dict[str, Any]]]:
        """The events of a conversation as a page hears them, once the server has begun to tell them."""
        line = http.client.HTTPConnection("127.0.0.1", self.port)
        try:
            line.request("GET", f"{talk}/stream?after={after}", headers=self._head)
            answer = line.getresponse()
            answer.readline()  # retry: the line stands
            yield (json.loads(each[6:]) for each in answer if each.startswith(b"data: "))
        finally:
            if line.sock:
                with suppress(OSError):
                    line.sock.shutdown(socket.SHUT_RDWR)  # whoever reads it in a thread ends
            line.close()

    def query(self, talk: str, heard: Iterator[dict[str, Any]], text: str, yes: bool = True) -> dict[str, Any]:
        """Ask and hear all of the answer: seconds in all and of them the model's."""
        started = time.perf_counter()
        self.ask("POST", f"{talk}/queries", {"query": text, "key": uuid.uuid4().hex})
        for event in heard:
            if event["kind"] == "consent":
                word = {"answer": "yes" if yes else "no"}
                self.ask("POST", f"{talk}/consents/{event['number']}", word)
            elif event["kind"] in ENDS:
                break
        seconds = time.perf_counter() - started
        if event["kind"] != "answered":
            raise SystemExit(f"{text!r} {event['kind']}: {event.get('text')}")
        return {"seconds": seconds, "model": event["timing"]["model_seconds"]}

    def __enter__(self) -> Server:
        return self

    def __exit__(self, *_: object) -> None:
        self.process.terminate()
        try:
            self.process.wait(20)
        except subprocess.TimeoutExpired:  # the model is in the middle of something
            self.process.kill()
            self.process.wait()


@contextmanager
def browser() -> Iterator[Any]:
    """Chromium without a window of its own, as new."""
    from selenium.webdriver import Chrome, ChromeOptions
    from selenium.webdriver.chrome.service import Service

    options = ChromeOptions()
    options.binary_location = shutil.which("chromium") or shutil.which("chromium-browser") or ""
    for word in ("--headless=new", "--no-sandbox", "--disable-dev-shm-usage", "--window-size=1280,900"):
        options.add_argument(word)
    driver = Chrome(options=options, service=Service(shutil.which("chromedriver")))
    try:
        driver.execute_cdp_cmd("Page.addScriptToEvaluateOnNewDocument", {"source": WATCH % json.dumps(READY)})
        yield driver
    finally:
        driver.quit()


def until(driver: Any, script: str, patience: float = 120.0) -> Any:
    """The first value of a script that counts."""
    end = time.monotonic() + patience
    while time.monotonic() < end:
        if found := driver.execute_script(script):
            return found
        time.sleep(0.02)
    page = driver.execute_script("return document.body?.innerText ?? ''")
    raise SystemExit(f"{driver.current_url}: not so after {patience:.0f} s: {script}\n{page[:1000]}")


# the parts


def pages(server: Server, loads: int) -> dict[str, Any]:
    """Each place some times, with an empty cache, on a phone with a conversation and a day of vitals."""
    talk = server.begin()
    with server.following(talk) as heard:
        server.query(talk, heard, QUERIES[0])
    day = server.ask("GET", f"{PHONE}/vitals")["today"]
    rows = (f"{day}T{each // 60:02}:{each % 60:02}:00,{60 + each * 7 % 40},97" for each in range(480))
    server.take(DEMO, "\n".join(["time,heart_rate,oxygen", *rows]))
    told: dict[str, Any] = {}
    with browser() as driver:
        enter(driver, server, talk)
        for place in READY:
            spent, kilobytes = [], 0.0
            for _ in range(loads):
                driver.execute_cdp_cmd("Network.clearBrowserCache", {})
                driver.get(f"{server.address}/{place}")
                spent.append(until(driver, "return window.readyAt > 0 && window.readyAt") / 1000)
                kilobytes = driver.execute_script(
                    "return performance.getEntries().reduce((sum, each) => sum + (each.transferSize ?? 0), 0) / 1000"
                )
            told[place] = {"first_ms": round(1000 * spent[0], 1), **summary(spent), "kilobytes": round(kilobytes, 1)}
    return {"places": told, "p95_ms": max(each["p95_ms"] for each in told.values()), "loads": loads}


def overhead(
    server: Server, home: Path, queries: Sequence[str], opened_model: Callable[[], tuple[LanguageModel, Form]]
) -> dict[str, Any]:
    """The same queries here and there, in turns; whoever is first in one is second in the next."""
    here: list[dict[str, Any]] = []
    there: list[dict[str, Any]] = []

    def through_interface(text: str) -> None:
        talk = server.begin()
        with server.following(talk) as heard:
            there.append(server.query(talk, heard, text))

    with ExitStack() as opened:
        device = opened.enter_context(Device.from_file(demo_file(), home / "in-process.camphor"))
        model, form = opened_model()
        opened.callback(model.close)

        def in_process(text: str) -> None:
            assistant = assistant_on(device, model, form)
            started = time.perf_counter()
            answered = run_to_end(assistant, text, consent=True)
            here.append({"seconds": time.perf_counter() - started, "model": answered.cost.seconds})

        for place, text in enumerate([LOOK_UPS[-1], *queries]):  # the first one warms both up
            ways = (in_process, through_interface)
            for way in ways if place % 2 else reversed(ways):
                way(text)
    return shares(here[1:], there[1:])


def shares(here: Sequence[Mapping[str, float]], there: Sequence[Mapping[str, float]]) -> dict[str, Any]:
    """What the interface adds to a query, as a share of its time in this process."""
    pairs = list(zip(here, there, strict=True))
    outside = [(far["seconds"] - far["model"]) - (near["seconds"] - near["model"]) for near, far in pairs]
    query = sum(near["seconds"] for near in here)
    return {
        "queries": len(pairs),
        "in_process_seconds": round(query / len(pairs), 4),
        "added_ms": round(1000 * sum(outside) / len(pairs), 2),
        "added_ms_most": round(1000 * max(outside), 2),
        "share": round(sum(outside) / query, 4),
        "share_median": round(statistics.median(far["seconds"] / near["seconds"] for near, far in pairs) - 1, 4),
    }


def steps(server: Server, queries: Sequence[str]) -> dict[str, Any]:
    """Queries typed into the chat: how long after each first step's event it is painted."""
    first, every = [], []
    with browser() as driver:
        for text in queries:
            talk = server.begin()
            enter(driver, server, talk)
            until(driver, "return document.querySelector('#log .empty')")
            driver.find_element("id", "query").send_keys(text, "\ue007")  # and the key Enter
            until(driver, _OVER)
            shown = driver.execute_script("return window.steps")
            happened = server.ask("GET", talk)["happened"]
            made = [stamp(each["at"]) for each in happened if each["kind"] == "agent"]
            first.append((shown[0] - next(stamp(each["at"]) for each in happened if each["kind"] in STEPS)) / 1000)
            if len(made) == len(shown):
                every += [(seen - at) / 1000 for seen, at in zip(shown, made, strict=True)]
    return {"queries": len(first), "first_step": summary(first), **({"every_step": summary(every)} if every else {})}


def enter(driver: Any, server: Server, talk: str) -> None:
    """Open the chat with that conversation, in the session of this program."""
    driver.get(f"{server.address}/static/leaf.svg")
    name, _, value = server.cookie.partition("=")
    driver.add_cookie({"name": name, "value": value, "httpOnly": True, "sameSite": "Strict"})
    driver.execute_script(
        f"localStorage.setItem('welcomed', 'yes'); localStorage.setItem('talk:{DEMO}', '{talk[-32:]}')"
    )
    driver.get(f"{server.address}/chat")


_OVER = """
const yes = document.querySelector(".consent button[type=submit]");
if (yes && !yes.disabled) {
  yes.click();
  yes.disabled = true;
}
return document.querySelector("#log .turn .theirs") && document.getElementById("stop").hidden;
"""


def stamp(iso: str) -> float:
    """Milliseconds since 1970."""
    return datetime.fromisoformat(iso).timestamp() * 1000


def crowd(server: Server, rounds: int) -> dict[str, Any]:
    """Look-ups in a conversation that one page follows, in one that twenty follow, and in one that twenty follow of
    which four are windows; then the other way round."""
    kinds = (1, 0), (PAGES, 0), (PAGES, WINDOWS)
    found: dict[tuple[int, int], list[dict[str, Any]]] = {kind: [] for kind in kinds}
    listened = 0
    with browser() as driver:
        for _ in range(WINDOWS - 1):
            driver.switch_to.new_window("window")
            driver.execute_cdp_cmd("Page.addScriptToEvaluateOnNewDocument", {"source": WATCH % "{}"})
        for number in range(rounds):
            for kind in kinds if number % 2 else kinds[::-1]:
                asked, showed = _round(server, driver, *kind)
                found[kind] += asked
                listened = max(listened, showed)
    alone, many, painted = ([each["seconds"] for each in found[kind]] for kind in kinds)
    model = [sum(each["model"] for each in found[kind]) for kind in kinds]
    return {
        "queries": len(alone),
        "pages": PAGES,
        "windows_that_showed_it": listened,
        "one_page_seconds": round(statistics.fmean(alone), 4),
        "twenty_pages_seconds": round(statistics.fmean(many), 4),
        "ratio": round(sum(many) / sum(alone), 4),
        "ratio_of_model": round(model[1] / model[0], 4) if model[0] else 1.0,
        "ratio_with_windows": round(sum(painted) / sum(alone), 4),
    }


def _round(server: Server, driver: Any, count: int, windows: int) -> tuple[list[dict[str, Any]], int]:
    """The look-ups in a new conversation that so many pages follow, some of them windows; how many of these showed its
    steps."""
    talk = server.begin()
    with ExitStack() as opened:
        heard = opened.enter_context(server.following(talk))
        for window in driver.window_handles:
            driver.switch_to.window(window)
            driver.get(f"{server.address}/static/leaf.svg")
            if windows:
                enter(driver, server, talk)
                until(driver, "return document.querySelector('#log .empty')")
        for _ in range(count - 1 - windows):
            stream = opened.enter_context(server.following(talk))
            threading.Thread(target=_drain, args=(stream,), daemon=True).start()
        warm = LOOK_UPS[0]  # both begin with what the conversation before them left in the model
        server.query(talk, heard, warm, yes=False)
        asked = [server.query(talk, heard, text, yes=False) for text in LOOK_UPS[1:]]
        showed = 0
        for window in driver.window_handles if windows else ():
            driver.switch_to.window(window)
            showed += bool(driver.execute_script("return window.steps.length"))
        return asked, showed


def _drain(stream: Iterator[dict[str, Any]]) -> None:
    with suppress(OSError, AttributeError, ValueError, http.client.HTTPException):  # its line is closed under it
        for _ in stream:
            pass


# what they share


def demo_file() -> Path:
    import camphor

    return Path(camphor.__file__).parent / "demo" / f"{DEMO}.device.json"


def assistant_on(device: Device, model: LanguageModel, form: Form) -> Assistant:
    """As a conversation of the web app makes it."""
    strategy, form = choose(CAMPHOR, None, tuned=form not in TOLD, usual=form)
    made = Assistant(device, model, form=form, strategy=strategy)
    made.memory = LongTermMemory(device, made.conversation)
    return made


def summary(seconds: Sequence[float]) -> dict[str, float]:
    """Milliseconds."""
    ordered = sorted(1000 * each for each in seconds)
    cuts = statistics.quantiles(ordered, n=20, method="inclusive") if len(ordered) > 1 else ordered * 19
    figures = {"median_ms": statistics.median(ordered), "p95_ms": cuts[18], "most_ms": ordered[-1]}
    return {name: round(value, 1) for name, value in figures.items()}


def table(told: Mapping[str, Any]) -> list[str]:
    """What was measured beside what it must reach, a line each."""
    rows = []
    if "pages" in told:
        for place, each in told["pages"]["places"].items():
            rows.append((f"{place} ready", f"{each['median_ms']:.0f} ms, p95 {each['p95_ms']:.0f} ms", AIMS["pages"]))
    if "overhead" in told:
        each = told["overhead"]
        shown = f"{100 * each['share']:.1f}% ({each['added_ms']:.0f} ms of {each['in_process_seconds']:.2f} s)"
        rows.append(("the server's share of a query", shown, AIMS["overhead"]))
    if "steps" in told:
        each = told["steps"]["first_step"]
        shown = f"{each['median_ms']:.0f} ms, p95 {each['p95_ms']:.0f} ms"
        rows.append(("first step seen", shown, AIMS["steps"]))
    if "crowd" in told:
        each = told["crowd"]
        rows.append((f"{each['pages']} pages beside one", f"{each['ratio']:.3f} times the seconds", AIMS["crowd"]))
        windows = f"{each['pages']} pages, {each['windows_that_showed_it']} painted here too"
        rows.append((windows, f"{each['ratio_with_windows']:.3f} times the seconds", ""))
    return [f"{what:32} {measured:36} {aim}" for what, measured, aim in rows]


@contextmanager
def home_folder() -> Iterator[Path]:
    """A data folder that is gone afterwards; what was made of the model before is used."""
    with tempfile.TemporaryDirectory(prefix="camphor-web-") as name:
        made = cache_folder()
        made.mkdir(parents=True, exist_ok=True)
        (Path(name) / "cache").symlink_to(made, target_is_directory=True)
        yield Path(name)


def main() -> None:
    parser = argparse.ArgumentParser(description="What the web app adds; see the module's text.")
    parser.add_argument("--parts", nargs="+", choices=tuple(AIMS), help="all that are not in the file unless given")
    parser.add_argument("--queries", type=int, default=len(QUERIES))
    parser.add_argument("--loads", type=int, default=7)
    parser.add_argument("--rounds", type=int, default=2)
    parser.add_argument("--model", default="embedded", help="as camphor serve takes it")
    parser.add_argument("--out", type=Path, default=Path("results/web.json"))
    options = parser.parse_args()
    queries = QUERIES[:: max(1, len(QUERIES) // options.queries)][: options.queries]
    chosen = {name: getattr(options, name) for name in ("queries", "loads", "rounds", "model")}
    words = [f"--{name} {value}" for name, value in chosen.items() if value != parser.get_default(name)]
    result: dict[str, Any] = json.loads(options.out.read_text()) if options.out.exists() else {}
    result["command"] = " ".join(["python benchmarks/web.py", *words])
    result["machine"] = {"cores": os.cpu_count(), "python": platform.python_version(), "nice": os.nice(0)}
    with home_folder() as home, ExitStack() as opened:
        signal.signal(signal.SIGTERM, lambda *_: sys.exit("ended"))  # so that server and browser end with it
        server = opened.enter_context(Server(home, options.model))
        parts: dict[str, Callable[[], dict[str, Any]]] = {
            "pages": lambda: pages(server, options.loads),
            "overhead": lambda: overhead(server, home, queries, lambda: open_model(options.model)),
            "steps": lambda: steps(server, queries),
            "crowd": lambda: crowd(server, options.rounds),
        }
        for name in options.parts or [each for each in parts if each not in result]:
            started = time.perf_counter()
            result[name] = {**parts[name](), "load_average": round(os.getloadavg()[0], 1)}
            print(f"{name}: {time.perf_counter() - started:.0f} s", file=sys.stderr)
            options.out.parent.mkdir(parents=True, exist_ok=True)
            write_report(options.out, result, (*ASSISTANT, "web"))
    print("\n".join(table(result)))


if __name__ == "__main__":
    main()
