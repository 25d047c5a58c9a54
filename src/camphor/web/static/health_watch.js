// The simulated watch: events of the server become live charts, soft SOS and faults. A lost connection goes on after the
// last event seen.

import { api, h, path, words } from "./app.js";
import { chart } from "./health_chart.js";
import { button, choice, clock, dayWords, labelled, list, ticked } from "./health_parts.js";

const SHOWN = ["heart_rate", "oxygen", "respiratory_rate", "temperature", "systolic", "diastolic", "glucose", "steps"];
const WINDOW = { 1: 10, 60: 60, 300: 180 }; // minutes that are seen at each speed
/** @type {any} */
let state = null;
/** @type {EventSource | null} */
let source = null;
let last = 0;
let seen = {};
let now = 0; // minute of the day
let parts = {};

export async function show(panel, overview) {
  state = await api("GET", path("/watch"));
  last = 0;
  seen = {};
  parts = {
    what: h("p", { role: "status" }),
    controls: h("div", {}),
    told: h("div", { class: "told", role: "log", "aria-live": "polite", "aria-label": "What the monitor tells", tabindex: "0" }),
    plots: h("div", { class: "plots" }),
  };
  panel.replaceChildren(
    h("section", { class: "card" }, h("h2", {}, "Simulated watch"), h("p", { class: "quiet" }, "It lives through a day with made-up readings, and the monitor looks at them as at real ones. Let something happen, and see what you would be told."), parts.controls, parts.what),
    h("h2", {}, "Told"),
    parts.told,
    h("h2", {}, "Readings"),
    parts.plots,
  );
  controls(overview);
  if (state.at) listen();
  else parts.told.append(h("p", { class: "quiet empty-line" }, "Nothing yet."));
}

export function hide() {
  source?.close();
  source = null;
}

function controls(overview) {
  if (state.running) return happening(overview);
  const at = h("input", { type: "time", value: "08:00", required: true });
  const speed = choice(state.speeds.map(String), "60", (each) => ({ 1: "real time", 60: "a minute a second", 300: "five minutes a second" })[each] ?? `${each} times`);
  const keep = ticked("Keep its readings and alarms among the vitals of this phone");
  const start = async () => {
    hide();
    state = await api("POST", path("/watch/start"), { at: at.value || "08:00", speed: Number(speed.value), keep: keep.input.checked });
    last = 0;
    seen = {};
    parts.told.replaceChildren();
    parts.plots.replaceChildren();
    controls(overview);
    listen();
  };
  parts.controls.replaceChildren(h("div", { class: "inline" }, labelled("Put on at", at, `on ${dayWords(yesterday(overview.now))}`), labelled("Speed", speed), button("Put it on", start)), keep.shown);
  return undefined;
}

const yesterday = (now) => new Date(Date.parse(`${now.slice(0, 10)}T12:00Z`) - 86400000).toISOString();

function happening(overview) {
  const minutes = h("input", { type: "number", min: 1, max: 240, value: 20 });
  const happen = (name) => async () => {
    state = await api("POST", path("/watch/scenes"), { name, minutes: Number(minutes.value) || 20 });
  };
  const group = (title, names) => h("div", { role: "group", "aria-label": title }, h("h3", {}, title), h("div", { class: "buttons" }, names.map((name) => button(words(name), happen(name), "plain small"))));
  const stop = async () => {
    state = await api("POST", path("/watch/stop"));
    controls(overview);
  };
  const well = async () => {
    state = await api("POST", path("/watch/well"));
  };
  parts.controls.replaceChildren(
    group("Let the wearer have", state.emergencies),
    group("Let the watch be", state.faults),
    h("div", { class: "inline" }, labelled("For minutes", minutes), button("All well again", well, "plain"), button("Take it off", stop, "danger")),
  );
}

function listen() {
  hide();
  source = new EventSource(path(`/watch/stream?after=${last}`));
  source.addEventListener("step", (message) => hear(JSON.parse(message.data)));
  source.addEventListener("error", () => {
    parts.what.textContent = "The connection is lost: trying again…";
    if (source?.readyState === EventSource.CLOSED) setTimeout(() => source && listen(), 2000);
  });
}

// a browser keeps few connections open to one server: a page that nobody sees gives its own back
document.addEventListener("visibilitychange", () => source && (document.hidden ? source.close() : listen()));

let due = false;

