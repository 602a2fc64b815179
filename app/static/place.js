// The map page: a click, a tap or the centre of the map is numbered by the API, and the answer is shown, drawn
// and put into the address. The same answer comes as a page from the server when this script does not run.
"use strict";
(function () {
  const village = window.village, map = village && village.map;
  const data = JSON.parse(document.getElementById("page-data").textContent);
  const panel = document.getElementById("panel"), answer = document.getElementById("answer"), said = document.getElementById("said");
  const invite = "Click or tap the map at a building’s main entrance. The number it would have appears here, with what is doubtful about it and the reasons from the law.";
  const SEVERITY = { stop: "No number", decide: "An officer decides", note: "For the record" };
  let asked = 0;

  // --- the panel; text only ever goes in as text ---
  function el(tag, attributes, ...children) {
    const made = document.createElement(tag);
    Object.entries(attributes || {}).forEach(([key, value]) => { if (value !== null && value !== false) made.setAttribute(key, value); });
    children.flat().forEach((child) => { if (child !== null && child !== "") made.append(child); });
    return made;
  }
  function say(text, wrong) {
    said.textContent = text;
    said.classList.toggle("fault", Boolean(wrong));
  }
  const section = (text) => el("span", { class: "section" }, "§ " + text.replace(/^§\s*/, ""));
  const feet = (value) => Math.round(value).toLocaleString("en-US") + " ft";
  function addressOf(place) {
    const query = new URLSearchParams({ lat: place.lat, lon: place.lon });
    if (place.street) query.set("street", place.street);
    return "/?" + query;
  }
  // Whoever may assign is led to the officer's page, with the same place; whoever has not signed in, past the sign-in.
  function assigning(place) {
    const query = new URLSearchParams({ lat: place.lat, lon: place.lon });
    if (place.street) query.set("street", place.street);
    if (place.accuracy) query.set("accuracy_ft", Math.ceil(place.accuracy * 3.28084));
    const target = "/assign?" + query;
    return el("p", { class: "buttons" }, data.assign === "may" ? el("a", { class: "button", href: target }, "Assign")
      : el("a", { href: "/sign-in?" + new URLSearchParams({ next: target }) }, "Sign in to assign"));
  }
  function faceOf(found) {
    if (!found.number || found.hundred === undefined) return null;
    const parts = [found.street, found.half, found.hundred, found.number % 2 ? "odd" : "even"];
    return el("a", { class: "button quiet", href: "/faces/" + parts.map(encodeURIComponent).join("/") }, "Its block face");
  }
  function part(kind, title, ...children) {
    return el("section", { class: kind, "aria-label": title }, el("h3", {}, title), ...children);
  }
  function step(one) {
    return el("li", {}, el("p", {}, one.text + " ", section(one.section)),
      one.law ? el("blockquote", {}, "“" + one.law + "”") : null, one.reading ? el("p", { class: "reading" }, one.reading) : null);
  }
  function doubts(found) {
    if (!found.findings.length) {
      return el("p", {}, "Nothing about this block or its street" + (found.map.findings.length ? " beyond what holds for the whole draft" : "") + ".");
    }
    return el("ul", { class: "findings" }, found.findings.map((f) => el("li", { class: f.severity },
      el("p", {}, el("strong", {}, f.title), " ", el("span", { class: "tag" }, SEVERITY[f.severity])),
      el("p", {}, f.message + " ", section(f.section)))));
  }
  function why(steps) {
    const rest = steps.slice(3);
    return part("why", "Why", el("ol", { class: "steps" }, steps.slice(0, 3).map(step)), rest.length
      ? el("details", {}, el("summary", {}, rest.length + " more step" + (rest.length === 1 ? "" : "s")), el("ol", { class: "steps", start: 4 }, rest.map(step)))
      : null);
  }
  function candidates(found, place) {
    return part("candidates", "Streets near this entrance", el("p", {}, "The main entrance decides. Choose the street it fronts on."),
      el("ul", {}, found.candidates.map((c) => {
        const own = c.street === found.street;
        return el("li", {}, el("a", { href: addressOf({ ...place, street: c.street }), "data-street": c.street, "aria-current": own ? "true" : null },
          c.address || c.half + " " + c.street + ": no number"), " ", el("span", {}, feet(c.distance_ft) + " away" + (own ? ", shown" : "")));
      })));
  }
  function fill(found, place) {
    const title = found.address || (found.street ? found.half + " " + found.street : "No number");
    answer.replaceChildren(...[
      el("p", { class: "kicker" }, found.address ? "A main entrance here would be" : "No number can be given here"),
      el("h2", { id: "answer-title", class: "number", tabindex: -1 }, title),
      found.usps ? el("p", { class: "usps" }, "Mail form: ", el("span", {}, found.usps)) : null,
      found.map.draft ? el("p", { class: "state" }, "Proposal from a draft map, not adopted") : null,
      part("doubts", "What is doubtful", doubts(found)),
      part("actions", "What you can do", data.assign === "may" ? assigning(place) : null, el("p", { class: "buttons" }, el("a", { class: "button" + (data.assign === "may" ? " quiet" : ""), "data-share": "", href: addressOf(place) }, "Share link"), " ",
        el("button", { type: "button", class: "button quiet", "data-print": "" }, "Print"), " ",
        found.street ? el("a", { class: "button quiet", href: "/streets/" + encodeURIComponent(found.street) }, "Street’s blocks") : null, " ",
        faceOf(found)), data.assign === "sign in" ? assigning(place) : null),
      found.explanation && found.explanation.steps.length ? why(found.explanation.steps) : null,
      found.candidates.length > 1 ? candidates(found, place) : null,
    ].filter(Boolean));
    panel.classList.add("answered");
    document.getElementById("lat").value = place.lat;
    document.getElementById("lon").value = place.lon;
    document.getElementById("street").value = place.street || "";
    document.title = title + " · " + data.village;
  }

  // --- asking ---
  async function post(body) {
    const answered = await fetch("/api/v1/numbers/preview", { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(body) });
    const found = await answered.json();
    if (!answered.ok) throw new Error(found.detail || "This place cannot be numbered.");
    return found;
  }
  async function preview(place) {
    const body = { x: Number(place.lon), y: Number(place.lat), explain: true };
    if (!place.street) return post(body);
    const [own, all] = await Promise.all([post({ ...body, street: place.street }), post({ ...body, explain: false })]);
    own.candidates = own.candidates.concat(all.candidates.filter((c) => c.street !== own.street)).sort((a, b) => a.distance_ft - b.distance_ft);
    return own;
  }
  async function number(place, { push = true, look = false, accuracy = 0 } = {}) {
    const mine = ++asked;
    try {
      const found = await preview(place);
      if (mine !== asked) return;
      fill(found, { ...place, accuracy: accuracy });
      if (look && map) map.setView(village.middle(found, place), Math.max(map.getZoom(), 18.5));
      if (map) village.draw(found, place, accuracy);
      current = { found: found, place: place, accuracy: accuracy };
      if (push) history.pushState(place, "", addressOf(place));
      say((found.address ? "Number " + found.address : "No number here") + (accuracy ? ". Your position is good to about " + feet(accuracy * 3.28084) : "") + ".");
    } catch (error) {
      if (mine !== asked) return;
      clear();
      say(error instanceof TypeError ? "The server does not answer. Check the connection and try again." : error.message, true);
    }
  }
  function clear() {
    asked++;
    current = null;
    if (map) village.undraw();
    answer.replaceChildren(el("p", { class: "invite" }, invite));
    panel.classList.remove("answered");
    document.title = data.village;
    say("");
  }
  let current = null;
  const rounded = (at) => ({ lat: at.lat.toFixed(7), lon: at.wrap().lng.toFixed(7) });

  function fromAddress() {
    const query = new URLSearchParams(location.search);
    if (query.get("lat") && query.get("lon")) number({ lat: query.get("lat"), lon: query.get("lon"), street: query.get("street") || "" }, { push: false, look: true });
    else clear();
  }

  // --- buttons, keys, history ---
  document.addEventListener("click", (event) => {
    const target = event.target.closest("[data-street], [data-share], [data-print], [data-locate], [data-centre], [data-view]");
    if (!target || event.ctrlKey || event.metaKey) return;
    if ("print" in target.dataset) window.print();
    if ("share" in target.dataset) share(event, target.href);
    if ("locate" in target.dataset) locate();
    if ("centre" in target.dataset && map) number(rounded(map.getCenter()));
    if (target.dataset.view && map) map.fitBounds(data.views[target.dataset.view]);
    if (target.dataset.street && current) {
      event.preventDefault();
      number({ ...current.place, street: target.dataset.street }, { accuracy: current.accuracy });
    }
  });
  function share(event, link) {
    if (!navigator.clipboard && !navigator.share) return;
    event.preventDefault();
    const sent = navigator.share && matchMedia("(pointer: coarse)").matches ? navigator.share({ url: link }) : navigator.clipboard.writeText(link).then(() => say("Link copied: " + link));
    sent.catch(() => say("The link is " + link));
  }
  function locate() {
    if (!navigator.geolocation) return say("This browser does not give its position here. It does on https pages and on this computer.", true);
    say("Waiting for your position …");
    navigator.geolocation.getCurrentPosition(
      (p) => number({ lat: p.coords.latitude.toFixed(7), lon: p.coords.longitude.toFixed(7) }, { look: true, accuracy: p.coords.accuracy }),
      () => say("Your position is not available. Allow it in the browser, or tap the map.", true),
      { enableHighAccuracy: true, timeout: 15000, maximumAge: 5000 });
  }
  document.addEventListener("keydown", (event) => {
    if (event.key !== "Escape" || !current) return;
    clear();
    history.pushState(null, "", "/");
    if (map) map.getContainer().focus();
  });
  window.addEventListener("popstate", fromAddress);
  document.querySelectorAll("[data-locate], [data-centre], [data-view], [data-print]").forEach((button) => { button.hidden = false; });

  if (!map) return;
  map.on("click", (event) => number(rounded(event.latlng)));
  map.on("zoomend", () => { if (current) village.draw(current.found, current.place, current.accuracy); });
  if (data.position) {
    current = { found: data.answer, place: { lat: String(data.position[0]), lon: String(data.position[1]), street: data.street }, accuracy: 0 };
    map.setView(village.middle(current.found, current.place), 18.5, { animate: false });
    village.draw(current.found, current.place);
  } else if (data.focus) map.fitBounds(data.focus, { animate: false });
})();
