// The outline of a work, tapped on the map corner by corner and kept in the form's own field. The form works without it.
"use strict";
(function () {
  const village = window.village, map = village && village.map;
  if (!map) return;
  const form = document.getElementById("apply"), said = document.getElementById("said"), field = form.elements.geometry;
  const data = JSON.parse(document.getElementById("page-data").textContent);
  const FT_M = 0.3048, FINGER_PX = 8;
  const LOOK = { color: "#b50909", weight: 3, interactive: false };
  const say = (text) => { said.textContent = text; };
  const show = (selector, shown) => document.querySelectorAll(selector).forEach((button) => { button.hidden = !shown; });
  const fixed = (value) => Number(value.toFixed(7));
  let outline = null, kept = null;

  // What a finger covers of the map is how well it says a place.
  function fingertip() {
    const middle = map.getSize().divideBy(2), ends = [middle, middle.add([FINGER_PX, 0])].map((p) => map.containerPointToLatLng(p));
    return Math.max(1, Math.ceil(map.distance(...ends) / FT_M)) + " ft";
  }
  function keep() {
    if (kept) kept.remove();
    kept = null;
    try {
      if (field.value) kept = L.geoJSON(JSON.parse(field.value), { style: LOOK, interactive: false, pointToLayer: (_, at) => L.circleMarker(at, { ...LOOK, radius: 6 }) }).addTo(map);
    } catch {
      say("The outline in the form is no GeoJSON.");
    }
  }
  function begin() {
    if (kept) kept.remove();
    outline = { corners: [], line: L.polyline([], LOOK).addTo(map), dots: L.layerGroup().addTo(map) };
    show("[data-outline]", false);
    show("[data-back], [data-finish], [data-centre]", true);
    say("Tap the corners of the work one after another, then finish. Escape leaves it.");
    map.getContainer().focus();
    map.getContainer().scrollIntoView({ block: "nearest" });
  }
  function draw() {
    outline.line.setLatLngs(outline.corners.length > 2 ? [...outline.corners, outline.corners[0]] : outline.corners);
    outline.dots.clearLayers();
    outline.corners.forEach((at) => outline.dots.addLayer(L.circleMarker(at, { ...LOOK, radius: 5, fillColor: "#fff", fillOpacity: 1 })));
    say(outline.corners.length + " corner" + (outline.corners.length === 1 ? "" : "s") + " of the outline.");
  }
  function leave() {
    outline.line.remove();
    outline.dots.remove();
    outline = null;
    show("[data-outline]", true);
    show("[data-back], [data-finish], [data-centre]", false);
    keep();
  }
  function finish() {
    if (outline.corners.length < 3) return say("The outline has three corners or more.");
    const points = outline.corners.map((at) => [fixed(at.wrap().lng), fixed(at.lat)]);
    field.value = JSON.stringify({ type: "Polygon", coordinates: [[...points, points[0]]] });
    ["lat", "lon", "length_ft", "width_ft"].forEach((name) => { form.elements[name].value = ""; });
    form.elements.accuracy_ft.value = fingertip();
    form.elements.datum.value = "nad83-2011";
    field.closest("details").open = true;
    leave();
    say("The outline is in the form.");
  }
  function tapped(at) {
    if (!outline) begin();
    outline.corners.push(at);
    draw();
  }
  document.addEventListener("click", (event) => {
    const target = event.target.closest("[data-view], [data-outline], [data-centre], [data-back], [data-finish]");
    if (!target) return;
    const does = target.dataset;
    if (does.view) map.fitBounds(data.views[does.view]);
    if ("outline" in does && !outline) begin();
    if ("centre" in does) tapped(map.getCenter());
    if ("back" in does && outline) { outline.corners.pop(); draw(); }
    if ("finish" in does && outline) finish();
  });
  document.addEventListener("keydown", (event) => {
    if (event.key === "Escape" && outline) { leave(); say(""); }
    if (event.key === "Enter" && event.target === map.getContainer()) { event.preventDefault(); tapped(map.getCenter()); }
  });
  map.on("click", (event) => tapped(event.latlng));
  field.addEventListener("change", keep);
  show("[data-view], [data-outline]", true);
  if (data.at) map.setView(data.at, 19, { animate: false });
  keep();
  if (kept) map.fitBounds(kept.getBounds().pad(2), { animate: false, maxZoom: 20 });
})();
