// The field page. What is typed is a draft kept on this phone from the first key: it survives a reload and a lost network,
// and is sent once, under a key made with it. The verdict is the register's, as it was when the draft was saved.
"use strict";
(function () {
  const village = window.village, map = village && village.map;
  let data = JSON.parse(document.getElementById("page-data").textContent);
  const form = document.getElementById("look"), verdict = document.getElementById("verdict");
  const FT_M = 0.3048, FINGER_PX = 8, KEPT = "field-drafts", CACHE = "field", WAIT_MS = 15000, MOST_BYTES = 2_000_000, MOST_SENT = 10;
  const $ = (id) => document.getElementById(id);
  const say = (text) => { $("said").textContent = text; };
  function el(tag, attributes, ...children) {
    const made = document.createElement(tag);
    Object.entries(attributes || {}).forEach(([key, value]) => made.setAttribute(key, value));
    made.append(...children.filter((child) => child !== null && child !== ""));
    return made;
  }
  const newKey = () => Array.from(crypto.getRandomValues(new Uint8Array(16)), (b) => b.toString(16).padStart(2, "0")).join("");

  // --- drafts: texts in localStorage, photos in IndexedDB; another person's stay hidden ---
  const read = () => {
    try {
      return JSON.parse(localStorage.getItem(KEPT)) || [];
    } catch {
      return [];
    }
  };
  let memory = null; // where nothing may be kept, a draft lives as long as the page
  const all = () => memory || read();
  function write(items) {
    try {
      localStorage.setItem(KEPT, JSON.stringify(items));
    } catch {
      memory = items;
      say("This browser keeps nothing: the draft lasts as long as this page.");
    }
  }
  const mine = () => all().filter((one) => one.person === data.person);
  function keep(item) {
    const others = all().filter((one) => one.key !== item.key);
    write([...others, item].sort((a, b) => a.made - b.made));
  }
  const forget = (item) => write(all().filter((one) => one.key !== item.key));
  function throwAway(item) {
    item.photos.forEach((photo) => photoStore("readwrite", (photos) => photos.delete(photo.key)).catch(() => {}));
    forget(item);
  }
  const fresh = () => ({ key: newKey(), person: data.person, made: Date.now(), state: "draft", fields: {}, at: null, photos: [], day: today() });
  function today() {
    const now = new Date();
    return [now.getFullYear(), now.getMonth() + 1, now.getDate()].map((n) => String(n).padStart(2, "0")).join("-");
  }
  let draft = mine().find((one) => one.state === "draft") || fresh();

  const store = new Promise((resolve) => {
    const asked = window.indexedDB ? indexedDB.open("field", 1) : null;
    if (!asked) return resolve(null);
    asked.onupgradeneeded = () => asked.result.createObjectStore("photos");
    asked.onsuccess = () => resolve(asked.result);
    asked.onerror = () => resolve(null);
  });
  async function photoStore(mode, act) {
    const db = await store;
    if (!db) throw new Error("no photos are kept in this browser");
    return new Promise((resolve, reject) => {
      const turn = db.transaction("photos", mode), asked = act(turn.objectStore("photos"));
      turn.oncomplete = () => resolve(asked.result);
      turn.onerror = turn.onabort = () => reject(turn.error);
    });
  }

  // --- asking the register ---
  class Ended extends Error {}
  class Refused extends Error {
    constructor(found) {
      super(found.message || found.detail || "It was refused.");
      this.faults = found.faults || {};
      if (Array.isArray(found.errors)) this.message += " " + found.errors.map((e) => e.field + ": found " + e.found + "; expected " + e.expected + ".").join(" ");
    }
  }
  async function post(path, body, headers, again) {
    const plain = !(body instanceof FormData);
    const patience = AbortSignal.timeout ? AbortSignal.timeout(plain ? 20_000 : 180_000) : undefined; // a weak network is none
    const answer = await fetch(path, { method: "POST", redirect: "manual", signal: patience, body: plain ? JSON.stringify(body) : body,
      headers: { "X-CSRF-Token": data.csrf, ...(plain ? { "Content-Type": "application/json" } : {}), ...headers } });
    if (answer.type === "opaqueredirect" || answer.status === 401) throw new Ended();
    if (answer.status === 403 && !again && await renewed()) return post(path, body, headers, true);
    if (answer.status >= 500 || answer.status === 429 || answer.status === 408) throw new TypeError("busy");
    const json = /json/.test(answer.headers.get("Content-Type") || "");
    const found = json ? await answer.json() : {};
    if (!answer.ok) throw new Refused(found);
    return found;
  }
  // A session that was begun anew has another token: the page is read again for it.
  async function renewed() {
    const answer = await fetch("/field", { redirect: "manual" });
    if (!answer.ok) throw new Ended();
    const found = new DOMParser().parseFromString(await answer.text(), "text/html").getElementById("page-data");
    const now = found ? JSON.parse(found.textContent) : data;
    if (now.person !== data.person) return location.reload();
    const other = now.csrf !== data.csrf;
    data = now;
    return other;
  }
  function told(error) {
    const banner = $("network");
    banner.hidden = !error;
    banner.replaceChildren();
    if (error instanceof Ended) banner.append("Your session has ended. Nothing is lost: the drafts are kept on this phone. ", el("a", { href: "/sign-in?next=/field" }, "Sign in"), " to send them.");
    else if (error) banner.append("No network. What you type is kept on this phone and sent when the network is back.");
  }

  // --- the form ---
  const fields = [...form.querySelectorAll("[data-field]")];
  const visible = (field) => !field.closest("[data-what]") || !field.closest("[data-what]").hidden;
  const texts = () => Object.fromEntries(fields.filter((f) => !["what", "note"].includes(f.name) && visible(f)).map((f) => [f.name, f.value]));
  function showWhat() {
    form.querySelectorAll("[data-what]").forEach((part) => { part.hidden = !part.dataset.what.split(" ").includes($("what").value); });
  }
  function fill() {
    fields.forEach((field) => {
      const value = draft.fields[field.name];
      if (field.tagName === "SELECT") field.value = value || field.options[0].value;
      else field.value = value || "";
    });
    showWhat();
    showPhotos();
    showFaults({});
    verdict.replaceChildren();
    drawPlace();
    ask();
  }
  const begun = () => Boolean(draft.at || draft.photos.length || fields.some((f) => f.name !== "what" && f.tagName !== "SELECT" && f.value));
  function typed() {
    draft.fields = Object.fromEntries(fields.map((field) => [field.name, field.value]));
    keep(draft);
  }
  form.addEventListener("input", (event) => {
    if (!event.target.matches("[data-field]")) return;
    if (event.target.name === "what") showWhat();
    typed();
    ask();
  });
  form.addEventListener("submit", (event) => event.preventDefault());

  // --- the verdict at once ---
  let waiting = 0, turn = 0;
  const looked = (item, given) => ({ what: item.fields.what || $("what").value, at: item.at, fields: given, note: item.fields.note || "", date: item.day });
  function ask() {
    clearTimeout(waiting);
    waiting = setTimeout(judge, 300);
  }
  async function judge() {
    const own = ++turn;
    draft.given = texts();
    if (!begun()) return show({ missing: "Tape it, or say where it is: tap the map, or use your position." });
    try {
      const found = await post("/field/check", looked(draft, draft.given));
      if (own !== turn) return;
      told(null);
      showFaults({});
      show(found);
    } catch (error) {
      if (own !== turn) return;
      if (error instanceof Refused) return refuse(error);
      told(error);
      show({ missing: error instanceof Ended ? "No verdict: the session has ended." : "No verdict without a network; it comes when the network is back." });
    }
  }
  function refuse(error) {
    const elsewhere = showFaults(error.faults);
    show({ missing: elsewhere || (Object.keys(error.faults).length ? "What is marked cannot be read." : error.message) });
  }
  function showFaults(faults) {
    const left = { ...faults };
    fields.forEach((field) => {
      const at = $(field.id + "-fault"), words = left[field.name] && visible(field) ? left[field.name] : "";
      if (!at) return;
      at.textContent = words;
      at.hidden = !words;
      if (words) field.setAttribute("aria-invalid", "true");
      else field.removeAttribute("aria-invalid");
      if (words) delete left[field.name];
    });
    return Object.values(left).join(" ");
  }
  function show(found) {
    showStrip(found.told);
    if (!found.told) return verdict.replaceChildren(el("p", { class: "muted" }, found.missing));
    const t = found.told, list = (items, kind) => items.length ? el("ul", { class: kind }, ...items.map((words) => el("li", {}, words))) : null;
    const rows = t.rows.filter((row) => row.verdict !== "not_checked").map((row) => el("li", {}, el("b", {}, row.title + ": "), [row.value, row.uncertainty].filter(Boolean).join(" ") || "no value",
      row.limit ? ", limit " + row.limit : "", " ", el("span", { class: "says " + row.verdict }, row.word), " ", el("span", { class: "section" }, row.section)));
    verdict.replaceChildren(...[
      el("p", { class: "field-says" }, el("span", { class: "says " + t.verdict }, t.word)),
      list(t.settles, "settles"),
      t.officer.length ? el("p", {}, "An officer decides: " + t.officer.join(", ") + ".") : null,
      el("details", {}, el("summary", {}, "Row by row"), el("ul", {}, ...rows), list([...t.doubts, ...found.notes], "notes")),
    ].filter(Boolean));
  }

  // The verdict stays in sight while something is typed; the whole of it stands below the fields.
  function showStrip(t) {
    const strip = $("strip"), row = t ? t.rows.find((one) => one.verdict === t.verdict) : null;
    strip.hidden = !t;
    if (t) strip.replaceChildren(el("span", { class: "says " + t.verdict }, t.word), " " + (t.verdict === "undecided" && t.settles[0] || (row ? [row.title, row.value].join(" ") : "")));
  }

  // --- photos: made small enough to be sent from the street, kept until they are ---
  async function smaller(file) {
    if (file.size <= MOST_BYTES && /^image\/(jpeg|png|webp)$/.test(file.type)) return file;
    const picture = await createImageBitmap(file), share = Math.min(1, 2400 / Math.max(picture.width, picture.height));
    const canvas = Object.assign(document.createElement("canvas"), { width: Math.round(picture.width * share), height: Math.round(picture.height * share) });
    canvas.getContext("2d").drawImage(picture, 0, 0, canvas.width, canvas.height);
    return new Promise((resolve) => canvas.toBlob(resolve, "image/jpeg", 0.85));
  }
  $("photo").addEventListener("change", async (event) => {
    const own = draft;
    for (const file of [...event.target.files]) {
      try {
        const key = newKey(), blob = await smaller(file);
        await photoStore("readwrite", (photos) => photos.put(blob, key));
        own.photos.push({ key: key, name: file.name.slice(0, 80), size: blob.size });
        keep(own);
      } catch {
        say(file.name + " cannot be kept: it is no picture this browser reads, or there is no room.");
      }
    }
    event.target.value = "";
    showPhotos();
  });
  function showPhotos() {
    $("photos").replaceChildren(...draft.photos.map((photo) => {
      const off = el("button", { type: "button", class: "plain-button" }, "Take off");
      off.addEventListener("click", () => {
        draft.photos = draft.photos.filter((one) => one.key !== photo.key);
        keep(draft);
        photoStore("readwrite", (photos) => photos.delete(photo.key)).catch(() => {});
        showPhotos();
      });
      return el("li", {}, photo.name + ", " + Math.max(1, Math.round(photo.size / 1000)) + " kB ", off);
    }));
  }

  // --- saving: a draft waits in a queue, in its turn, until the register has answered ---
  function save() {
    if (!begun()) return say("Nothing is typed yet.");
    if (!draft.at) return say("Say where it is first: tap the map, or use your position.");
    if (form.querySelector("[aria-invalid]")) return say("Correct what is marked first.");
    typed();
    Object.assign(draft, { state: "waiting", given: texts() });
    keep(draft);
    draft = fresh();
    fill();
    say("Saved on this phone. Sending …");
    flush();
  }
  let sending = false;
  async function flush() {
    if (sending) return;
    sending = true;
    try {
      if (navigator.locks) await navigator.locks.request("field-send", sendAll);
      else await sendAll();
    } finally {
      sending = false;
      showQueue();
    }
  }
  async function sendAll() {
    for (const { key } of mine().filter((one) => one.state === "waiting")) {
      const item = mine().find((one) => one.key === key && one.state === "waiting"); // another tab may have sent it
      if (!item) continue;
      try {
        await send(item);
        told(null);
      } catch (error) {
        if (!(error instanceof Refused)) return told(error);
        const named = (name) => (document.querySelector(`label[for="${CSS.escape(name)}"]`) || { textContent: name }).textContent;
        const words = Object.entries(error.faults).map(([name, text]) => named(name) + ": " + text).join(" ") || error.message;
        Object.assign(item, item.id ? { state: "sent", why: "A photo was refused: " + words } : { state: "refused", why: words });
        keep(item);
      }
    }
  }
  // What is sent is settled before the first try, so that a second one is the same request and is done once.
  async function send(item) {
    if (!item.body) {
      const found = await post("/field/check", looked(item, item.given));
      if (!found.record) throw new Refused({ message: "It has no place." });
      item.body = found.record;
      item.verdict = found.told ? found.told.word : "";
      keep(item);
    }
    if (!item.id) {
      item.id = (await post("/api/v1/street-objects", item.body, { "Idempotency-Key": item.key })).id;
      keep(item);
    }
    for (const photo of item.photos.filter((one) => !one.sent)) {
      const blob = await photoStore("readonly", (photos) => photos.get(photo.key));
      if (blob) {
        const sent = new FormData();
        sent.append("file", blob, photo.name);
        await post("/api/v1/street-objects/" + item.id + "/photos", sent, { "Idempotency-Key": item.key + photo.key });
      }
      photo.sent = true;
      keep(item);
      photoStore("readwrite", (photos) => photos.delete(photo.key)).catch(() => {});
    }
    Object.assign(item, { state: "sent", body: null, given: null });
    keep(item);
    mine().filter((one) => one.state === "sent").slice(0, -MOST_SENT).forEach(forget);
    say("Sent.");
  }
  function showQueue() {
    const items = mine().filter((one) => one.state !== "draft").reverse(), hidden = all().length - mine().length;
    const list = $("queue").querySelector("ul");
    $("queue").hidden = !items.length && !hidden;
    list.replaceChildren(...items.map(entry));
    if (hidden) list.append(el("li", { class: "muted" }, hidden + " of another person " + (hidden === 1 ? "is" : "are") + " kept on this phone until that person signs in."));
  }
  const title = (item) => $("what").querySelector(`[value="${item.fields.what || "mailbox"}"]`).textContent;
  function entry(item) {
    const button = (words, act) => {
      const made = el("button", { type: "button", class: "plain-button" }, words);
      made.addEventListener("click", () => { act(); showQueue(); });
      return made;
    };
    const gone = button(item.state === "sent" ? "Take off the list" : "Throw away", () => throwAway(item));
    if (item.state === "sent") return el("li", { class: "sent" }, "✓ ", el("a", { href: "/street-objects/" + item.id }, title(item) + " " + item.id), item.verdict ? " (" + item.verdict + "). " : ". ", item.why ? item.why + " " : "", gone);
    if (item.state === "waiting") return el("li", { class: "waiting" }, "… " + title(item) + " waits for the network. ", button("Send now", flush));
    return el("li", { class: "refused" }, "✕ " + title(item) + " was refused and stays here. " + item.why + " ",
      button("Correct it", () => {
        if (begun()) typed(); else forget(draft);
        if (begun()) Object.assign(draft, { state: "refused", why: "It was put aside." }), keep(draft);
        draft = { ...item, key: newKey(), state: "draft", body: null, why: "" }; // what was refused was not stored
        forget(item);
        keep(draft);
        fill();
        $("what").focus();
      }), " ", gone);
  }

  // --- the place ---
  let place = null, around = null, circle = null;
  function drawPlace() {
    if (!map) return;
    if (place) place.remove();
    if (draft.at) place = L.circleMarker([draft.at.lat, draft.at.lon], { radius: 7, color: "#000", weight: 3, fillColor: "#E69F00", fillOpacity: 1, interactive: false, pane: "me" }).addTo(map);
  }
  function put(at) {
    draft.at = at;
    typed();
    drawPlace();
    ask();
  }
  // What a finger covers of the map is how well it says a place.
  function fingertip() {
    const middle = map.getSize().divideBy(2), ends = [middle, middle.add([FINGER_PX, 0])].map((p) => map.containerPointToLatLng(p));
    return Math.max(1, Math.ceil(map.distance(...ends) / FT_M));
  }
  const tapped = (at) => { put({ lat: Number(at.lat.toFixed(7)), lon: Number(at.wrap().lng.toFixed(7)), accuracy_ft: fingertip(), gps: false }); say("Its place is on the map."); };

  // --- where am I. "The accuracy and altitudeAccuracy values returned by an implementation should correspond to a 95%
  // confidence level" (W3C, Geolocation API), which is the level of every uncertainty here; so metres are turned into feet
  // and nothing else is done to them. Android's own figure, which some browsers hand on as it is, is at 68 %.
  let me = null, watch = null, asked = null;
  function follow() {
    if (watch !== null || !navigator.geolocation) return;
    watch = navigator.geolocation.watchPosition(moved, lost, { enableHighAccuracy: true, maximumAge: 2000, timeout: 30000 });
  }
  function lost() {
    if (!me) $("where").textContent = "Your position is not available. Allow it in the browser, or tap the map.";
  }
  function moved(found) {
    const first = !me;
    me = { lat: found.coords.latitude, lon: found.coords.longitude, accuracy_ft: Math.ceil(found.coords.accuracy / FT_M), gps: true };
    if (map) {
      if (circle) circle.remove();
      circle = L.layerGroup([
        L.circle([me.lat, me.lon], { radius: found.coords.accuracy, color: "#0072B2", weight: 2, fillOpacity: 0.12, interactive: false, pane: "me" }),
        L.circleMarker([me.lat, me.lon], { radius: 5, color: "#fff", weight: 2, fillColor: "#0072B2", fillOpacity: 1, interactive: false, pane: "me" }),
      ]).addTo(map);
      if (first && !draft.at) map.setView([me.lat, me.lon], 19, { animate: false });
    }
    tellWhere();
    if (!asked || L.latLng(asked).distanceTo([me.lat, me.lon]) > 15) lookAround();
  }
  function tellWhere() {
    if (!me) return;
    const street = around && around.street ? "Near " + around.street + (around.block ? ", " + around.block : "") + ". " : "";
    $("where").textContent = street + "Your position is good to ± " + me.accuracy_ft.toLocaleString("en-US") + " ft.";
  }
  let terraces = null;
  async function lookAround() {
    asked = [me.lat, me.lon];
    try {
      const answer = await fetch("/field/around?" + new URLSearchParams({ lat: me.lat, lon: me.lon }), { redirect: "manual" });
      if (!answer.ok) return;
      around = await answer.json();
      tellWhere();
      if (terraces) terraces.remove();
      if (map && around.layers.terrace) terraces = L.geoJSON(around.layers.terrace, { interactive: false, style: (one) => ({ ...around.looks.terrace, ...(one.properties.assumed ? { dashArray: "8 6" } : {}) }) }).addTo(map);
    } catch {
      asked = null; // without a network the map alone tells it
    }
  }
  function here() {
    if (!navigator.geolocation) return say("This browser does not give its position here. It does on https pages and on this computer.");
    follow();
    if (!me) return say("Waiting for your position …");
    put({ ...me, lat: Number(me.lat.toFixed(7)), lon: Number(me.lon.toFixed(7)) });
    say("It stands where you are, ± " + me.accuracy_ft.toLocaleString("en-US") + " ft.");
    if (map) map.setView([me.lat, me.lon], Math.max(map.getZoom(), 18), { animate: false });
  }

  // --- the page at hand without a network; nothing of it stays when somebody signs out ---
  async function keepPage() {
    if (!("serviceWorker" in navigator) || !window.caches) return;
    await navigator.serviceWorker.register("/field/worker.js", { scope: "/field" });
    const kept = await caches.open(CACHE), files = [...document.querySelectorAll("script[src], link[rel=stylesheet], link[rel=icon]")].map((one) => one.src || one.href);
    const there = new Set((await kept.keys()).map((one) => one.url));
    await Promise.all(files.filter((url) => !there.has(url) || !url.includes("?v=")).map((url) => kept.add(url).catch(() => {})));
    const page = await fetch("/field", { redirect: "manual" });
    if (!page.ok) return;
    await kept.put("/field", page);
    (await kept.keys()).filter((one) => !files.includes(one.url) && new URL(one.url).pathname !== "/field").forEach((one) => kept.delete(one)); // of a version before
    document.body.dataset.kept = "yes";
  }
  document.addEventListener("click", (event) => {
    const target = event.target.closest("[data-locate], [data-centre], [data-save], [data-view], [data-clear]");
    if (!target) return;
    if ("locate" in target.dataset) here();
    if ("centre" in target.dataset) tapped(map.getCenter());
    if ("save" in target.dataset) save();
    if (target.dataset.view) map.fitBounds(data.views[target.dataset.view]);
    if ("clear" in target.dataset) {
      throwAway(draft);
      draft = fresh();
      fill();
    }
  });
  window.addEventListener("online", () => { told(null); ask(); flush(); if (me) lookAround(); });
  window.addEventListener("offline", () => told(new TypeError("offline")));
  setInterval(() => { if (mine().some((one) => one.state === "waiting")) flush(); }, WAIT_MS);

  form.hidden = false;
  document.querySelectorAll("[data-locate], [data-save]").forEach((button) => { button.hidden = false; });
  if (map) {
    map.createPane("me").style.zIndex = 640;
    document.querySelectorAll("[data-centre], [data-view]").forEach((button) => { button.hidden = false; });
    map.on("click", (event) => tapped(event.latlng));
    map.getContainer().addEventListener("keydown", (event) => { if (event.key === "Enter" && event.target === map.getContainer()) tapped(map.getCenter()); });
    if (draft.at) map.setView([draft.at.lat, draft.at.lon], 19, { animate: false });
  }
  fill();
  showQueue();
  follow();
  if (!navigator.onLine) told(new TypeError("offline"));
  keepPage().catch(() => {});
  flush();
})();
