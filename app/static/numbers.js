// The numbers in use, as the register has them: only those in view and only near enough to be told apart.
"use strict";
(function () {
  const village = window.village, map = village && village.map, box = document.querySelector("[data-assigned]");
  if (!map || !box) return;
  const NEAR = 16, WRITTEN = 18;
  const LOOKS = {
    official: { fillColor: "#1b1b1b", fillOpacity: 1 },
    provisional: { fillColor: "#fff", fillOpacity: 1 },
    proposed: { fillColor: "#fff", fillOpacity: 0.4, dashArray: "2 2" },
  };
  map.createPane("assigned").style.zIndex = 440;
  map.createPane("assigned-numbers").style.zIndex = 615;
  const canvas = L.canvas({ pane: "assigned" });
  const points = L.layerGroup(), numbers = L.layerGroup();
  let asked = 0, kept = null;

  function show(features) {
    points.clearLayers();
    numbers.clearLayers();
    const boxes = [], taken = new Set(), written = map.getZoom() >= WRITTEN;
    features.filter((f) => !village.named.has(f.id)).forEach((f) => { // the answer names those beside it itself
      const at = L.latLng(f.geometry.coordinates[1], f.geometry.coordinates[0]);
      const look = { radius: written ? 4 : 3, color: "#1b1b1b", weight: 1.5, interactive: false, renderer: canvas, ...LOOKS[f.properties.status] };
      points.addLayer(L.circleMarker(at, look));
      if (!written) return;
      const spot = map.latLngToLayerPoint(at).add([0, -12]), cell = Math.round(spot.x / 30) + " " + Math.round(spot.y / 16);
      if (taken.has(cell)) return;
      taken.add(cell);
      const where = map.layerPointToLatLng(spot);
      boxes.push({ at: where, width: village.widthOf(f.properties.number, 12, 600) + 8, height: 16 });
      numbers.addLayer(village.write(where, f.properties.number, "assigned", 0, "assigned-numbers"));
    });
    village.reserve(boxes, "assigned");
  }
  async function refresh() {
    const mine = ++asked;
    if (!box.checked || map.getZoom() < NEAR) {
      kept = null;
      return show([]);
    }
    const seen = map.getBounds();
    if (kept && kept.bounds.contains(seen) && kept.complete) return show(kept.features);
    const wide = seen.pad(0.5);
    try {
      const answer = await fetch("/addresses.geojson?bbox=" + [wide.getWest(), wide.getSouth(), wide.getEast(), wide.getNorth()].map((d) => d.toFixed(6)).join());
      if (!answer.ok || mine !== asked) return;
      const found = await answer.json();
      if (mine !== asked) return;
      kept = { bounds: wide, complete: found.complete, features: found.features };
      show(found.features);
    } catch {
      kept = null; // the map stays usable without them, and the next move asks again
    }
  }
  points.addTo(map);
  numbers.addTo(map);
  let waiting = 0;
  map.on("moveend", () => { clearTimeout(waiting); waiting = setTimeout(refresh, 150); });
  box.addEventListener("change", refresh);
  refresh();
})();
