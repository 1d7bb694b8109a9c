// SPDX-License-Identifier: LGPL-2.1-or-later
// The recorded surfaces and contacts as things to draw at any moment, between frames too.

const ROLES = {
  object: { label: "Object", color: "#3d8bcb", soft: 0, gloss: 0.55 },
  skin: { label: "Skin", color: "#dca181", soft: 1, gloss: 0.16 },
  phalanx: { label: "Phalanges", color: "#dba483", soft: 1, gloss: 0.16 },
  palm: { label: "Palm", color: "#d79c7b", soft: 1, gloss: 0.16 },
  nail: { label: "Nails", color: "#f0c9b8", soft: 0.6, gloss: 0.5 },
  table: { label: "Table", color: "#c9c2b6", soft: 0, gloss: 0.1 },
  tool: { label: "Tool", color: "#9aa4b0", soft: 0, gloss: 0.7 },
  organ: { label: "Organ", color: "#b5564c", soft: 1, gloss: 0.5 },
};
const OTHER_COLORS = ["#6a9c89", "#b08ea2", "#8a94c8", "#c2a15c"];
const UNDER_SKIN = ["phalanx", "palm", "bone", "link"];
const STILL = ["table", "ground", "floor", "wall"];
// Arrows by how near the patch is to slip: far from it, near it, slipping.
const ARROW_STOPS = [[0, "#12a67c"], [0.6, "#7fb02e"], [0.85, "#f0a020"], [1, "#d92b2b"]];

function slipColor(gauge) {
  const stops = ARROW_STOPS.map(([at, color]) => [at, linearColor(color)]);
  if (!(gauge > 0)) return stops[0][1];
  const next = stops.findIndex(([at]) => gauge <= at);
  if (next < 0) return stops[stops.length - 1][1];
  const [[low, from], [high, to]] = [stops[Math.max(0, next - 1)], stops[next]];
  const share = high > low ? (gauge - low) / (high - low) : 0;
  return from.map((c, i) => c * (1 - share) + to[i] * share);
}

function roleStyle(role, index) {
  const label = role.charAt(0).toUpperCase() + role.slice(1);
  return ROLES[role] || { label, color: OTHER_COLORS[index % OTHER_COLORS.length], soft: 0.3, gloss: 0.3 };
}

class Surface {
  constructor(entry, index, arrays, frameCount) {
    const get = (name) => arrays[`s${index}.${name}`];
    Object.assign(this, { name: entry.name, role: entry.role, rigid: entry.rigid, frameCount, state: "solid" });
    const style = roleStyle(entry.role, index);
    this.base = entry.color ? entry.color.map(toLinear) : linearColor(style.color);
    this.soft = style.soft;
    this.gloss = style.gloss;
    this.model = IDENTITY;
    this.poses = get("poses");
    this.levels = get("frames");
    this.pressureLevels = get("pressure");
    this.pressureMax = entry.pressure_max || 0;
    if (!this.rigid) {
      const [low, high] = entry.box;
      this.low = low;
      this.step = high.map((h, i) => (h - low[i]) / 65535);
      this.vertexCount = this.levels.length / (3 * frameCount);
    } else {
      this.vertexCount = get("rest").length / 3;
    }
    this.given = this.rigid ? get("rest") : new Float32Array(3 * this.vertexCount);
    if (!this.rigid) this.readPositions(0, 0, 0);
    const split = splitCreases(this.given, get("triangles"));
    this.source = split.source;
    this.triangles = split.triangles;
    this.positions = new Float32Array(3 * this.source.length);
    this.normals = new Float32Array(3 * this.source.length);
    this.pressure = this.pressureLevels ? new Float32Array(this.source.length) : null;
    this.gather();
  }

  readPositions(first, second, mix) {
    const n = 3 * this.vertexCount;
    const [a, b] = [first * n, second * n];
    for (let i = 0, axis = 0; i < n; i++, axis = axis === 2 ? 0 : axis + 1) {
      const level = this.levels[a + i] * (1 - mix) + this.levels[b + i] * mix;
      this.given[i] = this.low[axis] + level * this.step[axis];
    }
  }

