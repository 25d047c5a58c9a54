"""What was listened to on Spotify and watched on YouTube: which plays count, what they become, and what is left out."""

from __future__ import annotations

import html
import io
import json
import random
import tracemalloc
import zipfile
from collections.abc import Iterable
from contextlib import suppress
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from dateutil import tz
from hypothesis import given
from hypothesis import strategies as st

from camphor.device.importers import SimpleImporter, Situation, Unread
from camphor.device.importers.plays import SPOTIFY, YOUTUBE
from camphor.errors import UsageError
from tests.doubles.plans import UNHURRIED

OSLO = Situation(datetime(2026, 5, 6, 9), tz.gettz("Europe/Oslo"))
Records = dict[str, dict[str, Any]]


def read(importer: SimpleImporter, path: Path, situation: Situation = OSLO) -> tuple[Records, Unread]:
    unread = Unread()
    found = list(importer.read(path, situation, unread))
    records = {f"{each.app}.{each.list} {each.key}": dict(each.record) for each in found}
    assert len(records) == len(found)
    json.dumps(records, allow_nan=False, ensure_ascii=False).encode()
    return records, unread


def values(records: Records) -> list[dict[str, Any]]:
    return list(records.values())


# Spotify


def last_year(end: str, title: str, artist: str = "Kari", ms: int = 200_000) -> dict[str, Any]:
    """A play as StreamingHistory_music_0.json has it: to the minute."""
    return {"endTime": end, "artistName": artist, "trackName": title, "msPlayed": ms}


def extended(
    at: str, title: str | None, artist: str = "Kari", album: str = "Songs", ms: int = 200_000
) -> dict[str, Any]:
    """A play as Streaming_History_Audio_2020_0.json has it: to the second, and with much that is not wanted."""
    return {
        "ts": at, "platform": "ios", "ms_played": ms, "conn_country": "NO", "ip_addr": "192.0.2.7",
        "master_metadata_track_name": title, "master_metadata_album_artist_name": artist if title else None,
        "master_metadata_album_album_name": album if title else None, "spotify_track_uri": None,
        "episode_name": None, "episode_show_name": None, "spotify_episode_uri": None, "audiobook_title": None,
        "reason_start": "trackdone", "reason_end": "trackdone", "shuffle": False, "skipped": False, "offline": False,
        "offline_timestamp": None, "incognito_mode": False,
    }  # fmt: skip


def episode(at: str, title: str, show: str) -> dict[str, Any]:
    return {**extended(at, None), "episode_name": title, "episode_show_name": show}


def write(path: Path, value: object) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(value, indent=2, ensure_ascii=False), encoding="utf-8")
    return path


def test_a_song_is_one_record_with_its_last_play_and_how_many_there_were(tmp_path: Path) -> None:
    folder = tmp_path / "Spotify Account Data"
    plays = [
        last_year("2025-07-01 10:00", "Fjell"),
        last_year("2026-01-02 22:59", "Fjell"),
        last_year("2025-12-24 18:00", "Fjell"),
        last_year("2025-12-24 18:00", "Fjell", artist="Ola"),
    ]
    write(folder / "StreamingHistory_music_0.json", plays)
    found, unread = read(SPOTIFY, folder)
    assert values(found) == [
        {"title": "Fjell", "artist": "Kari", "played": "2026-01-02T23:59:00", "plays": 3},
        {"title": "Fjell", "artist": "Ola", "played": "2025-12-24T19:00:00", "plays": 1},
    ]
    assert unread.count == 0
    write(folder / "StreamingHistory_music_0.json", plays[::-1])
    assert read(SPOTIFY, folder)[0] == found


def test_plays_under_half_a_minute_are_not_counted(tmp_path: Path) -> None:
    plays = [
        last_year("2026-01-01 10:00", "Skipped", ms=29_999),
        last_year("2026-01-01 10:00", "Heard", ms=30_000),
        last_year("2026-01-01 11:00", "Heard", ms=0),
    ]
    found, unread = read(SPOTIFY, write(tmp_path / "StreamingHistory0.json", plays))
    assert values(found) == [{"title": "Heard", "artist": "Kari", "played": "2026-01-01T11:00:00", "plays": 1}]
    assert unread.count == 0


