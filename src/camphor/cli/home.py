"""The data folder, and which phone a command means.

`$CAMPHOR_HOME`, or else the data folder that the operating system gives to programs. Devices are kept in it as store
files, `devices/NAME.camphor`.
"""

from __future__ import annotations

import json
import os
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from importlib.resources import as_file, files
from pathlib import Path
from shlex import quote
from typing import TYPE_CHECKING, Any

from camphor.cli.text import tell_left_out
from camphor.errors import DefinitionError, DeviceFileError, StoreError, UsageError

if TYPE_CHECKING:
    from camphor.device.android.adb import AdbPhone
    from camphor.device.device import Device
    from camphor.device.mcp_servers import KeptServers
    from camphor.tools.tool import Tool

DEMO = "ines-dublin"
SUFFIX = ".camphor"
_STORE_START = b"SQLite format 3\x00"


def data_folder() -> Path:
    """Where camphor keeps what it must remember. It need not exist yet."""
    chosen = os.environ.get("CAMPHOR_HOME")
    if chosen:
        return Path(chosen).expanduser()
    from platformdirs import user_data_path

    return user_data_path("camphor", appauthor=False)


def cache_folder() -> Path:
    """Where files are kept that can be made again: `cache` in `CAMPHOR_HOME`, or the system's place for such."""
    chosen = os.environ.get("CAMPHOR_HOME")
    if chosen:
        return Path(chosen).expanduser() / "cache"
    from platformdirs import user_cache_path

    return user_cache_path("camphor", appauthor=False)


def config_folder() -> Path:
    """Where settings are kept: `CAMPHOR_HOME`, or the system's place for such. It need not exist yet."""
    chosen = os.environ.get("CAMPHOR_HOME")
    if chosen:
        return Path(chosen).expanduser()
    from platformdirs import user_config_path

    return user_config_path("camphor", appauthor=False)


def store_path(name: str) -> Path:
    """The store file of a kept device.

    Raises:
        UsageError: the name could not be a file name.
    """
    from camphor.device.format import KEPT_NAME

    if not KEPT_NAME.fullmatch(name):
        raise UsageError(f"{name[:80]!r} cannot be a device's name: use letters, digits, - and _, at most 64 of them")
    return data_folder() / "devices" / f"{name}{SUFFIX}"


def kept_devices() -> list[str]:
    """Names of the devices in the data folder."""
    return sorted(path.stem for path in (data_folder() / "devices").glob(f"*{SUFFIX}") if not path.stem.startswith("."))


def is_phone_file(spec: str | None) -> bool:
    """True for a device file in JSON: it is worked on as a copy in memory, and no change of it is kept."""
    return spec is not None and Path(spec).is_file() and not _is_store(Path(spec))


def open_device(spec: str | None) -> Device:
    """Open the phone that `--device` names.

    A store file or the name of a kept device is opened as it is. A JSON device file is read into memory and stays as it
    is on disk. None is the demo phone, which is copied into the data folder when it is first used.

    Raises:
        UsageError: there is no such device, or its file is broken. StoreError: it cannot be read, or is in use.
    """
    from camphor.device.device import Device

    if spec is None or (spec == DEMO and not Path(spec).exists()):
        return bind_functions(Device.open(demo_store(DEMO, f"{DEMO}.device.json")))
    path = Path(spec).expanduser()
    try:
        if path.is_dir():
            raise UsageError(f"{spec} is a folder: name a .device.json file, a {SUFFIX} file or a device of yours")
        if path.is_file():
            return bind_functions(Device.open(path) if _is_store(path) else Device.from_file(path))
    except ValueError as error:  # a null character in the path
        raise UsageError(f"{spec[:80]!r} is not a file name") from error
    return attach(bind_functions(Device.open(_kept(spec))), spec)


@contextmanager
def device_to_change(spec: str | None) -> Iterator[Device]:
    """The phone that `--device` names, to change what it keeps; closed at the end.

    Raises:
        UsageError: it is a device file, of which no change would be kept; or as `open_device`.
    """
    if is_phone_file(spec):
        raise UsageError(f"{spec} is a device file, and those stay as they are: first  camphor device import {spec}")
    with closing(open_device(spec)) as phone:
        yield phone


def _kept(name: str) -> Path:
    names = sorted({DEMO, *kept_devices()})
    if name in names:
        return store_path(name)
    raise UsageError(f"There is no device {name[:200]!r}: name a device file, or one of {', '.join(names)}")


def _is_store(path: Path) -> bool:
    with path.open("rb") as file:
        return file.read(len(_STORE_START)) == _STORE_START


def demo_store(name: str, file: str) -> Path:
    """The store of a demo phone, which is made of its file when it is first used."""
    store = store_path(name)
    if not store.exists():
        with as_file(files("camphor") / "demo" / file) as source:
            keep(read_device(source), name, replace=False, quiet=True)
    return store


def read_device(path: Path) -> dict[str, Any]:
    """The device that a file holds, in the form of the contract's section 1.

    Raises:
        UsageError: the file is missing or breaks the format.
    """
    from camphor.device.device import Device

    if not path.is_file():
        raise UsageError(f"There is no file {path}: name a .device.json or {SUFFIX} file")
    device = Device.open(path) if _is_store(path) else Device.from_file(path)
    try:
        return device.export()
    finally:
        device.close()


