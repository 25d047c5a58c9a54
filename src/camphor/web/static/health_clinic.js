// Appointments and complaints, and the talk about a complaint: questions and consents as they come. A reload or a lost
// connection asks for the events after the last one seen.

import { api, h, icon, key, notice, path, trying, unhurried, words } from "./app.js";
import { button, clock, dayWords, labelled } from "./health_parts.js";
import { people } from "./health_people.js";

const ENDS = new Set(["settled", "stopped", "failed", "interrupted"]);
let parts = {};
/** @type {EventSource | null} */
let source = null;
let last = 0;
/** @type {any} */
let open = null; // the question that waits
/** @type {any} */
let steps = null;

export async function show(panel) {
  last = 0;
  open = steps = null;
  parts = { appointments: h("section", {}), complaints: h("section", { class: "card apart" }), log: h("div", { class: "health-log", role: "log", "aria-live": "polite", "aria-label": "Talk", tabindex: "0" }), state: h("p", { class: "quiet", role: "status" }) };
  panel.replaceChildren(parts.appointments, talk(), parts.complaints, people("doctors"), people("clinics"));
  await Promise.all([appointments(), complaints(), follow()]);
}

export function hide() {
  source?.close();
  source = null;
}

// appointments

async function appointments() {
  const all = await api("GET", path("/appointments"));
  const row = (each) => {
    const cancel = async () => {
      if (!confirm(`Cancel the appointment with ${each.name} on ${dayWords(each.begin ?? "")}?`)) return;
      await api("POST", path(`/appointments/${each.item}/cancel`), {}).finally(appointments);
      notice(`Cancelled: ${each.name}`);
    };
    const chip = { booked: "good", confirmed: "good", cancelled: "bad" }[each.state] ?? "";
    return h(
      "li",
      { class: "card row" },
      h("div", { class: "grow" }, h("b", {}, each.name), ` ${each.specialization} `, h("span", { class: `chip ${each.ahead || each.state === "cancelled" ? chip : ""}` }, each.state), h("p", {}, each.begin ? `${dayWords(each.begin)}, ${clock(each.begin)} to ${clock(each.end)}` : "at a time that is not known"), h("p", { class: "quiet" }, each.symptoms)),
      each.ahead ? button("Cancel", cancel, "plain", { "aria-label": `Cancel ${each.name}` }) : null,
    );
  };
  const ahead = all.filter((each) => each.ahead);
  const past = all.filter((each) => !each.ahead);
  parts.appointments.replaceChildren(
    h("h2", {}, "Appointments"),
    ahead.length ? h("ul", { class: "rows" }, ahead.map(row)) : h("p", { class: "quiet" }, "None lies ahead."),
    newAppointment(),
    past.length ? h("details", {}, h("summary", {}, `${past.length} past or cancelled`), h("ul", { class: "rows" }, past.map(row))) : "",
  );
}

function newAppointment() {
  const name = h("input", { maxlength: 120, autocomplete: "off" });
  const begin = h("input", { type: "datetime-local" });
  const what = h("input", { maxlength: 300, autocomplete: "off" });
  const add = async () => {
    if (!begin.value) return notice("Say when it is first", "fault");
    await api("POST", path("/appointments"), { name: name.value.trim() || " ", begin: begin.value, symptoms: what.value.trim() });
    return appointments();
  };
  return h("details", {}, h("summary", {}, "Add an appointment that you made"), h("div", { class: "inline" }, labelled("With whom", name), labelled("When", begin), labelled("What it is for", what), button("Add it", add)));
}

// complaints

async function complaints() {
  const all = await api("GET", path("/complaints"));
  const text = h("input", { maxlength: 1000 });
  const add = async () => {
    if (!text.value.trim()) return notice("Say what you have first", "fault");
    await api("POST", path("/complaints"), { symptoms: text.value.trim() });
    return complaints();
  };
  const remove = (each) => async () => {
    if (!confirm(`Delete “${each.symptoms}”?`)) return;
    await api("DELETE", path(`/complaints/${each.item}`)).finally(complaints);
  };
  const row = (each) => h("li", { class: "row" }, h("div", { class: "grow" }, h("span", { class: "quiet" }, dayWords(each.date)), ` ${each.symptoms}`), button("Delete", remove(each), "plain small", { "aria-label": `Delete ${each.symptoms}` }));
  parts.complaints.replaceChildren(h("h2", {}, "Past complaints"), h("ul", { class: "rows" }, all.map(row)), h("div", { class: "inline" }, labelled("What you have now, only noted", text), button("Note it", add, "plain")));
}

// the talk