def test_the_extended_history_has_albums_episodes_and_the_time_to_the_second(tmp_path: Path) -> None:
    plays = [
        extended("2020-03-29T00:30:15Z", "Før sommertid"),
        extended("2020-03-29T01:30:15Z", "Etter sommertid", album=""),
        extended("2021-01-01T12:00:00Z", None),  # a song that Spotify has no name for any more
        episode("2022-02-02T06:00:01Z", "#12: 東京の朝", "Ålreit"),
        {**extended("2022-02-02T06:00:01Z", None), "audiobook_title": "Sult"},
    ]
    path = write(tmp_path / "Streaming_History_Audio_2020-2022_0.json", plays)
    found, unread = read(SPOTIFY, path)
    assert sorted(values(found), key=lambda each: str(each["played"])) == [
        {"title": "Før sommertid", "artist": "Kari", "album": "Songs", "played": "2020-03-29T01:30:15", "plays": 1},
        {"title": "Etter sommertid", "artist": "Kari", "played": "2020-03-29T03:30:15", "plays": 1},
        {"title": "#12: 東京の朝", "show": "Ålreit", "played": "2022-02-02T07:00:01", "plays": 1},
    ]
    assert unread.count == 0


def test_what_two_exports_both_tell_is_one_play(tmp_path: Path) -> None:
    write(tmp_path / "MyData" / "StreamingHistory_music_0.json", [last_year("2026-01-02 22:59", "Fjell")])
    write(
        tmp_path / "Spotify Extended Streaming History" / "Streaming_History_Audio_2025-2026_3.json",
        [extended("2026-01-02T22:59:41Z", "Fjell"), extended("2025-01-02T22:59:41Z", "Fjell", album="Single")],
    )
    write(tmp_path / "old" / "endsong_0.json", [extended("2025-01-02T22:59:41Z", "Fjell", album="Single")])
    (song,) = values(read(SPOTIFY, tmp_path)[0])
    assert song == {"title": "Fjell", "artist": "Kari", "album": "Songs", "played": "2026-01-02T23:59:41", "plays": 2}


def test_saved_songs_are_songs_and_playlists_are_left_out(tmp_path: Path) -> None:
    uri = {"uri": "spotify:track:1"}
    library = {
        "tracks": [
            {"artist": "Kari", "album": "Songs", "track": "Fjell", **uri},
            {"artist": "Kari", "album": "Songs", "track": "Dal", **uri},
            {"artist": "Kari", "album": "Songs", "track": None, **uri},
        ],
        "albums": [{"artist": "Kari", "album": "Songs", "uri": "spotify:album:1"}],
        "shows": [], "episodes": [{"name": "On wool", "show": "Ålreit", "uri": "spotify:episode:1"}],
        "bannedTracks": [{"artist": "Ola", "album": "No", "track": "Never", **uri}], "artists": [], "bannedArtists": [],
        "other": ["spotify:x"],
    }  # fmt: skip
    write(tmp_path / "YourLibrary.json", library)
    write(tmp_path / "StreamingHistory_music_0.json", [last_year("2026-01-02 10:00", "Fjell")])
    write(tmp_path / "Playlist1.json", {"playlists": [{"name": "Party", "items": [{"track": {"trackName": "Loud"}}]}]})
    write(tmp_path / "SearchQueries.json", [{"platform": "IPHONE", "searchQuery": "loud"}])
    found, unread = read(SPOTIFY, tmp_path)
    song = {"artist": "Kari", "album": "Songs", "saved": True}
    assert values(found) == [
        {"title": "On wool", "show": "Ålreit", "saved": True},
        {"title": "Dal", **song},
        {"title": "Fjell", **song, "played": "2026-01-02T11:00:00", "plays": 1},
    ]
    assert unread.told == ["YourLibrary.json, record 3 of tracks: it has no title"]
    assert len(read(SPOTIFY, tmp_path / "YourLibrary.json")[0]) == 3


