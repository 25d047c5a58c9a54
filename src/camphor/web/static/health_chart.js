// Charts of vital signs, drawn by uPlot: a line with the range around it, or bars of what adds up, with the limits that
// are looked for. What was not measured is left out. A canvas is nothing to a screen reader, so the same is a table.

import { h } from "./app.js";

const { uPlot } = window;
const HEIGHT = 190;
const MINUTES = [1, 2, 5, 10, 20, 30, 60, 120, 180, 240, 360];
const ROWS = 48; // of the table: an hour has one or two
const LETTERS = '12px system-ui, "Segoe UI", Roboto, "Noto Sans", sans-serif';
const pad = (number) => String(number).padStart(2, "0");
const hour = (minute) => `${pad(minute === 1440 ? 24 : Math.floor(minute / 60) % 24)}:${pad(Math.floor(minute % 60))}`;
const colour = (name) => getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).trim();
const drawn = new Set();

// the colours are those of the theme: drawn anew when it changes
const again = () => drawn.forEach((each) => (each.root.isConnected ? each.redraw(false) : drawn.delete(each)));
new MutationObserver(again).observe(document.documentElement, { attributes: true, attributeFilter: ["data-theme"] });
matchMedia("(prefers-color-scheme: dark)").addEventListener("change", again);

/**
 * A chart of one kind: an element, whose method `show(points, from, to)` puts other points into it.
 * points: [minute of the day, value, least, most]; from, to: the minutes that are seen.
 * gap: minutes without a value that cut the line; bar: minutes that one bar covers; day: its date, in words.
 * limits: [{value, above, urgent}]; told: what it shows, for who cannot see it.
 */
export function chart({ points, from = 0, to = 1440, counted = false, decimals = 0, name = "", unit = "", day = "", gap = 16, bar = 13, limits = [], told }) {
  const view = { from, to };
  const number = (value) => value.toLocaleString([], { maximumFractionDigits: decimals });
  const place = h("div", { class: "chart", role: "img", "aria-label": told });
  const line = { stroke: () => colour("main"), width: 1.6, points: { show: false } };
  const edge = { stroke: () => "transparent", width: 0, points: { show: false } };
  const axis = { stroke: () => colour("quiet"), font: LETTERS, labelFont: LETTERS, labelSize: 18, ticks: { show: false } };
  const grid = { stroke: () => colour("line"), width: 1 };
  const options = {
    width: 320,
    height: HEIGHT,
    padding: [10, 22, 0, 0],
    legend: { show: false },
    cursor: { x: true, y: false, drag: { x: false, y: false }, points: { size: 8, fill: () => colour("text"), stroke: () => colour("text") } },
    scales: { x: { time: false, range: () => [view.from, view.to] }, y: { range: (plot, low, high) => reach(low, high, counted, decimals, limits) } },
    axes: [
      { ...axis, grid: { show: false }, size: 26, space: 52, gap: 4, incrs: MINUTES, values: (plot, all) => all.map(hour), label: day || null },
      { ...axis, grid, gap: 5, space: 32, incrs: steps(decimals), values: (plot, all) => all.map(number), label: unit || name || null, size: wide },
    ],
    series: [{}, counted ? { ...line, fill: () => colour("main"), paths: bars(bar) } : line, ...(counted ? [] : [edge, edge])],
    bands: counted ? [] : [{ series: [3, 2], fill: () => colour("range") }],
    hooks: { drawClear: [(plot) => beyond(plot, limits)], draw: counted ? [] : [dots] },
  };
  const plot = new uPlot(options, rows(points, gap, counted), place);
  drawn.add(plot);
  new ResizeObserver(() => place.clientWidth && plot.setSize({ width: place.clientWidth, height: HEIGHT })).observe(place);
  place.show = (others, first, last, words) => {
    Object.assign(view, { from: first, to: last });
    place.setAttribute("aria-label", words);
    plot.setData(rows(others, gap, counted));
  };
  /** Tell the point under the pointer, as text. */
  place.hears = (hears) => {
    const asked = () => {
      const at = plot.cursor.idx;
      const value = at === null || at === undefined ? null : plot.data[1][at];
      if (value !== null && value !== undefined) hears(`${hour(plot.data[0][at])}  ${number(value)}${unit === "%" ? "%" : ` ${unit}`}`);
    };
    plot.over.addEventListener("pointermove", asked);
    plot.over.addEventListener("pointerdown", asked);
  };
  return place;
}

/** The points of a chart as a table, folded: at most some dozens of rows. */
export function table({ points, counted, decimals, unit, name }) {
  const number = (value) => value.toLocaleString([], { maximumFractionDigits: decimals });
  const every = Math.max(1, Math.ceil(points.length / ROWS));
  const head = ["Time", unit ? `${name}, ${unit}` : name, ...(counted ? [] : ["least", "most"])];
  const cells = ([minute, ...values]) => [hour(minute), ...values.slice(0, counted ? 1 : 3).map(number)];
  const made = () =>
    h(
      "div",
      { class: "scroll numbers", tabindex: "0", role: "region", "aria-label": `${name}, numbers` },
      h("table", {}, h("thead", {}, h("tr", {}, head.map((each) => h("th", { scope: "col" }, each)))), h("tbody", {}, grouped(points, every, counted).map((point) => h("tr", {}, cells(point).map((cell) => h("td", {}, cell)))))),
    );
  const folded = h("details", {}, h("summary", {}, "Numbers", h("span", { class: "unseen" }, ` of ${name}`)));
  folded.addEventListener("toggle", () => folded.children.length === 1 && folded.append(made()));
  return folded;
}

