// The works map: a mark of its own shape for each work, a day that is read while its slider moves, and the view kept
// from one day to the next. Every form and link of the page works without it.
"use strict";
(function () {
  const village = window.village, map = village && village.map, KEPT = "works-view";
  const data = JSON.parse(document.getElementById("page-data").textContent);
  const slider = document.getElementById("days"), shown = document.getElementById("day-shown"), form = slider.form;
  const keep = (view) => {
    try {
      if (view) sessionStorage.setItem(KEPT, JSON.stringify(view));
      const found = JSON.parse(sessionStorage.getItem(KEPT));
      if (!view) sessionStorage.removeItem(KEPT);
      return found;
    } catch {
      return null; // not allowed: the map begins anew
    }
  };

  // --- the day ---
  const [year, month, day] = slider.dataset.today.split("-").map(Number);
  const dayAt = (offset) => new Date(Date.UTC(year, month - 1, day + offset));
  const worded = (at) => at.toLocaleDateString("en-US", { timeZone: "UTC", weekday: "short", month: "long", day: "numeric", year: "numeric" });
  let waiting = 0;
  function tell() {
    shown.textContent = worded(dayAt(Number(slider.value)));
    slider.setAttribute("aria-valuetext", shown.textContent);
  }
  function go(focus) {
    const query = new URLSearchParams({ at: dayAt(Number(slider.value)).toISOString().slice(0, 10) });
    ["state", "kind", "street"].forEach((name) => { if (form.elements[name].value) query.set(name, form.elements[name].value); });
    const view = map ? { center: map.getCenter(), zoom: map.getZoom() } : {};
    keep({ ...view, focus: focus, top: document.getElementById("panel").scrollTop, y: window.scrollY });
    location.assign("/works?" + query);
  }
  slider.addEventListener("input", tell);
  slider.addEventListener("change", () => {
    clearTimeout(waiting);
    waiting = setTimeout(() => go("days"), 350); // arrow keys move it day by day
  });
  const before = keep(null);
  if (before && before.focus) {
    document.getElementById(before.focus).focus({ preventScroll: true });
    document.getElementById("panel").scrollTop = before.top;
    window.scrollTo(0, before.y);
  }
  if (!map) return;

  // --- the marks ---
  map.createPane("works").style.zIndex = 645;
  const marks = L.layerGroup().addTo(map);
  function mark(one) {
    const link = document.createElement("a");
    Object.assign(link, { href: "#work-" + one.id, textContent: one.number, tabIndex: -1, className: "work-mark " + one.state });
    const icon = L.divIcon({ html: link, className: "work-on-map", iconSize: [0, 0] });
    return L.marker([one.lat, one.lon], { icon: icon, interactive: false, keyboard: false, pane: "works" });
  }
  data.marks.slice().reverse().forEach((one) => marks.addLayer(mark(one)));
  village.reserve(data.marks.map((one) => ({ at: L.latLng(one.lat, one.lon), width: 30, height: 28 })), "works");
  if (before && before.center) map.setView(before.center, before.zoom, { animate: false });
  document.querySelectorAll("[data-view]").forEach((button) => {
    button.hidden = false;
    button.addEventListener("click", () => map.fitBounds(data.views[button.dataset.view]));
  });
  document.querySelectorAll("[data-work]").forEach((button) => {
    button.hidden = false;
    button.addEventListener("click", () => {
      const one = data.marks.find((m) => String(m.id) === button.dataset.work);
      map.setView([one.lat, one.lon], Math.max(map.getZoom(), 18));
      document.querySelectorAll(".work-list .chosen").forEach((li) => li.classList.remove("chosen"));
      document.getElementById("work-" + one.id).classList.add("chosen");
      map.getContainer().scrollIntoView({ block: "nearest" });
    });
  });
})();
