"""Playing, showing, downloading, posting, and finishing what was begun."""

from __future__ import annotations

from camphor.types import Agent
from camphor_lab.datasets.bank import slots_of
from camphor_lab.datasets.wishes import LookUp, Unfit, Wish, World, best_words, find, same, saying, situation, unique


@situation(3.5)
def music(world: World) -> Wish:
    world.need("music")
    songs = world.phone.records("music", "songs")
    song = world.pick(songs)
    line, joined = world.line("music")
    title = song["title"]
    if "title" in slots_of(line):
        said = best_words(world, songs, song, title) if world.rng.random() < 0.2 else title
        keyword = said
        if "artist" in slots_of(line) and said != title:
            raise Unfit("too many words")
    else:
        said, keyword = title, song["artist"]
    if not unique(songs, keyword, song):
        raise Unfit("several songs")
    lookup = find("get_music_playlist", keyword=keyword)
    values = {"title": said, "artist": song["artist"], "album": song["album"]}
    return saying("music", line, joined, values, [lookup], [same("play_music", title=title)], "lookup")


@situation(2.5)
def podcast(world: World) -> Wish:
    world.need("podcasts")
    episodes = world.phone.records("podcasts", "episodes")
    episode = world.pick(episodes)
    line, joined = world.line("podcast")
    keyword = said = episode["title"]
    if "title" not in slots_of(line):
        keyword = episode["show"]
    elif world.rng.random() < 0.25 and "show" not in slots_of(line):
        keyword = said = best_words(world, episodes, episode, said)
    if not unique(episodes, keyword, episode):
        raise Unfit("several episodes")
    lookup = find("get_podcasts_history", keyword=keyword)
    values = {"title": said, "show": episode["show"]}
    acts = [same("play_podcasts", title=episode["title"])]
    return saying("podcast", line, joined, values, [lookup], acts, "lookup")


@situation(3.5)
def place(world: World) -> Wish:
    world.need("maps")
    places = world.phone.records("maps", "places")
    chosen = world.pick(places)
    line, joined = world.line("place")
    name, category = chosen["name"], chosen["category"]
    said, keyword = world.rng.choice(
        ((name, name), (f"the {category}", category), (f"my {category}", category), (name, name))
    )
    if not unique(places, keyword, chosen):
        raise Unfit("several places")
    lookup = find("get_maps_places", keyword=keyword)
    return saying(
        "place", line, joined, {"place": said, "name": said}, [lookup], [same("show_maps_place", name=name)], "lookup"
    )


@situation(2.5)
def item(world: World) -> Wish:
    world.need("amazon")
    line, joined = world.line("item")
    orders = world.phone.records("amazon", "orders")
    if world.rng.random() < 0.35 and orders:
        order = world.pick(orders)
        said = best_words(world, orders, order, order["item"])
        lookup = find("get_amazon_orders", keyword=said)
        phrase = world.rng.choice((f"the {said} I ordered", f"that {said} from my orders", f"the {said} I bought"))
        return saying(
            "item", line, joined, {"item": phrase}, [lookup], [same("show_amazon_item", name=order["item"])], "lookup"
        )
    name = world.pick(world.bank.content["items"])
    return saying("item", line, joined, {"item": name}, [], [same("show_amazon_item", name=name)])


@situation(2)
def download(world: World) -> Wish:
    world.need("appstore")
    line, joined = world.line("download")
    app = world.pick(world.bank.content["apps"])
    return saying("download", line, joined, {"app": app}, [], [same("download_appstore_app", app_name=app)])


@situation(2)
def post(world: World) -> Wish:
    world.need("instagram")
    line, joined = world.line("post")
    said = world.bank.say(world.rng, "post")
    bare = line.endswith("{post}") and world.rng.random() < 0.4
    text = said.said if bare else f"'{said.said}'"
    act = same("create_instagram_post", content=said.written[0])
    return saying("post", line, joined, {"post": text}, [], [act])


@situation(1.6)
def resume(world: World) -> Wish:
    if world.phone.resume is None:
        raise Unfit("nothing was begun")
    tool, parameter, value = world.phone.resume
    line, joined = world.line("resume")
    lookups = [LookUp(Agent.PERCEPTION, "get_intent")]
    return saying("resume", line, joined, {}, lookups, [same(tool, **{parameter: value})], "perception implicit")