def keep(data: dict[str, Any], name: str, *, replace: bool, quiet: bool = False) -> Path:
    """Put a device into the data folder, whole or not at all.

    Args:
        replace: write over a device of that name; quiet: leave one that is there, and say nothing.

    Raises:
        UsageError: the name is taken. DeviceFileError: the data break the format.
    """
    from camphor.device.device import Device

    target = store_path(name)
    if target.exists() and not replace:
        if quiet:
            return target
        raise UsageError(
            f"There is a device {name} already: add --replace to write over it, or --name to call this one otherwise"
        )
    target.parent.mkdir(parents=True, exist_ok=True)
    # A folder beside the target: whatever files the store makes are on the same disk and vanish together.
    with tempfile.TemporaryDirectory(prefix=".new-", dir=target.parent) as folder:
        made = Path(folder) / target.name
        try:
            Device.create(made, data).close()
        except DeviceFileError as error:  # nobody can look at the file that was made here
            raise DeviceFileError(name, error.pointer, error.expected) from None
        if replace:
            from camphor.device.health.database import forget_health
            from camphor.device.sharing import forget_rules
            from camphor.device.talks import forget_talks
            from camphor.retrieval.context.relevance import forget_index
            from camphor.trajectories.taught import forget_taught

            same = not target.exists() or _is_of(target, data)  # refuses when another process works on it
            forget_functions(target)  # the new one may name any folder
            made.replace(target)
            forget_index(target)
            for end in ("-wal", "-shm"):  # of the phone that was there: another process may have it open still
                target.with_name(target.name + end).unlink(missing_ok=True)
            if not same:
                forget_health(target)
                forget_talks(target)
                forget_taught(target)
                forget_rules(target)
        else:
            _link(made, target, quiet)
    return target


def remove(name: str) -> None:
    """Delete a kept device for good: its records, its memories, its health, its conversations, what was taught on it.

    Its words are then in no file of the data folder; the demo phone is there again, as at first, when it is next used.

    Raises:
        UsageError: there is no device of that name. StoreError: a file of it cannot be deleted.
    """
    from camphor.device.database import erase_database
    from camphor.device.health.database import forget_health
    from camphor.device.sharing import forget_rules
    from camphor.device.talks import forget_talks
    from camphor.retrieval.context.relevance import forget_index
    from camphor.trajectories.taught import forget_taught

    target = store_path(name)
    if not target.exists():
        raise UsageError(f"There is no device {name}: name one of {', '.join(kept_devices()) or 'none that is kept'}")
    # the store goes last: what belongs to it must never be found beside another of its name
    forget_health(target)
    forget_talks(target)
    forget_taught(target)
    forget_functions(target)
    forget_rules(target)
    try:
        forget_index(target)
        erase_database(target)
    except OSError as error:
        raise StoreError(f"{target}: it cannot be deleted ({error.strerror}): delete it and try again") from error


def _is_of(store: Path, data: dict[str, Any]) -> bool:
    """Whether the phone that is kept is the one that the data describe: its owner's vitals and doses then stay."""
    from camphor.device.device import Device

    with closing(Device.open(store)) as phone:
        return (phone.id, phone.owner) == (data["id"], data.get("owner") or "")


def _link(made: Path, target: Path, quiet: bool) -> None:
    """Give `made` its name unless someone else did meanwhile."""
    try:
        os.link(made, target)
    except FileExistsError:
        if not quiet:
            raise UsageError(
                f"There is a device {target.stem} already: it was made just now by another process"
            ) from None
    except OSError:  # a file system without hard links
        made.replace(target)


def write_whole(path: Path, content: str | bytes, private: bool = False) -> None:
    """Write a file so that it is either the old one or the whole new one; a private one only its owner can read.

    Raises:
        UsageError: its folder does not exist, or it is one.
    """
    if path.is_dir() or not path.parent.is_dir():
        raise UsageError(f"{path} cannot be written: name a file in a folder that exists")
    beside = path.with_name(f"{path.name}.{os.getpid()}.new")
    try:
        if private:
            beside.touch(mode=0o600)  # never open to others, not for a moment
        beside.write_bytes(content if isinstance(content, bytes) else content.encode())
        beside.replace(path)
    except BaseException:
        beside.unlink(missing_ok=True)
        raise


# Which functions are trusted on which phone, and which device acts on a real phone.


def bind_functions(device: Device) -> Device:
    """The device with the functions of its apps, as far as this person has installed those very files on it.

    What a device file says is no trust: it may come from anybody, and name any folder. A folder that cannot be loaded
    leaves the phone usable: its tools say why when they are called.
    """
    from camphor.tools.modules import changed, hashes, read_folder, read_sources

    folders, store = device.function_folders, device.path
    if not folders or store is None:
        return device
    _bind_servers(device, store)
    known = _installed().get(str(store.resolve()), {})
    for app, folder in folders.items():
        if folder not in known:
            continue
        try:
            sources = read_sources(Path(folder))
            if other := changed(known[folder], hashes(sources)):
                device.bind(app, (), _changed_since(other, store, folder))
            else:
                device.bind(app, read_folder(folder, sources))
        except DefinitionError as error:
            device.bind(app, (), str(error))
    return device


