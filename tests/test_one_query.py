"""docs/one-query.md tells what really happens: its query is answered by the model that ships."""

from __future__ import annotations

import re
from importlib.resources import files
from pathlib import Path

from camphor.app import Assistant, run_to_end
from camphor.device.device import Device
from camphor.models.base import Reply, Request
from camphor.models.llama import LlamaModel

ROOT = Path(__file__).parents[1]
PAGE = (ROOT / "docs/one-query.md").read_text(encoding="utf-8")


class Heard(LlamaModel):
    """The shipped model; what it writes is kept."""

    def complete(self, request: Request) -> Reply:
        reply = super().complete(request)
        self.replies = [*getattr(self, "replies", []), reply.text.strip()]
        return reply


def test_the_page_tells_what_the_model_writes_and_what_is_done(tmp_path: Path) -> None:
    asked = re.search(r'camphor ask "(.*)"', PAGE)
    assert asked
    with (
        Device.from_file(Path(str(files("camphor") / "demo" / "ines-dublin.device.json"))) as phone,
        Heard(merged_folder=tmp_path) as model,
    ):
        answered = run_to_end(Assistant(phone, model), asked[1], consent=True)
    agents, calls = model.replies[::2], model.replies[1::2]
    assert agents == ["personal_context", "task_completion"]
    for call in "; ".join(each.strip("[]") for each in calls).split("; "):
        assert f"`{call}`" in PAGE
    for action in answered.proposed:
        assert all(str(value) in PAGE for value in action.arguments.values())
    assert answered.response in PAGE


def test_the_modules_that_it_names_exist() -> None:
    for name in re.findall(r"`((?:\w+/)+(?:\w+\.py)?|app\.py)`", PAGE):
        assert (ROOT / "src/camphor" / name).exists(), name
