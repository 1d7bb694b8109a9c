// SPDX-License-Identifier: LGPL-2.1-or-later
// What stands around the picture: sliders, buttons, numbers; and the mouse on the bodies.

const percent = (share) => `${(100 * share).toFixed(0)} %`;
const press = (id, action) => byId(id).addEventListener("click", action);

function fillPanels(app) {
  const { header, solution } = app;
  byId("subtitle").textContent = `${header.arrays.nodes.shape[0]} nodes, ${solution.positions} load positions, up to `
    + `${told(header.magnitude, FORCES)} each`;
  byId("certificate").textContent = header.certificate
    || "This vademecum carries no certificate: its errors against full finite elements are not told.";
  if (solution.positions === 0) throw new Error("this vademecum has no load positions");
  onSlider("size", (value) => app.setLoad({ size: value }));
  byId("modes").max = solution.modes;
  onSlider("modes", (value) => app.setModes(value));
  onSlider("twin-size", (value) => {
    app.kinds.twin.load.size = value;
    app.changed();
  });
  const stiff = Math.log10(app.stiffness);
  Object.assign(byId("stiffness"), { min: stiff - 2, max: stiff + 2 });
  onSlider("stiffness", (value) => {
    app.stiffness = 10 ** value;
    app.changed();
  });
  onSlider("friction", (value) => {
    app.friction = value;
    app.changed();
  });
  byId("yielding").addEventListener("change", (event) => app.setYielding(event.target.checked));
  choose("bodies", "body", (kind) => app.setBody(kind));
  choose("grip", "grip", (grip) => {
    app.grip = grip;
    app.changed();
  });
  fillFamilies(app);
  fillSliceSlider(app);
  byId("displacement-bar").style.background = `linear-gradient(90deg, ${DISPLACEMENT_STOPS.slice(1).join(", ")})`;
  for (const share of [0, 0.5, 1]) byId("displacement-ticks").append(span(share ? told(share * app.reach, LENGTHS) : "0"));
  for (const name of ["forces", "rest"]) press(name, () => toggleView(app, name));
  press("reset", () => resetView(app));
  press("theme", () => setTheme(app, app.view.theme === "dark" ? "light" : "dark"));
  press("slice-hide", () => {
    document.body.classList.toggle("folded");
    resize(app);
  });
  const keys = { r: "reset", f: "forces", u: "rest", t: "theme", d: "slice-hide" };
  window.addEventListener("keydown", (event) => {
    if (!event.ctrlKey && !event.metaKey && !event.altKey && keys[event.key]) byId(keys[event.key]).click();
  });
  window.addEventListener("resize", () => resize(app));
}

function onSlider(id, action) {
  byId(id).addEventListener("input", (event) => action(Number(event.target.value)));
}

function choose(id, key, action) {
  for (const button of byId(id).children) button.addEventListener("click", () => action(button.dataset[key]));
}

function span(text) {
  const node = document.createElement("span");
  node.textContent = text;
  return node;
}

function fillFamilies(app) {
  const { directions } = app.header;
  byId("families-part").hidden = directions.length < 2;
  directions.forEach((direction, family) => {
    const button = document.createElement("button");
    button.type = "button";
    button.textContent = direction.map((x) => String(Number(x.toFixed(2))).replace("-", "−")).join(", ");
    button.addEventListener("click", () => app.setLoad({ family }));
    byId("families").append(button);
  });
}

