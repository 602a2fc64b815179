// Keeps the field page at hand without a network: the page itself and the files it is made of, and nothing else. What the
// page asks of the register is never kept. The page fills the cache; it is emptied when somebody signs out.
"use strict";
const KEPT = "field", PATIENCE_MS = 4000;
self.addEventListener("install", () => self.skipWaiting());
self.addEventListener("activate", (event) => event.waitUntil(self.clients.claim()));
self.addEventListener("fetch", (event) => {
  const url = new URL(event.request.url);
  if (event.request.method !== "GET" || url.origin !== self.location.origin) return;
  if (event.request.mode === "navigate" && url.pathname === "/field") event.respondWith(page(event.request));
  else if (url.pathname.startsWith("/static/") || url.pathname.endsWith("/map.js")) event.respondWith(file(event.request));
});
async function page(request) {
  const kept = await caches.open(KEPT), before = await kept.match("/field", { ignoreSearch: true, ignoreVary: true });
  const late = new Promise((resolve) => { if (before) setTimeout(() => resolve(before), PATIENCE_MS); });
  const fresh = fetch(request).then(async (answer) => {
    if (answer.ok && !answer.redirected) await kept.put("/field", answer.clone());
    else if (answer.type === "opaqueredirect" || answer.redirected) await caches.delete(KEPT); // nobody is signed in
    return answer;
  }).catch((error) => { if (before) return before; throw error; });
  return Promise.race([fresh, late]);
}
// A file with a digest in its address never changes; another is asked for anew where there is a network.
async function file(request) {
  const kept = await caches.match(request, { cacheName: KEPT, ignoreVary: true });
  if (kept && request.url.includes("?v=")) return kept;
  try {
    return await fetch(request);
  } catch (error) {
    if (kept) return kept;
    throw error;
  }
}