def test_a_zip_is_read_as_its_folder_and_never_unpacked(tmp_path: Path) -> None:
    path = tmp_path / "my_spotify_data.zip"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as packed:
        packed.writestr(
            "../../MyData/StreamingHistory_music_0.json", json.dumps([last_year("2026-01-02 10:00", "Fjell")])
        )
        packed.writestr("MyData/Read_Me_First.pdf", b"%PDF")
        podcast = {"endTime": "2026-01-03 10:00", "podcastName": "Ålreit", "episodeName": "On wool", "msPlayed": 9e5}
        packed.writestr("MyData/StreamingHistory_podcast_0.json", json.dumps([podcast]))
    assert SPOTIFY.recognises(path)
    assert not YOUTUBE.recognises(path)
    found, _ = read(SPOTIFY, path)
    assert [each["title"] for each in values(found)] == ["On wool", "Fjell"]
    assert list(tmp_path.iterdir()) == [path]


def test_what_is_broken_is_told_by_its_place_and_the_rest_is_read(tmp_path: Path) -> None:
    good = [json.dumps(last_year("2026-01-02 10:00", f"Song {number}"), indent=1) for number in range(4)]
    broken = [
        good[0],
        '{"endTime": "2026-01-02 10:00", "trackName": "Secret"; "msPlayed": 90000}',
        good[1],
        "17",
        json.dumps(last_year("2026-13-02 10:00", "Secret")),
        json.dumps({**last_year("2026-01-02 10:00", "Secret"), "msPlayed": "long"}),
        json.dumps(last_year("0001-01-01 00:00", "Secret")),
        good[2],
        "[" * 5000 + "]" * 5000,
        good[3],
    ]
    path = tmp_path / "StreamingHistory_music_0.json"
    path.write_text("[" + ",".join(broken))
    found, unread = read(SPOTIFY, path)
    assert [each["title"] for each in values(found)] == ["Song 0", "Song 1", "Song 2"]
    path.write_text("[" + ",".join([*broken[:8], good[3]]))
    found, unread = read(SPOTIFY, path)
    assert [each["title"] for each in values(found)] == ["Song 0", "Song 1", "Song 2", "Song 3"]
    assert unread.told == [
        "StreamingHistory_music_0.json, record 2: it is broken",
        "StreamingHistory_music_0.json, record 4: it is broken",
        "StreamingHistory_music_0.json, record 5: it has no time",
        "StreamingHistory_music_0.json, record 6: it has no time that it was played for",
        "StreamingHistory_music_0.json, record 7: it has no time",
        "StreamingHistory_music_0.json, record 10: it is broken",
    ]


@pytest.mark.parametrize("content", [b"", b"{}", b"\xff\xfe\x00", b"PK\x03\x04 and no zip", b'{"playlists": []}'])
def test_what_is_no_history_as_a_whole_is_an_error(tmp_path: Path, content: bytes) -> None:
    for name, importer in (("StreamingHistory0.json", SPOTIFY), ("watch-history.json", YOUTUBE)):
        path = tmp_path / name
        path.write_bytes(content)
        with pytest.raises(UsageError, match=r"it holds no|it is a damaged"):
            read(importer, path)


def test_a_download_that_is_damaged_in_part_is_read_where_it_is_not(tmp_path: Path) -> None:
    plays = [last_year("2026-01-02 10:00", f"{random.Random(number).random()}") for number in range(3000)]
    path = tmp_path / "my_spotify_data.zip"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as packed:
        packed.writestr("StreamingHistory_music_0.json", json.dumps(plays))
        packed.writestr("StreamingHistory_music_1.json", json.dumps([last_year("2026-01-02 10:00", "Fjell")]))
    path.write_bytes(damaged(path.read_bytes(), [(0.1, 16, b"\xff" * 16)]))
    found, unread = read(SPOTIFY, path)
    assert {"title": "Fjell", "artist": "Kari", "played": "2026-01-02T11:00:00", "plays": 1} in values(found)
    assert any(told.startswith("StreamingHistory_music_0.json") for told in unread.told)