  gather() {
    for (let i = 0; i < this.source.length; i++) {
      const v = 3 * this.source[i];
      this.positions[3 * i] = this.given[v];
      this.positions[3 * i + 1] = this.given[v + 1];
      this.positions[3 * i + 2] = this.given[v + 2];
    }
    computeNormals(this.positions, this.triangles, this.normals);
  }

  // Moves to `mix` of the way between two frames. Chords between frames: right to second order in the frame time.
  update(renderer, first, second, mix) {
    if (this.rigid) {
      const [p, q] = [7 * first, 7 * second];
      const sign = [3, 4, 5, 6].reduce((sum, i) => sum + this.poses[p + i] * this.poses[q + i], 0) < 0 ? -1 : 1;
      const at = (i) => this.poses[p + i] * (1 - mix) + this.poses[q + i] * mix * (i < 3 ? 1 : sign);
      const quaternion = [at(3), at(4), at(5), at(6)];
      const norm = Math.hypot(...quaternion);
      this.model = fromPose([at(0), at(1), at(2)], quaternion.map((c) => c / norm));
    } else {
      this.readPositions(first, second, mix);
      this.gather();
    }
    if (this.pressure) {
      const gain = this.pressureMax / 65535;
      const [a, b] = [first * this.vertexCount, second * this.vertexCount];
      for (let i = 0; i < this.source.length; i++) {
        const v = this.source[i];
        this.pressure[i] = gain * (this.pressureLevels[a + v] * (1 - mix) + this.pressureLevels[b + v] * mix);
      }
    }
    if (!this.mesh) this.mesh = renderer.createMesh(this);
    else renderer.updateMesh(this.mesh, !this.rigid && this.positions, !this.rigid && this.normals, this.pressure);
  }

  // Lowest and highest corner over all frames and vertices, in the world.
  lowestPoint() {
    let lowest = Infinity;
    if (!this.rigid) return this.low[2];
    for (let f = 0; f < this.frameCount; f++) {
      const m = fromPose(this.poses.subarray(7 * f, 7 * f + 3), this.poses.subarray(7 * f + 3, 7 * f + 7));
      for (let v = 0; v < this.given.length; v += 3) {
        const z = m[2] * this.given[v] + m[6] * this.given[v + 1] + m[10] * this.given[v + 2] + m[14];
        lowest = Math.min(lowest, z);
      }
    }
    return lowest;
  }
}

class Scene {
  constructor({ header, arrays, patches }) {
    this.frameCount = header.frame_count;
    this.times = arrays.times;
    this.patches = patches;
    this.pressureScale = header.pressure_scale;
    this.surfaces = header.surfaces.map((entry, i) => new Surface(entry, i, arrays, this.frameCount));
    this.roleOf = Object.fromEntries(this.surfaces.map((s) => [s.name, s.role]));
    if (this.surfaces.some((s) => s.role === "skin")) {
      for (const s of this.surfaces) if (UNDER_SKIN.includes(s.role)) s.state = "hidden";
    }
    this.cuts = Object.fromEntries((header.cuts || []).map((cut) => [cut.surface, cut]));
    // What a camera looks at from within would hide it from without, unless it is cut open.
    const opaque = (s) => s.role === "organ" && !this.cuts[s.name];
    if ((header.cameras || []).length) for (const s of this.surfaces) if (opaque(s)) s.state = "ghost";
    this.box = header.action_box;
    const [low, high] = this.box;
    this.radius = Math.hypot(...subtract(high, low)) / 2 || 1;
    this.centre = scale(add(low, high), 0.5);
    this.floorZ = Math.min(...this.surfaces.map((s) => s.lowestPoint()));
    this.cell = niceBelow(this.radius / 4);
    this.largestForce = this.typicalPeakForce();
    this.arrowScale = this.largestForce > 0 ? (0.42 * this.radius) / this.largestForce : 0;
    this.units = unitsOf(this);
    this.groups = this.groupSurfaces();
    this.tellsSlip = patches.some((list) => list.some((p) => Number.isFinite(p.slipGauge)));
    this.load = patches.map((list) => list.reduce((sum, p) => sum + p.normalForce, 0));
  }

