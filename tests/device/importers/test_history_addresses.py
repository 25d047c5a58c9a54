"""Addresses of pages: what stays of them, and what is cut off as it could let somebody in."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from camphor.device.importers.history_addresses import LONGEST, page_address
from tests.doubles.plans import UNHURRIED


@pytest.mark.parametrize(
    "address",
    [
        "https://example.org/",
        "https://example.org:8443/a/b;v=2?q=how+to+bake+bread+in+2026&page=3#crust",
        "https://www.youtube.com/watch?v=dQw4w9WgXcQ&t=42s",
        "https://no.wikipedia.org/wiki/Bl%C3%A5b%C3%A6r?action=history",
        "https://example.jp/検索?q=%E3%83%91%E3%83%B3%E3%81%AE%E4%BD%9C%E3%82%8A%E6%96%B9",
        "https://shop.example/list?keywords=lamp&design=1&monkey=yes&compass=n",
        "https://example.org/?author=Ibsen&country=no&postcard=1&sessile=x",
        "https://example.org/search?q=Donaudampfschifffahrtsgesellschaft&id=12345678901234567890",
    ],
)
def test_an_address_without_secrets_stays_as_it_is(address: str) -> None:
    assert page_address(address) == address


@pytest.mark.parametrize(
    ("address", "left"),
    [
        ("HTTPS://ann:hunter2@example.org/a", "https://example.org/a"),
        ("https://a@b@example.org/", "https://example.org/"),
        ("https://example.org/r?token=abc", "https://example.org/r"),
        ("https://example.org/r?q=lamps&Password=hunter2&page=2", "https://example.org/r?q=lamps&page=2"),
        ("https://example.org/r?resetToken=1;q=x", "https://example.org/r?q=x"),
        ("https://example.org/cb?code=4%2F0AX&state=xyz&scope=email", "https://example.org/cb?scope=email"),
        ("https://example.org/?user[pass_word]=hunter2", "https://example.org/"),
        ("https://example.org/?OTPCode=1&authcode=2&APIKey=3&access_key=4&userAuth=5&a=6", "https://example.org/?a=6"),
        ("https://example.org/?X-Amz-Signature=ab&X-Amz-Credential=cd&v=1", "https://example.org/?v=1"),
        ("https://example.org/?t=eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9.e30.x", "https://example.org/"),
        ("https://example.org/?eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9", "https://example.org/"),
        ("https://example.org/?k=9f86d081884c7d659a2feaa0c55ad015", "https://example.org/"),
        ("https://example.org/?k=0b5b9a1c-7f0e-4b7a-9d52-6a1f2a3b4c5d&a=1", "https://example.org/?a=1"),
        ("https://example.org/#access_token=abc&expires_in=3600", "https://example.org/"),
        ("https://example.org/app#/reset?token=abc", "https://example.org/app"),
        ("https://example.org/?next=https%3A%2F%2Fb.example%2F%3Fsid%3D12&a=1", "https://example.org/?a=1"),
        ("https://example.org/?next=%252Fcb%253Ftoken%253Dabc&a=1", "https://example.org/?a=1"),
        ("https://example.org/shop;jsessionid=1A2B?item=3", "https://example.org/shop?item=3"),
        ("https://example.org/?", "https://example.org/"),
    ],
)
def test_what_looks_like_a_secret_is_cut_off(address: str, left: str) -> None:
    assert page_address(address) == left


@pytest.mark.parametrize(
    "address",
    ["", "about:config", "chrome://settings/", "file:///home/ann/diary.html", "place:sort=8", "javascript:alert(1)",
     "moz-extension://0b5b9a1c/x.html", "ftp://example.org/", "data:text/html,x", "http://", "https:///x"],
)  # fmt: skip
def test_what_is_no_web_page_has_no_address(address: str) -> None:
    assert page_address(address) is None


def test_a_long_address_loses_its_query_and_one_that_is_too_long_all() -> None:
    assert page_address("https://example.org/a?q=" + "x" * LONGEST) == "https://example.org/a"
    assert page_address("https://example.org/" + "x" * LONGEST) == ""


@UNHURRIED
@given(st.text(max_size=80), st.sampled_from(["token", "pass", "sessionId", "api_key", "x-auth"]), st.text(max_size=80))
def test_a_named_secret_never_stays(before: str, name: str, after: str) -> None:
    found = page_address(f"https://example.org/{before}?{name}=hunter2&{after}")
    assert "hunter2" not in (found or "")
