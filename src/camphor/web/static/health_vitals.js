// Vitals: a day's curves, soft SOS of the day, a look through several days, files of other programs.

import { all, api, focused, h, notice, path, phone, trying } from "./app.js";
import { figure } from "./health_chart.js";
import { button, choice, dayBeside, dayWords, labelled, list } from "./health_parts.js";
import { LONGER, illustrated } from "./health_reports.js";

const LARGEST = 32 * 1024 * 1024; // what the server takes
/** @type {HTMLElement} */
let panel;
let day = "";
let weeks = "28"; // days of the longer time that is shown
let timer = 0;
/** @type {any} */
let noted = null; // what came of the last typed reading: it stays when the page is drawn anew

export async function show(into) {
  panel = into;
  await load();
  timer = setInterval(() => document.hidden || load(true).catch(() => {}), 15000);
}

export const hide = () => clearInterval(timer);

async function load(quietly = false) {
  const told = await api("GET", path(`/vitals${day ? `?day=${day}` : ""}`));
  if (quietly && panel.dataset.shown === JSON.stringify([told.day, told.curves.map((each) => each.readings), told.alarms.length])) return;
  panel.dataset.shown = JSON.stringify([told.day, told.curves.map((each) => each.readings), told.alarms.length]);
  if (!day && !told.curves.length && told.days.length && !quietly) {
    [day] = [told.days[1], told.today].sort(); // the last day that has something to show
    if (day !== told.day) return load();
  }
  day = told.day;
  const kept = focused()?.dataset.keep;
  panel.replaceChildren(...page(told));
  if (kept) all(panel, `[data-keep="${kept}"]`)[0]?.focus();
}

function page(told) {
  const picker = h("input", { type: "date", value: told.day, max: told.today, "data-keep": "day", onchange: (event) => go(event.target.value) });
  const step = (text, days, name) => button(text, () => go(dayBeside(told.day, days)), "plain", { "aria-label": name, "data-keep": name, disabled: days > 0 && told.day >= told.today });
  return [
    h("h2", { class: "unseen" }, "Vitals"),
    h("div", { class: "dayline" }, step("←", -1, "The day before"), labelled("Day", picker), step("→", 1, "The day after")),
    told.watch.length ? list(told.watch, "warns") : null,
    ...told.notes.map((each) => h("p", {}, each)),
    ...told.alarms.map(alarm),
    told.curves.length ? h("div", { class: "plots" }, told.curves.map((each) => curve(each, stretch(told.curves)))) : nothing(told),
    told.days.length ? overWeeks(told) : null,
    typing(told),
    looking(told),
    taking(),
    units(told),
  ].filter(Boolean);
}

const go = (chosen) => {
  if (!chosen) return undefined;
  day = chosen;
  return load();
};

function alarm(each) {
  const urgent = each.level === "urgent";
  return h(
    "div",
    { class: `card sos-soft ${urgent ? "urgent" : ""}` },
    h("p", {}, h("span", { class: `chip ${urgent ? "bad" : "warn"}` }, each.level), ` ${each.raised}${each.ended ? `, over at ${each.ended}` : ", not over"}${each.told ? "" : ", not told"}`),
    list(each.signs),
  );
}

/** The part of the day that is shown: all of it, or the hours that have readings where they are few. */
function stretch(curves) {
  const minutes = curves.flatMap((each) => each.points.map(([minute]) => minute));
  const first = Math.floor(Math.min(...minutes) / 60) * 60;
  const last = Math.max(first + 60, Math.ceil((Math.max(...minutes) + 5) / 60) * 60);
  return last - first <= 480 ? { first, last } : {};
}

function curve(each, hours) {
  const { name, unit, decimals } = each;
  const facts = each.counted ? `${each.mean} that day` : `last ${each.last} at ${each.at} · mean ${each.mean} · ${each.range}${each.usual ? ` · usual ${each.usual}` : ""}`;
  const ranges = each.limits.length ? [`Looked for: ${[...new Set(each.limits.map((limit) => limit.told))].join("; ")}`] : [];
  const series = [{ name, role: "main", values: each.points }];
  const shown = { name, unit, decimals, limits: each.limits, ...hours, form: each.counted ? "bars" : "lines", series, day: dayWords(day), told: `${name}: ${facts}` };
  return figure({ title: name, simulated: each.simulated, captions: [facts, ...ranges], chart: shown });
}

