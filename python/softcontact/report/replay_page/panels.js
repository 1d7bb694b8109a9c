// SPDX-License-Identifier: LGPL-2.1-or-later
// What stands around the picture: summary, layers, contact table, legend, timeline curve.

const byId = (id) => document.getElementById(id);

// Text is only ever set as text, so names from a recording cannot become markup.
function make(tag, attributes = {}, ...children) {
  const node = document.createElement(tag);
  for (const [key, value] of Object.entries(attributes)) {
    if (key.startsWith("on")) node.addEventListener(key.slice(2), value);
    else if (value !== false && value != null) node.setAttribute(key, value === true ? "" : value);
  }
  node.append(...children);
  return node;
}

function digits(value, n = 3) {
  if (!Number.isFinite(value)) return "–";
  if (Math.abs(value) < 1e-12) return "0";
  const places = clamp(n - 1 - Math.floor(Math.log10(Math.abs(value))), 0, 4);
  return value.toFixed(places);
}

const label = (name) => name.replace(/_/g, " ");

function fillSummary(header, scene) {
  const summary = header.summary;
  byId("title").textContent = header.title;
  const last = scene.times[scene.frameCount - 1];
  byId("subtitle").textContent = `${digits(last - scene.times[0])} s of motion, ${scene.frameCount} frames`;
  const badges = byId("badges");
  const checks = Array.isArray(summary.checks) ? summary.checks : [];
  const passed = checks.filter((check) => check.passed).length;
  if (checks.length) {
    const good = passed === checks.length;
    const text = good ? `${passed}/${checks.length} checks passed` : `${checks.length - passed} of ${checks.length} checks failed`;
    badges.append(make("span", { class: good ? "badge good" : "badge bad" }, `${good ? "✓" : "✗"} ${text}`));
  }
  if (Number.isFinite(summary.real_time_factor)) {
    const title = "Simulated time divided by computing time: above 1 is faster than real time";
    badges.append(make("span", { class: "badge", title }, `${digits(summary.real_time_factor)}× real time`));
  }
  const rows = [
    ["Scene", summary.scene],
    ["Engine", summary.engine],
    ["Steps", summary.steps],
    ["Step, median", figure(summary.step_ms && summary.step_ms.p50, "ms")],
    ["Step, 99 %", figure(summary.step_ms && summary.step_ms.p99, "ms")],
    ["Contact points, mean", figure(summary.contacts && summary.contacts.mean, "")],
    ["Contact points, most", figure(summary.contacts && summary.contacts.max, "")],
    ["Constraint rows, mean", figure(summary.rows && summary.rows.mean, "")],
    ["Deepest penetration", figure(summary.penetration_max_m * 1e3, "mm")],
    ["Converged steps", figure(summary.converged_fraction * 100, "%")],
  ].filter(([, value]) => value != null);
  const list = byId("summary");
  for (const [key, value] of rows) list.append(make("dt", {}, key), make("dd", {}, String(value)));
  for (const check of checks) {
    const unit = ["1", "-", null, undefined].includes(check.unit) ? "" : check.unit;
    const text = typeof check.value === "number" ? `${digits(check.value)} (limit ${digits(check.limit)}) ${unit}` : "";
    const mark = make("span", { class: check.passed ? "good" : "bad" }, check.passed ? "✓ " : "✗ ");
    list.append(make("dt", {}, mark, label(String(check.name))), make("dd", {}, text.trim()));
  }
  byId("summary-part").hidden = rows.length + checks.length === 0;
}

const figure = (value, unit) => (Number.isFinite(value) ? `${digits(value)} ${unit}`.trim() : null);

const STATES = [
  ["solid", "●", "Solid"],
  ["ghost", "◐", "See-through"],
  ["hidden", "○", "Hidden"],
];

