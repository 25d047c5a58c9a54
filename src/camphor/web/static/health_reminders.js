// How one is reminded: what reminds, where it rings, and how often. And trying it.

import { api, h, notice } from "./app.js";
import { allow, allowed, tryHere } from "./alerts.js";
import { button, labelled, ticked } from "./health_parts.js";

const HERE = { granted: "rings as long as a page of camphor is open", denied: "may not ring: allow notifications in its settings", default: "was not asked yet", none: "has no notifications on this address" };

/** The card; it shows itself. */
export function reminders() {
  const card = h("section", { class: "card apart" }, h("h2", {}, "How you are reminded"));
  api("GET", "/api/service").then((told) => tell(card, told), () => {});
  return card;
}

function tell(card, told) {
  const again = (next) => tell(card, next);
  card.replaceChildren(h("h2", {}, "How you are reminded"), runs(told), ...told.problems.map((each) => h("p", { class: "fault" }, each)), places(told, again), wishes(told, again), more(again));
}

function runs(told) {
  if (told.runs === "service") return h("p", {}, `${told.says}.`);
  if (told.runs === "web") return h("p", {}, `${told.says}, as long as `, h("code", {}, "camphor serve"), " runs. For reminders at any time: ", h("code", {}, "camphor service install"), ".");
  return h("p", { class: "fault" }, `${told.says}. Start `, h("code", {}, "camphor service run"), ".");
}

function places(told, again) {
  const state = h("span", { class: "quiet" }, HERE[allowed()]);
  const here = async () => {
    const answer = await allow();
    state.textContent = HERE[answer];
    if (answer === "granted") await tryHere();
  };
  const test = (each) => async () => {
    const [rang] = await api("POST", `/api/service/test?place=${encodeURIComponent(each.name)}`, {});
    notice(rang.rang ? `${each.name} took it: look there` : `${each.name}: ${rang.problem}`, rang.rang ? "" : "fault");
  };
  const remove = (each) => async () => {
    if (!confirm(`Remove ${each.name}? It then rings no more.`)) return;
    await api("DELETE", `/api/service/places/${encodeURIComponent(each.name)}`);
    again(await api("GET", "/api/service"));
  };
  const row = (each) => h("li", { class: "row" }, h("div", { class: "grow" }, h("b", {}, each.name), ` ${each.kind} `, each.problem ? h("span", { class: "chip warn" }, each.problem) : !each.on && h("span", { class: "chip" }, "switched off")), h("div", { class: "buttons" }, button("Try it", test(each), "plain small", { "aria-label": `Try ${each.name}` }), each.name !== "desktop" && button("Remove", remove(each), "plain small", { "aria-label": `Remove ${each.name}` })));
  const browser = h("li", { class: "row" }, h("div", { class: "grow" }, h("b", {}, "this browser "), state), h("div", { class: "buttons" }, allowed() !== "none" && button(allowed() === "granted" ? "Try it" : "Let it ring", here, "plain small", { "aria-label": allowed() === "granted" ? "Try this browser" : "Let this browser ring" })));
  return h("ul", { class: "rows" }, browser, told.places.map(row));
}

function wishes(told, again) {
  const nag = ticked("Remind again until I say what became of a dose", told.nag);
  const desktop = ticked("On the desktop of this machine, too", told.desktop);
  const every = h("input", { type: "number", min: 1, max: 720, value: told.every, inputmode: "numeric" });
  const report = h("input", { type: "time", value: told.report });
  const keep = async () => {
    again(await api("PUT", "/api/service/reminders", { nag: nag.input.checked, desktop: desktop.input.checked, every: Number(every.value) || 10, report: report.value }));
    notice("Kept");
  };
  return h("div", {}, nag.shown, desktop.shown, h("div", { class: "inline" }, labelled("Every … minutes", every), labelled("The day’s report at", report), button("Keep this", keep, "plain")));
}

function more(again) {
  const name = h("input", { maxlength: 40, autocomplete: "off", placeholder: "watch" });
  const url = h("input", { class: "secret", maxlength: 2000, autocomplete: "off", spellcheck: "false", placeholder: "ntfys://ntfy.sh/…" });
  const add = async () => {
    again(await api("POST", "/api/service/places", { name: name.value.trim(), url: url.value.trim() }));
    notice("Added: try it");
  };
  return h("details", {}, h("summary", {}, "Ring somewhere else, too"), h("p", { class: "quiet" }, "Any service that apprise knows (its wiki has the addresses): a phone, a watch, a mail box. Your reminders then leave this machine and that service sees them."), h("div", { class: "inline" }, labelled("What to call it", name), labelled("Its apprise address, kept secret", url), button("Add it", add, "plain")));
}
