// Charts of vital signs and doses, drawn by uPlot: lines with the range around them, pairs, bars, or rows of pieces of
// time, with the limits that are looked for. What was not measured is left out. A canvas is nothing to a screen reader,
// so the same is a table.

import { h } from "./app.js";

const { uPlot } = /** @type {any} */ (window);
const HEIGHT = 190;
const MINUTES = [1, 2, 5, 10, 20, 30, 60, 120, 180, 240, 360];
const ROWS = 48; // of the table: an hour has one or two
const APART = 6; // pixels between values from which on each has a dot
const LETTERS = '12px system-ui, "Segoe UI", Roboto, "Noto Sans", sans-serif';
const pad = (number) => String(number).padStart(2, "0");
const hour = (minute) => `${pad(minute === 1440 ? 24 : Math.floor(minute / 60) % 24)}:${pad(Math.floor(minute % 60))}`;
const colour = (name) => getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).trim();
const drawn = new Set();

// the colours are those of the theme: drawn anew when it changes
const again = () => {
  for (const each of drawn) {
    if (each.root.isConnected) each.redraw(false);
    else drawn.delete(each);
  }
};
new MutationObserver(again).observe(document.documentElement, { attributes: true, attributeFilter: ["data-theme"] });
matchMedia("(prefers-color-scheme: dark)").addEventListener("change", again);

// a value is an array; what is left out of it is the same for all: [begin, value, least, most, end, its time in words]
const known = (value) => value && value[1] !== null;
const end = (value, { bar, form }) => value[4] ?? value[0] + (form === "bars" ? bar : 0);
const middle = (value, model) => (value[0] + end(value, model)) / 2;
const time = (value) => value[5] ?? hour(value[0]);
const least = (value) => value[2] ?? value[1];
const most = (value) => value[3] ?? value[1];

/**
 * A chart: an element, whose method `show(values, first, last, told)` puts other values of its one series into it.
 * form: "lines", "pairs", "bars" or "rows"; series: [{name, role, values}]; role: the colour.
 * first, last: the time that is seen: minutes of a day, or with ticks ([[place, name]]) any other.
 * gap: time without a value that cuts the line; bar: what one bar covers that has no end; day: the date, in words.
 * spans: [{at, until, role, name}]; usual: [[least, most]]; limits: [{value, above, urgent}]; told: what it shows.
 * hears: is told the values under the pointer, as text.
 */
export function chart({ form = "lines", series, first = 0, last = 1440, ticks = [], decimals = 0, name = "", unit = "", day = "", gap = 16, bar = 13, spans = [], usual = [], limits = [], told = "", hears = /** @type {(text: string) => void} */ (() => {}) }) {
  const model = { form, series, first, last, gap, bar, spans, usual, limits };
  const place = /** @type {HTMLDivElement & { show: Function }} */ (h("div", { class: "chart", role: "img", "aria-label": told }));
  const part = { stroke: () => "transparent", width: 0, points: { show: false } };
  const line = { ...part, stroke: () => colour("main"), width: 1.6 };
  const axis = { stroke: () => colour("quiet"), font: LETTERS, labelFont: LETTERS, labelSize: 18, ticks: { show: false } };
  const named = ticks.length > 0;
  const under = ({ cursor }) => {
    if (cursor.idx === null || cursor.idx === undefined) return;
    const values = [0, -1, 1].map((step) => model.rows[cursor.idx + step]?.[1]).find((each) => each?.some(known)) ?? [];
    const said = values.map((value, number) => known(value) && `${series.length > 1 ? `${series[number].name} ` : ""}${written(value[1], decimals)}${unit === "%" ? "%" : ` ${unit}`}`).filter(Boolean);
    if (said.length) hears(`${time(values.find(known))}  ${said.join(", ")}`);
  };
  const rows = form === "rows";
  const options = {
    width: 320,
    height: HEIGHT,
    padding: [10, 22, 0, 0],
    legend: { show: false },
    cursor: { x: true, y: false, drag: { x: false, y: false }, points: { size: 8, fill: () => colour("text"), stroke: () => colour("text") } },
    scales: { x: { time: false, range: () => [model.first, model.last] }, y: { range: (_, low, high) => reach(low, high, decimals, model) } },
    axes: [
      { ...axis, grid: { show: false }, size: 28, gap: 7, label: day || null, ...(named ? calendar(ticks) : { space: 52, incrs: MINUTES, values: (_, all) => all.map(hour) }) },
      { ...axis, grid: { stroke: () => colour("line"), width: 1 }, gap: 5, size: wide, ...(rows ? names(series) : { space: 32, incrs: steps(decimals), values: (_, all) => all.map((value) => written(value, decimals)), label: unit || name || null }) },
    ],
    series: [{}, ...series.flatMap(() => [part, part, form === "lines" ? line : part])],
    bands: form === "lines" ? series.map((_, number) => ({ series: [3 * number + 1, 3 * number + 2], fill: () => colour("range") })) : [],
    hooks: { setCursor: [under], drawClear: [(plot) => behind(plot, model)], draw: [(plot) => (form === "bars" || rows ? boxes : dots)(plot, model)] },
  };
  const plot = new uPlot(options, columns(model), place);
  drawn.add(plot);
  new ResizeObserver(() => place.clientWidth && plot.setSize({ width: place.clientWidth, height: HEIGHT })).observe(place);
  place.show = (values, from, to, words) => {
    Object.assign(model, { series: [{ ...series[0], values }], first: from, last: to });
    place.setAttribute("aria-label", words);
    plot.setData(columns(model));
  };
  return place;
}

