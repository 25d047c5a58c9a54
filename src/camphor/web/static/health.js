// The health assistant: its parts are tabs, each a module that shows itself and hides itself.

import { $, all, api, h, path, ready, trying } from "./app.js";
import * as appointments from "./health_clinic.js";
import * as medicines from "./health_medicines.js";
import * as reports from "./health_reports.js";
import * as emergency from "./health_sos.js";
import * as vitals from "./health_vitals.js";
import * as watch from "./health_watch.js";
import { button } from "./health_parts.js";

const PARTS = { vitals, watch, medicines, appointments, emergency, reports };
const NEEDS_CLINIC = new Set(["appointments"]);
const tabs = all(document, ".tabs [role=tab]");
/** @type {any} */
let overview = null;
let shown = "";

const nameOf = (tab) => tab.id.slice("tab-".length);

function choose(name, focus = false) {
  if (!(name in PARTS)) name = "vitals";
  PARTS[shown]?.hide?.();
  shown = name;
  for (const tab of tabs) {
    const on = nameOf(tab) === name;
    tab.setAttribute("aria-selected", String(on));
    tab.tabIndex = on ? 0 : -1;
    $(`panel-${nameOf(tab)}`).hidden = !on;
    if (on && focus) tab.focus();
  }
  history.replaceState(null, "", `#${name}`);
  const panel = $(`panel-${name}`);
  if (NEEDS_CLINIC.has(name) && !overview.clinic) panel.replaceChildren(lacking());
  else trying(() => PARTS[name].show(panel, overview));
}

function lacking() {
  const go = () => {
    localStorage.setItem("phone", overview.demo);
    location.reload();
  };
  const add = async () => {
    await api("POST", "/api/health/demo");
    go();
  };
  const own = async () => {
    await api("POST", path("/health/clinic"), {});
    location.reload();
  };
  return h(
    "div",
    { class: "card" },
    h("h2", {}, "Nothing is kept here yet"),
    h("p", {}, "Your doctors, appointments and complaints are kept in the clinic app, which this phone has not got. It is added with a press, and is empty."),
    h("div", { class: "buttons" }, button("Add it to this phone", own)),
    h("p", { class: "quiet" }, "Or look around on the demo phone ", h("b", {}, overview.demo), ", with made-up people and specialists."),
    h("div", { class: "buttons" }, overview.demo_there ? button(`Open ${overview.demo}`, go, "plain") : button(`Add the demo phone ${overview.demo}`, add, "plain")),
  );
}

for (const tab of tabs) {
  tab.addEventListener("click", () => choose(nameOf(tab)));
  tab.addEventListener("keydown", (event) => {
    const step = /** @type {Record<string, number>} */ ({ ArrowRight: 1, ArrowLeft: -1 })[event.key];
    const place = event.key === "Home" ? 0 : event.key === "End" ? tabs.length - 1 : step && (tabs.indexOf(tab) + step + tabs.length) % tabs.length;
    if (place === undefined) return;
    event.preventDefault();
    choose(nameOf(tabs[place]), true);
  });
}
window.addEventListener("hashchange", () => overview && location.hash.slice(1) !== shown && choose(location.hash.slice(1)));

await ready;
overview = await trying(() => api("GET", path("/health")));
if (overview) choose(overview.sos_active && !location.hash ? "emergency" : location.hash.slice(1));
