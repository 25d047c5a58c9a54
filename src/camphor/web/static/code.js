import { api } from "./app.js";

document.getElementById("entry").addEventListener("submit", async (event) => {
  event.preventDefault();
  const fault = document.getElementById("fault");
  fault.textContent = "";
  try {
    await api("POST", "/api/session", { pass_code: document.getElementById("code").value }, false);
    location.href = "/chat";
  } catch (error) {
    fault.textContent = error.message;
  }
});