/** A chart with its title, what is told beside it, and its numbers. */
export function figure({ title, simulated, captions, chart: shown, heading = /** @type {keyof HTMLElementTagNameMap} */ ("h3") }) {
  const heard = h("output", { class: "quiet" }, "");
  const drawn = shown && chart({ ...shown, hears: (text) => (heard.textContent = text) });
  const mark = simulated ? h("span", { class: "chip warn" }, "simulated") : null;
  const head = h("figcaption", {}, h(heading, {}, title, " ", mark, " ", heard), captions.map((each) => h("p", { class: "quiet" }, each)));
  return h("figure", { class: "card figure" }, head, drawn, shown?.form === "bars" && shown.series.length > 1 ? key(shown.series) : null, shown && table(shown));
}

const key = (series) => h("ul", { class: "key" }, series.map((each) => h("li", {}, h("span", { class: `swatch ${each.role}` }), each.name)));

/** The values of a chart as a table, folded: at most some dozens of rows. */
function table({ form = "lines", series, decimals, unit, name, bar = 13 }) {
  const rows = joined({ form, series, bar });
  const every = form === "rows" ? 1 : Math.max(1, Math.ceil(rows.length / ROWS));
  const cell = (value) => (known(value) ? `${written(value[1], decimals)}${most(value) > least(value) ? ` (${written(least(value), decimals)} to ${written(most(value), decimals)})` : ""}` : "");
  const made = () =>
    h(
      "div",
      { class: "scroll numbers", tabindex: "0", role: "region", "aria-label": `${name}, numbers` },
      h(
        "table",
        {},
        h("thead", {}, h("tr", {}, ["Time", ...series.map((each) => `${each.name}${unit ? `, ${unit}` : ""}`)].map((each) => h("th", { scope: "col" }, each)))),
        h("tbody", {}, grouped(rows, every, form, series.length).map((values) => h("tr", {}, [time(values.find(known)), ...values.map(cell)].map((each) => h("td", {}, each))))),
      ),
    );
  const folded = h("details", {}, h("summary", {}, "Numbers", h("span", { class: "unseen" }, ` of ${name}`)));
  folded.addEventListener("toggle", () => folded.children.length === 1 && folded.append(made()));
  return folded;
}

/** Several rows as one: of each series the mean or the sum, the least and the greatest value. */
function grouped(rows, every, form, width) {
  const one = (values) => {
    const sum = values.reduce((before, each) => before + each[1], 0);
    const spread = form === "bars" ? [null, null] : [Math.min(...values.map(least)), Math.max(...values.map(most))];
    return values.length ? [values[0][0], form === "bars" ? sum : sum / values.length, ...spread, null, values[0][5]] : null;
  };
  const found = [];
  for (let first = 0; first < rows.length; first += every) {
    const part = rows.slice(first, first + every);
    found.push(Array.from({ length: width }, (_, number) => one(part.map((row) => row[1][number]).filter(known))));
  }
  return found.filter((values) => values.some(known));
}

