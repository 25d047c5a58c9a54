"""The four apps of a simulated Android phone, in DroidCall's groups (section 3.2.2).

They get what apps on a phone get, an intent, and do what a person at the phone would then have done: save the form,
take the photo, send the message. Where a person chooses, the choice follows from the records alone, so that it is the
same every time.
"""

from __future__ import annotations

from camphor.device.apps.android.base import AndroidApp
from camphor.device.apps.android.common import AndroidCommon
from camphor.device.apps.android.contacts import AndroidContacts
from camphor.device.apps.android.messaging import AndroidMessaging
from camphor.device.apps.android.scheduling import AndroidScheduling

ANDROID_APPS: dict[str, type[AndroidApp]] = {
    app.name: app for app in (AndroidScheduling, AndroidContacts, AndroidCommon, AndroidMessaging)
}
"""The apps by name."""

__all__ = ["ANDROID_APPS", "AndroidApp"]
