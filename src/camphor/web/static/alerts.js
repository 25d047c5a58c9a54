// On every page: an SOS that is active, doses that are due, and notices, which ring in this browser if it may.
// The server is asked every few seconds; a notice has one tag, so that several open tabs ring once.

import { $, api, focused, h, notice, trying } from "./app.js";
import { button } from "./health_parts.js";

const EVERY = 8000; // ms
const place = $("alerts");
let after = Number(sessionStorage.getItem("alerts-after")) || 0;
let shown = "";
const told = new Set();

/** "granted", "denied", "default" (never asked) or "none" (this browser has none, or not on this address). */
export const allowed = () => ("Notification" in window && window.isSecureContext ? Notification.permission : "none");

/** Ask, on a click of the person, whether this browser may ring. */
export async function allow() {
  const answer = allowed() === "default" ? await Notification.requestPermission() : allowed();
  if (answer === "granted") await worker();
  return answer;
}

/** Ring here, to try it. */
export const tryHere = () => ring({ key: "test", title: "camphor: a test", text: "If you see this, camphor can remind you here.", urgent: false });

async function worker() {
  await navigator.serviceWorker.register("/worker.js");
  return navigator.serviceWorker.ready;
}

async function ring(each) {
  if (allowed() !== "granted") return false;
  const options = { body: each.text, tag: each.key, icon: "/static/leaf.svg", requireInteraction: each.urgent, data: { to: each.kind === "vitals" ? "/health#vitals" : "/health#medicines" } };
  await (await worker()).showNotification(each.title, options);
  return true;
}

async function look() {
  const found = await api("GET", `/api/alerts?after=${after}`);
  after = found.now;
  sessionStorage.setItem("alerts-after", String(after));
  for (const each of found.notices.filter((one) => !told.has(one.key))) {
    told.add(each.key);
    // a browser that cannot ring keeps nothing from being shown below
    const rang = await ring(each).catch(() => false);
    if (rang) await api("POST", `/api/phones/${encodeURIComponent(each.phone)}/notices/${each.id}/shown`, {});
  }
  const lines = JSON.stringify([found.sos, found.due, found.readings, allowed()]);
  if (lines === shown || place.contains(document.activeElement)) return;
  shown = lines;
  place.replaceChildren(...found.sos.map(sos), ...found.readings.map(reading), ...(found.due.length ? [due(found.due)] : []));
  place.hidden = !place.children.length;
}

function choose(phone, to) {
  localStorage.setItem("phone", phone);
  if (location.pathname === "/health") {
    location.hash = to;
    location.reload();
  } else location.href = `/health#${to}`;
}

export const callLinks = (all) => h("p", { class: "call" }, all.map((each) => h("a", { class: "button help", href: `tel:${each.tel}` }, `Call ${each.number}`, h("small", {}, each.name))));

function sos(each) {
  const since = each.since.slice(11, 16);
  const reached = each.told ? `${each.told} told` : "NOBODY was told";
  const lost = each.not_told.length ? `; not certainly reached: ${each.not_told.join(", ")}` : "";
  return h("div", { class: "active-sos", role: "alert" }, h("p", {}, h("b", {}, `SOS of ${each.owner || each.phone} since ${since}. `), `${reached}${lost}.`), callLinks(each.call), button("What became of it", () => choose(each.phone, "emergency"), "plain"));
}

const reading = (each) =>
  h("div", { class: `alert ${each.urgent ? "urgent" : ""}`, role: "alert" }, h("p", { class: "told" }, each.text), h("div", { class: "buttons" }, button("See the readings", () => choose(each.phone, "vitals"), "plain"), button("I have seen it", () => seen(each), "plain")));

async function seen(each) {
  await api("POST", `/api/phones/${encodeURIComponent(each.phone)}/notices/${each.id}/seen`, {});
  focused()?.blur();
  shown = "";
  await look();
}

function due(all) {
  const say = (each, what, body = {}) => async () => {
    const answer = await api("POST", `/api/phones/${encodeURIComponent(each.phone)}/doses/${each.dose}/${what}`, body);
    notice(answer.says);
    focused()?.blur();
    await look();
  };
  const many = new Set(all.map((each) => each.phone)).size > 1;
  const row = (each) =>
    h(
      "li",
      {},
      h("span", { class: "grow" }, h("b", {}, each.due.slice(11, 16)), ` ${each.what}`, many && h("span", { class: "quiet" }, ` ${each.owner || each.phone}`)),
      h("span", { class: "buttons", role: "group", "aria-label": each.what }, button("Taken", say(each, "taken"), "small"), button("In 10 minutes", say(each, "snooze", { minutes: 10 }), "plain small"), button("All doses", () => choose(each.phone, "medicines"), "plain small")),
    );
  const ask = allowed() === "default" && button("Let this browser ring", () => allow().then(look), "plain small");
  return h("div", { class: "alert" }, h("p", {}, h("b", {}, "Due now")), h("ul", {}, all.map(row)), ask);
}

if (place) {
  const round = async () => {
    await look().catch(() => {}); // the page itself says that the server cannot be reached
    setTimeout(round, document.hidden ? 2 * EVERY : EVERY);
  };
  trying(round);
}
