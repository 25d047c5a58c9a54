// Reports: the days and some longer times, one of them as blocks and charts, and as files to keep.

import { api, h, path } from "./app.js";
import { figure } from "./health_chart.js";
import { button, list } from "./health_parts.js";

export const LONGER = { 7: "7 days", 28: "4 weeks", 91: "3 months", 365: "a year" };
let parts = {};

export async function show(panel) {
  parts = { days: h("ul", { class: "days" }), report: h("div", { "aria-live": "polite" }) };
  panel.replaceChildren(h("h2", { class: "unseen" }, "Daily reports"), h("div", { class: "report-grid" }, h("nav", { "aria-label": "Days" }, parts.days), parts.report));
  const days = await api("GET", path("/reports"));
  const today = days[0]?.day;
  const longer = Object.entries(LONGER).map(([length, name]) => h("li", {}, button(`The last ${name}`.replace("last a ", "last "), () => open(today, Number(length)), "plain wide", { "data-shown": `${today}/${length}` })));
  parts.days.replaceChildren(
    ...longer,
    ...days.map((each, place) => h("li", {}, button([place ? each.title : `Today, ${each.title}`, " ", each.hours ? h("span", { class: "chip good" }, `${each.hours} h measured`) : null], () => open(each.day), "plain wide", { "data-shown": `${each.day}/1` }))),
  );
  const first = days.find((each) => each.hours) ?? days[0];
  if (first) await open(first.day);
}

async function open(day, days = 1) {
  for (const each of parts.days.querySelectorAll("[data-shown]")) {
    if (each.dataset.shown === `${day}/${days}`) each.setAttribute("aria-current", "true");
    else each.removeAttribute("aria-current");
  }
  parts.report.replaceChildren(h("p", { class: "quiet" }, "Putting it together…"));
  const told = await api("GET", path(`/reports/${day}?days=${days}`));
  parts.report.replaceChildren(
    h("h2", {}, told.title),
    h("p", { class: "quiet" }, told.subtitle),
    h("div", { class: "buttons" }, h("a", { class: "button", href: path(`/reports/${day}/pdf?days=${days}`), download: "" }, "PDF"), h("a", { class: "button plain", href: path(`/reports/${day}/page?days=${days}`), download: "" }, "Page to keep")),
    h("ul", { class: "tiles" }, told.tiles.map((tile) => h("li", { class: "card" }, h("span", { class: "quiet" }, tile.name), h("b", { class: `tone-${tile.tone}` }, tile.text)))),
    ...told.blocks.map(block),
    h("p", { class: "quiet" }, told.note),
  );
}

function block(each) {
  const main = each.lines.filter((line) => line.tone !== "quiet");
  const inside = [
    main.length ? list(main.map((line) => h("span", {}, h("span", { class: `tone-${line.tone}` }, line.text), line.source && h("small", { class: "quiet" }, ` (${line.source})`)))) : null,
    ...each.lines.filter((line) => line.tone === "quiet").map((line) => h("p", { class: "quiet" }, line.text)),
    each.plots.length ? h("div", { class: "plots" }, each.plots.map((plot) => illustrated(plot, "h4"))) : null,
    each.rows.length ? h("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": each.title }, table(each)) : null,
  ].filter(Boolean);
  return each.folded ? h("details", { class: "apart" }, h("summary", {}, each.title), inside) : h("section", {}, h("h3", { class: "block" }, each.title), inside);
}

const table = (each) => h("table", {}, each.head.some(Boolean) ? h("thead", {}, h("tr", {}, each.head.map((cell) => h("th", { scope: "col" }, cell)))) : null, h("tbody", {}, each.rows.map((row) => h("tr", {}, row.map((cell) => h("td", {}, cell))))));

/** A chart of a report with its title and what is told beside it. */
export const illustrated = (/** @type {any} */ { name, ...others }, /** @type {keyof HTMLElementTagNameMap} */ heading = "h3") => figure({ title: name, heading, ...others });