function fillSliceSlider(app) {
  const { slice, sliceAxis, alongAxis, downAxis, downward, box, reach } = app;
  const shown = box.map((corner) => [...corner]);
  shown[downward < 0 ? 0 : 1][downAxis] += downward * 0.8 * reach;
  shown[1][alongAxis] += 0.12 * app.extent[alongAxis];
  slice.frame({ across: sliceAxis, right: alongAxis, up: downAxis, upward: -downward, box: shown });
  const input = byId("slice-at");
  Object.assign(input, { min: box[0][sliceAxis], max: box[1][sliceAxis] });
  onSlider("slice-at", (value) => {
    app.sliceAt = value;
    app.drawSoon();
  });
  byId("slice-name").textContent = `Slice at ${"xyz"[sliceAxis]} =`;
  const step = niceBelow(app.size / 30);
  byId("slice-low").textContent = "inside";
  byId("slice-high").textContent = "outside";
  byId("slice-lines").textContent = `A line every ${told(step, LENGTHS)}; black: the boundary`;
  document.querySelector("#slice-legend i").style.background = `linear-gradient(90deg, ${INSIDE[1]}, ${INSIDE[0]} 48%, #14181e 48% 52%, ${OUTSIDE[0].join(", ")})`;
}

function setTheme(app, theme) {
  app.view.theme = theme;
  document.documentElement.dataset.theme = theme;
  app.drawSoon();
}

function toggleView(app, name) {
  app.view[name] = !app.view[name];
  app.drawSoon();
}

// Leaves the part of the window that no panel covers to the picture.
function resize(app) {
  const { camera, canvas } = app;
  camera.size = [canvas.clientWidth, canvas.clientHeight];
  const wide = camera.size[0] > 900 && !document.body.classList.contains("bare");
  camera.insets = { left: wide ? 320 : 0, right: wide ? 290 : 0, top: 8, bottom: 56 };
  if (!app.turned) resetView(app);
  app.drawSoon();
}

function resetView(app) {
  app.camera.set(app.first);
  const shown = app.box.map((corner) => [...corner]);
  shown[app.downward < 0 ? 0 : 1][app.downAxis] += app.downward * 0.75 * app.reach;
  if (app.second) {
    const box = boxOf(app.second.world);
    for (let a = 0; a < 3; a++) {
      shown[0][a] = Math.min(shown[0][a], box[0][a]);
      shown[1][a] = Math.max(shown[1][a], box[1][a]);
    }
  }
  app.camera.fit(shown, 1.06);
  app.turned = false;
  app.drawSoon();
}

function tellNumbers(app) {
  const { solid, second, contact, solution } = app;
  const { load } = solid;
  const set = (id, text) => (byId(id).textContent = text);
  const pressed = (id, key, value) => {
    for (const button of byId(id).children) button.setAttribute("aria-pressed", String(button.dataset[key] === value));
  };
  for (const [id, value] of [["size", load.size], ["modes", solution.used], ["stiffness", Math.log10(app.stiffness)], ["friction", app.friction], ["twin-size", app.kinds.twin.load.size], ["slice-at", app.sliceAt]]) {
    if (document.activeElement !== byId(id) || Number(byId(id).value) !== value) byId(id).value = value;
  }
  set("size-value", `${percent(load.size)} · ${told(load.size * app.header.magnitude, FORCES)}`);
  set("modes-value", `${solution.used} of ${solution.modes}`);
  set("twin-size-value", told(app.kinds.twin.load.size * app.header.magnitude, FORCES));
  set("stiffness-value", told(app.stiffness, [[1e9, "GN/m"], [1e6, "MN/m"], [1e3, "kN/m"], [1, "N/m"]]));
  set("friction-value", app.friction > 0 ? app.friction.toFixed(2) : "none");
  set("slice-value", told(app.sliceAt, LENGTHS));
  const [place, moved] = [solid.pointOf(solid.rest), solid.pointOf(solid.displacement)];
  const unit = LENGTHS[app.size < 2 ? 1 : 0];
  set("load-place", `${place.map((x) => String(Math.round(x / unit[0])).replace("-", "−")).join(", ")} ${unit[1]}`);
  set("load-moves", told(Math.hypot(...moved), LENGTHS));
  set("largest", told(solid.largestDisplacement(), LENGTHS));
  set("pace", told(Math.max(app.milliseconds, 1e-3) * 1e-3, TIMES));
  pressed("bodies", "body", app.kind);
  pressed("grip", "grip", app.grip);
  [...byId("families").children].forEach((button, f) => button.setAttribute("aria-pressed", String(f === load.family)));
  byId("forces").setAttribute("aria-pressed", String(app.view.forces));
  byId("rest").setAttribute("aria-pressed", String(app.view.rest));
  byId("contact-part").hidden = !second;
  byId("twin-part").hidden = app.kind !== "twin";
  const pixels = 70 * app.camera.metresPerPixel;
  const bar = niceBelow(pixels);
  byId("distance-bar").style.width = `${bar / app.camera.metresPerPixel}px`;
  set("distance-label", told(bar, LENGTHS));
  if (!contact) return;
  const total = contact.total();
  set("force-total", told(total.size, FORCES));
  set("force-words", total.count ? "on the second body" : "they do not touch; drag them together");
  const slide = app.friction > 0 && total.count ? `, ${total.sliding || "none"} sliding` : "";
  set("contact-count", `${total.count} of ${second.shell.count}${slide}`);
  set("deepest", told(total.deepest, LENGTHS));
  const factor = FORCES.find(([f]) => total.size >= f) || FORCES[FORCES.length - 1];
  const places = total.size / factor[0] >= 99.5 ? 0 : 1;
  set("force-parts", total.count ? `${total.force.map((f) => (f / factor[0]).toFixed(places).replace("-", "−")).join(", ")} ${factor[1]}` : "–");
}