const written = (value, decimals) => value.toLocaleString([], { maximumFractionDigits: decimals });

/** The values of all series by their place: [place, [a value of each]], null where the line of one is to be cut. */
function joined(model) {
  const found = new Map();
  const put = (place, number, value) => {
    if (!found.has(place)) found.set(place, Array(model.series.length));
    found.get(place)[number] = value;
  };
  model.series.forEach(({ values }, number) => {
    let before = null;
    for (const value of values) {
      if (model.form === "lines" && before && value[0] - before[0] > model.gap) put((middle(before, model) + middle(value, model)) / 2, number, null);
      put(middle(value, model), number, known(value) ? value : null);
      before = value;
    }
  });
  return [...found].sort((one, other) => one[0] - other[0]);
}

/** Columns as uPlot has them: of each series its greatest and least values and, over them, what is drawn. */
function columns(model) {
  model.rows = joined(model);
  const seen = { bars: top, rows: (_, number) => model.series.length - number - 0.5 }[model.form];
  const parts = seen ? [() => null, () => null, seen] : [most, least, (value) => value[1]].map((part) => (values, number) => part(values[number]));
  const column = (part, number) => model.rows.map(([, values]) => values[number] && part(values, number));
  return [model.rows.map(([place]) => place), ...model.series.flatMap((_, number) => parts.map((part) => column(part, number)))];
}

/** Where a bar ends that stands on those of the series before it. */
const top = (values, number) => values.slice(0, number + 1).reduce((sum, each) => sum + (known(each) ? each[1] : 0), 0);

/** The values that are seen: all there are, with some air, what is usual, and the limits that are near them. */
function reach(low, high, decimals, { form, series, usual, limits }) {
  if (form === "rows") return [0, series.length];
  if (low === null || low === undefined) return [0, 1];
  if (form === "bars") return [0, Math.max(high, 1) * 1.05];
  [low, high] = [Math.min(low, ...usual.map((each) => each[0])), Math.max(high, ...usual.map((each) => each[1]))];
  const size = Math.max(high - low, 6 * 10 ** -decimals);
  const near = limits.map((each) => each.value).filter((each) => each > low - size / 2 && each < high + size / 2);
  const [bottom, peak] = [Math.min(low, ...near), Math.max(high, ...near)];
  const air = Math.max((peak - bottom) * 0.08, 2 * 10 ** -decimals);
  return [bottom >= 0 ? Math.max(0, bottom - air) : bottom - air, peak + air];
}

const steps = (decimals) => [0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000, 10000].filter((each) => each >= 10 ** -decimals);

/** Named places of an axis, as many of them as there is room for. */
function calendar(ticks) {
  const letters = Math.max(...ticks.map((each) => each[1].length));
  const every = (plot) => Math.ceil((ticks.length * (7 * letters + 12)) / Math.max(60, plot.width - 70));
  const shown = (plot) => ticks.filter((_, number) => number % every(plot) === 0);
  return { splits: (plot) => shown(plot).map((each) => each[0]), values: (plot) => shown(plot).map((each) => each[1]) };
}

const names = (series) => ({ splits: () => series.map((_, number) => series.length - number - 0.5), values: () => series.map((each) => each.name) });

/** How wide the labels of an axis are, so that none is cut. */
function wide(plot, labels) {
  plot.ctx.save();
  plot.ctx.font = LETTERS;
  const widest = Math.max(12, ...(labels ?? []).map((each) => plot.ctx.measureText(each).width));
  plot.ctx.restore();
  return Math.ceil(widest) + 10;
}

const places = (plot) => [(value) => plot.valToPos(value, "x", true), (value) => plot.valToPos(value, "y", true)];

