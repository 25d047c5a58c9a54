// Shows notifications of camphor's pages, and leads to the right page when one is pressed. It keeps and fetches nothing.

const worker = /** @type {any} a service worker's scope, which a page's library of types lacks */ (self);

worker.addEventListener("install", () => worker.skipWaiting());
worker.addEventListener("activate", (event) => event.waitUntil(worker.clients.claim()));
worker.addEventListener("notificationclick", (event) => {
  event.notification.close();
  const to = event.notification.data?.to ?? "/health";
  const go = async () => {
    const [open] = await worker.clients.matchAll({ type: "window", includeUncontrolled: true });
    if (!open) return worker.clients.openWindow(to);
    await open.focus();
    return open.navigate(to);
  };
  event.waitUntil(go());
});
