// The page of a check: a tap gives a place or the corners of an outline, the phone its position, and both are sent by
// the page's own form, so that everything works the same without this script. Labels are written on the construction.
"use strict";
(function () {
  const village = window.village, map = village && village.map;
  const form = document.getElementById("check"), said = document.getElementById("said");
  const data = JSON.parse(document.getElementById("page-data").textContent);
  const FT_M = 0.3048, FINGER_PX = 8, MOST_URL = 6000;
  const say = (text) => { said.textContent = text; };
  const show = (selector, shown) => document.querySelectorAll(selector).forEach((button) => { button.hidden = !shown; });
  const fixed = (value) => Number(value.toFixed(7));

  // --- sending: a form whose shapes are too long for an address goes by POST ---
  form.addEventListener("submit", (event) => {
    const query = new URLSearchParams(new FormData(form)).toString();
    if (!(event.submitter && event.submitter.hasAttribute("formmethod"))) form.method = query.length > MOST_URL ? "post" : "get";
    [...form.elements].forEach((field) => { // an address says only what was asked
      if (field.name && field.value === "" && form.method === "get") field.disabled = true;
    });
  });
  window.addEventListener("pageshow", () => [...form.elements].forEach((field) => { field.disabled = false; }));
  const send = () => { say("Checking …"); form.requestSubmit(form.querySelector("button:not([name]):not([type=button]):not([formmethod])")); };
  function known(accuracy, datum) {
    if (form.elements.accuracy_ft) form.elements.accuracy_ft.value = accuracy;
    if (form.elements.datum) form.elements.datum.value = datum;
  }
  // What a finger covers of the map is how well it says a place.
  function fingertip() {
    const middle = map.getSize().divideBy(2), ends = [middle, middle.add([FINGER_PX, 0])].map((p) => map.containerPointToLatLng(p));
    return Math.max(1, Math.ceil(map.distance(...ends) / FT_M)) + " ft";
  }
  function place(at) {
    form.elements.lat.value = at.lat.toFixed(7);
    form.elements.lon.value = at.wrap().lng.toFixed(7);
    if (data.shape) form.elements[data.shape].value = "";
    known(fingertip(), "nad83-2011");
    send();
  }
  function locate() {
    if (!navigator.geolocation) return say("This browser does not give its position here. It does on https pages and on this computer.");
    say("Waiting for your position …");
    navigator.geolocation.getCurrentPosition((found) => {
      form.elements.lat.value = found.coords.latitude.toFixed(7);
      form.elements.lon.value = found.coords.longitude.toFixed(7);
      if (data.shape) form.elements[data.shape].value = "";
      known(Math.ceil(found.coords.accuracy / FT_M) + " ft", "gps");
      send();
    }, () => say("Your position is not available. Allow it in the browser, or tap the map."), { enableHighAccuracy: true, timeout: 15000, maximumAge: 5000 });
  }

  // --- an outline or a line by its corners ---
  const least = data.draws === "LineString" ? 2 : 3, what = data.draws === "LineString" ? "line" : "outline";
  let outline = null;
  function begin() {
    outline = { corners: [], line: L.polyline([], { color: "#b50909", weight: 3, interactive: false }).addTo(map), dots: L.layerGroup().addTo(map) };
    show("[data-locate], [data-centre], [data-outline]", false);
    show("[data-back], [data-finish]", true);
    say("Tap the corners of the " + what + " one after another, then finish. Escape leaves it.");
    map.getContainer().focus();
    map.getContainer().scrollIntoView({ block: "nearest" });
  }
  function corner(at) {
    outline.corners.push(at);
    draw();
  }
  function draw() {
    const ring = least === 3 && outline.corners.length > 2 ? [...outline.corners, outline.corners[0]] : outline.corners;
    outline.line.setLatLngs(ring);
    outline.dots.clearLayers();
    outline.corners.forEach((at) => outline.dots.addLayer(L.circleMarker(at, { radius: 5, color: "#b50909", fillColor: "#fff", fillOpacity: 1, interactive: false })));
    say(outline.corners.length + " corner" + (outline.corners.length === 1 ? "" : "s") + " of the " + what + ".");
  }
  function leave() {
    outline.line.remove();
    outline.dots.remove();
    outline = null;
    show("[data-outline]", true);
    show("[data-locate], [data-centre]", data.place);
    show("[data-back], [data-finish]", false);
    say("");
  }
  function finish() {
    if (outline.corners.length < least) return say("The " + what + " has " + (least === 2 ? "two points" : "three corners") + " or more.");
    const points = outline.corners.map((at) => [fixed(at.wrap().lng), fixed(at.lat)]);
    const shape = least === 2 ? { type: "LineString", coordinates: points } : { type: "Polygon", coordinates: [[...points, points[0]]] };
    const field = form.elements[data.shape];
    field.value = JSON.stringify(data.several ? withOthers(field.value, shape) : shape);
    if (form.elements.lat) form.elements.lat.value = form.elements.lon.value = "";
    known(fingertip(), "nad83-2011");
    leave();
    if ([...form.querySelectorAll("[data-needed]")].every((one) => one.value)) send();
    else say("The " + what + " is in the form. Fill in the rest, then check.");
  }
  function withOthers(text, shape) {
    let before = [];
    try {
      const kept = text ? JSON.parse(text) : null;
      before = !kept ? [] : kept.features || [kept.type === "Feature" ? kept : { type: "Feature", properties: {}, geometry: kept }];
    } catch {
      before = []; // what was typed is no GeoJSON: the outline takes its place
    }
    return { type: "FeatureCollection", features: [...before, { type: "Feature", properties: {}, geometry: shape }] };
  }

  document.addEventListener("click", (event) => {
    const target = event.target.closest("[data-locate], [data-centre], [data-view], [data-outline], [data-back], [data-finish]");
    if (!target) return;
    const does = target.dataset;
    if ("locate" in does) locate();
    if ("centre" in does) tapped(map.getCenter());
    if (does.view) map.fitBounds(data.views[does.view]);
    if ("outline" in does && !outline) begin();
    if ("back" in does && outline) { outline.corners.pop(); draw(); }
    if ("finish" in does && outline) finish();
  });
  document.addEventListener("keydown", (event) => {
    if (event.key === "Escape" && outline) leave();
    if (event.key === "Enter" && map && event.target === map.getContainer()) tapped(map.getCenter());
  });
  function tapped(at) {
    if (outline) corner(at);
    else if (data.place) place(at);
    else if (data.draws) { begin(); corner(at); }
  }

  show("[data-locate]", data.place);
  if (!map) return;
  show("[data-view]", true);
  show("[data-centre]", data.place);
  show("[data-outline]", Boolean(data.draws));
  map.on("click", (event) => tapped(event.latlng));

  // --- the construction: folium drew it with the map; what came by POST is drawn here, and all of it is labelled ---
  map.createPane("construction").style.zIndex = 450;
  map.createPane("answer").style.zIndex = 640;
  Object.entries(data.looks).forEach(([role, look]) => data.drawn.filter((one) => one.role === role).forEach((one) => {
    const dashed = one.assumed ? { dashArray: "8 6" } : {};
    L.geoJSON(one.geometry, { style: { ...look, ...dashed }, interactive: false, pane: "construction", pointToLayer: (_, at) => L.circleMarker(at, { radius: 5, pane: "construction" }) }).addTo(map);
  }));
  if (Object.keys(data.looks).length && data.focus) map.fitBounds(data.focus, { animate: false });
  const TOLD = ["measured", "gap", "object", "limit", "replacement", "section", "lane", "gap_without", "route"];
  const labels = L.layerGroup().addTo(map);
  function middleOf(geometry) {
    const line = { LineString: (c) => c, MultiLineString: (c) => c[0], Polygon: (c) => c[0], MultiPolygon: (c) => c[0][0], Point: (c) => [c] }[geometry.type];
    const points = line ? line(geometry.coordinates) : [];
    if (!points.length) return null;
    if (/Polygon/.test(geometry.type)) return L.latLngBounds(points.map((c) => [c[1], c[0]])).getCenter();
    const k = Math.floor((points.length - 1) / 2), next = points[Math.min(k + 1, points.length - 1)];
    return L.latLng((points[k][1] + next[1]) / 2, (points[k][0] + next[0]) / 2);
  }
  function writeLabels() {
    labels.clearLayers();
    const boxes = [];
    TOLD.forEach((role) => data.drawn.filter((one) => one.role === role && one.label).forEach((one) => {
      const at = middleOf(one.geometry);
      if (!at || !map.getBounds().contains(at)) return;
      const width = village.widthOf(one.label, 12, 700) + 14;
      let where = map.latLngToLayerPoint(at).add([0, role === "object" ? 18 : 0]);
      for (let tries = 0; tries < 4; tries++) {
        const covered = boxes.some((b) => Math.abs(b.x - where.x) < (b.width + width) / 2 && Math.abs(b.y - where.y) < 20);
        if (!covered) break;
        where = where.add([0, 22]);
      }
      boxes.push({ x: where.x, y: where.y, width: width });
      labels.addLayer(village.write(map.layerPointToLatLng(where), one.label, "told", 0, "answer"));
    }));
    village.reserve(boxes.map((b) => ({ at: map.layerPointToLatLng(L.point(b.x, b.y)), width: b.width, height: 22 })), "check");
  }
  map.on("zoomend moveend", writeLabels);
  writeLabels();
  if (data.at) L.circleMarker([data.at.lat, data.at.lon], { radius: 6, color: "#000", weight: 2.5, fillColor: "#fff", fillOpacity: 1, interactive: false, pane: "construction" }).addTo(map);
})();
