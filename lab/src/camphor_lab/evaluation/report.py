"""`camphor lab report`: every table and plot of the comparisons, from the result files, as Markdown, PNG and HTML.

Nothing is computed here that a result file does not hold, and what no file holds is said with the command that makes
it. The papers' figures stand beside ours (`paper.toml`).
"""

from __future__ import annotations

import base64
import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from camphor.errors import MissingExtra, UsageError
from camphor_lab.evaluation import (
    plots,
    report_calling,
    report_context,
    report_health,
    report_models,
    report_own,
    report_sections,
    report_strategies,
)
from camphor_lab.evaluation.report_files import (
    Block,
    Missing,
    PlotBlock,
    Results,
    Section,
    TableBlock,
    TextBlock,
    papers,
)
from camphor_lab.evaluation.tables import markdown

TITLE = "Report"
INTRODUCTION = (
    "Every table and plot here is made from the files in `{folder}` by `camphor lab report`; none is written by hand. "
    "Scores are in percent. A dash means that a figure does not exist or was not recorded."
)
STYLE = """
body { font: 16px/1.5 system-ui, sans-serif; max-width: 62rem; margin: 2rem auto; padding: 0 1rem; color: #222; }
table { border-collapse: collapse; font-size: 0.85rem; margin: 1rem 0; display: block; overflow-x: auto; }
th, td { border-bottom: 1px solid #ddd; padding: 0.3rem 0.6rem; text-align: left; }
img { max-width: 100%; }
code, pre { background: #f3f3f3; padding: 0 0.2em; }
pre { padding: 0.6rem; overflow-x: auto; }
"""


@dataclass(frozen=True)
class ReportFiles:
    """What a report left: its files, and the titles of the sections that lack result files."""

    files: tuple[Path, ...]
    incomplete: tuple[str, ...]


def sections(results: Results) -> list[Section]:
    """All sections, in the order of the page."""
    published = papers()
    paper = published["camphor"]
    return [
        report_own.data_sets(results),
        report_strategies.strategies(results, paper),
        report_models.tuning(results, paper),
        report_sections.compression(results, paper),
        report_sections.prompt_forms(results, paper),
        report_sections.retrieval(results, paper),
        report_calling.tool_recall(results),
        report_own.costs(results),
        report_own.peers(results),
        report_own.public_sets(results, published),
        report_calling.function_calling(results, published["droidcall"]),
        report_context.context_retrieval(results, published["context"]),
        report_context.planner(results, published["context"]),
        report_context.context_assistant(results),
        report_health.health(results, published["health"]),
        report_own.ages_of_scores(results),
    ]


def write_page(results: Results, out: Path, *, as_html: bool = False) -> ReportFiles:
    """Write `OUT.md` and a picture `OUT-NAME.png` for each plot; `as_html` adds `OUT.html`, one file with all within.

    Raises:
        UsageError: a result file is broken, or the folder of `out` cannot be written to.
        MissingExtra: what draws plots or makes HTML is not installed.
    """
    made = sections(results)
    text, drawn = page(made, out.name, results.folder), [b for s in made for b in s.blocks if isinstance(b, PlotBlock)]
    pictures = [out.with_name(f"{out.name}-{plot.name}.png") for plot in drawn]
    try:
        for plot, picture in zip(drawn, pictures, strict=True):
            plots.save(plot.draw, picture, plot.height)
        contents = {"md": text, **({"html": html(text, out.parent)} if as_html else {})}
        paths = [out.with_name(f"{out.name}.{ending}") for ending in contents]
        for path, content in zip(paths, contents.values(), strict=True):
            path.write_text(content, encoding="utf-8")
    except OSError as error:
        raise UsageError(
            f"{out.parent} cannot be written to ({error.strerror}): name another place with --out"
        ) from error
    except ModuleNotFoundError as error:
        raise MissingExtra(f"{error.name}, which the report needs,", "eval", "camphor-lab") from error
    lacking = tuple(s.title for s in made if any(isinstance(block, Missing) for block in s.blocks))
    return ReportFiles((*paths, *pictures), lacking)


def page(made: Sequence[Section], name: str, folder: Path) -> str:
    """The page as Markdown; `name` is the beginning of the pictures' names."""
    parts = [f"# {TITLE}\n", INTRODUCTION.format(folder=f"{folder.name}/") + "\n"]
    for section in made:
        parts.append(f"## {section.title}\n")
        parts += [_markdown(block, name) for block in section.blocks]
    return "\n".join(parts)


def _markdown(block: Block, name: str) -> str:
    if isinstance(block, TextBlock):
        return f"{block.text}\n"
    if isinstance(block, TableBlock):
        return markdown(block.header, [[cell if cell is not None else "-" for cell in row] for row in block.rows])
    if isinstance(block, PlotBlock):
        return f"![{block.caption}]({name}-{block.name}.png)\n"
    return "\n".join([f"Not measured yet: {block.what}. It is made by", "", "```sh", *block.commands, "```", ""])


def html(text: str, folder: Path) -> str:
    """The page as one HTML file: its pictures, read from `folder`, are within it."""
    from markdown_it import MarkdownIt

    body = MarkdownIt("commonmark", {"html": False}).enable("table").render(text)

    def inline(found: re.Match[str]) -> str:
        data = base64.b64encode((folder / found[1]).read_bytes()).decode()
        return f'src="data:image/png;base64,{data}"'

    body = re.sub(r'src="([\w.-]+\.png)"', inline, body)
    head = '<meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">'
    head += f"<title>{TITLE}</title><style>{STYLE}</style>"
    return f'<!doctype html>\n<html lang="en"><head>{head}</head>\n<body>\n{body}</body></html>\n'