  groupSurfaces() {
    const groups = new Map();
    this.surfaces.forEach((surface, i) => {
      if (!groups.has(surface.role)) groups.set(surface.role, { role: surface.role, style: roleStyle(surface.role, i), surfaces: [] });
      groups.get(surface.role).surfaces.push(surface);
    });
    return [...groups.values()];
  }

  // Largest force of a patch that nearly all frames stay under: a single impact must not shrink every other arrow.
  typicalPeakForce() {
    const peaks = this.patches.map((list) => Math.max(0, ...list.map((p) => Math.hypot(...p.force))));
    const loaded = peaks.filter((f) => f > 0).sort((a, b) => a - b);
    return loaded.length ? loaded[Math.floor(0.95 * (loaded.length - 1))] : 0;
  }

  timeOfFrame(position) {
    const i = Math.floor(position);
    const j = Math.min(i + 1, this.frameCount - 1);
    return this.times[i] + (this.times[j] - this.times[i]) * (position - i);
  }

  frameOfTime(time) {
    const last = this.frameCount - 1;
    if (!(time > this.times[0])) return 0;
    if (time >= this.times[last]) return last;
    let [low, high] = [0, last];
    while (high - low > 1) {
      const middle = (low + high) >> 1;
      if (this.times[middle] <= time) low = middle;
      else high = middle;
    }
    return low + (time - this.times[low]) / (this.times[high] - this.times[low]);
  }

  update(renderer, position) {
    const first = Math.floor(position);
    const second = Math.min(first + 1, this.frameCount - 1);
    for (const s of this.surfaces) if (s.state !== "hidden") s.update(renderer, first, second, position - first);
  }

  // The surfaces as they are seen from outside: `open`, those with a cut without what lies beyond its plane.
  seenFromOutside(open) {
    return this.surfaces.map((s) => {
      const cut = open && this.cuts[s.name];
      if (!cut) return s;
      const normal = normalise(cut.normal);
      const offset = -normal.reduce((sum, n, i) => sum + n * cut.point[i], 0);
      return Object.create(s, { cut: { value: [...normal, offset] } });
    });
  }

  // Force as it acts on the object of the pair: the picture of "who pushes the object, where, how hard".
  drawnForce(patch) {
    return this.pushed(patch) === patch.body ? patch.force : scale(patch.force, -1);
  }

  pushed(patch) {
    const rank = (name) => (this.roleOf[name] === "object" ? 2 : STILL.includes(this.roleOf[name]) ? 0 : 1);
    return rank(patch.other) > rank(patch.body) ? patch.other : patch.body;
  }

  // Arrows whose tips lie at the centres of the patches. emphasised: key of a patch, or null.
  arrows(frameIndex, emphasised) {
    const thickness = 0.013 * this.radius;
    const result = [];
    for (const patch of this.patches[frameIndex]) {
      const force = this.drawnForce(patch);
      const size = Math.hypot(...force);
      const length = Math.min(size, 1.6 * this.largestForce) * this.arrowScale;
      if (!(length > 0.2 * thickness)) continue;
      const z = scale(force, 1 / size);
      const x = normalise(cross(Math.abs(z[2]) < 0.9 ? UP : [1, 0, 0], z));
      const y = cross(z, x);
      const head = Math.min(2.3 * thickness, (0.55 * length) / HEAD_ASPECT);
      const r = Math.min(thickness, 0.45 * head);
      const shaft = length - HEAD_ASPECT * head;
      const tail = subtract(patch.centre, scale(z, length));
      result.push({
        base: slipColor(patch.slipGauge),
        bright: emphasised === patchKey(patch),
        shaft: frame(scale(x, r), scale(y, r), scale(z, shaft), tail),
        head: frame(scale(x, head), scale(y, head), scale(z, head), patch.centre),
      });
    }
    return result;
  }
}

const patchKey = (patch) => `${patch.body}|${patch.other}|${patch.number}`;

// Largest of 1, 2, 5 times a power of ten that does not exceed x.
function niceBelow(x) {
  const decade = 10 ** Math.floor(Math.log10(x));
  return (x / decade >= 5 ? 5 : x / decade >= 2 ? 2 : 1) * decade;
}