function hear(event) {
  if (event.number <= last) return;
  last = event.number;
  if (event.kind === "started") {
    seen = {};
    parts.told.replaceChildren();
  } else if (event.kind === "readings") {
    for (const [kind, points] of Object.entries(event.values)) {
      seen[kind] ??= [];
      seen[kind].push(...points.map(([second, value]) => [second / 60, value]));
    }
    now = minuteOf(event.at);
    parts.what.textContent = `${dayWords(event.at)}, ${event.at.slice(11, 19)}${event.scenes.length ? ` · goes on: ${event.scenes.map(words).join(", ")}` : ""}${state.keep ? " · kept" : ""}`;
    if (!due) {
      due = true;
      requestAnimationFrame(() => {
        due = false;
        draw();
      });
    }
  } else if (event.kind === "sos") tell(event);
  else if (event.kind === "fault") line(event, "warn", "watch", event.text);
  else if (event.kind === "scene") line(event, "", "simulated", `${words(event.name)} for ${event.minutes} minutes`);
  else if (event.kind === "well") line(event, "", "simulated", "all well again");
  else if (event.kind === "stopped") {
    parts.what.textContent = `The watch is off. ${event.text}`;
    if (state.running) {
      state.running = false;
      api("GET", path("/watch")).then((told) => {
        state = told;
        if (!told.running) controls({ now: `${told.at}` });
      });
    }
  }
}

const minuteOf = (iso) => Number(iso.slice(11, 13)) * 60 + Number(iso.slice(14, 16)) + Number(iso.slice(17, 19)) / 60;

function line(event, kind, name, text) {
  parts.told.querySelector(".empty-line")?.remove();
  parts.told.prepend(h("p", { class: "told-line" }, h("span", { class: `chip ${kind}` }, name), ` ${clock(event.at)}  ${text}`));
}

/** A soft SOS: its report, as the person would read it. */
function tell(event) {
  const [head, ...rest] = event.text.split("\n");
  const urgent = event.level === "urgent";
  const signs = rest.filter((each) => each.startsWith("- ")).map((each) => each.slice(2));
  parts.told.querySelector(".empty-line")?.remove();
  parts.told.prepend(
    h(
      "article",
      { class: `card sos-soft ${urgent ? "urgent" : ""}` },
      h("h3", {}, h("span", { class: `chip ${urgent ? "bad" : "warn"}` }, "soft SOS"), ` ${head}`),
      list(signs),
      ...rest.filter((each) => !each.startsWith("- ")).map((each) => h("p", {}, each)),
      h("div", { class: "buttons" }, urgent ? h("a", { class: "button help", href: "#emergency" }, "Call for help") : h("a", { class: "button", href: "#appointments" }, "Talk about it")),
    ),
  );
}

function draw() {
  const wide = WINDOW[state.speed] ?? 60;
  const from = Math.max(0, now - wide);
  const measures = Object.fromEntries(state.measures.map((each) => [each.kind, each]));
  for (const kind of SHOWN) {
    const points = (seen[kind] ?? []).filter((each) => each[0] > now - 24 * 60);
    seen[kind] = points;
    const recent = points.filter((each) => each[0] >= from && each[0] <= now + 1);
    let figure = parts.plots.querySelector(`[data-kind="${kind}"]`);
    if (!recent.some((each) => each[1] !== null)) continue;
    const measure = measures[kind];
    const value = [...recent].reverse().find((each) => each[1] !== null)[1];
    const told = `${value.toLocaleString([], { maximumFractionDigits: measure.decimals })}${measure.unit === "%" ? "%" : ` ${measure.unit}`}`;
    if (!figure) {
      const drawn = chart({ form: kind === "steps" ? "bars" : "lines", series: [{ name: measure.name, role: "main", values: [] }], decimals: measure.decimals, unit: measure.unit, bar: Math.max(0.1, (state.speed / 60) * 0.85), gap: gapOf(kind) });
      figure = h("figure", { class: "card figure", "data-kind": kind }, h("figcaption", {}, h("h3", {}, measure.name, " ", h("b", {}))), drawn);
      const after = SHOWN.slice(SHOWN.indexOf(kind) + 1).map((each) => parts.plots.querySelector(`[data-kind="${each}"]`)).find(Boolean);
      parts.plots.insertBefore(figure, after ?? null);
    }
    figure.querySelector("b").textContent = told;
    figure.lastElementChild.show(recent, from, from + wide, `${measure.name}, now ${told}`);
  }
}

const gapOf = (kind) => ({ heart_rate: 2, oxygen: 5, respiratory_rate: 5, temperature: 15, glucose: 15 })[kind] ?? 180;
