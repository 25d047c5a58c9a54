"""Importers of the chats that messengers export: WhatsApp, Telegram and Signal."""

from __future__ import annotations

from camphor.device.importers.signal_export import SIGNAL
from camphor.device.importers.telegram import TELEGRAM
from camphor.device.importers.whatsapp import WHATSAPP

__all__ = ["SIGNAL", "TELEGRAM", "WHATSAPP"]
