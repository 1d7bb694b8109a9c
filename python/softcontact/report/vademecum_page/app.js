// SPDX-License-Identifier: LGPL-2.1-or-later
// The page's state: the solid and its load, the second body, what is drawn and told.

const byId = (id) => document.getElementById(id);
const FINE_AFTER = 180; // ms without a change, after which picture and slice are drawn finely
const MOST_STEPS = 150; // in which the bodies go from one state to the next
const QUALITIES = [{ ratio: 2, taps: 16 }, { ratio: 1, taps: 8 }, { ratio: 0.6, taps: 4 }];

// "123", "12.3", "1.23": three digits with a unit from the list [[factor, unit], ...], largest factor first.
function told(value, units) {
  if (!(Math.abs(value) > 1e-12)) return `0 ${units[units.length - 2][1]}`;
  const [factor, unit] = units.find(([f]) => Math.abs(value) >= f) || units[units.length - 1];
  const shown = value / factor;
  const places = Math.abs(shown) >= 99.95 ? 0 : Math.abs(shown) >= 9.995 ? 1 : 2;
  return `${shown.toFixed(Math.abs(shown) < 5e-3 ? 0 : places).replace("-", "−")} ${unit}`;
}
const LENGTHS = [[1, "m"], [1e-3, "mm"], [1e-6, "µm"]];
const FORCES = [[1e9, "GN"], [1e6, "MN"], [1e3, "kN"], [1, "N"], [1e-3, "mN"]];
const TIMES = [[1e-3, "ms"], [1e-6, "µs"]];

class App {
  constructor({ header, arrays }) {
    Object.assign(this, { header, arrays, quality: 0, view: { forces: true, rest: true, theme: "light" } });
    this.solution = new Solution(header, arrays);
    this.solution.clamped = new Set(arrays.clamped);
    this.solution.first = this.solution.firstAmplitudes();
    this.canvas = byId("view");
    this.renderer = new Renderer(this.canvas);
    this.quality = this.renderer.software ? 1 : 0;
    this.renderer.stops = new Float32Array(DISPLACEMENT_STOPS.flatMap(linearColor));
    this.camera = new OrbitCamera();
    this.measure();
    this.solid = new VademecumBody(this.solution, header, arrays, { name: "solid", base: "#c9d3de", spacing: this.spacing });
    this.solidShape = new Shape(this.solid, { base: "#c9d3de", gloss: 0.5, colored: true });
    this.restShape = Object.assign(new Shape(this.solid, { base: "#7c8896", gloss: 0.2 }), { state: "ghost" });
    this.restShape.update(this.renderer, this.solid.rest, 1);
    this.findReach();
    this.slice = new Slice(byId("slice"));
    this.sliceAt = 0.5 * (this.box[0][this.sliceAxis] + this.box[1][this.sliceAxis]);
    this.kinds = { none: null, block: this.makeBlock(), twin: this.makeTwin() };
    this.kind = "none";
    this.contact = null;
    this.grip = "move";
    this.stiffness = 10 ** Math.round(Math.log10((4 * header.magnitude) / this.reach));
    this.friction = 0;
    this.yielding = true;
    this.path = []; // states that contact has gone through since somebody emptied this, a step each
    this.view.theme = matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light";
    this.milliseconds = 0;
    this.solid.load.size = 0.5;
    this.placeFirst();
    this.update();
  }

  // Axes of the solid: down (the load), along (its longest extent across the load), and the rest.
  measure() {
    const rest = Float64Array.from(this.arrays.nodes);
    this.box = boxOf(rest);
    this.extent = [0, 1, 2].map((a) => this.box[1][a] - this.box[0][a]);
    this.size = Math.max(...this.extent);
    const direction = this.header.directions[0];
    const largest = (values) => values.reduce((best, v, a) => (v > values[best] ? a : best), 0);
    this.downAxis = largest(direction.map(Math.abs));
    this.downward = Math.sign(direction[this.downAxis]);
    this.alongAxis = largest(this.extent.map((e, a) => (a === this.downAxis ? -1 : e)));
    this.sliceAxis = 3 - this.downAxis - this.alongAxis;
    this.thin = Math.min(...this.extent);
    this.spacing = Math.max(this.thin / 4, this.size / 60);
    this.camera.sceneRadius = 0.7 * this.size;
  }

  // How far the largest load moves anything: the scale of colours and of first places.
  findReach() {
    let reach = 0;
    let node = this.arrays.load_nodes[0];
    const stride = Math.max(1, Math.floor(this.arrays.load_nodes.length / 60));
    this.arrays.load_nodes.forEach((candidate, i) => {
      if (i % stride) return;
      this.solid.loadNode(candidate, 1, 0);
      this.solid.update();
      const moved = this.solid.largestDisplacement();
      if (moved > reach) [reach, node] = [moved, candidate];
    });
    this.reach = reach;
    this.view.rest = reach > 0.2 * this.size; // nearly in one place, the two shapes would flicker
    this.solid.loadNode(node, 0.5, 0);
  }

