"""The mark of where words go, as a person sees it, and the question what may go with them."""

from __future__ import annotations

import pytest

from camphor.device.sharing import read_rules
from tests.doubles.browser import Page, Serving

FAR, NEAR = "http://192.168.1.5:11434/v1#qwen3:8b", "ollama:qwen3:8b"
SIZES = ((1280, 800), (390, 844), (320, 640))
WHERE = """
const mark = document.getElementById("leaving").getBoundingClientRect(), page = document.documentElement;
const over = document.elementFromPoint(mark.x + mark.width / 2, mark.y + mark.height / 2);
const inside = mark.left >= 0 && mark.right <= page.clientWidth && mark.top >= 0 && mark.bottom < innerHeight;
return [inside, Boolean(over?.closest("#leaving")), page.scrollWidth <= page.clientWidth];
"""
SHOWN = ((FAR, "Another computer 192.168.1.5:11434"), (NEAR, "Words go to 127.0.0.1"))


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize(
    ("name", "text"), [(FAR, "Another computer 192.168.1.5:11434"), (NEAR, "Words go to 127.0.0.1")]
)
def test_it_is_in_sight_at_every_size(page: Page, server: Serving, name: str, text: str, size: tuple[int, int]) -> None:
    server.services.model_name = name
    page.as_known()
    page.driver.execute_cdp_cmd(
        "Emulation.setDeviceMetricsOverride",
        {"width": size[0], "height": size[1], "deviceScaleFactor": 1, "mobile": size[0] < 600},
    )
    try:
        page.open("/memory")
        page.says("#leaving", text)
        assert page.script(WHERE) == [True, True, True]
    finally:
        page.driver.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})


def test_the_person_is_asked_once_what_may_be_seen_there(page: Page, server: Serving) -> None:
    server.services.model_name = FAR
    page.as_known()
    page.open("/chat")
    page.says("dialog h2", "What 192.168.1.5 may see")
    assert page.script("return document.querySelector('dialog [value=calendar]').checked") is True
    assert page.script("return document.querySelector('dialog [value=health]').checked") is False
    page.script("document.querySelector('dialog [value=mail]').click()")
    page.press("dialog button", "It may see these")
    page.says(".notice", "192.168.1.5 may see: contacts, calendar, imessage")
    kept = read_rules(server.phone().path)["192.168.1.5"]
    assert "calendar" in kept
    assert not {"mail", "health", "memory"} & kept
    page.open("/chat")
    page.press("#leaving")
    page.says("dialog", "Cancel")
    assert page.script("return document.querySelector('dialog [value=mail]').checked") is False