def tools_of_file(path: Path) -> tuple[Tool, ...]:
    """The tools of a file or folder, as `camphor.tools.listing.read_tools`; what it has beside is told."""
    from camphor.tools.listing import read_tools

    left_out: list[str] = []
    tools = read_tools(path, left_out=left_out)
    tell_left_out(left_out)
    return tools


def kept_servers() -> KeptServers:
    """Which MCP servers are trusted on which phone."""
    from camphor.device.mcp_servers import KeptServers

    return KeptServers(data_folder() / "mcp.json")


def _bind_servers(device: Device, store: Path) -> None:
    """The tools of the MCP servers that were added on that phone; a server is started when one of them is called."""
    from camphor.device.manifests import MCP

    apps = [name for name, folder in device.function_folders.items() if folder.startswith(MCP)]
    if not apps:
        return
    from camphor.device.mcp_client import McpConnection, bound_tools

    for name, server in kept_servers().of(store).items():
        if name in apps:
            connection = McpConnection(server)
            device.before_close.append(connection.close)
            device.bind(name, bound_tools(server, connection))


def _changed_since(files: Sequence[str], store: Path, folder: str) -> str:
    """What to say of files that are not those that were installed."""
    kept = store.stem in kept_devices() and store_path(store.stem).resolve() == store.resolve()
    more = f" and {len(files) - 1} more" if len(files) > 1 else ""
    command = f"camphor device install {quote(store.stem if kept else str(store))} {quote(folder)}"
    return f"{files[0]}{more} changed after it was installed: look at what is there, then run  {command}"


def forget_functions(store: Path) -> None:
    """Nothing is installed any more on the phone of that store: another one takes its name, or none."""
    kept_servers().forget(store)
    installed = _installed()
    if installed.pop(str(store.resolve()), None) is not None:
        _write_installed(installed)


Installed = dict[str, dict[str, dict[str, str]]]
"""By the store of a phone and the folder of an app: the SHA-256 of each Python file when it was installed."""


def _functions_file() -> Path:
    return data_folder() / "functions.json"


def _installed() -> Installed:
    try:
        found = json.loads(_functions_file().read_text(encoding="utf-8"))
    except FileNotFoundError:
        return {}
    except ValueError:
        raise UsageError(f"{_functions_file()}: expected a JSON object of phones: mend or remove it") from None
    return found if isinstance(found, dict) else {}  # before there were hashes it was a list of folders


def remember_functions(store: Path, folder: str, files: dict[str, str]) -> None:
    """The Python files of a folder, by their SHA-256, are trusted on the phone of that store."""
    installed = _installed()
    installed.setdefault(str(store.resolve()), {})[folder] = files
    _write_installed(installed)


def _write_installed(installed: Installed) -> None:
    _functions_file().parent.mkdir(parents=True, exist_ok=True)
    write_whole(_functions_file(), json.dumps(installed, ensure_ascii=False, indent=1, sort_keys=True) + "\n")


def attach(device: Device, name: str) -> Device:
    """The device; one that was connected under this name now acts on its phone."""
    link = _links().get(name)
    if link:
        device.connect(lambda: linked_phone(link))
    return device


Link = dict[str, Any]
"""How a phone is reached: {"serial", "host", "port"} of an adb server, or {"here": true} for the one that runs this.
With "companion": true the app on it is asked too, with its "token", which is "" where the environment has it."""


def linked_phone(link: Link) -> AdbPhone:
    """The phone that a link leads to."""
    from camphor.device.android.adb import AdbPhone, AdbShell

    if link.get("here"):
        from camphor.device.android.termux import TermuxCommands, TermuxPhone

        return TermuxPhone(TermuxCommands(), data_folder() / "files")
    where = str(link["serial"]), str(link["host"]), int(link["port"])
    if link.get("companion"):
        from camphor.device.android.companion import TOKEN_VARIABLE, CompanionPhone, CompanionShell

        return CompanionPhone(CompanionShell(*where), os.environ.get(TOKEN_VARIABLE) or str(link.get("token", "")))
    return AdbPhone(AdbShell(*where))


def remember_link(name: str, link: Link) -> None:
    """The device of that name acts on that phone."""
    links = {**_links(), name: link}
    data_folder().mkdir(parents=True, exist_ok=True)
    write_whole(data_folder() / "phones.json", json.dumps(links, indent=1) + "\n", private=True)  # tokens are in it


def _links() -> dict[str, Any]:
    try:
        found = json.loads((data_folder() / "phones.json").read_text(encoding="utf-8"))
    except FileNotFoundError:
        return {}
    except (OSError, ValueError) as error:
        raise UsageError(
            f"{data_folder() / 'phones.json'} cannot be read: {error}: remove it and connect anew"
        ) from None
    return found if isinstance(found, dict) else {}