function talk() {
  const text = h("textarea", { rows: 1, maxlength: 1000, placeholder: "My knee has been swollen for two weeks", enterkeyhint: "send" });
  parts.text = text;
  const send = () => trying(say);
  parts.stop = button("Stop", () => api("POST", path("/complaint-talk/stop"), {}), "danger");
  parts.stop.hidden = true;
  parts.sendButton = button("Send", say);
  parts.forget = button("Forget this talk", forget, "plain small");
  parts.forget.hidden = true;
  text.addEventListener("keydown", (event) => {
    if (event.key === "Enter" && !event.shiftKey && !event.isComposing) {
      event.preventDefault();
      send();
    }
  });
  return h("section", { class: "card apart" }, h("h2", {}, "Talk about it"), h("p", { class: "quiet" }, "Tell what troubles you: I look for the right specialist and a free appointment. Nothing is booked without your yes. In an emergency call 112, 999 or 911."), parts.log, parts.state, h("div", { class: "inline talkline" }, labelled("What troubles you, or your answer", text), parts.sendButton, parts.stop), parts.forget);
}

async function say() {
  const said = parts.text.value.trim();
  if (!said) return;
  if (open?.kind === "question") await api("POST", path(`/complaint-talk/questions/${open.number}`), { text: said });
  else await api("POST", path("/complaint-talk"), { complaint: said, key: key() });
  parts.text.value = "";
}

async function forget() {
  if (!confirm("Forget what was said here? What was done stays done.")) return;
  await api("DELETE", path("/complaint-talk"));
  parts.log.replaceChildren();
  parts.forget.hidden = true;
  last = 0;
  open = steps = null;
  listen();
}

async function follow() {
  const told = await api("GET", path("/complaint-talk"));
  told.happened.forEach(hear);
  listen();
}

function listen() {
  hide();
  source = new EventSource(path(`/complaint-talk/stream?after=${last}`));
  source.addEventListener("step", (message) => hear(JSON.parse(message.data)));
  source.addEventListener("error", () => {
    if (source?.readyState === EventSource.CLOSED) setTimeout(() => source && listen(), 2000);
  });
}

// a browser keeps few connections open to one server: a page that nobody sees gives its own back
document.addEventListener("visibilitychange", () => source && (document.hidden ? source.close() : listen()));

const bubble = (kind, text) => parts.log.append(h("p", { class: kind }, text));

function step(...shown) {
  if (!steps) {
    steps = h("details", { class: "step" }, h("summary", {}, "How I work it out"));
    parts.log.append(steps);
  }
  steps.append(h("p", {}, ...shown));
}

const HEARD = {
  said: (event) => bubble("mine", event.text),
  told: (event) => bubble("theirs", event.text),
  question: (event) => bubble("theirs", event.text),
  planned: (event) => step(event.reason, event.action ? ` → ${event.action}` : ""),
  called: (event) => step(h("code", {}, `${words(event.call.name)} ${JSON.stringify(event.call.arguments)}`)),
  seen: (event) => step(h("span", { class: event.error ? "fault" : "quiet" }, event.text)),
  consent(event) {
    const decide = (yes) => () => api("POST", path(`/complaint-talk/consents/${event.number}`), { yes });
    const card = h("div", { class: "consent card", tabindex: "-1", role: "group", "aria-label": "Do this?", "data-consent": event.number }, h("p", { class: "what" }, event.text), h("div", { class: "buttons" }, button("Yes, do it", decide(true)), button("No", decide(false), "plain")));
    parts.log.append(unhurried(card));
  },
  decided(event) {
    parts.log.querySelector(`[data-consent="${event.consent}"]`)?.replaceWith(h("p", { class: `decision ${event.yes ? "yes" : "no"}` }, icon(event.yes ? "check" : "cross"), event.yes ? "You agreed" : "You declined"));
  },
  settled(event) {
    if (event.emergency.length) parts.log.append(h("div", { class: "card sos-soft urgent" }, h("p", {}, h("b", {}, "This can be an emergency. "), "Shall an ambulance and your emergency contacts be told now?"), h("div", { class: "buttons" }, h("a", { class: "button help", href: "#emergency" }, "Call for help"))));
    else if (event.booked) bubble("decision yes", `Booked: ${event.booked.arguments.appointment_time_date ?? ""}`);
    else bubble("quiet", event.done.includes("send_message") ? "That is all; nothing was booked." : "That is all; nothing was booked and nobody was written to.");
    appointments().catch(() => {});
    complaints().catch(() => {});
  },
  stopped: (event) => bubble("theirs", event.text),
  failed: (event) => bubble("theirs fault", event.text),
  interrupted: (event) => bubble("theirs fault", event.text),
};

function hear(event) {
  if (event.number <= last) return;
  last = event.number;
  HEARD[event.kind]?.(event);
  if (event.kind === "question" || event.kind === "consent") {
    open = event;
    steps = null;
  } else if (event.kind === "said" || event.kind === "decided" || ENDS.has(event.kind)) open = null;
  if (event.kind === "said") steps = null;
  const over = ENDS.has(event.kind);
  parts.forget.hidden = !over;
  parts.stop.hidden = over;
  parts.state.textContent = over ? "" : open ? "Waiting for your word." : "Thinking…";
  if (over) {
    steps = null;
    for (const card of parts.log.querySelectorAll("[data-consent]")) card.remove();
  }
  parts.log.scrollTop = parts.log.scrollHeight;
}