/** Bars from below, and the pieces of rows: as wide as the time that they cover. */
function boxes(plot, model) {
  const [x, y] = places(plot);
  const { left, width } = plot.bbox;
  for (const [, values] of model.rows) {
    values.forEach((value, number) => {
      if (!known(value) || !value[1]) return;
      const level = model.series.length - number;
      const [low, high] = model.form === "rows" ? [level - 0.9, level - 0.1] : [top(values, number) - value[1], top(values, number)];
      const from = Math.max(left, x(value[0]));
      const to = Math.min(left + width, Math.max(x(end(value, model)) - devicePixelRatio, from + 1.5 * devicePixelRatio));
      plot.ctx.fillStyle = colour(model.series[number].role);
      if (to > from) plot.ctx.fillRect(from, y(high), to - from, y(low) - y(high));
    });
  }
}

/** A dot for each value where there is room, for such as no line leads to or from, and what joins the two of a pair. */
function dots(plot, model) {
  const [x, y] = places(plot);
  const { ctx } = plot;
  const across = (place, low, high) => {
    ctx.strokeStyle = colour("range");
    ctx.lineWidth = 4 * devicePixelRatio;
    ctx.beginPath();
    ctx.moveTo(place, y(low));
    ctx.lineTo(place, y(high));
    ctx.stroke();
  };
  ctx.save();
  if (model.form === "pairs") for (const [place, [upper, lower]] of model.rows) if (known(upper) && known(lower)) across(x(place), lower[1], upper[1]);
  for (const { values } of model.series) {
    const there = values.filter(known);
    const far = (one, other) => !one || !other || Math.abs(one[0] - other[0]) > model.gap;
    const roomy = there.length > 1 && (x(there.at(-1)[0]) - x(there[0][0])) / (there.length - 1) >= APART * devicePixelRatio;
    there.forEach((value, number) => {
      const alone = far(there[number - 1], value) && far(value, there[number + 1]);
      if (!alone && !roomy) return;
      const place = x(middle(value, model));
      if (alone && most(value) > least(value)) across(place, least(value), most(value));
      ctx.fillStyle = colour("main");
      ctx.beginPath();
      ctx.arc(place, y(value[1]), 2.6 * devicePixelRatio, 0, 2 * Math.PI);
      ctx.fill();
    });
  }
  ctx.restore();
}

/** Behind the values: marked times, what is usual, what lies beyond a limit, and the limit as a dashed line. */
function behind(plot, { spans, usual, limits }) {
  const [x, y] = places(plot);
  const { ctx, bbox } = plot;
  const { left, top: above, width, height } = bbox;
  const { min, max } = plot.scales.y;
  ctx.save();
  ctx.beginPath();
  ctx.rect(left, above, width, height);
  ctx.clip();
  const filled = (role, ...box) => {
    ctx.fillStyle = colour(role);
    ctx.fillRect(...box);
  };
  for (const [low, high] of usual) filled("usual", left, y(high), width, y(low) - y(high));
  for (const each of [...limits].sort((one, other) => one.urgent - other.urgent)) {
    if (each.value > min && each.value < max) filled(each.urgent ? "urgent" : "spell", left, each.above ? above : y(each.value), width, each.above ? y(each.value) - above : above + height - y(each.value));
  }
  for (const each of spans) filled(each.role, x(each.at), above, Math.max(2 * devicePixelRatio, x(each.until) - x(each.at)), height);
  ctx.font = `${12 * devicePixelRatio}px ${LETTERS.slice(5)}`;
  ctx.textAlign = "center";
  for (const each of spans) if (each.name && ctx.measureText(each.name).width < x(each.until) - x(each.at)) {
    ctx.fillStyle = colour("quiet");
    ctx.fillText(each.name, (x(each.at) + x(each.until)) / 2, above + 13 * devicePixelRatio);
  }
  ctx.setLineDash([5 * devicePixelRatio, 4 * devicePixelRatio]);
  ctx.lineWidth = devicePixelRatio;
  for (const each of limits) {
    ctx.strokeStyle = colour(each.urgent ? "fault" : "warn");
    ctx.beginPath();
    ctx.moveTo(left, y(each.value));
    ctx.lineTo(left + width, y(each.value));
    ctx.stroke();
  }
  ctx.restore();
}
