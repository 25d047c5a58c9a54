package org.camphor.phone

/** Those actions whose intents give something back. */
val GIVE_RESULT = setOf(
    "android.intent.action.PICK",
    "android.intent.action.CREATE_DOCUMENT",
    "android.intent.action.OPEN_DOCUMENT",
    "android.intent.action.GET_CONTENT",
    "android.intent.action.RINGTONE_PICKER",
    "android.media.action.IMAGE_CAPTURE",
    "android.media.action.VIDEO_CAPTURE",
)

/** What may be started: the actions of camphor's 24 functions (src/camphor/device/android/functions), and no other. */
val ACTIONS = GIVE_RESULT + setOf(
    "android.intent.action.SET_ALARM",
    "android.intent.action.SET_TIMER",
    "android.intent.action.SHOW_ALARMS",
    "android.intent.action.INSERT",
    "android.intent.action.EDIT",
    "android.intent.action.VIEW",
    "android.intent.action.DIAL",
    "android.intent.action.SEND",
    "android.intent.action.SENDTO",
    "android.intent.action.SEND_MULTIPLE",
    "android.media.action.STILL_IMAGE_CAMERA",
    "android.media.action.VIDEO_CAMERA",
    "android.settings.SETTINGS",
    "android.settings.WIRELESS_SETTINGS",
    "android.settings.AIRPLANE_MODE_SETTINGS",
    "android.settings.WIFI_SETTINGS",
    "android.settings.APN_SETTINGS",
    "android.settings.BLUETOOTH_SETTINGS",
    "android.settings.DATE_SETTINGS",
    "android.settings.LOCALE_SETTINGS",
    "android.settings.INPUT_METHOD_SETTINGS",
    "android.settings.DISPLAY_SETTINGS",
    "android.settings.SECURITY_SETTINGS",
    "android.settings.LOCATION_SOURCE_SETTINGS",
    "android.settings.INTERNAL_STORAGE_SETTINGS",
    "android.settings.MEMORY_CARD_SETTINGS",
)
