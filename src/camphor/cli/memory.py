"""`camphor memory`: what the assistant remembers of a person, for the person to see, add to, correct and delete."""

from __future__ import annotations

import json
import sys
from collections.abc import Generator
from contextlib import closing
from typing import TYPE_CHECKING, Annotated, Any

import typer

from camphor.cli.home import device_to_change, open_device, write_whole
from camphor.cli.options import DeviceOption, JsonOption, OutOption, WordsArgument, YesOption
from camphor.cli.text import agrees, is_attended, print_json, print_table, say
from camphor.errors import Refused, UsageError

if TYPE_CHECKING:
    from camphor.agents.memory.known_facts import MemoryReply
    from camphor.agents.memory.long_term import LongTermMemory
    from camphor.device.device import Device
    from camphor.device.memories import Memory

app = typer.Typer(
    help="What the assistant remembers of you: see it with where it came from, add to it, correct it, delete it. "
    "It stays on the device.",
    no_args_is_help=True,
)

NumberArgument = Annotated[int, typer.Argument(metavar="MEMORY", help="Its number, as  memory list  tells it.")]


@app.command("list")
def list_(
    about: Annotated[list[str] | None, typer.Argument(help="Only what has to do with this, best first.")] = None,
    all_: Annotated[
        bool, typer.Option("--all", help="Also what is no longer so, and that something was forgotten.")
    ] = False,
    device: DeviceOption = None,
    json_: JsonOption = False,
) -> None:
    """List what is remembered, each with your own words, when you said them, and its state.

    \b
    camphor memory list
    camphor memory list my sister
    """
    from camphor.agents.memory.editing import about as about_what
    from camphor.device.memories import MemoryState

    wanted = tuple(MemoryState) if all_ else (MemoryState.CONFIRMED, MemoryState.UNSURE)
    with closing(open_device(device)) as phone:
        memories = about_what(phone, phone.memories.all(wanted), " ".join(about or ()))
        gone = {memory.id for memory in memories if phone.memories.gone(memory)}
        year, paused = phone.now.year, phone.memories.paused
    if json_:
        rows = [{**memory.to_json(), "items_gone": memory.id in gone} for memory in memories]
        print_json({"paused": paused, "memories": rows})
        return
    table = [_row(memory, memory.id in gone, year) for memory in memories]
    print_table(["", "what", "where from", "state"], table, "Episodes are not noted (paused)" if paused else None)


@app.command("remember")
def remember(
    words: WordsArgument,
    instead: Annotated[bool, typer.Option("--instead", help="It holds in the place of what it contradicts.")] = False,
    both: Annotated[bool, typer.Option("--both", help="It holds beside what it contradicts.")] = False,
    device: DeviceOption = None,
) -> None:
    """Remember a sentence. One that contradicts another is kept as not sure until you say which holds.

    \b
    camphor memory remember my sister is Nora
    camphor memory remember "my dentist is Dr Ode" --instead
    """
    from camphor.agents.memory import editing as memory_editing
    from camphor.app import clean_query

    said = clean_query(" ".join(words), "camphor memory remember my sister is Nora")
    if instead and both:
        raise UsageError("--instead and --both contradict each other: give one of them")
    hold = memory_editing.Hold.INSTEAD if instead else memory_editing.Hold.BOTH if both else memory_editing.Hold.ASK
    with device_to_change(device) as phone:
        kept = memory_editing.remember(phone, said, hold)
    say(kept.response)
    if kept.doubt:
        number = kept.doubt.id
        raise Refused(
            f"Kept as not sure: say  camphor memory confirm {number}  (--both: the older one too), or forget it"
        )


@app.command("correct")
def correct(number: NumberArgument, words: WordsArgument, device: DeviceOption = None) -> None:
    """Put a sentence in the place of a memory, which then holds no longer.

    \b
    camphor memory correct 3 my dentist is Dr Ode
    """
    from camphor.agents.memory import editing as memory_editing
    from camphor.app import clean_query

    said = clean_query(" ".join(words), "camphor memory correct 3 my dentist is Dr Ode")
    with device_to_change(device) as phone:
        told = memory_editing.correct(phone, memory_editing.living(phone, number), said)
    say(told)