def test_a_zip_that_is_encrypted_or_lies_is_told(tmp_path: Path) -> None:
    path = tmp_path / "my_spotify_data.zip"
    with zipfile.ZipFile(path, "w") as packed:
        packed.writestr("StreamingHistory_music_0.json", json.dumps([last_year("2026-01-02 10:00", "Fjell")]))
        packed.writestr("StreamingHistory_music_1.json", "[]")
    content = path.read_bytes()
    listed = content.index(b"PK\x01\x02")
    path.write_bytes(content[: listed + 8] + b"\x01" + content[listed + 9 :])
    assert read(SPOTIFY, path)[1].told == ["StreamingHistory_music_0.json: encrypted"]
    end = content.rindex(b"PK\x05\x06")
    path.write_bytes(content[: end + 12] + b"\x00\x00\x00\x7f" + content[end + 16 :])
    with pytest.raises(UsageError, match="far too many files"):
        read(SPOTIFY, path)
    path.write_bytes(content[: end - 9])
    with pytest.raises(UsageError, match=r"a damaged \.zip"):
        read(SPOTIFY, path)


def test_a_decade_of_listening_takes_little_memory(tmp_path: Path) -> None:
    chance, start = random.Random(1), datetime(2015, 1, 1)
    for part in range(4):
        moments = (start + timedelta(minutes=20 * number + 200_000 * part) for number in range(10_000))
        plays = [extended(f"{at.isoformat()}Z", f"Song {chance.randrange(2000)}") for at in moments]
        write(tmp_path / f"Streaming_History_Audio_{part}.json", plays)
    tracemalloc.start()
    count = plays_told = 0
    for each in SPOTIFY.read(tmp_path, OSLO, Unread()):
        count, plays_told = count + 1, plays_told + each.record["plays"]
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert (count, plays_told) == (2000, 40_000)
    assert peak < 4 << 20


# YouTube


def video(at: str, title: str, key: str = "abc", channel: str | None = "Fjellrad", **more: Any) -> dict[str, Any]:
    """A video as Takeout's JSON has it."""
    channels = [{"name": channel, "url": "https://www.youtube.com/channel/UC1"}] if channel else []
    return {
        "header": "YouTube", "title": title, "titleUrl": f"https://www.youtube.com/watch?v={key}",
        **({"subtitles": channels} if channels else {}), "time": at, "products": ["YouTube"],
        "activityControls": ["YouTube watch history"], **more,
    }  # fmt: skip


AD = {"details": [{"name": "From Google Ads"}]}


def takeout_json(videos: list[dict[str, Any]]) -> str:
    """As Takeout writes it: "=" and "&" as \\u003d and \\u0026."""
    return json.dumps(videos, indent=2, ensure_ascii=False).replace("=", "\\u003d").replace("&", "\\u0026")


def cell(told: str, details: str = "") -> str:
    """A video as Takeout's page has it."""
    body = "content-cell mdl-cell mdl-cell--6-col mdl-typography--body-1"
    return (
        '<div class="outer-cell mdl-cell mdl-cell--12-col mdl-shadow--2dp"><div class="mdl-grid"><div '
        'class="header-cell mdl-cell mdl-cell--12-col"><p class="mdl-typography--title">YouTube<br></p></div>'
        f'<div class="{body}">{told}</div><div class="{body} mdl-typography--text-right"></div><div '
        'class="content-cell mdl-cell mdl-cell--12-col mdl-typography--caption"><b>Products:</b><br>&emsp;YouTube<br>'
        f"{details}<b>Why is this here?</b><br>&emsp;This activity was saved to your Google Account because the "
        "following settings were on:&nbsp;YouTube watch history.&nbsp;You can control these settings &nbsp;<a "
        'href="https://myaccount.google.com/activitycontrols">here</a>.</div></div></div>'
    )


