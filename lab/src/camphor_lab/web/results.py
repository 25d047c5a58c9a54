"""Results: the tables and plots of `camphor lab report`, straight from the result files of the server's folder."""

from __future__ import annotations

import tempfile
import threading
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Literal

from fastapi import APIRouter, Request, Response
from fastapi import Path as InPath
from pydantic import BaseModel, Field

from camphor.errors import MissingExtra, UsageError
from camphor.web.health import of_server
from camphor.web.problems import NotFound
from camphor.web.services import services_of
from camphor_lab.evaluation import plots
from camphor_lab.evaluation.report import sections
from camphor_lab.evaluation.report_files import Missing, PlotBlock, Results, Section, TableBlock, TextBlock

router = APIRouter(prefix="/api/results", tags=["results"])
MADE_BY = (
    "camphor lab evaluate data/handwritten-development/items.jsonl --out results/handwritten-development.json",
    "camphor serve --results results",
)
"""How somebody comes by result files, and shows them."""
WIDTH, DOTS = 880, 110
"""A plot's width in pixels, and its pixels an inch (`evaluation.plots.save`)."""


class Paragraph(BaseModel):
    kind: Literal["words"] = "words"
    text: str = Field(description="Plain text with **bold**, `code` and fenced blocks of commands")


class Figures(BaseModel):
    kind: Literal["table"] = "table"
    header: list[str]
    rows: list[list[str | None]] = Field(description="The first cell names the row; null is what nobody measured")


class Picture(BaseModel):
    kind: Literal["plot"] = "plot"
    name: str
    caption: str
    width: int
    height: int


class NotMeasured(BaseModel):
    kind: Literal["missing"] = "missing"
    what: str
    commands: list[str] = Field(description="What measures it")


class ReportPart(BaseModel):
    title: str
    blocks: list[Annotated[Paragraph | Figures | Picture | NotMeasured, Field(discriminator="kind")]]


class ResultsTold(BaseModel):
    """All sections of the report; none where the server has no result files."""

    folder: str = Field(description='The name of the folder; "" where there is none')
    version: str = Field(description="Another one as soon as a file changed")
    sections: list[ReportPart]
    how: list[str] = Field(description="Commands that make result files and show them, where there are none")


@dataclass
class FolderReport:
    """The report of one state of the folder. A plot holds the files it is drawn from, so a drawn one is let go."""

    version: str = ""
    parts: list[ReportPart] = field(default_factory=list)
    plots: dict[str, PlotBlock] = field(default_factory=dict)
    drawn: dict[str, bytes] = field(default_factory=dict)
    lock: threading.Lock = field(default_factory=threading.Lock)

    def of(self, folder: Path) -> FolderReport:
        """Read what changed. Raises UsageError: a result file is broken."""
        version = _version(folder)
        if version == self.version:  # the lock may be held for seconds, while plots are drawn
            return self
        with self.lock:
            if version != self.version:
                made = _sections(folder)
                blocks = [block for section in made for block in section.blocks]
                self.plots, self.drawn = {each.name: each for each in blocks if isinstance(each, PlotBlock)}, {}
                self.parts = [
                    ReportPart(title=each.title, blocks=[_block(block) for block in each.blocks]) for each in made
                ]
                self.version = version
        return self

    def picture(self, name: str) -> bytes:
        """A plot as PNG. Raises NotFound: there is none of that name. MissingExtra: matplotlib is not there."""
        with self.lock:  # matplotlib draws one at a time
            if name not in self.drawn:
                if name not in self.plots:
                    raise NotFound("There is no such plot: the result files may have changed")
                self.drawn[name] = _drawn(self.plots[name])
                del self.plots[name]
            return self.drawn[name]


@router.get("")
def results(request: Request) -> ResultsTold:
    """Every table, and where its plots are: nothing but what the result files hold."""
    folder = services_of(request).results
    if folder is None or not any(folder.glob("*.json")):
        return ResultsTold(folder="", version="", sections=[], how=list(MADE_BY))
    report = of_server(request, "report", FolderReport).of(folder)
    return ResultsTold(folder=folder.name, version=report.version, sections=report.parts, how=[])


@router.get("/plots/{name}", response_class=Response, responses={200: {"content": {"image/png": {}}}})
def picture(request: Request, name: Annotated[str, InPath(pattern=r"^[\w.-]{1,100}$")]) -> Response:
    """One plot, as PNG."""
    folder = services_of(request).results
    if folder is None:
        raise NotFound("The server has no result files")
    report = of_server(request, "report", FolderReport).of(folder)
    return Response(report.picture(name), media_type="image/png", headers={"cache-control": "private, max-age=600"})


def _version(folder: Path) -> str:
    found = sorted((path.name, path.stat().st_mtime_ns, path.stat().st_size) for path in folder.glob("*.json"))
    return f"{hash(tuple(found)) & 0xFFFFFFFFFFFF:012x}"


def _sections(folder: Path) -> list[Section]:
    try:
        return sections(Results(folder))
    except (KeyError, TypeError, ValueError, AttributeError, IndexError, StopIteration) as error:
        raise UsageError(
            f"A result file in {folder.name} has not what the report reads from it ({type(error).__name__}: {error}): "
            f"make it again, or take it out of the folder"
        ) from error


def _drawn(plot: PlotBlock) -> bytes:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "plot.png"
        try:
            plots.save(plot.draw, path, plot.height)
        except ModuleNotFoundError as error:
            raise MissingExtra(f"{error.name}, which draws plots,", "eval", "camphor-lab") from error
        return path.read_bytes()


def _block(block: TextBlock | TableBlock | PlotBlock | Missing) -> Paragraph | Figures | Picture | NotMeasured:
    if isinstance(block, TextBlock):
        return Paragraph(text=block.text)
    if isinstance(block, TableBlock):
        return Figures(header=list(block.header), rows=[list(row) for row in block.rows])
    if isinstance(block, PlotBlock):
        return Picture(name=block.name, caption=block.caption, width=WIDTH, height=int(block.height * DOTS))
    return NotMeasured(what=block.what, commands=list(block.commands))
