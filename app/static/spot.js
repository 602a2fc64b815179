// One place of a form: tapped on its map, or the phone's position. Without it the place is typed.
"use strict";
(function () {
  const village = window.village, map = village && village.map, form = document.getElementById("report");
  if (!map || !form) return;
  const data = JSON.parse(document.getElementById("page-data").textContent), said = document.getElementById("said");
  const box = document.querySelector("[data-spot]"), locate = document.querySelector("[data-locate]");
  let mark = null;
  const say = (text) => { said.textContent = text; };
  function show(at) {
    if (mark) mark.remove();
    mark = L.circleMarker(at, { radius: 8, color: "#b50909", weight: 3, fillColor: "#fff", fillOpacity: 1, interactive: false }).addTo(map);
  }
  function put(at) {
    form.elements.lat.value = at.lat.toFixed(7);
    form.elements.lon.value = at.wrap().lng.toFixed(7);
    show(at);
    say("The place is in the form.");
  }
  function typed() {
    const at = [Number(form.elements.lat.value), Number(form.elements.lon.value)];
    if (form.elements.lat.value && form.elements.lon.value && at.every(Number.isFinite)) show(at);
  }
  box.hidden = false;
  locate.hidden = false;
  map.invalidateSize();
  map.fitBounds(data.views.core, { animate: false });
  if (data.at) map.setView(data.at, 19, { animate: false });
  map.on("click", (event) => put(event.latlng));
  map.getContainer().addEventListener("keydown", (event) => {
    if (event.key === "Enter" && event.target === map.getContainer()) { event.preventDefault(); put(map.getCenter()); }
  });
  locate.addEventListener("click", () => {
    if (!navigator.geolocation) return say("This browser does not give its position here. It does on https pages and on this computer.");
    say("Waiting for your position …");
    navigator.geolocation.getCurrentPosition((found) => {
      const at = L.latLng(found.coords.latitude, found.coords.longitude);
      put(at);
      map.setView(at, 19, { animate: false });
    }, () => say("Your position is not available. Allow it in the browser, or tap the map."), { enableHighAccuracy: true, timeout: 15000, maximumAge: 5000 });
  });
  ["lat", "lon"].forEach((name) => form.elements[name].addEventListener("change", typed));
  typed();
})();