function nothing(told) {
  const text = told.days.length ? `Nothing was measured on ${dayWords(told.day)}. There are readings from ${dayWords(told.days[0])} to ${dayWords(told.days[1])}.` : "Nothing was measured so far. Take in a file below, or put on the simulated watch and keep its readings.";
  const look = !told.days.length && button("Look around on the demo phone", () => trying(onDemo), "plain");
  const last = told.days[1] && told.days[1] !== told.day ? button(`Go to ${dayWords(told.days[1])}`, () => go(told.days[1]), "plain") : null;
  return h("div", { class: "card" }, h("p", {}, text), h("div", { class: "buttons" }, last, h("a", { class: "button", href: "#watch" }, "Simulated watch"), look));
}

/** A phone of a made-up person, with some weeks of made-up readings. */
async function onDemo() {
  localStorage.setItem("phone", (await api("POST", "/api/health/demo")).phone);
  location.reload();
}

/** Small charts of some weeks or months up to the day, with what is usual for the person. */
function overWeeks(told) {
  const found = h("div", { "aria-live": "polite" });
  const length = choice(Object.keys(LONGER), weeks, (each) => LONGER[each]);
  const load = () =>
    trying(async () => {
      weeks = length.value;
      found.replaceChildren(h("p", { class: "quiet" }, "Putting it together…"));
      const whole = await api("GET", path(`/reports/${told.day}?days=${weeks}`));
      const of = (title) => whole.blocks.find((each) => each.title === title) ?? { lines: [], plots: [] };
      const vitals = of("Vitals");
      found.replaceChildren(
        of("Changes").lines.length ? list(of("Changes").lines.map((each) => each.text)) : "",
        h("div", { class: "plots" }, [...vitals.plots, ...of("Medicines").plots].map((each) => illustrated(each))),
        ...vitals.lines.map((each) => h("p", { class: "quiet" }, each.text)),
      );
    });
  length.addEventListener("change", load);
  load();
  return h("section", { class: "apart" }, h("h2", {}, "Over weeks and months"), h("div", { class: "inline" }, labelled("Up to this day", length)), found);
}

function looking(told) {
  const found = h("div", { "aria-live": "polite" });
  const days = choice(["1", "7", "30"], "7", (each) => (each === "1" ? "this day" : `the ${each} days up to it`));
  const look = async () => {
    found.replaceChildren(h("p", { class: "quiet" }, "Looking…"));
    const seen = await api("GET", path(`/vitals/check?day=${told.day}&days=${days.value}`));
    const part = (title, lines) => [h("h3", {}, title), lines.length ? list(lines) : h("p", { class: "quiet" }, "nothing")];
    found.replaceChildren(
      h("p", {}, `${seen.readings.toLocaleString()} readings. This is no diagnosis: a watch can be wrong.`),
      ...part("Abnormal", seen.abnormal.map((each) => each.says)),
      ...part("The watch", seen.watch),
      ...part("Changes over days", seen.trends),
    );
  };
  return h("section", { class: "card apart" }, h("h2", {}, "Look through"), h("div", { class: "inline" }, labelled("What", days), button("Look", look)), found);
}

// What a person measures by hand: how it is written, and its units where people use several. The server reads it all.
const MEASURED = {
  "Blood pressure": { example: "142/91", units: ["mmHg"] },
  Pulse: { example: "68", units: ["bpm"] },
  Oxygen: { example: "94", units: ["%"] },
  Glucose: { example: "7.8", kind: "glucose" },
  Weight: { example: "82 or 12 st 13 lb", kind: "weight" },
  Temperature: { example: "38.2", kind: "temperature" },
};

