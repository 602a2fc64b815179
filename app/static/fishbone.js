// Writes beside each entrance the number it has and the one of its place, near enough only; leads to its record.
"use strict";
(function () {
  const village = window.village, map = village && village.map, entrances = window.geo_json_entrances;
  if (!map || !entrances) return;
  const WRITTEN = 17;
  map.createPane("numbers").style.zIndex = 640;
  const written = L.layerGroup().addTo(map);
  function show() {
    written.clearLayers();
    const boxes = [], taken = new Set();
    if (map.getZoom() >= WRITTEN) {
      const seen = map.getBounds();
      entrances.eachLayer((layer) => {
        const f = layer.feature, c = f.geometry.coordinates[0], at = L.latLng(c[1], c[0]);
        if (!seen.contains(at)) return;
        const same = f.properties.computed === null || f.properties.computed === f.properties.number;
        const text = same ? String(f.properties.number) : f.properties.number + " (" + f.properties.computed + ")";
        const spot = map.latLngToLayerPoint(at).add([0, -14]);
        const cells = [0, 1, 2].map((k) => Math.round(spot.x / 24) + k - 1 + " " + Math.round(spot.y / 16));
        if (cells.some((cell) => taken.has(cell))) return;
        cells.forEach((cell) => taken.add(cell));
        const where = map.layerPointToLatLng(spot);
        boxes.push({ at: where, width: village.widthOf(text, 12, 600) + 8, height: 16 });
        written.addLayer(village.write(where, text, "assigned", 0, "numbers", "/addresses/" + f.properties.id));
      });
    }
    village.reserve(boxes, "fishbone");
  }
  map.on("moveend", show);
  show();
})();
