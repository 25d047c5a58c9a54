// Shows notifications of camphor's pages, and leads to the right page when one is pressed. It keeps and fetches nothing.

self.addEventListener("install", () => self.skipWaiting());
self.addEventListener("activate", (event) => event.waitUntil(self.clients.claim()));
self.addEventListener("notificationclick", (event) => {
  event.notification.close();
  const to = event.notification.data?.to ?? "/health";
  const go = async () => {
    const [open] = await self.clients.matchAll({ type: "window", includeUncontrolled: true });
    if (!open) return self.clients.openWindow(to);
    await open.focus();
    return open.navigate(to);
  };
  event.waitUntil(go());
});