/** A reading that the person types. */
function typing(told) {
  const what = choice(Object.keys(MEASURED), "Blood pressure");
  const value = h("input", { maxlength: "60", autocomplete: "off", required: true });
  const pulse = h("input", { maxlength: "10", inputmode: "numeric", autocomplete: "off" });
  const at = h("input", { type: "datetime-local", max: `${told.today}T23:59` });
  const unit = h("select", {});
  const beside = labelled("Pulse, if you have it", pulse);
  const chosen = () => {
    const each = MEASURED[what.value];
    const known = told.units.find((other) => other.kind === each.kind);
    unit.replaceChildren(...(known?.choices ?? each.units).map((name) => h("option", { value: name, selected: name === known?.unit }, name)));
    value.placeholder = each.example;
    beside.hidden = what.value !== "Blood pressure";
  };
  what.addEventListener("change", chosen);
  chosen();
  const keep = async () => {
    if (!value.value.trim()) return notice("Type what you measured first", "fault");
    const unitToo = /[a-z%°]/i.test(value.value) ? "" : unit.value; // "12 st 13 lb" says its own
    const beat = !beside.hidden && pulse.value.trim() ? `pulse ${pulse.value}` : "";
    noted = await api("POST", path("/vitals/readings"), { text: [what.value, value.value, unitToo, beat].join(" "), at: at.value });
    day = at.value.slice(0, 10);
    return load();
  };
  return h(
    "section",
    { class: "card apart" },
    h("h2", {}, "Type a reading"),
    h("div", { class: "inline" }, labelled("What you measured", what), labelled("Value", value), labelled("Unit", unit), beside, labelled("When, if not now", at), button("Note it", keep)),
    noted && list(noted.says),
    ...(noted?.alarms ?? []).map((text) => h("div", { class: "card sos-soft urgent", role: "alert" }, text.split("\n").map((line) => h("p", {}, line)))),
  );
}

/** In which units the person sees what can be told in several. */
function units(told) {
  const chosen = told.units.map((each) => {
    const unit = choice(each.choices, each.unit);
    unit.addEventListener("change", () =>
      trying(async () => {
        await api("PUT", path(`/vitals/units/${each.kind}`), { unit: unit.value });
        notice(`From now on ${each.name} is told in ${unit.value}`);
        await load();
      }),
    );
    unit.dataset.keep = `unit-${each.kind}`;
    return labelled(each.name, unit);
  });
  return h("section", { class: "card apart units" }, h("h2", {}, "Units"), h("p", { class: "quiet" }, "Charts, reports and messages are in these, whatever the next file has."), h("div", { class: "inline" }, chosen));
}

function taking() {
  const file = h("input", { type: "file", accept: ".zip,.xml,.fit,.csv,.txt,.tsv,.json,.db", required: true });
  const order = choice(["", "true", "false"], "", (each) => ({ "": "as the file shows", true: "day first", false: "month first" })[each]);
  const found = h("div", { "aria-live": "polite" });
  const take = async () => {
    const chosen = file.files?.[0];
    if (!chosen) return notice("Choose a file first", "fault");
    if (chosen.size > LARGEST) return notice(`${chosen.name} is too large for a browser: take it in with  camphor health import`, "fault");
    const body = new FormData();
    body.append("file", chosen);
    body.append("phone", phone());
    if (order.value) body.append("day_first", order.value);
    found.replaceChildren(h("p", { class: "quiet" }, "Reading the file…"));
    try {
      const told = await api("POST", "/api/health/import", body);
      const left = Object.entries(told.skipped).map(([why, count]) => `${count.toLocaleString()} left out: ${why}`);
      found.replaceChildren(h("p", {}, `Took in ${told.new.toLocaleString()} new readings of ${told.readings.toLocaleString()}.`), list([...told.problems, ...left]));
      day = "";
    } catch (fault) {
      found.replaceChildren(h("p", { class: "fault" }, fault.message));
    }
    return undefined;
  };
  return h(
    "section",
    { class: "card apart" },
    h("h2", {}, "Take in a file"),
    h("p", { class: "quiet" }, "The export of Apple Health, Health Connect, Fitbit, Oura, Withings, LibreView or Dexcom Clarity as it comes (.zip, .xml, .json, .db, .csv), a .fit file or a table. It stays on this machine, and nobody is alarmed by the past."),
    h("div", { class: "inline" }, labelled("File", file), labelled("Dates such as 03/04/2026", order), button("Take it in", take)),
    found,
  );
}
