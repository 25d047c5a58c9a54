"""The apps that every camphor knows. Any other app brings its own manifest in the device file."""

from __future__ import annotations

from dataclasses import replace
from functools import cache

from camphor.device.android.toolbox import android_toolbox
from camphor.device.apps.android_people import AndroidApp, AndroidContacts, AndroidMessaging
from camphor.device.apps.android_phone import AndroidCommon, AndroidScheduling
from camphor.device.apps.base import App
from camphor.device.apps.clinic import Clinic
from camphor.device.apps.everyday import (
    Amazon,
    AppStore,
    Books,
    Fitness,
    Health,
    IMessage,
    Instagram,
    Mail,
    Maps,
    Music,
    News,
    Podcasts,
    Safari,
    Settings,
    VoiceMemos,
)
from camphor.device.apps.personal import Calendar, Contacts, Notes, Reminders
from camphor.tools.readers import from_function
from camphor.tools.tool import Kind, Tool
from camphor.types import Agent

# In the contract's order.
_APPS: tuple[type[App], ...] = (
    Contacts, Calendar, Mail, IMessage, Reminders, Notes, Music, Podcasts, News, Safari, Health, Fitness, Settings,
    VoiceMemos, Books, AppStore, Maps, Amazon, Instagram,
)  # fmt: skip

BUILT_IN_APPS: dict[str, type[App]] = {app.name: app for app in _APPS}
"""The contract's built-in apps by name: the embedded model was trained on their tools."""

ANDROID_APPS: dict[str, type[AndroidApp]] = {
    app.name: app for app in (AndroidScheduling, AndroidContacts, AndroidCommon, AndroidMessaging)
}

KNOWN_APPS: dict[str, type[App]] = {**BUILT_IN_APPS, **ANDROID_APPS, Clinic.name: Clinic}
"""These, the Android apps and the clinic: all that need no manifest."""


@cache
def tools_of(app: str) -> tuple[Tool, ...]:
    """The tools of an app that needs no manifest, in the order of its file; the app runs them by name."""
    if app in ANDROID_APPS:
        return tuple(replace(tool, function=None) for tool in android_toolbox() if tool.app == app)
    found = []
    for method in vars(KNOWN_APPS[app]).values():
        kind = getattr(method, "tool_kind", None)
        if kind is not None:
            agent = Agent.CONTEXT if kind is Kind.CONTEXT else Agent.TASK
            # bound to anything, the method has the tool's own signature
            tool = from_function(method.__get__(object()), by_name=True, kind=kind, agent=agent, app=app)
            found.append(replace(tool, function=None))
    return tuple(found)
