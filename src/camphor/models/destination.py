"""Where the words of a prompt go: they stay in this process, or a server reads them, here or on another computer."""

from __future__ import annotations

import re
from dataclasses import dataclass
from ipaddress import IPv4Address, IPv6Address, ip_address
from urllib.parse import SplitResult, urlsplit

from camphor.errors import UsageError

SERVERS = {"ollama": 11434, "lmstudio": 1234, "llama-server": 8080, "vllm": 8000}
"""Programs that serve models on this computer: the short name of each, and the port that it takes unless told."""
_FORWARDED = re.compile(r"[:-]cloud$")
"""How names end of which an Ollama on this computer keeps no weights: it hands what it is asked to its maker's."""
_MAKER = "ollama.com"


@dataclass(frozen=True)
class Destination:
    """A server that reads the prompts.

    Args:
        host: with its port, as people read it. model: the name that the server knows the model by.
        computer: the name of the other computer that reads them; None for this one.
        encrypted: whether nobody on the way can read them.
    """

    host: str
    model: str
    computer: str | None = None
    encrypted: bool = False

    @property
    def told(self) -> str:
        """One sentence for the person whose words they are."""
        if self.computer is None:
            return f"Your words go to {self.host} ({self.model}), another program on this computer"
        through = f"{self.computer} through " if self.computer not in self.host else ""
        open_ = "" if self.encrypted else ", unencrypted"
        return f"Your words go to ANOTHER COMPUTER: {through}{self.host} ({self.model}){open_}"


def full_name(name: str) -> str:
    """A model's name with the address in place of a server's short name: `ollama:qwen3:8b` and the like.

    Raises:
        UsageError: a short name without a model.
    """
    server, colon, model = name.partition(":")
    if not colon or server not in SERVERS:
        return name
    if not model:
        raise UsageError(f"{name} names no model of the server: see  camphor models --find")
    return f"http://127.0.0.1:{SERVERS[server]}/v1#{model}"


def short_name(address: str, model: str) -> str:
    """How `--model` takes a model of a server, as short as it goes."""
    for server, port in SERVERS.items():
        if address == f"http://127.0.0.1:{port}/v1":
            return f"{server}:{model}"
    return f"{address}#{model}"


def is_server(name: str) -> bool:
    """Whether the name of a model, as `--model` takes it, is one of a server."""
    return full_name(name).startswith(("http://", "https://"))


def destination_of(name: str | None) -> Destination | None:
    """Who reads the prompts of the model of that name; None for a model that runs in this process.

    Raises:
        UsageError: an address that cannot be used.
    """
    if name is None or not is_server(name):
        return None
    address, _, model = full_name(name).partition("#")
    url = server_address(address)
    host, port = url.hostname or "", url.port
    computer = None if is_this_computer(host) else host
    if computer is None and _FORWARDED.search(model):
        computer = _MAKER
    shown = f"[{host}]" if ":" in host else host
    told = f"{shown}:{port}" if port else shown
    return Destination(told, model, computer, url.scheme == "https" or computer == _MAKER)


def server_address(text: str) -> SplitResult:
    """The parts of a server's address.

    Raises:
        UsageError: it is none, or holds a password.
    """
    try:
        url = urlsplit(text)
        usable = url.scheme in ("http", "https") and url.hostname and url.port != 0 and not url.query
    except ValueError:
        usable, url = False, urlsplit("")
    if url.username or url.password:
        raise UsageError("The model server's address holds a password: give the key in an environment variable instead")
    if not usable or not re.fullmatch(r"[\x21-\x7e]+", text):
        raise UsageError(f"{text[:200]!r} is no address of a model server: give one such as http://127.0.0.1:8080/v1")
    return url


def is_this_computer(host: str) -> bool:
    """Whether a host is the loopback interface; what cannot be told for certain is another computer."""
    if host.rstrip(".").casefold() == "localhost":
        return True
    try:
        address: IPv4Address | IPv6Address = ip_address(host)
    except ValueError:
        return False
    mapped = address.ipv4_mapped if isinstance(address, IPv6Address) else None
    return (mapped or address).is_loopback