def link(key: str, title: str, channel: str = "Fjellrad") -> str:
    owner = f'<a href="https://www.youtube.com/channel/UC1">{html.escape(channel)}</a><br>'
    return f'<a href="https://www.youtube.com/watch?v={key}">{html.escape(title)}</a><br>{owner}'


def page(cells: Iterable[str]) -> str:
    head = '<html><head><title>Watch history</title><style>.a {b: c}</style></head><body><div class="mdl-grid">'
    return head + "".join(cells) + "</div></body></html>"


def test_a_video_is_a_page_with_the_last_time_it_was_seen(tmp_path: Path) -> None:
    videos = [
        video("2026-01-02T22:59:41.123Z", "Watched Å gå på ski & more"),
        video("2025-07-02T22:59:41Z", "Watched Å gå på ski"),
        video("2024-07-02T22:59:41.5Z", "Has visto Cómo", "es", None),
        video("2024-07-02T22:59:41.5Z", "Regen angesehen", "de"),
        video("2024-07-02T22:59:41.5Z", "Så på Fjord", "nb"),
        video("2024-07-02T22:59:41Z", "Watched https://www.youtube.com/watch?v=gone", "gone", None),
    ]
    path = tmp_path / "watch-history.json"
    path.write_text(takeout_json(videos), encoding="utf-8")
    assert YOUTUBE.recognises(path)
    assert not SPOTIFY.recognises(path)
    found, unread = read(YOUTUBE, path)
    address = "https://www.youtube.com/watch?v="
    assert values(found) == [
        {
            "title": "Å gå på ski & more",
            "url": f"{address}abc",
            "visited": "2026-01-02T23:59:41",
            "channel": "Fjellrad",
        },
        {"title": "Regen", "url": f"{address}de", "visited": "2024-07-03T00:59:41", "channel": "Fjellrad"},
        {"title": "Cómo", "url": f"{address}es", "visited": "2024-07-03T00:59:41"},
        {"url": f"{address}gone", "visited": "2024-07-03T00:59:41"},
        {"title": "Så på Fjord", "url": f"{address}nb", "visited": "2024-07-03T00:59:41", "channel": "Fjellrad"},
    ]
    assert next(iter(found)) == f"safari.pages {address}abc"
    assert unread.count == 0
    path.write_text(takeout_json(videos[::-1]), encoding="utf-8")
    assert read(YOUTUBE, path)[0] == found


def test_ads_searches_and_videos_that_are_gone_are_left_out(tmp_path: Path) -> None:
    gone = {"header": "YouTube", "title": "Watched a video that has been removed", "time": "2026-01-02T10:00:00Z"}
    videos = [
        video("2026-01-02T10:00:00Z", "Watched Buy", "ad", None, **AD),
        {
            **video("2026-01-02T10:00:00Z", "Searched for x"),
            "titleUrl": "https://www.youtube.com/results?search_query=x",
        },
        {**video("2026-01-02T10:00:00Z", "Watched y"), "titleUrl": "javascript:alert(1)"},
        gone,
        video("2026-01-02T10:00:00Z", "Watched kept"),
    ]
    path = tmp_path / "watch-history.json"
    path.write_text(takeout_json(videos), encoding="utf-8")
    found, unread = read(YOUTUBE, path)
    assert [each["title"] for each in values(found)] == ["kept"]
    assert unread.count == 0
    search = write(tmp_path / "search-history.json", videos)
    assert not YOUTUBE.recognises(search)