  makeBlock() {
    const thick = Math.max(0.1 * this.size, Math.min(0.8 * this.thin, 0.25 * this.size));
    const size = [thick, thick, thick];
    size[this.sliceAxis] = Math.max(1.6 * thick, Math.min(3 * thick, 1.3 * this.extent[this.sliceAxis]));
    return new RigidBlock(size, { name: "block", base: "#3d8bcb", spacing: thick / 7 });
  }

  // The same solid turned by half a turn: its load and its free end point at the first one.
  makeTwin() {
    const turn = [0, 1, 2].map((i) => [0, 1, 2].map((a) => (a !== i ? 0 : i === this.sliceAxis ? 1 : -1)));
    const twin = new VademecumBody(this.solution, this.header, this.arrays, { name: "second", base: "#3d8bcb", turn, spacing: this.spacing });
    twin.load = { ...this.solid.load, size: 0.25 };
    return twin;
  }

  // First place of a body: under the free end, touching what bends down to it; on top, where it is held underneath.
  placeFirst() {
    const [low, high] = this.box;
    const { block, twin } = this.kinds;
    const tip = this.solid.pointOf(this.solid.rest);
    const middle = [0, 1, 2].map((a) => 0.5 * (low[a] + high[a]));
    block.at = [...middle];
    block.at[this.alongAxis] += 0.5 * (tip[this.alongAxis] - middle[this.alongAxis]);
    const half = 0.5 * block.size[this.downAxis];
    const under = this.faceAt(block.at, 1);
    const top = under.held && this.faceAt(block.at, -1);
    block.at[this.downAxis] = top && !top.held ? top.at - this.downward * (half - 0.1 * this.reach) : under.at + this.downward * half;
    const side = Math.sign(tip[this.alongAxis] - middle[this.alongAxis]) || 1;
    twin.at = middle.map((m, a) => (a === this.sliceAxis ? 0 : 2 * m));
    twin.at[this.alongAxis] += side * 0.62 * this.extent[this.alongAxis];
    twin.at[this.downAxis] += this.downward * (this.extent[this.downAxis] + 0.28 * this.reach);
  }

  // Where the solid ends below (side 1) or above (-1) a place, along the load, under a third of its load; whether it is
  // clamped there.
  faceAt(place, side) {
    const { solid, downAxis, downward, size, box } = this;
    const kept = solid.load.size;
    solid.load.size = 0.6 * kept;
    solid.update();
    solid.load.size = kept;
    const out = side * downward;
    const end = box[out < 0 ? 0 : 1][downAxis];
    const from = [...place];
    from[downAxis] = end + out * 2 * (this.reach + size);
    const hit = solid.tree.castRay(from, [0, 1, 2].map((a) => (a === downAxis ? -out : 0)));
    if (!hit) return { at: end, held: false };
    const corners = [0, 1, 2].map((c) => solid.triangles[3 * hit.triangle + c]);
    return { at: from[downAxis] - out * hit.distance, held: corners.every((corner) => this.solution.clamped.has(corner)) };
  }

  get second() {
    return this.kinds[this.kind];
  }

  // Place among the nodes of the boundary, which are all that the page knows, of a node of the vademecum's mesh.
  place(number) {
    const place = this.arrays.numbers.indexOf(number);
    if (place < 0) throw new Error(`node ${number} does not lie on the boundary`);
    return place;
  }

  setBody(kind) {
    if (!(kind in this.kinds)) throw new Error(`no second body ${kind}; there are ${Object.keys(this.kinds).join(", ")}`);
    this.kind = kind;
    this.solid.reactions = [];
    this.kinds.twin.reactions = [];
    this.contact = this.second ? new Contact(this.solid, this.second) : null;
    if (this.second && !this.second.shape) {
      this.second.shape = new Shape(this.second, { base: this.second.base, gloss: 0.5 });
    }
    if (this.second) this.second.update();
    if (!this.turned) resetView(this);
    this.changed();
  }

  setLoad({ node, triangle, weights, size, family }) {
    const { load } = this.solid;
    if (node !== undefined) this.solid.loadNode(node, size ?? load.size, family ?? load.family);
    else if (triangle !== undefined) this.solid.load = { ...load, triangle, weights };
    Object.assign(this.solid.load, size === undefined ? {} : { size }, family === undefined ? {} : { family });
    this.changed();
  }

  setModes(count) {
    this.solution.used = clamp(Math.round(count), 1, this.solution.modes);
    this.changed();
  }

  setYielding(on) {
    this.yielding = on;
    if (this.contact) this.contact.forget();
    this.changed();
  }