// The mouse on a body drags its load or the body; elsewhere it is left to the camera.
function attachGrip(app) {
  const { canvas, camera } = app;
  let held = null;
  const ray = (event) => {
    const { x, y, z } = camera.axes;
    const { left, top } = canvas.getBoundingClientRect();
    const s = camera.metresPerPixel;
    const [right, down] = [event.clientX - left - camera.free.x, event.clientY - top - camera.free.y];
    return normalise(add(scale(z, -camera.distance), add(scale(x, right * s), scale(y, -down * s))));
  };
  const under = (along) => [app.solid, ...(app.second ? [app.second] : [])]
    .map((body) => ({ body, hit: body.tree.castRay(camera.eye, along) }))
    .filter(({ hit }) => hit).sort((a, b) => a.hit.distance - b.hit.distance)[0];
  const onto = (body, along) => {
    const hit = body.tree.castRay(camera.eye, along);
    if (hit) Object.assign(body.load, { triangle: hit.triangle, weights: hit.weights });
  };
  canvas.addEventListener("pointerdown", (event) => {
    if (event.button !== 0 || event.shiftKey || event.ctrlKey) return;
    const along = ray(event);
    const found = under(along);
    if (!found) return;
    const { body, hit } = found;
    const moves = body === app.second && (!body.load || app.grip === "move");
    held = { body, moves, distance: hit.distance * dot(along, scale(camera.backward, -1)), at: [...body.at] };
    held.from = add(camera.eye, scale(along, hit.distance));
    if (!moves) onto(body, along);
    canvas.setPointerCapture(event.pointerId);
    canvas.focus({ preventScroll: true });
    document.body.classList.add("gripping");
    event.preventDefault();
    event.stopImmediatePropagation();
    app.changed();
  });
  canvas.addEventListener("pointermove", (event) => {
    const along = ray(event);
    if (!held) {
      if (!event.buttons) document.body.classList.toggle("over", Boolean(under(along)));
      return;
    }
    event.stopImmediatePropagation();
    if (held.moves) {
      const to = add(camera.eye, scale(along, held.distance / dot(along, scale(camera.backward, -1))));
      held.body.at = add(held.at, subtract(to, held.from));
    } else onto(held.body, along);
    app.changed();
  });
  for (const type of ["pointerup", "pointercancel"]) {
    canvas.addEventListener(type, (event) => {
      if (!held) return;
      held = null;
      document.body.classList.remove("gripping");
      event.stopImmediatePropagation();
    });
  }
}
