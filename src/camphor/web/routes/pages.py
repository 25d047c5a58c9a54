"""The pages: plain HTML that each loads one module of its own; all they know comes from the interface."""

from __future__ import annotations

from importlib.resources import files
from pathlib import Path

from fastapi import APIRouter, Request
from fastapi.responses import FileResponse, HTMLResponse, RedirectResponse
from fastapi.templating import Jinja2Templates

from camphor import lab
from camphor.web.problems import NotEntered
from camphor.web.security import no_entry
from camphor.web.services import Services

router = APIRouter(include_in_schema=False, default_response_class=HTMLResponse)
PLACES = {
    "chat": ("Chat", "Ask, and see every step"),
    "device": ("Device", "Apps, records, and what was done"),
    "memory": ("Memory", "What is remembered, and where it came from"),
    "health": ("Health", "Vitals, medicines, appointments, emergencies"),
    "results": ("Results", "How good it is, measured"),
    "teach": ("Teach", "Put wrong plans right"),
}
"""The places of the app, in the order of its menu: name and what it is for."""
OF_LAB = "results"
"""The place that only the laboratory can fill."""
_templates = Jinja2Templates(str(files("camphor") / "web" / "templates"))


@router.get("/", response_model=None)
def home() -> RedirectResponse:
    return RedirectResponse("/chat", 303)


@router.get("/enter/{ticket}")
def enter(request: Request, ticket: str) -> HTMLResponse:
    """The one-time address. Its page leads on: after a redirect from elsewhere a strict cookie would not be sent."""
    try:
        request.scope["guard"].admit(request.scope["session"], ticket)
    except NotEntered:
        return HTMLResponse(no_entry(), 401)
    return _templates.TemplateResponse(request, "entered.html")


@router.get("/worker.js")
def worker() -> FileResponse:
    """What shows notifications: at the top, since a worker reaches only what lies beside it and below."""
    return FileResponse(Path(str(files("camphor"))) / "web" / "static" / "worker.js", media_type="text/javascript")


@router.get("/welcome/code")
def code(request: Request) -> HTMLResponse:
    """Where the pass code is asked for."""
    return _page(request, "code.html", "", "Pass code")


@router.get("/welcome")
def welcome(request: Request) -> HTMLResponse:
    """Leads a new person through the first minutes."""
    return _page(request, "welcome.html", "welcome", "Welcome")


@router.get("/{place}")
def place(request: Request, place: str) -> HTMLResponse:
    """One of the places; a page that says so for anything else."""
    if place not in _places():
        return _page(request, "missing.html", "", "Not found", status=404)
    return _page(request, f"{place}.html", place, PLACES[place][0])


def _page(request: Request, template: str, place: str, title: str, status: int = 200) -> HTMLResponse:
    services: Services = request.app.state.services
    context = {
        "place": place,
        "title": title,
        "places": _places(),
        "csrf": request.scope["csrf"],
        "first": services.first,
        "entered": bool(request.scope["session"].get("in")),
        "destination": services.destination,
    }
    return _templates.TemplateResponse(request, template, context, status_code=status)


def _places() -> dict[str, tuple[str, str]]:
    return {name: told for name, told in PLACES.items() if name != OF_LAB or lab.is_installed()}
