// A hard SOS: rehearsal, one big button that is pressed twice, its messages with what became of them, news, and the end.
// Nothing here needs the language model.

import { api, h, notice, path, trying } from "./app.js";
import { button, labelled, list } from "./health_parts.js";

const ARMED = 6000; // ms in which the second press counts
const APART = 500; // ms: a double click is one press
const GOOD = new Set(["sent"]);
const OPEN = new Set(["waiting", "sending"]);
let parts = {};
let timer = 0;
let overview = null;

export async function show(panel, known) {
  overview = known;
  parts = { big: h("div", {}), now: h("div", { "aria-live": "polite" }), contacts: h("section", { class: "card apart" }) };
  panel.replaceChildren(h("section", { class: "card" }, h("h2", {}, "Call for help"), parts.big, parts.now), parts.contacts);
  await Promise.all([status(), contacts()]);
}

export const hide = () => clearTimeout(timer);

async function status() {
  tell(await api("GET", path("/sos")));
}

function tell(told) {
  clearTimeout(timer);
  const active = told.sos?.state === "active";
  overview.sos_active = active;
  parts.big.replaceChildren(...(active ? running(told) : [bigButton(), h("p", { class: "quiet" }, "It tells the nearest ambulance and your emergency contacts where you are. It does not replace the emergency number: call that too."), h("p", { class: "quiet" }, told.delivery), h("div", { class: "buttons" }, button("Rehearse: show what would be sent", rehearse, "plain"))]));
  parts.now.replaceChildren(...(told.sos ? [state(told)] : []), ...problems(told), messages(told.messages));
  if (active && told.messages.some((each) => OPEN.has(each.state))) timer = setTimeout(() => trying(status), 2000);
  else if (active) timer = setTimeout(() => status().catch(() => {}), 10000);
}

const problems = (told) => (told.problems.length ? [list(told.problems, "fault")] : []);

function bigButton() {
  const text = h("span", {}, "SOS");
  const under = h("small", {}, "Call for help");
  const made = h("button", { type: "button", class: "help big" }, text, under);
  const heard = h("span", { class: "unseen", role: "status" });
  let armed = 0;
  let back = 0;
  made.addEventListener("click", async () => {
    if (!armed) {
      armed = Date.now();
      made.classList.add("armed");
      text.textContent = "Press again";
      under.textContent = "to call for help now";
      heard.textContent = "Press again to call for help now";
      back = setTimeout(() => {
        armed = 0;
        made.classList.remove("armed");
        text.textContent = "SOS";
        under.textContent = "Call for help";
        heard.textContent = "Not called";
      }, ARMED);
      return;
    }
    if (Date.now() - armed < APART) return;
    clearTimeout(back);
    made.disabled = true;
    under.textContent = "calling…";
    try {
      const told = await api("POST", path("/sos/start"), {});
      tell(told);
      notice(`${told.call_too}.`, "fault");
    } catch (fault) {
      notice(`${fault.message}. Call the emergency number yourself!`, "fault");
      await trying(status);
    }
  });
  return h("div", { class: "middle" }, made, heard);
}

function running(told) {
  const note = h("input", { maxlength: 300, placeholder: "I am at the back door" });
  const news = async () => {
    tell(await api("POST", path("/sos/update"), { note: note.value }));
    await status();
  };
  const end = async () => {
    if (!confirm("Tell everybody that no more help is needed?")) return;
    tell(await api("POST", path("/sos/end"), {}));
    await status();
  };
  return [
    h("p", { class: "active-sos", role: "alert" }, `SOS since ${told.sos.started.slice(11, 16)}. ${told.call_too}.`),
    h("p", { class: "quiet" }, told.delivery),
    h("div", { class: "inline" }, labelled("What is new", note), button("Tell them", news)),
    h("div", { class: "buttons" }, button("End the SOS", end, "plain")),
  ];
}

function state(told) {
  const where = told.sos.location.formatted_address ?? told.sos.location.city ?? "";
  const over = told.sos.ended ? `, ended at ${told.sos.ended.slice(11, 16)}` : "";
  return h("p", {}, h("span", { class: `chip ${told.sos.state === "active" ? "bad" : ""}` }, told.sos.state), ` SOS ${told.sos.id}, begun ${told.sos.started.replace("T", " ").slice(0, 16)}${over}${where ? `, at ${where}` : ""}`);
}

function messages(all) {
  if (!all.length) return h("span", {});
  const settle = (each, sent) => async () => {
    await api("POST", path(`/sos/messages/${each.id}/settle`), { sent });
    await status();
  };
  const row = (each) =>
    h(
      "tr",
      {},
      h("td", {}, h("b", {}, each.to), h("br"), h("span", { class: "quiet" }, each.address)),
      h("td", { class: "wrap" }, each.text),
      h("td", {}, h("span", { class: `chip ${GOOD.has(each.state) ? "good" : OPEN.has(each.state) ? "warn" : "bad"}` }, each.state === "kept" ? "only kept here" : each.state), each.problem && h("p", { class: "quiet" }, each.problem), each.state === "unclear" && h("div", { class: "buttons" }, button("It arrived", settle(each, true), "plain small"), button("Send again", settle(each, false), "plain small"))),
    );
  return h("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": "Messages" }, h("table", { class: "messages" }, h("thead", {}, h("tr", {}, ["To", "Message", "What became of it"].map((each) => h("th", { scope: "col" }, each)))), h("tbody", {}, [...all].reverse().map(row))));
}

async function rehearse() {
  const told = await api("POST", path("/sos/start"), { dry_run: true });
  parts.now.replaceChildren(
    h("h3", {}, "A rehearsal: nothing was written or sent"),
    ...problems(told),
    ...told.would_send.map((each) => h("div", { class: "card draft" }, h("p", {}, h("b", {}, each.to), ` ${each.address} `, h("span", { class: "chip" }, each.channel)), h("p", { class: "wrap" }, each.text))),
  );
}

async function contacts() {
  const all = await api("GET", path("/emergency-contacts"));
  const name = h("input", { maxlength: 120, required: true, autocomplete: "off" });
  const number = h("input", { type: "tel", maxlength: 40, required: true, autocomplete: "off" });
  const add = async () => {
    await api("POST", path("/emergency-contacts"), { name: name.value.trim() || " ", phone_number: number.value });
    await contacts();
  };
  const remove = (each) => async () => {
    if (!confirm(`Remove ${each.name} from the emergency contacts?`)) return;
    await api("DELETE", path(`/emergency-contacts/${each.item}`));
    await contacts();
  };
  const row = (each) => h("li", { class: "row" }, h("div", { class: "grow" }, h("b", {}, each.name), ` ${each.phone_number} `, each.phone_number ? null : h("span", { class: "chip warn" }, "no number, cannot be told by message"), h("span", { class: "quiet" }, each.email)), button("Remove", remove(each), "plain small", { "aria-label": `Remove ${each.name}` }));
  parts.contacts.replaceChildren(h("h2", {}, "Who is told"), all.length ? h("ul", { class: "rows" }, all.map(row)) : h("p", { class: "fault" }, "There are no emergency contacts."), h("div", { class: "inline" }, labelled("Name", name), labelled("Phone number", number), button("Add a contact", add)));
}
