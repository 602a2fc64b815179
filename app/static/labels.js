// Writes names, plates and marks on a map that folium drew, from the properties of its layers. Leaflet only.
// Labels are placed once for each zoom, the weightiest first; one that would cover another is left out.
"use strict";
(function () {
  const map = window.map_village;
  if (!map) return;
  const NAMES = ["other", "extended", "casings", "streets", "base_lines", "block_lines", "faces", "findings"];
  const WRITTEN = new Set(["faces", "findings"]); // their lines only say where something is written
  const layers = {};
  NAMES.forEach((name) => { layers[name] = window["geo_json_" + name]; });
  const switched = { streets: ["casings", "streets"] };
  const shown = new Set(NAMES);
  map.setMaxZoom(21);
  map.createPane("labels").style.zIndex = 620;
  const written = L.layerGroup([], { pane: "labels" }).addTo(map);
  L.control.scale({ metric: false, maxWidth: 110 }).addTo(map);

  const pencil = document.createElement("canvas").getContext("2d");
  function widthOf(text, size, weight) {
    pencil.font = weight + " " + size + "px system-ui, sans-serif";
    return pencil.measureText(text).width;
  }

  function write(at, text, kind, angle, pane, href) {
    const inner = document.createElement("span");
    if (href) {
      const link = document.createElement("a");
      Object.assign(link, { href: href, textContent: text, tabIndex: -1 }); // the table has the same links for the keyboard
      inner.append(link);
    } else inner.textContent = text;
    inner.style.transform = "translate(-50%, -50%)" + (angle ? " rotate(" + angle.toFixed(1) + "deg)" : "");
    const icon = L.divIcon({ html: inner, className: "on-map " + kind, iconSize: [0, 0] });
    return L.marker(at, { icon: icon, interactive: false, keyboard: false, pane: pane || "labels" });
  }

  // --- geometry in pixels of one zoom ---
  function measured(feature, zoom) {
    const points = feature.geometry.coordinates.map((c) => map.project([c[1], c[0]], zoom));
    const stations = [0];
    for (let k = 1; k < points.length; k++) stations.push(stations[k - 1] + points[k].distanceTo(points[k - 1]));
    return { points: points, stations: stations, length: stations[stations.length - 1] };
  }
  function at(line, station) {
    const s = Math.min(Math.max(station, 0), line.length);
    let k = 1;
    while (k < line.stations.length - 1 && line.stations[k] < s) k++;
    const part = line.stations[k] - line.stations[k - 1];
    const t = part ? (s - line.stations[k - 1]) / part : 0;
    const a = line.points[k - 1], b = line.points[k];
    return L.point(a.x + (b.x - a.x) * t, a.y + (b.y - a.y) * t);
  }
  function chord(line, station, reach) {
    const a = at(line, station - reach), b = at(line, station + reach);
    return { angle: Math.atan2(b.y - a.y, b.x - a.x), length: a.distanceTo(b), from: a, to: b };
  }
  function upright(angle) {
    const degrees = angle * 180 / Math.PI;
    return degrees > 90 ? degrees - 180 : degrees <= -90 ? degrees + 180 : degrees;
  }

  // --- boxes that may not cover each other ---
  function box(center, width, height, degrees) {
    const a = degrees * Math.PI / 180, c = Math.cos(a), s = Math.sin(a);
    return { x: center.x, y: center.y, w: width / 2, h: height / 2, c: c, s: s, r: Math.hypot(width, height) / 2 };
  }
  function apart(p, q) {
    const dx = q.x - p.x, dy = q.y - p.y;
    for (const [ux, uy] of [[p.c, p.s], [-p.s, p.c], [q.c, q.s], [-q.s, q.c]]) {
      const reach = (b) => b.w * Math.abs(b.c * ux + b.s * uy) + b.h * Math.abs(-b.s * ux + b.c * uy);
      if (Math.abs(dx * ux + dy * uy) > reach(p) + reach(q)) return true;
    }
    return false;
  }
  function free(taken, one) {
    return taken.every((other) => Math.hypot(other.x - one.x, other.y - one.y) > other.r + one.r || apart(one, other));
  }
  function features(name) {
    const found = [];
    if (layers[name] && shown.has(name)) layers[name].eachLayer((layer) => found.push(layer.feature));
    return found;
  }

  const NEAR_PX = 0.12; // pixels a foot from which plates and marks are written

  // --- what is written at one zoom ---
  function writeAll(zoom) {
    const made = [], taken = [];
    const put = (point, text, kind, degrees, width, height, href) => {
      const one = box(point, width, height, degrees);
      if (!free(taken, one)) return false;
      taken.push(one);
      made.push({ box: one, marker: write(map.unproject(point, zoom), text, kind, degrees, "", href) });
      return true;
    };
    letters(zoom, put);
    names(zoom, put, taken);
    plates(zoom, put);
    findings(zoom, put);
    return made;
  }

  function letters(zoom, put) {
    features("base_lines").forEach((feature) => {
      const line = measured(feature, zoom), known = feature.properties;
      if (known.start) put(at(line, 0), known.start, "letter", 0, 26, 26);
      if (known.end) put(at(line, line.length), known.end, "letter", 0, 26, 26);
    });
  }

  function names(zoom, put, taken) {
    const lines = features("streets").map((feature) => ({ known: feature.properties, line: measured(feature, zoom) }));
    lines.sort((a, b) => b.known.base - a.known.base || a.known.muted - b.known.muted || b.line.length - a.line.length);
    const places = {};
    const wanted = lines.filter((l) => l.known.base).length ? lines.concat(features("base_lines").map(baseName(zoom))) : lines;
    wanted.sort((a, b) => b.known.base - a.known.base);
    wanted.forEach(({ known, line, spare }) => {
      if (spare && places[known.name]) return;
      const text = known.status === "inferred" ? known.name + " (inferred)" : known.name;
      const size = known.base ? 13 : 12;
      const width = widthOf(text, size, known.base ? 700 : 500) + 8;
      const kind = "name " + (known.base ? "base-name " : "") + { inferred: "guessed", placeholder: "placeholder", confirmed: "" }[known.status];
      const repeats = Math.max(1, Math.floor(line.length / 520));
      for (let k = 0; k < repeats; k++) {
        for (const shift of [0, -0.22, 0.22, -0.4, 0.4]) {
          const station = (k + 0.5 + shift) * line.length / repeats;
          const across = chord(line, station, Math.min(width / 2, line.length / 2));
          if (across.length < 0.93 * Math.min(width, line.length) || line.length < 0.6 * width) continue;
          const middle = at(line, station);
          if ((places[known.name] || []).some((other) => other.distanceTo(middle) < 260)) continue;
          if (put(middle, text, kind, upright(across.angle), width, size + 3)) {
            (places[known.name] = places[known.name] || []).push(middle);
            break;
          }
        }
      }
    });
  }

  // A base line too short for its name on the ground is named where it is carried on.
  function baseName(zoom) {
    const status = {};
    features("streets").forEach((f) => { status[f.properties.name] = f.properties.status; });
    return (feature) => ({ known: { ...feature.properties, base: true, status: status[feature.properties.name] || "confirmed" }, line: measured(feature, zoom), spare: true });
  }

  // A plate leads to its face where a tap on the map asks for nothing else.
  const leads = Boolean(document.querySelector(".street-map"));
  function faceOf(known) {
    return "/faces/" + [known.street, known.half, known.hundred, known.parity].map(encodeURIComponent).join("/");
  }
  function plates(zoom, put) {
    features("faces").forEach((feature) => {
      const line = measured(feature, zoom), known = feature.properties;
      const width = widthOf(known.numbers, 11, 400) + 10;
      const perFoot = line.length / Math.max(known.ft - 24, 1);
      if (line.length < 0.9 * width || perFoot < NEAR_PX) return;
      const more = Math.max(0, 16 - 34 * Math.min(perFoot, 10));
      for (const share of [0.5, 0.38, 0.62, 0.25, 0.75]) {
        const across = chord(line, share * line.length, width / 2), middle = at(line, share * line.length);
        const away = L.point(Math.sin(across.angle), -Math.cos(across.angle)).multiplyBy(known.left * more);
        if (put(middle.add(away), known.numbers, "plate", upright(across.angle), width, 16, leads ? faceOf(known) : "")) break;
      }
    });
  }

  function findings(zoom, put) {
    features("findings").forEach((feature) => {
      const line = measured(feature, zoom), known = feature.properties, text = String(known.mark);
      if (line.length < 44 || line.length / Math.max(known.ft, 1) < NEAR_PX) return;
      const kind = known.decide ? "finding" : "finding for-note";
      for (const share of [0.5, 0.3, 0.7, 0.15, 0.85]) {
        if (put(at(line, share * line.length), text, kind, 0, Math.max(20, 8 * text.length + 8), 20)) break;
      }
    });
  }

  const kept = new Map();
  function refresh() {
    const zoom = map.getZoom(), key = zoom + " " + [...shown].sort().join();
    if (!kept.has(key)) kept.set(key, writeAll(zoom));
    written.clearLayers();
    const over = Object.values(reserved).flat().map((r) => box(map.project(r.at, zoom), r.width, r.height, 0));
    kept.get(key).forEach((label) => { if (free(over, label.box)) written.addLayer(label.marker); });
  }

  // What the answer and the register write goes before what the map has there.
  const reserved = {};
  function reserve(boxes, owner) {
    reserved[owner || "answer"] = boxes;
    refresh();
  }

  document.querySelectorAll("[data-layer]").forEach((input) => {
    const set = () => (switched[input.dataset.layer] || [input.dataset.layer]).forEach((name) => {
      if (!layers[name]) return;
      if (WRITTEN.has(name)) return input.checked ? shown.add(name) : shown.delete(name);
      if (input.checked) { shown.add(name); layers[name].addTo(map); } else { shown.delete(name); layers[name].remove(); }
    });
    input.addEventListener("change", () => {
      set();
      NAMES.forEach((name) => { if (layers[name] && map.hasLayer(layers[name])) layers[name].bringToFront(); });
      refresh();
    });
    set();
  });

  map.on("zoomend", refresh);
  refresh();
  map.getContainer().setAttribute("role", "application");
  map.getContainer().setAttribute("aria-label", "Map. Arrow keys move it, plus and minus zoom.");

  // A printed map has the size of the paper, so it is fitted anew and put back afterwards.
  // What is folded on the screen is unfolded on paper.
  let before = null, unfolded = [];
  window.addEventListener("beforeprint", () => {
    unfolded = [...document.querySelectorAll("details:not(.typed):not([open])")];
    unfolded.forEach((details) => { details.open = true; });
    before = { center: map.getCenter(), zoom: map.getZoom(), seen: map.getBounds() };
    map.getContainer().parentElement.classList.add("printing");
    map.invalidateSize({ animate: false });
    map.fitBounds(before.seen, { animate: false });
  });
  window.addEventListener("afterprint", () => {
    if (!before) return;
    unfolded.forEach((details) => { details.open = false; });
    map.getContainer().parentElement.classList.remove("printing");
    map.invalidateSize({ animate: false });
    map.setView(before.center, before.zoom, { animate: false });
    before = null;
  });

  window.village = { map: map, write: write, reserve: reserve, widthOf: widthOf };
})();