@app.command("confirm")
def confirm(
    number: NumberArgument,
    both: Annotated[bool, typer.Option("--both", help="What it contradicts holds too.")] = False,
    device: DeviceOption = None,
) -> None:
    """Say that a memory holds; what it contradicts holds no longer."""
    from camphor.agents.memory import editing as memory_editing

    with device_to_change(device) as phone:
        told = memory_editing.confirm(phone, memory_editing.living(phone, number), both=both)
    say(told)


@app.command("forget")
def forget(
    about: Annotated[
        list[str] | None, typer.Argument(metavar="[MEMORY | ABOUT]", help="Numbers, or what about.")
    ] = None,
    all_: Annotated[bool, typer.Option("--all", help="Everything.")] = False,
    yes: YesOption = False,
    device: DeviceOption = None,
) -> None:
    """Delete memories for good: by number, by what they are about, or all. You are asked unless you gave numbers.

    Their words are then in no file of the device; backups and copies that were made before are not reached.

    \b
    camphor memory forget 3 4
    camphor memory forget coffee
    """
    from camphor.agents.memory.remembering import Forget

    if bool(about) == all_:
        raise UsageError("Name numbers or what the memories are about, or give --all")
    words = about or []
    numbers = [int(word) for word in words if word.isascii() and word.isdigit() and len(word) < 18]
    if numbers and len(numbers) < len(words):
        raise UsageError("Give numbers, or what the memories are about, not both")
    with device_to_change(device) as phone:
        if missing := [number for number in numbers if number not in {each.id for each in _living(phone)}]:
            raise UsageError(f"There is no memory {missing[0]}: see  camphor memory list --all")
        wishes = [Forget(number=number) for number in numbers] or [Forget(" ".join(words), everything=all_, sure=False)]
        told = [_decide(_memory(phone).forget(wish), yes) for wish in wishes]
    for each in told:
        say(each.response if each else "I remember nothing about that.")
    if not all(told) or any(each.refused for each in told if each):
        raise typer.Exit(1)


@app.command("export")
def export(
    out: OutOption = None,
    device: DeviceOption = None,
) -> None:
    """Give out all that is remembered, in every state, as JSON."""
    with closing(open_device(device)) as phone:
        memories = [memory.to_json() for memory in _living(phone)]
        data = {"format": "camphor.memories/1", "device": phone.id, "memories": memories}
    text = json.dumps(data, ensure_ascii=False, indent=1) + "\n"
    if out is None:
        sys.stdout.write(text)
        return
    write_whole(out, text)
    say(f"Exported {len(memories)} memories: {out}")


@app.command("pause")
def pause(device: DeviceOption = None) -> None:
    """Note no more of what was done in conversations, until  memory resume. What you say to remember is still kept."""
    with device_to_change(device) as phone:
        phone.memories.pause(True)
    say("Paused: what is done is not noted until  camphor memory resume")


@app.command("resume")
def resume(device: DeviceOption = None) -> None:
    """Note again what was done in conversations."""
    with device_to_change(device) as phone:
        phone.memories.pause(False)
    say("What is done in conversations is noted again")


def _memory(phone: Device) -> LongTermMemory:
    from camphor.agents.memory.long_term import LongTermMemory

    return LongTermMemory(phone)


def _living(phone: Device) -> list[Memory]:
    from camphor.agents.memory.editing import LIVING

    return phone.memories.all(LIVING)


def _decide(asking: Generator[Any, Any, MemoryReply | None], yes: bool) -> MemoryReply | None:
    """Runs it to its end, with the person's word wherever it asks. Raises Refused: there is nobody to ask."""
    from camphor.agents.events import Answer, Decision

    decision: Decision | None = None
    try:
        while True:
            wanted = asking.send(decision)
            if not yes and not is_attended():
                raise Refused(f"Nothing was forgotten. {wanted.description}: run this in a terminal, or add --yes")
            sure = yes or agrees(f"{wanted.description}\n  Do it? yes or no: ")
            decision = Decision(Answer.YES if sure else Answer.NO)
    except EOFError:
        return None
    except StopIteration as stop:
        told: MemoryReply | None = stop.value
        return told


def _row(memory: Memory, gone: bool, year: int) -> list[str]:
    from camphor.agents.memory.provenance import what, when

    state = memory.state.value + (", its item is gone" if gone else "")
    origin = (
        f"{when(memory.origin, year)}: “{memory.origin.quote}”" if memory.origin.quote else when(memory.origin, year)
    )
    return [str(memory.id), what(memory), origin, f"{memory.kind.value}, {state}"]
