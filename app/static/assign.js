// The officer's page: a tap on the map moves the entrance, or sets the corners of a building or lot; the phone gives its
// position. Every change is sent by the page's own form, so that the page works the same without this script.
"use strict";
(function () {
  const village = window.village, map = village && village.map;
  const form = document.getElementById("assign"), said = document.getElementById("said");
  const data = JSON.parse(document.getElementById("page-data").textContent);
  const say = (text) => { said.textContent = text; };
  const show = (selector, shown) => document.querySelectorAll(selector).forEach((button) => { button.hidden = !shown; });

  function look() {
    form.requestSubmit(form.querySelector("button[value=look]"));
  }
  // Another place has other streets, a number wanted there is asked for anew, and how well the phone knew its own says
  // nothing of a place that was tapped.
  function move(lat, lon, accuracy) {
    form.elements.lat.value = lat;
    form.elements.lon.value = lon;
    form.elements.accuracy_ft.value = accuracy || "";
    form.elements.middle.value = "";
    form.querySelectorAll("[name=street]").forEach((one) => { if (one.type === "radio") { one.checked = false; one.required = false; } else one.value = ""; });
    say("Looking …");
    look();
  }
  const rounded = (at) => [at.lat.toFixed(7), at.wrap().lng.toFixed(7)];

  function locate() {
    if (!navigator.geolocation) return say("This browser does not give its position here. It does on https pages and on this computer.");
    say("Waiting for your position …");
    navigator.geolocation.getCurrentPosition(
      (p) => move(p.coords.latitude.toFixed(7), p.coords.longitude.toFixed(7), String(Math.ceil(p.coords.accuracy * 3.28084))),
      () => say("Your position is not available. Allow it in the browser, or tap the map."),
      { enableHighAccuracy: true, timeout: 15000, maximumAge: 5000 });
  }

  // --- an outline by its corners ---
  let outline = null;
  function begin(name) {
    outline = { name: name, corners: [], line: L.polyline([], { color: "#b50909", weight: 3, interactive: false }).addTo(map), dots: L.layerGroup().addTo(map) };
    show("[data-locate], [data-centre]", false);
    show("[data-back], [data-finish]", true);
    say("Tap the corners of the " + name + " one after another, then finish. Escape leaves it.");
    map.getContainer().focus();
  }
  function corner(at) {
    outline.corners.push(at);
    draw();
  }
  function draw() {
    outline.line.setLatLngs(outline.corners.length > 2 ? [...outline.corners, outline.corners[0]] : outline.corners);
    outline.dots.clearLayers();
    outline.corners.forEach((at) => outline.dots.addLayer(L.circleMarker(at, { radius: 5, color: "#b50909", fillColor: "#fff", fillOpacity: 1, interactive: false })));
    say(outline.corners.length + " corner" + (outline.corners.length === 1 ? "" : "s") + " of the " + outline.name + ".");
  }
  function leave() {
    outline.line.remove();
    outline.dots.remove();
    outline = null;
    show("[data-locate], [data-centre]", true);
    show("[data-back], [data-finish]", false);
    say("");
  }
  function finish() {
    if (outline.corners.length < 3) return say("An outline has three corners or more.");
    const ring = [...outline.corners, outline.corners[0]].map((at) => [Number(at.wrap().lng.toFixed(7)), Number(at.lat.toFixed(7))]);
    form.elements[outline.name].value = JSON.stringify({ type: "Polygon", coordinates: [ring] });
    leave();
    look();
  }

  document.addEventListener("click", (event) => {
    const target = event.target.closest("[data-locate], [data-centre], [data-view], [data-outline], [data-back], [data-finish]");
    if (!target) return;
    const does = target.dataset;
    if ("locate" in does) locate();
    if ("centre" in does) move(...rounded(map.getCenter()));
    if (does.view) map.fitBounds(data.views[does.view]);
    if (does.outline && !outline) begin(does.outline);
    if ("back" in does && outline) { outline.corners.pop(); draw(); }
    if ("finish" in does && outline) finish();
  });
  document.addEventListener("keydown", (event) => {
    if (event.key === "Escape" && outline) leave();
    if (event.key === "Enter" && outline && event.target === map.getContainer()) corner(map.getCenter());
  });

  show("[data-locate]", true);
  if (!map) return;
  show("[data-centre], [data-view], [data-outline]", true);
  map.on("click", (event) => { if (outline) corner(event.latlng); else move(...rounded(event.latlng)); });
  if (!data.position) return;
  const place = { lat: data.position[0], lon: data.position[1] }, accuracy = data.accuracy_ft ? data.accuracy_ft / 3.28084 : 0;
  const redraw = () => village.draw(data.answer || {}, place, accuracy);
  map.on("zoomend", redraw);
  map.setView(village.middle(data.answer || {}, place), 18.5, { animate: false });
  redraw();
})();