// Rows of three-way switches, one for each group of surfaces, with the surfaces of a group behind a fold.
function fillLayers(scene, changed) {
  const holder = byId("layers");
  const refreshers = [];
  const row = (text, color, surfaces) => {
    const buttons = STATES.map(([state, sign, title]) =>
      make("button", { type: "button", title: `${text}: ${title.toLowerCase()}`, "aria-label": `${text}: ${title}`,
        onclick: () => {
          surfaces.forEach((s) => (s.state = state));
          refresh();
          changed();
        } }, sign));
    const refresh = () => refreshers.forEach((update) => update());
    refreshers.push(() => buttons.forEach((button, i) =>
      button.setAttribute("aria-pressed", surfaces.every((s) => s.state === STATES[i][0]))));
    const swatch = make("i", { class: "swatch", style: `background:${color}` });
    return make("div", { class: "layer" }, swatch, make("span", { class: "name" }, text), make("span", { class: "switch" }, ...buttons));
  };
  for (const group of scene.groups) {
    const color = css(group.surfaces[0].base);
    if (group.surfaces.length === 1) {
      const [only] = group.surfaces;
      holder.append(row(group.style.label, css(only.base), [only]));
      continue;
    }
    const parts = group.surfaces.map((s) => row(label(s.name), css(s.base), [s]));
    const head = row(`${group.style.label} (${group.surfaces.length})`, color, group.surfaces);
    const fold = make("div", { class: "parts", hidden: true }, ...parts);
    const opener = make("button", { type: "button", class: "opener", "aria-expanded": "false", "aria-label": `List of ${group.style.label.toLowerCase()}`,
      onclick: () => {
        fold.hidden = !fold.hidden;
        opener.setAttribute("aria-expanded", String(!fold.hidden));
      } }, "›");
    head.append(opener);
    holder.append(head, fold);
  }
  const xray = byId("see-through");
  const objects = scene.surfaces.filter((s) => s.role === "object");
  xray.hidden = objects.length === 0;
  refreshers.push(() => xray.setAttribute("aria-pressed", String(!objects.some((s) => s.state === "solid"))));
  const refresh = () => refreshers.forEach((update) => update());
  refresh();
  return refresh;
}

function css(linear) {
  const srgb = linear.map((c) => (c <= 0.0031308 ? 12.92 * c : 1.055 * c ** (1 / 2.4) - 0.055));
  return `rgb(${srgb.map((c) => Math.round(255 * c)).join(",")})`;
}

// Units in which the values of a run have few digits: [factor, name], for the largest value.
function unitsOf(scene) {
  const pick = (value, [first, ...larger]) => larger.reduce((unit, next) => (value >= 10 * next[0] ? next : unit), first);
  const torque = Math.max(0, ...scene.patches.flat().map((patch) => Math.hypot(...patch.torque)).filter(Number.isFinite));
  return {
    force: pick(scene.largestForce, [[1, "N"], [1e3, "kN"], [1e6, "MN"]]),
    torque: pick(torque, [[1e-3, "mN·m"], [1, "N·m"], [1e3, "kN·m"]]),
    pressure: pick(scene.pressureScale, [[1e3, "kPa"], [1e6, "MPa"], [1e9, "GPa"]]),
  };
}

// One fixed row for each patch that ever bears load, in order of its largest force, so that rows do not jump.
class ContactTable {
  constructor(scene, hover) {
    this.scene = scene;
    const peaks = new Map();
    for (const list of scene.patches) {
      for (const patch of list) {
        const key = patchKey(patch);
        peaks.set(key, Math.max(peaks.get(key) || 0, patch.normalForce));
      }
    }
    const order = [...peaks].sort((a, b) => b[1] - a[1]).map(([key]) => key);
    this.rows = new Map();
    for (const key of order) {
      const [body, other, number] = key.split("|");
      const name = Number(number) > 0 ? `${label(body)} (${Number(number) + 1})` : label(body);
      const cells = [name, label(other), "", "", "", ""].map((text, i) => make("td", { class: i > 1 ? "number" : "" }, text));
      const node = make("tr", { onpointerenter: () => hover(key), onpointerleave: () => hover(null) }, ...cells);
      this.rows.set(key, { node, cells });
      byId("contact-rows").append(node);
    }
    byId("contacts").hidden = order.length === 0;
    const { force, torque, pressure } = scene.units;
    const heads = document.querySelectorAll("#contact-table th small");
    [force, torque, pressure].forEach(([, unit], i) => (heads[i].textContent = unit));
    byId("slip-head").hidden = !scene.tellsSlip;
  }

  update(frameIndex) {
    const patches = this.scene.patches[frameIndex];
    const { force, torque, pressure } = this.scene.units;
    const now = new Map(patches.map((patch) => [patchKey(patch), patch]));
    for (const [key, { node, cells }] of this.rows) {
      const patch = now.get(key);
      node.hidden = !patch;
      if (!patch) continue;
      cells[2].textContent = digits(patch.normalForce / force[0]);
      cells[3].textContent = digits(Math.hypot(...patch.torque) / torque[0]);
      cells[4].textContent = digits(patch.pressureMax / pressure[0]);
      cells[5].hidden = !this.scene.tellsSlip;
      cells[5].textContent = slipText(patch.slipGauge);
      cells[5].className = patch.slipGauge > 1 - 1e-6 ? "number bad" : "number";
      node.title = readout(patch);
    }
    byId("no-contact").hidden = patches.length > 0;
    byId("contact-table").hidden = patches.length === 0;
    byId("contact-count").textContent = patches.length ? String(patches.length) : "";
  }
}