  // The whole answer: displacements, contacts, forces. `milliseconds`: of one evaluation.
  update() {
    const started = performance.now();
    if (this.contact) {
      const { stiffness, friction, yielding } = this;
      Object.assign(this.contact, { stiffness, friction, yielding });
      if (this.yielding) this.approach();
      else {
        this.contact.update();
        this.went();
      }
    } else this.solid.update();
    const took = (performance.now() - started) / (this.contact ? this.contact.takeCount() : 1);
    this.milliseconds += (this.milliseconds > 0 ? 0.2 : 1) * (took - this.milliseconds);
    this.dirty = Boolean(this.contact && !this.contact.settled);
  }

  // Goes from the last state to this one in steps so small that no body passes through the other on its way: points
  // deep inside would be pushed out on the far side.
  approach() {
    const { contact, solid, second } = this;
    const target = { size: solid.load.size, at: second.at, other: second.load ? second.load.size : 0 };
    const from = contact.last || { size: 0, at: second.at, other: 0 };
    const share = Math.abs(target.size - from.size) + Math.abs(target.other - from.other);
    const way = Math.hypot(...subtract(target.at, from.at)) + 2 * share * this.reach; // bodies move by that at most, or so
    const steps = contact.gap() > way ? 1 : clamp(Math.ceil((8 * way) / this.thin), 1, MOST_STEPS);
    for (let step = 1; step <= steps; step++) {
      const done = step / steps;
      solid.load.size = from.size + done * (target.size - from.size);
      second.at = add(from.at, scale(subtract(target.at, from.at), done));
      if (second.load) second.load.size = from.other + done * (target.other - from.other);
      contact.update();
      this.went();
    }
    contact.last = target;
  }

  went() {
    this.path.push({ at: this.second.at, loads: this.solid.loads, settled: this.contact.settled });
    this.path.splice(0, this.path.length - MOST_STEPS);
  }

  changed() {
    this.dirty = true;
    this.drawSoon();
  }

  drawSoon() {
    if (this.awaited) return;
    this.awaited = requestAnimationFrame(() => {
      this.awaited = 0;
      this.draw(this.quality);
      clearTimeout(this.fine);
      this.fine = setTimeout(() => this.draw(0), FINE_AFTER);
    });
  }

  draw(quality = 0) {
    const started = performance.now();
    if (this.dirty) this.update();
    this.drawPicture(quality);
    this.drawSlice(quality === 0 ? 1 : 4);
    tellNumbers(this);
    // a software renderer takes its time: draw more coarsely while something moves
    if (quality > 0 && performance.now() - started > 90) this.quality = Math.min(this.quality + 1, QUALITIES.length - 1);
    if (this.dirty) this.drawSoon();
  }

  drawPicture(quality) {
    const { camera, view, renderer, solid, second } = this;
    const { ratio, taps } = QUALITIES[quality];
    const density = Math.min(window.devicePixelRatio || 1, ratio);
    const [width, height] = camera.size.map((length) => Math.max(1, Math.round(length * density)));
    if (this.canvas.width !== width) this.canvas.width = width;
    if (this.canvas.height !== height) this.canvas.height = height;
    this.solidShape.update(renderer, solid.world, this.reach);
    const surfaces = [this.solidShape];
    if (second) {
      second.shape.update(renderer, second.world, this.reach);
      surfaces.push(second.shape);
    }
    if (view.rest) surfaces.push(this.restShape);
    const arrows = [...loadArrow(solid, this.size, "#d92b2b")];
    if (second && second.load) arrows.push(...loadArrow(second, this.size, "#d92b2b"));
    if (this.contact && view.forces) arrows.push(...contactArrows(this.contact, this.size, this.header.magnitude));
    const centre = [0, 1, 2].map((a) => 0.5 * (this.box[0][a] + this.box[1][a]));
    renderer.render({
      camera, shadowTaps: taps, occlusionRadius: 0.07 * this.size, theme: view.theme, surfaces, arrows, pressureGain: 1,
      light: { shadows: true, key: direction(this.first.azimuth + 50, 52), fill: direction(this.first.azimuth - 65, 12), centre, radius: 1.3 * this.size },
      floor: { z: this.floor, extent: 6 * this.size, cell: niceBelow(this.size / 6), grid: true, centre },
    });
  }

  drawSlice(coarse) {
    if (document.body.classList.contains("folded")) return;
    const { slice, second, contact } = this;
    slice.draw({
      tree: this.solid.tree, at: this.sliceAt, coarse, theme: this.view.theme, step: niceBelow(this.size / 30),
      others: second ? [second] : [], points: contact ? contact.points : [],
    });
  }
}

// Largest of 1, 2, 5 times a power of ten that does not exceed x.
function niceBelow(x) {
  const decade = 10 ** Math.floor(Math.log10(x));
  return (x / decade >= 5 ? 5 : x / decade >= 2 ? 2 : 1) * decade;
}
