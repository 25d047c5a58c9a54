// Medicines: the doses of a day and what became of them, the medicines, and a new prescription.

import { Fault, api, h, notice, path } from "./app.js";
import { button, clock, dayBeside, dayWords } from "./health_parts.js";
import { prescription } from "./health_prescription.js";
import { reminders } from "./health_reminders.js";

const CHIPS = { taken: "good", skipped: "", missed: "bad", waiting: "warn", "to come": "" };
let day = "";
let timer = 0;
let parts = {};

export async function show(panel) {
  parts = { doses: h("section", {}), medicines: h("section", {}) };
  panel.replaceChildren(parts.doses, parts.medicines, prescription(load), reminders());
  await load();
  timer = setInterval(() => document.hidden || parts.doses.contains(document.activeElement) || doses().catch(() => {}), 20000);
}

export const hide = () => clearInterval(timer);

async function load() {
  await Promise.all([doses(), medicines()]);
}

async function doses() {
  const told = await api("GET", path(`/doses${day ? `?day=${day}` : ""}`));
  const today = told.day === told.today;
  const go = (days) => () => {
    day = dayBeside(told.day, days);
    return doses();
  };
  const sums = Object.entries(told.counts).filter(([, count]) => count).map(([name, count]) => `${count} ${name}`);
  parts.doses.replaceChildren(
    h("div", { class: "dayline" }, button("←", go(-1), "plain", { "aria-label": "The day before" }), h("h2", {}, today ? "Today’s doses" : `Doses of ${dayWords(told.day)}`), button("→", go(1), "plain", { "aria-label": "The day after" })),
    h("p", { class: "quiet" }, told.doses.length ? `${sums.join(", ")}. It is ${clock(told.now)} on ${dayWords(told.now)} on the phone.` : "No dose falls due on this day."),
    h("ul", { class: "rows" }, told.doses.map(dose)),
  );
}

function dose(each) {
  const say = (what, body = {}) => said(`/doses/${each.dose}/${what}`, body);
  const open = each.state === "waiting" || each.state === "missed";
  const decide = [
    open && button("Taken", () => say("taken")),
    each.state === "waiting" && button("In 10 minutes", () => say("snooze", { minutes: 10 }), "plain"),
    (open || each.state === "to come") && button("Skip", () => skip(say, each), "plain"),
    (each.state === "taken" || each.state === "skipped") && button("Take it back", () => say("undo"), "plain"),
  ];
  return h(
    "li",
    { class: `card row ${each.state === "waiting" ? "now" : ""}` },
    h("div", { class: "grow" }, h("b", {}, clock(each.due)), ` ${each.what} `, h("span", { class: `chip ${CHIPS[each.state] ?? ""}` }, each.state), each.noted && h("span", { class: "quiet" }, ` noted ${clock(each.noted)}`), each.state === "missed" && h("p", { class: "quiet" }, "Do not take two to make up for it: ask your pharmacist, or read the leaflet.")),
    h("div", { class: "buttons", role: "group", "aria-label": `${clock(each.due)} ${each.what}` }, decide),
  );
}

function skip(say, each) {
  return confirm(`Leave out ${each.what} at ${clock(each.due)}?`) ? say("skip") : undefined;
}

/** Say what became of a dose; where it may be one noted twice, the person says so. */
async function said(where, body) {
  try {
    notice((await api("POST", path(where), body)).says);
  } catch (fault) {
    if (!(fault instanceof Fault) || fault.code !== "refused" || body.another || !confirm(`${fault.message}\n\nWas it another one?`)) throw fault;
    notice((await api("POST", path(where), { ...body, another: true })).says);
  }
  await doses();
}

async function medicines() {
  const told = await api("GET", path("/medicines"));
  const row = (each) => {
    const facts = [...new Set(["strength", "dose", "when", "food", "duration"].map((name) => each.facts[name]).filter(Boolean))].join(", ");
    const stop = async () => {
      if (!confirm(`Stop reminding of ${each.name}? Ask your doctor before you stop a medicine.`)) return;
      notice((await api("POST", path(`/medicines/${each.id}/stop`), {})).says);
      await load();
    };
    return h(
      "li",
      { class: "card row" },
      h("div", { class: "grow" }, h("b", {}, each.name), ` ${facts}`, each.facts.simulated ? [" ", h("span", { class: "chip warn" }, "simulated")] : "", h("p", { class: "quiet" }, each.as_needed ? "when needed" : `at ${each.times.join(", ")}`, ` · since ${dayWords(each.start)}`)),
      h("div", { class: "buttons" }, each.as_needed && button("Took one", () => said(`/medicines/${each.id}/taken`, {})), button("Stop", stop, "plain", { "aria-label": `Stop ${each.name}` })),
    );
  };
  parts.medicines.replaceChildren(h("h2", {}, "Medicines"), told.length ? h("ul", { class: "rows" }, told.map(row)) : h("p", { class: "quiet" }, "There are none: read a prescription below."));
}