def test_the_page_tells_the_same_as_the_list(tmp_path: Path) -> None:
    narrow = "\u202f"
    cells = [
        cell("Watched\xa0" + link("abc", "Å gå på <ski>") + f"Jan 2, 2026, 11:59:41{narrow}PM CET<br>"),
        cell("Watched\xa0" + link("abc", "old") + "Jul 2, 2025, 12:05:00 AM CEST<br>"),
        cell(
            "Watched\xa0" + link("ad", "Buy") + "Jan 2, 2026, 1:00:00 PM CET<br>",
            "<b>Details:</b><br>&emsp;From Google Ads<br>",
        ),
        cell("Watched a video that has been removed<br>Jan 2, 2026, 1:00:00 PM CET<br>"),
        cell('Watched\xa0<a href="https://www.youtube.com/watch?v=x&amp;t=5">https://www.youtube.com/watch?v=x&amp;t=5</a>'
             "<br>Jul 4, 2020, 1:00:00 AM PDT<br>"),
    ]  # fmt: skip
    path = tmp_path / "watch-history.html"
    path.write_text(page(cells), encoding="utf-8")
    assert YOUTUBE.recognises(path)
    found, unread = read(YOUTUBE, path)
    address = "https://www.youtube.com/watch?v="
    assert values(found) == [
        {"title": "Å gå på <ski>", "url": f"{address}abc", "visited": "2026-01-02T23:59:41", "channel": "Fjellrad"},
        {"url": f"{address}x&t=5", "visited": "2020-07-04T10:00:00"},
    ]
    assert unread.count == 0


@pytest.mark.parametrize(
    ("told", "visited"),
    [
        ("Mar 5, 2024, 12:04:05 AM GMT+05:30", "2024-03-04T19:34:05"),
        ("5 Mar 2024, 15:04:05 GMT", "2024-03-05T16:04:05"),
        ("05.03.2024, 15:04:05 MEZ", "2024-03-05T15:04:05"),
        ("5. mars 2024, 15:04:05 CET", "2024-03-05T15:04:05"),
        ("5 août 2024, 15:04:05 CEST", "2024-08-05T15:04:05"),
        ("14 juil. 2024, 15:04:05 UTC+2", "2024-07-14T15:04:05"),
        ("5 de mar. de 2024, 15:04:05 BRT", "2024-03-05T19:04:05"),
        ("5 mrt 2024 15:04:05 CET", "2024-03-05T15:04:05"),
        ("5. mar. 2024 15.04.05 CET", "2024-03-05T15:04:05"),
        ("2024/03/05 15:04:05 JST", "2024-03-05T07:04:05"),
        ("12 ene 2024, 3:04:05 p. m. CET", "2024-01-12T15:04:05"),
        ("5 Mar 2024, 15:04:05 Oslo", "2024-03-05T15:04:05"),
        ("30 Feb 2024, 15:04:05 CET", None),
        ("yesterday", None),
    ],
)
def test_the_page_is_read_in_many_languages(tmp_path: Path, told: str, visited: str | None) -> None:
    path = tmp_path / "Wiedergabeverlauf.html"
    path.write_text(page([cell(link("abc", "A") + told + "<br>")]), encoding="utf-8")
    found, unread = read(YOUTUBE, path)
    assert [each.get("visited") for each in values(found)] == [visited]
    assert unread.told == ([] if visited else [
        "Wiedergabeverlauf.html, record 1: its time is missing or in a form that is not known"
    ])  # fmt: skip


def test_a_time_without_a_zone_is_the_machines_where_the_device_has_none(tmp_path: Path) -> None:
    path = tmp_path / "watch-history.html"
    path.write_text(page([cell(link("abc", "A") + "5 Mar 2024, 15:04:05<br>")]), encoding="utf-8")
    (seen,) = values(read(YOUTUBE, path, Situation(datetime(2026, 5, 6)))[0])
    assert seen["visited"] == "2024-03-05T15:04:05"