// How much of what friction can bear is used up; rounded down, so that 100 % is a patch that slips.
const slipText = (gauge) =>
  Number.isFinite(gauge) ? `${gauge > 1 - 1e-6 ? 100 : Math.min(99, Math.floor(100 * gauge))}` : "–";

// All that a patch tells, one quantity a line.
function readout(patch) {
  const list = (values, factor) => values.map((v) => digits(v * factor)).join(", ");
  return [
    `Force ${list(patch.force, 1)} N`,
    `Torque ${list(patch.torque, 1e3)} mN·m`,
    `Centre ${list(patch.centre, 1e3)} mm`,
    `Area ${digits(patch.area * 1e6)} mm²`,
    `Mean pressure ${digits(patch.pressureMean / 1e3)} kPa`,
    `Highest pressure ${digits(patch.pressureMax / 1e3)} kPa`,
    `Friction used ${slipText(patch.slipGauge)} %`,
  ].join("\n");
}

function fillLegend(scene) {
  byId("pressure-legend").hidden = scene.pressureScale === 0;
  byId("pressure-bar").style.background = `linear-gradient(90deg, ${PRESSURE_STOPS.join(",")})`;
  const [factor, unit] = scene.pressureScale >= 10 ? scene.units.pressure : [1, "Pa"];
  const value = scene.pressureScale / factor;
  byId("pressure-ticks").append(...[0, value / 2, value].map((v) => make("span", {}, v === value ? `${digits(v, 2)} ${unit}` : digits(v, 2))));
  byId("force-legend").hidden = scene.largestForce === 0;
  byId("slip-bar").style.background =
    `linear-gradient(90deg, ${ARROW_STOPS.map(([at, color]) => `${color} ${100 * at}%`).join(",")})`;
  byId("slip-legend").hidden = !scene.tellsSlip || scene.largestForce === 0;
}

// A button for each camera that a body carries.
function fillViews(cameras, choose) {
  for (const camera of cameras) {
    byId("display").append(make("button", {
      id: `through-${camera.name}`, type: "button", class: "chip", "aria-pressed": "false",
      title: `Look through the camera of ${camera.name}`, onclick: () => choose(camera),
    }, `View: ${label(camera.name)}`));
  }
}

// Length of a known force and of a known distance on the screen, at the depth of the camera's target.
function updateScales(scene, camera, view) {
  byId("force-legend").hidden = !view.forces || scene.largestForce === 0;
  byId("slip-legend").hidden = !view.forces || !scene.tellsSlip || scene.largestForce === 0;
  byId("pressure-legend").hidden = !view.pressure || scene.pressureScale === 0;
  const perPixel = camera.metresPerPixel;
  if (scene.largestForce > 0) {
    const force = niceBelow((110 * perPixel) / scene.arrowScale);
    byId("force-bar").style.width = `${(force * scene.arrowScale) / perPixel}px`;
    const [factor, unit] = scene.units.force;
    byId("force-label").textContent = force >= 0.01 ? `${digits(force / factor, 1)} ${unit}` : `${force.toExponential(0)} N`;
  }
  const distance = niceBelow(110 * perPixel);
  byId("distance-bar").style.width = `${distance / perPixel}px`;
  byId("distance-label").textContent = lengthText(distance);
}

function lengthText(metres) {
  const [factor, unit] = metres >= 1 ? [1, "m"] : metres >= 0.01 ? [100, "cm"] : [1000, "mm"];
  return `${digits(metres * factor, 1)} ${unit}`;
}

// Sum of the normal forces over time, drawn behind the slider.
function drawLoadCurve(scene) {
  const top = Math.max(...scene.load);
  const svg = byId("curve");
  if (!(top > 0) || scene.frameCount < 2) return;
  const [first, last] = [scene.times[0], scene.times[scene.frameCount - 1]];
  const points = scene.load.map((load, i) =>
    `${((1000 * (scene.times[i] - first)) / (last - first)).toFixed(1)},${(96 - (92 * load) / top).toFixed(1)}`);
  svg.querySelector(".area").setAttribute("d", `M0,100 L${points.join(" L")} L1000,100 Z`);
  svg.querySelector(".line").setAttribute("d", `M${points.join(" L")}`);
  byId("curve-label").textContent = `sum of normal forces, peak ${digits(top / scene.units.force[0])} ${scene.units.force[1]}`;
}
