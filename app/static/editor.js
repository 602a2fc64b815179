// The map editor: a tap chooses the street there, or adds a point to the street that is drawn. What is chosen is in the
// page's address, what is drawn in its form, so that everything works the same without this script.
"use strict";
(function () {
  const village = window.village, map = village && village.map, said = document.getElementById("said");
  if (!map) return;
  const data = JSON.parse(document.getElementById("page-data").textContent);
  const points = document.getElementById("points"), unit = document.getElementById("draw-unit");
  const CHOSEN = { color: "#E69F00", weight: 9, opacity: 0.55, lineCap: "butt", interactive: false, pane: "chosen" };
  map.createPane("chosen").style.zIndex = 445;
  map.createPane("drawn").style.zIndex = 640;
  const show = (selector, shown) => document.querySelectorAll(selector).forEach((button) => { button.hidden = !shown; });

  // --- what is edited ---
  data.street.forEach((line) => L.polyline(line, CHOSEN).addTo(map));
  if (data.piece.length) L.polyline(data.piece, { ...CHOSEN, color: "#D55E00", opacity: 0.7 }).addTo(map);
  if (data.place) L.circleMarker(data.place, { radius: 6, color: "#000", weight: 2.5, fillColor: "#fff", fillOpacity: 1, interactive: false, pane: "drawn" }).addTo(map);
  const LINE = { color: "#D55E00", weight: 4, interactive: false, pane: "drawn" };
  if (data.drawn.length) L.polyline(data.drawn, LINE).addTo(map);
  if (data.drawn.length) map.fitBounds(L.latLngBounds(data.drawn).pad(0.6), { animate: false });
  else if (data.place) map.setView(data.place, 17.5, { animate: false });
  else if (data.focus) map.fitBounds(data.focus, { animate: false });

  // --- drawing ---
  const drawing = data.drawing && points;
  const line = L.polyline([], LINE).addTo(map), dots = L.layerGroup().addTo(map);
  const lines = () => points.value.split("\n").map((text) => text.trim()).filter(Boolean);
  function places() {
    return lines().map((text) => text.split(/[,;\s]+/).map(Number)).filter((pair) => pair.length === 2 && pair.every(Number.isFinite));
  }
  function draw() {
    const known = unit.value === "degrees" ? places() : []; // feet are drawn once the server has read them
    line.setLatLngs(known);
    dots.clearLayers();
    known.forEach((at) => dots.addLayer(L.circleMarker(at, { radius: 5, color: "#D55E00", fillColor: "#fff", fillOpacity: 1, interactive: false, pane: "drawn" })));
    show("[data-back]", lines().length > 0);
    said.textContent = known.length ? known.length + " point" + (known.length === 1 ? "" : "s") + " drawn." : "";
  }
  function add(at) {
    unit.value = "degrees";
    points.value = [...lines(), at].join("\n");
    draw();
  }

  const written = (at) => at.lat.toFixed(7) + ", " + at.wrap().lng.toFixed(7);
  function take(at) {
    if (drawing) add(written(at));
    else {
      said.textContent = "Looking …";
      window.location.assign(data.here + "?" + new URLSearchParams({ at: written(at) }));
    }
  }
  document.addEventListener("click", (event) => {
    const target = event.target.closest("[data-centre], [data-back], [data-view]");
    if (!target) return;
    if ("centre" in target.dataset) take(map.getCenter());
    if ("back" in target.dataset) { points.value = lines().slice(0, -1).join("\n"); draw(); }
    if (target.dataset.view) map.fitBounds(data.views[target.dataset.view]);
  });
  document.addEventListener("keydown", (event) => {
    if (event.key === "Enter" && event.target === map.getContainer()) take(map.getCenter());
  });
  if (drawing) {
    points.addEventListener("input", draw);
    unit.addEventListener("change", draw);
    draw();
  }
  show("[data-view], [data-centre]", true);
  map.on("click", (event) => take(event.latlng));
})();