def test_a_takeout_zip_in_any_language_has_its_history_read_and_nothing_else(tmp_path: Path) -> None:
    path = tmp_path / "takeout-20260506T090000Z-001.zip"
    folder = "Takeout/YouTube en YouTube Music/"
    with zipfile.ZipFile(path, "w") as packed:
        packed.writestr("Takeout/Google Foto's/a.json", '{"title": "a.jpg"}')
        packed.writestr(f"{folder}abonnementen/abonnementen.csv", "Kanaal-ID\n")
        packed.writestr(
            f"{folder}geschiedenis/kijkgeschiedenis.json", takeout_json([video("2026-01-02T10:00:00Z", "A")])
        )
        packed.writestr(
            f"{folder}geschiedenis/zoekgeschiedenis.json", takeout_json([video("2026-01-02T10:00:00Z", "B", "b")])
        )
        packed.writestr(
            f"{folder}geschiedenis/観た.html", page([cell(link("c", "C") + "5 Mar 2024, 15:04:05 CET<br>")])
        )
    assert YOUTUBE.recognises(path)
    found, unread = read(YOUTUBE, path)
    assert [each["title"] for each in values(found)] == ["A", "C"]
    assert unread.count == 0
    other = tmp_path / "photos.zip"
    with zipfile.ZipFile(other, "w") as packed:
        packed.writestr("Takeout/Google Foto's/a.json", '{"title": "a.jpg"}')
    assert not YOUTUBE.recognises(other)
    with pytest.raises(UsageError, match="it holds no watch history"):
        read(YOUTUBE, other)


def test_a_cell_without_end_is_told_and_the_next_is_read(tmp_path: Path) -> None:
    path = tmp_path / "watch-history.html"
    good = cell(link("abc", "A") + "5 Mar 2024, 15:04:05 CET<br>")
    path.write_text(page(['<div class="outer-cell x">' + "x" * 400_000, good]), encoding="utf-8")
    found, unread = read(YOUTUBE, path)
    assert [each["title"] for each in values(found)] == ["A"]
    assert unread.told == ["watch-history.html, record 1: it is broken"]


def test_neither_is_a_whole_truth() -> None:
    assert not SPOTIFY.mirrors
    assert not YOUTUBE.mirrors


def test_other_things_are_not_recognised(tmp_path: Path) -> None:
    write(tmp_path / "notes" / "a.json", [{"a": 1}])
    write(tmp_path / "Playlist1.json", {"playlists": []})
    for importer in (SPOTIFY, YOUTUBE):
        for path in (tmp_path, tmp_path / "Playlist1.json", tmp_path / "notes" / "a.json", tmp_path / "nowhere"):
            assert not importer.recognises(path)


GOOD = {
    "StreamingHistory0.json": json.dumps([last_year("2026-01-02 10:00", "Fjell"), last_year("2026-01-02 11:00", "Å")]),
    "YourLibrary.json": json.dumps({"tracks": [{"artist": "Kari", "album": "Songs", "track": "Fjell"}]}),
    "watch-history.json": takeout_json(
        [video("2026-01-02T10:00:00Z", "Watched A"), video("2026-01-02T10:00:00Z", "B")]
    ),
    "watch-history.html": page([cell(link("abc", "A") + "5 Mar 2024, 15:04:05 CET<br>")] * 2),
}


def packed_bytes() -> bytes:
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w", zipfile.ZIP_DEFLATED) as packed:
        for name, text in GOOD.items():
            packed.writestr(f"YouTube/{name}", text)
    return content.getvalue()


def damaged(content: bytes, cuts: list[tuple[float, int, bytes]]) -> bytes:
    """With other bytes at some places, or cut there."""
    made = bytearray(content)
    for share, length, other in cuts:
        at = int(share * len(made))
        made[at : at + length] = other
    return bytes(made)


CUTS = st.lists(st.tuples(st.floats(0, 1), st.integers(0, 400), st.binary(max_size=6)), max_size=4)


@UNHURRIED
@given(st.sampled_from([*GOOD, "good.zip"]), CUTS, st.none() | st.binary(max_size=300))
def test_no_bytes_raise_anything_but_a_usage_error(
    tmp_path_factory: pytest.TempPathFactory, name: str, cuts: list[tuple[float, int, bytes]], other: bytes | None
) -> None:
    folder = tmp_path_factory.mktemp("plays")
    whole = packed_bytes() if name.endswith(".zip") else GOOD[name].encode()
    path = folder / name
    path.write_bytes(damaged(whole, cuts) if other is None else other)
    for importer in (SPOTIFY, YOUTUBE):
        importer.recognises(path)
        for place in (path, folder):
            with suppress(UsageError):
                read(importer, place)
