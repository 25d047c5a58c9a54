// The report's sections as tables and pictures. What the files say is shown as text alone.

import { $, api, h, one, tabs, trying } from "./app.js";
import { showCompare } from "./compare.js";


/** **bold** and `code` of a sentence as elements. */
function inline(text) {
  return text.split(/(\*\*[^*]+\*\*|`[^`]+`)/).map((part) => {
    if (part.startsWith("**") && part.length > 4) return h("b", {}, ...inline(part.slice(2, -2)));
    if (part.startsWith("`") && part.length > 2) return h("code", {}, part.slice(1, -1));
    return part;
  });
}

/** Paragraphs and fenced commands. */
function words(text) {
  return text
    .split(/^```.*$/m)
    .map((part, place) => [part.trim(), place % 2])
    .filter(([part]) => part)
    .map(([part, fenced]) => (fenced ? h("pre", { class: "commands" }, part) : h("p", {}, inline(part))));
}

const figure = (text) => text !== null && /^[-+−\d(]/.test(text);

function table(block, title) {
  const side = (place) => (place && block.rows.every((row) => row[place] === null || figure(row[place])) ? "figure" : "");
  const columns = block.header.map((_, place) => side(place));
  return h(
    "div",
    { class: "scroll", tabindex: "0", role: "region", "aria-label": title },
    h(
      "table",
      {},
      h("thead", {}, h("tr", {}, block.header.map((name, place) => (name ? h("th", { scope: "col", class: columns[place] }, name) : h("td"))))),
      h(
        "tbody",
        {},
        block.rows.map((row) => h("tr", {}, row.map((cell, place) => (place ? h("td", { class: columns[place] }, cell ?? "–") : h("th", { scope: "row" }, inline(cell ?? "–")))))),
      ),
    ),
  );
}

function shown(block, title, version) {
  if (block.kind === "words") return words(block.text);
  if (block.kind === "table") return table(block, title);
  if (block.kind === "plot") {
    const src = `/api/results/plots/${encodeURIComponent(block.name)}?${version}`;
    return h("figure", {}, h("img", { src, alt: block.caption, width: block.width, height: block.height, loading: "lazy", class: "plot" }), h("figcaption", { class: "quiet" }, block.caption));
  }
  return h("div", { class: "card" }, h("p", {}, `Not measured yet: ${block.what}. It is made by`), h("pre", { class: "commands" }, block.commands.join("\n")));
}

async function showReport() {
  const told = await api("GET", "/api/results");
  $("measured").setAttribute("aria-busy", "false");
  if (!told.sections.length) {
    $("measured-state").textContent = "There are no result files here yet.";
    $("report").replaceChildren(
      h("div", { class: "card" }, h("h2", {}, "How to measure"), h("p", {}, "A run over a data set writes a result file; start the server with the folder that holds it:"), h("pre", { class: "commands" }, told.how.join("\n"))),
    );
    return;
  }
  $("measured-state").textContent = `From the files in ${told.folder}/; nothing here is written by hand. A dash stands for what was not measured.`;
  $("report").replaceChildren(
    ...told.sections.map((each, place) => h("section", { id: `section-${place}`, "aria-labelledby": `title-${place}` }, h("h2", { id: `title-${place}`, tabindex: "-1" }, each.title), each.blocks.flatMap((block, part) => shown(block, `${each.title}, part ${part + 1}`, told.version)))),
  );
  $("contents").hidden = false;
  one($("contents"), "details", HTMLDetailsElement).open = matchMedia("(min-width: 46rem)").matches;
  one($("contents"), "ul").replaceChildren(
    ...told.sections.map((each, place) =>
      h("li", {}, h("a", { href: `#title-${place}`, onclick: (event) => go(event, place) }, each.title)),
    ),
  );
}

function go(event, place) {
  event.preventDefault(); // the address keeps the tab
  $(`title-${place}`).scrollIntoView();
  $(`title-${place}`).focus({ preventScroll: true });
}

let compared = false;
tabs(document.querySelector('[role="tablist"]'), (id) => {
  if (id !== "compare" || compared) return;
  compared = true;
  trying(showCompare);
});
trying(showReport);
