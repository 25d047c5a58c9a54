// Charts as SVG: a line with the range around it, or bars of what adds up. What was not measured is left out.

const SVG = "http://www.w3.org/2000/svg";
const WIDTH = 420;
const HEIGHT = 150;
const EDGE = { left: 40, right: 8, top: 8, bottom: 20 };

/** An SVG element. */
export function s(name, attributes = {}, ...children) {
  const made = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, String(value));
  made.append(...children);
  return made;
}

const hour = (minute) => `${String(Math.floor(minute / 60) % 24).padStart(2, "0")}:${String(Math.round(minute % 60)).padStart(2, "0")}`;

function steps(first, last, most, sizes) {
  const size = sizes.find((each) => (last - first) / each <= most) ?? sizes[sizes.length - 1];
  const found = [];
  for (let at = Math.ceil(first / size) * size; at <= last; at += size) found.push(at || 0); // never -0
  return found;
}

const roundSteps = [0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000, 10000];

/**
 * A chart of points [minute of the day, value, least, most].
 * gap: minutes without a value that cut the line; bar: minutes that one bar covers.
 * told: what it shows, for who cannot see it; hears: is told the point under the pointer, as text.
 */
export function chart({ points, from = 0, to = 1440, counted = false, decimals = 0, unit = "", gap = 16, bar = 13, told, hears }) {
  const known = points.filter((each) => each[1] !== null);
  const lows = known.map((each) => each[2] ?? each[1]);
  const highs = known.map((each) => each[3] ?? each[1]);
  let low = counted ? 0 : Math.min(...lows);
  let high = counted ? Math.max(1, ...known.map((each) => each[1])) : Math.max(...highs);
  const air = counted ? 0 : Math.max((high - low) * 0.1, 4 * 10 ** -decimals);
  low = low >= 0 ? Math.max(0, low - air) : low - air;
  high += air;
  const x = (minute) => EDGE.left + ((minute - from) / (to - from)) * (WIDTH - EDGE.left - EDGE.right);
  const y = (value) => HEIGHT - EDGE.bottom - ((value - low) / (high - low)) * (HEIGHT - EDGE.top - EDGE.bottom);
  const at = (minute, value) => `${x(minute).toFixed(1)},${y(value).toFixed(1)}`;
  const drawn = s("svg", { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, role: "img", "aria-label": told, class: "curve" });
  for (const value of steps(low, high, 4, roundSteps)) {
    drawn.append(s("line", { class: "grid", x1: EDGE.left, x2: WIDTH - EDGE.right, y1: y(value), y2: y(value) }));
    drawn.append(s("text", { x: EDGE.left - 5, y: y(value) + 3.5, "text-anchor": "end" }, value.toLocaleString([], { maximumFractionDigits: 1 })));
  }
  for (const minute of steps(from, to, 6, [1, 2, 5, 10, 20, 30, 60, 120, 240, 360])) {
    drawn.append(s("text", { x: Math.min(x(minute), WIDTH - 16), y: HEIGHT - 5, "text-anchor": "middle" }, hour(minute)));
  }
  if (counted) {
    const wide = Math.max(1.5, x(from + bar) - x(from));
    for (const [minute, value] of known) drawn.append(s("rect", { class: "bar", x: x(minute), y: y(value), width: wide, height: Math.max(0, y(low) - y(value)) }));
  } else {
    for (const run of runs(points, gap)) {
      if (run.some((each) => each.length > 2)) {
        const upper = run.map((each) => at(each[0], each[3] ?? each[1]));
        const lower = run.map((each) => at(each[0], each[2] ?? each[1])).reverse();
        drawn.append(s("polygon", { class: "range", points: [...upper, ...lower].join(" ") }));
      }
      if (run.length > 1) drawn.append(s("polyline", { class: "line", points: run.map((each) => at(each[0], each[1])).join(" ") }));
      else drawn.append(s("circle", { class: "dot", cx: x(run[0][0]), cy: y(run[0][1]), r: 2.3 }));
    }
  }
  if (hears && known.length) listen(drawn, known, from, to, (each) => hears(`${hour(each[0])}  ${each[1].toFixed(decimals)}${unit === "%" ? "%" : ` ${unit}`}`), x, y);
  return drawn;
}

/** Points without a gap between them. */
function runs(points, gap) {
  const found = [];
  let before = null;
  for (const each of points) {
    if (each[1] === null) before = null;
    else {
      if (before === null || each[0] - before > gap) found.push([]);
      found[found.length - 1].push(each);
      before = each[0];
    }
  }
  return found;
}

function listen(drawn, known, from, to, tell, x, y) {
  const mark = s("circle", { class: "mark", r: 4, cx: -10, cy: -10 });
  drawn.append(mark);
  drawn.addEventListener("pointermove", (event) => {
    const box = drawn.getBoundingClientRect();
    const place = ((event.clientX - box.left) / box.width) * WIDTH;
    const minute = from + ((place - EDGE.left) / (WIDTH - EDGE.left - EDGE.right)) * (to - from);
    const near = known.reduce((one, other) => (Math.abs(other[0] - minute) < Math.abs(one[0] - minute) ? other : one));
    mark.setAttribute("cx", x(near[0]));
    mark.setAttribute("cy", y(near[1]));
    tell(near);
  });
}
