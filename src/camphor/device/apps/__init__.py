"""The apps that every camphor knows. Any other app brings its own manifest in the device file."""

from __future__ import annotations

from camphor.device.apps.base import App
from camphor.device.apps.body import Fitness, Health
from camphor.device.apps.media import Books, Music, News, Podcasts, VoiceMemos
from camphor.device.apps.messages import IMessage, Mail
from camphor.device.apps.personal import Calendar, Contacts, Notes, Reminders
from camphor.device.apps.places import Amazon, Instagram, Maps
from camphor.device.apps.system import AppStore, Safari, Settings

# In the contract's order.
_APPS: tuple[type[App], ...] = (
    Contacts, Calendar, Mail, IMessage, Reminders, Notes, Music, Podcasts, News, Safari, Health, Fitness, Settings,
    VoiceMemos, Books, AppStore, Maps, Amazon, Instagram,
)  # fmt: skip

BUILT_IN_APPS: dict[str, type[App]] = {app.name: app for app in _APPS}
"""The built-in apps by name."""
