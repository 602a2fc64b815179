// Draws an answer on the map: construction lines, the entrance, its number and those beside it in the row. The map page,
// an address's page and the officer's page draw the same thing.
"use strict";
(function () {
  const village = window.village, map = village && village.map;
  if (!map) return;
  const data = JSON.parse(document.getElementById("page-data").textContent);

  const LOOKS = {
    base_line: { color: "#0072B2", weight: 9, opacity: 0.3 },
    extension: { color: "#000", weight: 2 },
    block_line: { color: "#000", weight: 4, lineCap: "butt" },
    block: { color: "#007356", weight: 5 },
    unit: { color: "#E69F00", weight: 9, lineCap: "butt" },
    offset: { color: "#000", weight: 2 },
  };
  const OUTLINES = {
    lot: { color: "#6b6b6b", weight: 1.5, dashArray: "8 4", fill: false },
    building: { color: "#444", weight: 1.5, fillColor: "#bbb", fillOpacity: 0.5 },
  };
  map.createPane("construction").style.zIndex = 450;
  map.createPane("answer").style.zIndex = 640;
  const drawn = L.layerGroup().addTo(map);
  const latlng = (c) => L.latLng(c[1], c[0]);
  let boxes = [];
  function told(at, text, kind) {
    const size = kind === "main" ? 15 : 12;
    boxes.push({ at: at, width: village.widthOf(text, size, 700) + 14, height: size + 8 });
    drawn.addLayer(village.write(at, text, "told " + (kind || ""), 0, "answer"));
  }

  function draw(found, place, accuracy) {
    drawn.clearLayers();
    boxes = [];
    village.named = new Set((found.neighbours || []).map((n) => n.id));
    Object.entries(OUTLINES).forEach(([name, look]) => {
      if (found[name]) drawn.addLayer(L.polygon(found[name].coordinates.map((ring) => ring.map(latlng)), { ...look, interactive: false, pane: "construction" }));
    });
    if (found.set_back) drawn.addLayer(L.polyline(found.set_back.map(latlng), { color: "#b50909", weight: 2, dashArray: "1 5", interactive: false, pane: "construction" }));
    const features = found.explanation ? found.explanation.geometry.features : [];
    features.filter((f) => f.properties.role !== "offset").concat(features.filter((f) => f.properties.role === "offset")).forEach((f) => {
      const look = { ...LOOKS[f.properties.role], interactive: false, pane: "construction" };
      if (f.properties.assumed) look.dashArray = "7 6";
      drawn.addLayer(L.polyline(f.geometry.coordinates.map(latlng), look));
      if (f.properties.role === "block_line" && f.properties.label) told(latlng(f.geometry.coordinates[0]), f.properties.label);
    });
    const door = L.latLng(place.lat, place.lon);
    boxes.push({ at: door, width: 18, height: 18 });
    const offset = role(features, "offset");
    if (offset) boxes.push({ at: latlng(offset.geometry.coordinates[1]), width: 40, height: 40 });
    if (accuracy) drawn.addLayer(L.circle(door, { radius: accuracy, color: "#0072B2", weight: 1, fillOpacity: 0.1, interactive: false, pane: "construction" }));
    drawn.addLayer(L.circleMarker(door, { radius: 6, color: "#000", weight: 2.5, fillColor: "#fff", fillOpacity: 1, interactive: false, pane: "construction" }));
    if (found.number) {
      told(beyond(features, 26) || door, found.label || String(found.number), "main");
      if (found.neighbours) found.neighbours.forEach((n) => held(n, features)); else neighbours(found, features);
    }
    village.reserve(boxes);
  }
  const role = (features, name) => features.find((f) => f.properties.role === name);
  const ZOOM = 20; // at which geometry is measured in pixels
  const pixels = (c) => map.project(latlng(c), ZOOM);

  // A point as many pixels past the door as asked, seen from the street, so that a label does not hide the door.
  function beyond(features, pixelsNow) {
    const offset = role(features, "offset");
    if (!offset) return null;
    const [door, foot] = offset.geometry.coordinates.map((c) => map.latLngToLayerPoint(latlng(c)));
    const away = door.distanceTo(foot) || 1;
    return map.layerPointToLatLng(door.add(door.subtract(foot).multiplyBy(pixelsNow / away)));
  }

  // A number in use next to it in the row, at its own entrance; its label lies away from the street.
  function held(one, features) {
    const at = L.latLng(one.lat, one.lon), offset = role(features, "offset");
    drawn.addLayer(L.circleMarker(at, { radius: 4, color: "#000", weight: 1.5, fillColor: "#000", fillOpacity: 1, interactive: false, pane: "construction" }));
    let away = L.point(0, -16);
    if (offset) {
      const [door, foot] = offset.geometry.coordinates.map((c) => map.latLngToLayerPoint(latlng(c)));
      away = door.subtract(foot).multiplyBy(16 / (door.distanceTo(foot) || 1));
    }
    const where = map.latLngToLayerPoint(at).add(away), width = village.widthOf(one.number, 12, 700) + 14;
    const covers = (b) => {
      const other = map.latLngToLayerPoint(b.at);
      return Math.abs(other.x - where.x) < (b.width + width) / 2 && Math.abs(other.y - where.y) < (b.height + 18) / 2;
    };
    if (!boxes.some(covers)) told(map.layerPointToLatLng(where), one.number, "neighbour");
  }

  // The numbers before and after on the same side: the middles of the units beside the entrance's own.
  function neighbours(found, features) {
    const block = role(features, "block"), offset = role(features, "offset");
    const value = (name) => found.explanation.steps.map((s) => s.values[name]).find((v) => v !== undefined);
    const length = value("length_ft"), unit = value("unit");
    if (!block || !offset || !length || unit === undefined) return;
    const line = block.geometry.coordinates.map(pixels), [door, foot] = offset.geometry.coordinates.map(pixels);
    const away = door.distanceTo(foot);
    [[-1, found.number - 2], [1, found.number + 2]].forEach(([shift, number]) => {
      const share = (unit + shift + 0.5) * found.unit_ft / length;
      if (unit + shift < 0 || unit + shift > data.last_unit || share > 1) return;
      const { point, step } = alongLine(line, share);
      const left = L.point(-step.y, step.x), side = left.x * (door.x - foot.x) + left.y * (door.y - foot.y) >= 0 ? 1 : -1;
      const at = point.add(left.multiplyBy(side * away / (Math.hypot(step.x, step.y) || 1)));
      const ends = [point, at].map((p) => map.unproject(p, ZOOM));
      if (map.latLngToLayerPoint(ends[1]).distanceTo(map.latLngToLayerPoint(latlng(offset.geometry.coordinates[0]))) > 11) {
        drawn.addLayer(L.polyline(ends, { color: "#000", weight: 1, dashArray: "2 4", interactive: false, pane: "construction" }));
        drawn.addLayer(L.circleMarker(ends[1], { radius: 3, color: "#000", weight: 1, fillColor: "#000", fillOpacity: 1, interactive: false, pane: "construction" }));
      }
      const out = map.latLngToLayerPoint(ends[1]).subtract(map.latLngToLayerPoint(ends[0]));
      const reach = Math.hypot(out.x, out.y) || 1, along = L.point(step.x, step.y).multiplyBy(shift * 26 / (Math.hypot(step.x, step.y) || 1));
      told(map.layerPointToLatLng(map.latLngToLayerPoint(ends[1]).add(out.multiplyBy(8 / reach)).add(along)), String(number), "neighbour");
    });
  }
  function alongLine(line, share) {
    const parts = line.slice(1).map((p, k) => p.distanceTo(line[k]));
    let left = share * parts.reduce((a, b) => a + b, 0), k = 0;
    while (k < parts.length - 1 && left > parts[k]) left -= parts[k++];
    const step = line[k + 1].subtract(line[k]), t = parts[k] ? left / parts[k] : 0;
    return { point: line[k].add(step.multiplyBy(t)), step: step };
  }
  function undraw() {
    drawn.clearLayers();
    village.named = new Set();
    village.reserve([]);
  }
  // Between the entrance and its street, so that both are seen on a small screen.
  function middle(found, place) {
    const offset = found.explanation && role(found.explanation.geometry.features, "offset");
    return offset ? L.latLngBounds(offset.geometry.coordinates.map(latlng)).getCenter() : L.latLng(place.lat, place.lon);
  }
  Object.assign(village, { named: new Set(), draw: draw, undraw: undraw, middle: middle });
})();
