"""Phones on which every page of the app has something to show."""

from __future__ import annotations

import time
from datetime import datetime
from typing import Any

import httpx

from camphor.web.watches import Simulation
from tests.doubles.browser import PATIENCE, Serving
from tests.doubles.web import DEMO, KEY, TEXT, WHO, bare_demo

CLINIC = "nadia-bristol"
REMIND = ["task_completion", '[create_reminders(time="6 pm", content="Ring Alice")]']
LOOK_UP = {"name": "get_contacts_information", "arguments": {"keyword": "Alice"}}
PRESCRIPTION = "Metformin 850 mg 1 tab bd with meals for 30 days"


class Client:
    """A program that uses the interface, as a page does."""

    def __init__(self, server: Serving) -> None:
        self._http = httpx.Client(base_url=server.address, timeout=PATIENCE, headers={"x-camphor-key": KEY})

    def __call__(self, method: str, path: str, body: Any = None) -> Any:
        told = self._http.request(method, path, json=body)
        assert told.is_success, told.text
        return told.json() if told.content else None

    def close(self) -> None:
        self._http.close()


def furnish(server: Serving, since: int = 20) -> dict[str, str]:
    """Conversations (their ids are given back), actions, memories, samples, and a clinic phone with readings.

    Args:
        since: the hour from which on the watch was worn.
    """
    ask = Client(server)
    phone, clinic = f"/api/phones/{DEMO}", f"/api/phones/{CLINIC}"
    made = {}
    for name, answer, replies, queries in (
        ("answered", "yes", [*TEXT, *REMIND], ["text Alice that I am late", "remind me to ring Alice at 6"]),
        ("taught", "yes", WHO, ["who is Alice?"]),
        ("open", "", TEXT, ["text Alice that I am late"]),
    ):
        server.mind.say(*replies)
        made[name] = ask("POST", f"{phone}/conversations")["id"]
        for query in queries:
            _answered(ask, f"{phone}/conversations/{made[name]}", query, answer)
    for past in ask("GET", f"{phone}/taught/queries"):
        if past["talk"] == made["taught"]:
            right = {"calls": [LOOK_UP], "response": "Your travel buddy."}
            ask("PUT", f"{phone}/taught/queries/{past['talk']}/{past['number']}", right)
    for sentence in ("my sister is Nora", "my dentist is Dr Ode", "my dentist is Dr Lund", "I am allergic to nuts"):
        ask("POST", f"{phone}/memories", {"text": sentence})
    bare_demo(server.services)
    ask("POST", f"{clinic}/prescriptions", {"lines": [{"text": PRESCRIPTION}], "despite": True})
    ask("POST", f"{clinic}/complaints", {"symptoms": "sore throat"})
    ask("POST", f"{clinic}/sos/start", {})
    ask.close()
    watch = Simulation(server.phone(CLINIC), datetime(2026, 5, 17, since), 300, keep=True, pace=0.0)
    watch.scene("hypoxia", 20)
    watch.start()
    watch.join(5 * PATIENCE)
    watch.stop()
    return made


def _answered(ask: Client, talk: str, query: str, answer: str) -> None:
    """Ask, and give one's word on every action; without an answer the question stays open."""
    ask("POST", f"{talk}/queries", {"query": query})
    until = time.monotonic() + PATIENCE
    decided = 0
    while time.monotonic() < until:
        held = ask("GET", talk)
        last = held["happened"][-1]
        if last["kind"] == "consent" and not answer:
            return
        if last["kind"] == "consent" and last["number"] > decided:
            decided = last["number"]
            ask("POST", f"{talk}/consents/{decided}", {"answer": answer})
        if not held["running"]:
            return
        time.sleep(0.02)
    raise AssertionError(f"{query!r} was not answered")
