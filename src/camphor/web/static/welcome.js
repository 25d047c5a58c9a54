// The first minutes: a phone, what stays private, one try. Once left, the chat does not lead here again.

import { $, api, h, key, notice, path, phone, ready, trying } from "./app.js";

const DEMOS = new Set(["ines-dublin", "nadia-bristol"]);
const done = () => localStorage.setItem("welcomed", "yes");

async function showPhones() {
  const status = await api("GET", "/api/status");
  $("phones").replaceChildren(
    ...status.phones.map((name) =>
      h(
        "label",
        { class: "check" },
        h("input", { type: "radio", name: "phone", value: name, checked: name === phone(), onchange: () => choose(name) }),
        h("span", {}, name, DEMOS.has(name) ? h("span", { class: "quiet" }, ": a demo phone, its person does not exist") : null),
      ),
    ),
  );
  if (status.destination) {
    $("where").replaceChildren(
      h("strong", {}, "Mind the model."),
      ` Records, memories, health and conversations are files on this machine. But the language model is another program. ${status.destination}, and with them what is looked up in the apps that you share: the mark above says where to, and what.`,
    );
  }
}

function choose(name) {
  localStorage.setItem("phone", name);
  const select = document.getElementById("phone");
  if (select instanceof HTMLSelectElement) select.value = name;
}

$("own").addEventListener("submit", async (event) => {
  event.preventDefault();
  $("own-fault").textContent = "";
  const file = $("file", HTMLInputElement).files?.[0];
  if (!file) {
    $("own-fault").textContent = "Choose a file first.";
    return;
  }
  const form = new FormData();
  form.append("file", file);
  form.append("name", $("own-name", HTMLInputElement).value.trim());
  $("own-state").textContent = "Taking it in…";
  try {
    const taken = await api("POST", "/api/devices/import", form);
    localStorage.setItem("phone", taken.phone);
    notice(`${taken.phone} is taken in`);
    location.reload();
  } catch (fault) {
    $("own-state").textContent = "";
    $("own-fault").textContent = fault.message;
  }
});

async function start(query) {
  $("try-fault").textContent = "";
  try {
    const talk = await api("POST", path("/conversations"));
    await api("POST", path(`/conversations/${talk.id}/queries`), { query, key: key() });
    localStorage.setItem(`talk:${phone()}`, talk.id);
    done();
    location.href = "/chat";
  } catch (fault) {
    $("try-fault").textContent = fault.message;
  }
}

for (const button of $("tries").querySelectorAll("button")) button.addEventListener("click", () => start(button.textContent));
$("try").addEventListener("submit", (event) => {
  event.preventDefault();
  start($("query", HTMLInputElement).value.trim());
});
for (const link of document.querySelectorAll(".places a, .brand, #skip")) link.addEventListener("click", done);

await ready;
await trying(showPhones);
