// A hard SOS: set-up with a test message, rehearsal, one big button that is pressed twice, its messages with what became
// of them, news, and the end. As long as nobody would be told, the button says so.
// Nothing here needs the language model.

import { api, h, notice, path, trying } from "./app.js";
import { callLinks } from "./alerts.js";
import { button, choice, labelled, list } from "./health_parts.js";
import { people } from "./health_people.js";

const ARMED = 6000; // ms in which the second press counts
const APART = 500; // ms: a double click is one press
const GOOD = new Set(["sent"]);
const OPEN = new Set(["waiting", "sending"]);
let parts = {};
let timer = 0;
/** @type {any} */
let overview = null;

export async function show(panel, known) {
  overview = known;
  parts = { big: h("div", {}), now: h("div", { "aria-live": "polite" }), setup: h("section", { class: "card apart" }) };
  const again = () => trying(status);
  panel.replaceChildren(h("section", { class: "card" }, h("h2", {}, "Call for help"), parts.big, parts.now), parts.setup, people("emergency-contacts", again), people("emergency-numbers", again));
  const told = await api("GET", path("/sos"));
  tell(told);
  setup(told.ready);
}

export const hide = () => clearTimeout(timer);

async function status() {
  tell(await api("GET", path("/sos")));
}

function tell(told) {
  clearTimeout(timer);
  const active = told.sos?.state === "active";
  overview.sos_active = active;
  parts.big.replaceChildren(...(active ? running(told) : told.ready.ready ? atRest(told) : notReady(told)));
  leaving(told.ready);
  parts.now.replaceChildren(...(told.sos ? [state(told)] : []), ...problems(told), messages(told.messages));
  if (active && told.messages.some((each) => OPEN.has(each.state))) timer = setTimeout(() => trying(status), 2000);
  else if (active) timer = setTimeout(() => status().catch(() => {}), 10000);
}

const problems = (told) => (told.problems.length ? [list(told.problems, "fault")] : []);

const rehearsal = () => h("div", { class: "buttons" }, button("Rehearse: show what would be sent", rehearse, "plain"));

const atRest = (told) => [
  bigButton(),
  h("p", {}, `It tells ${told.ready.reached.join(", ")} where you are. It does not replace the emergency number: call that too.`),
  callLinks(told.ready.call),
  rehearsal(),
];

function notReady(told) {
  const what = h("div", { class: "card careful", tabindex: "-1" }, h("h3", {}, "SOS is not set up"), h("p", {}, "Nobody would be told by message now. In an emergency, call. To set it up:"), list(told.ready.missing));
  const made = h("button", { type: "button", class: "big unset", onclick: () => what.focus() }, h("span", {}, "Not set up"), h("small", {}, "SOS by message"));
  const anyway = Object.keys(told.ready.ways).length > 0 && button("Send messages all the same", start, "plain");
  return [callLinks(told.ready.call), h("div", { class: "middle" }, made), what, rehearsal(), anyway ? h("div", { class: "buttons" }, anyway) : ""];
}

async function start() {
  const told = await api("POST", path("/sos/start"), {});
  tell(told);
  notice(`${told.call_too}.`, "fault");
}

/** Who sends the messages, tried with a message to somebody. */
function setup(ready) {
  const channel = choice(["sms", "email"], "sms", (each) => ({ sms: "Text message", email: "E-mail" })[each]);
  const url = h("input", { class: "secret", maxlength: 2000, autocomplete: "off", spellcheck: "false", placeholder: "twilio://…/{to}" });
  const to = h("input", { maxlength: 200, autocomplete: "off" });
  const send = async () => {
    try {
      setup(await api("POST", path("/sos/setup"), { channel: channel.value, url: url.value.trim(), to: to.value.trim() || " " }));
      notice("The service took the test message: look whether it arrived");
    } finally {
      await status(); // a url whose test failed is kept, too
    }
  };
  parts.ways = h("div", {});
  leaving(ready);
  parts.setup.replaceChildren(
    h("h2", {}, "How messages leave"),
    parts.ways,
    h("p", { class: "quiet" }, "Say which service sends them, as its apprise address with {to} where the number or address belongs (apprise’s wiki lists them), and who gets a test. An empty address tests the one that is set up."),
    h("div", { class: "inline" }, labelled("Sent by", channel), labelled("Its apprise address, kept secret", url), labelled("Number or address of the test", to), button("Send the test message", send)),
  );
}

/** The ways that are set up, and whether each was tested. */
function leaving(ready) {
  const ways = Object.entries(ready.ways).map(([name, tested]) => h("li", {}, h("b", {}, { sms: "Text messages", email: "E-mails" }[name] ?? name), " ", tested ? h("span", { class: "chip good" }, `tested ${tested}`) : h("span", { class: "chip warn" }, "not tested")));
  parts.ways?.replaceChildren(ways.length ? h("ul", { class: "rows" }, ways) : h("p", { class: "fault" }, "Nothing sends messages yet."));
}

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
      await start();
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
  const reached = new Set(told.messages.filter((each) => !["kept", "given up", "withdrawn"].includes(each.state)).map((each) => each.to));
  const left = [...told.messages.map((each) => each.to), ...told.ready.reached].some((to) => !reached.has(to));
  return [
    h("div", { class: "active-sos", role: "alert" }, h("p", {}, told.alone ? `${told.alone}.` : `SOS since ${told.sos.started.slice(11, 16)}. ${told.call_too}.`), callLinks(told.ready.call)),
    h("p", { class: "quiet" }, told.delivery),
    h("div", { class: "inline" }, labelled("What is new", note), button("Tell them", news)),
    h("div", { class: "buttons" }, left && Object.keys(told.ready.ways).length > 0 && button("Tell those who were not told", start), button("End the SOS", end, "plain")),
  ];
}

function state(told) {
  const where = told.sos.location.formatted_address ?? told.sos.location.city ?? "";
  const over = told.sos.ended ? `, ended at ${told.sos.ended.slice(11, 16)}` : "";
  return h("p", {}, h("span", { class: `chip ${told.sos.state === "active" ? "bad" : ""}` }, told.sos.state), ` SOS ${told.sos.id}, begun ${told.sos.started.replace("T", " ").slice(0, 16)}${over}${where ? `, at ${where}` : ""}`);
}

const WAYS = { sms: "by text message", email: "by e-mail" };

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
      h("td", {}, h("b", {}, each.to), h("br"), h("span", { class: "quiet" }, `${WAYS[each.channel] ?? each.channel} to ${each.address}`)),
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
