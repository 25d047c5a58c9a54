import { $, api } from "./app.js";

$("entry").addEventListener("submit", async (event) => {
  event.preventDefault();
  const fault = $("fault");
  fault.textContent = "";
  try {
    await api("POST", "/api/session", { pass_code: $("code", HTMLInputElement).value }, false);
    location.href = "/chat";
  } catch (error) {
    fault.textContent = error.message;
  }
});