/** Several points as one: the mean or the sum, the least and the greatest value. */
function grouped(points, every, counted) {
  const found = [];
  for (let first = 0; first < points.length; first += every) {
    const part = points.slice(first, first + every);
    const sum = part.reduce((before, each) => before + each[1], 0);
    found.push([part[0][0], counted ? sum : sum / part.length, Math.min(...part.map((each) => each[2] ?? each[1])), Math.max(...part.map((each) => each[3] ?? each[1]))]);
  }
  return found;
}

/** Columns as uPlot has them: an empty row where the line is to be cut. */
function rows(points, gap, counted) {
  const found = counted ? [[], []] : [[], [], [], []];
  const push = (...row) => found.forEach((column, place) => column.push(row[place]));
  let before = null;
  for (const [minute, value, least, most] of points) {
    if (before !== null && minute - before > gap) push((minute + before) / 2, null, null, null);
    push(minute, value, value === null ? null : (least ?? value), value === null ? null : (most ?? value));
    before = minute;
  }
  return found;
}

/** The values that are seen: all there are, with some air, and the limits that are near them. */
function reach(low, high, counted, decimals, limits) {
  if (low === null || low === undefined) return [0, 1];
  if (counted) return [0, Math.max(high, 1) * 1.05];
  const size = Math.max(high - low, 6 * 10 ** -decimals);
  const near = limits.map((each) => each.value).filter((each) => each > low - size / 2 && each < high + size / 2);
  const [least, most] = [Math.min(low, ...near), Math.max(high, ...near)];
  const air = Math.max((most - least) * 0.08, 2 * 10 ** -decimals);
  return [least >= 0 ? Math.max(0, least - air) : least - air, most + air];
}

const steps = (decimals) => [0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000, 10000].filter((each) => each >= 10 ** -decimals);

/** How wide the labels of an axis are, so that none is cut. */
function wide(plot, labels) {
  plot.ctx.save();
  plot.ctx.font = LETTERS;
  const most = Math.max(12, ...(labels ?? []).map((each) => plot.ctx.measureText(each).width));
  plot.ctx.restore();
  return Math.ceil(most) + 10;
}

/** Bars from their minute on, as wide as the time that they cover. */
function bars(minutes) {
  return (plot, series, first, last) => {
    const fill = new Path2D();
    const bottom = plot.valToPos(0, "y", true);
    for (let at = first; at <= last; at++) {
      const value = plot.data[series][at];
      if (!value) continue;
      const [left, right] = [0, minutes].map((more) => plot.valToPos(plot.data[0][at] + more, "x", true));
      const top = plot.valToPos(value, "y", true);
      fill.rect(left, top, Math.max(1.5 * devicePixelRatio, right - left), bottom - top);
    }
    return { fill, stroke: null, clip: null, band: null, gaps: null, flags: 1 };
  };
}

/** A dot for each value where they are few, and for such as no line leads to or from. */
function dots(plot) {
  const [minutes, values] = plot.data;
  const known = (at) => values[at] !== null && values[at] !== undefined;
  const few = values.filter((each) => each !== null).length <= 40;
  plot.ctx.save();
  plot.ctx.fillStyle = colour("main");
  values.forEach((value, at) => {
    if (!known(at) || (!few && (known(at - 1) || known(at + 1)))) return;
    plot.ctx.beginPath();
    plot.ctx.arc(plot.valToPos(minutes[at], "x", true), plot.valToPos(value, "y", true), 2.6 * devicePixelRatio, 0, 2 * Math.PI);
    plot.ctx.fill();
  });
  plot.ctx.restore();
}

/** What lies beyond a limit is shaded, and the limit a dashed line: behind the values. */
function beyond(plot, limits) {
  const { left, top, width, height } = plot.bbox;
  const { min, max } = plot.scales.y;
  plot.ctx.save();
  plot.ctx.setLineDash([5 * devicePixelRatio, 4 * devicePixelRatio]);
  plot.ctx.lineWidth = devicePixelRatio;
  for (const each of [...limits].sort((one, other) => one.urgent - other.urgent)) {
    if (each.value <= min || each.value >= max) continue;
    const y = plot.valToPos(each.value, "y", true);
    plot.ctx.fillStyle = colour(each.urgent ? "urgent" : "spell");
    if (each.above) plot.ctx.fillRect(left, top, width, y - top);
    else plot.ctx.fillRect(left, y, width, top + height - y);
    plot.ctx.strokeStyle = colour(each.urgent ? "fault" : "warn");
    plot.ctx.beginPath();
    plot.ctx.moveTo(left, y);
    plot.ctx.lineTo(left + width, y);
    plot.ctx.stroke();
  }
  plot.ctx.restore();
}
