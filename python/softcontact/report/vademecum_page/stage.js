// SPDX-License-Identifier: LGPL-2.1-or-later
// Bodies, loads and contact forces as things for the renderer to draw.

// Displacement: the first stop twice, for the shader fades the lowest fifth of its scale into the body's own colour.
const DISPLACEMENT_STOPS = ["#c9d3de", "#c9d3de", "#8fc1b5", "#f2c94c", "#ee7f38", "#b5223c"];
const UNMARKED = 0.2;
const ARROW_MOST = 90; // contact forces drawn one by one

// A body's surface with vertices split at its edges.
class Shape {
  constructor(body, { base, gloss, colored }) {
    const split = splitCreases(Float32Array.from(body.rest), body.triangles);
    Object.assign(this, { body, source: split.source, triangles: split.triangles, model: IDENTITY, state: "solid" });
    Object.assign(this, { base: linearColor(base), soft: 0, gloss });
    this.positions = new Float32Array(3 * this.source.length);
    this.normals = new Float32Array(3 * this.source.length);
    this.pressure = colored ? new Float32Array(this.source.length) : null;
  }

  update(renderer, positions, colorScale) {
    const { source, body } = this;
    for (let i = 0; i < source.length; i++) {
      const v = 3 * source[i];
      for (let a = 0; a < 3; a++) this.positions[3 * i + a] = positions[v + a];
      if (!this.pressure) continue;
      const u = body.displacement;
      this.pressure[i] = UNMARKED + (1 - UNMARKED) * Math.min(1, Math.hypot(u[v], u[v + 1], u[v + 2]) / colorScale);
    }
    computeNormals(this.positions, this.triangles, this.normals);
    if (!this.mesh) this.mesh = renderer.createMesh(this);
    else renderer.updateMesh(this.mesh, this.positions, this.normals, this.pressure);
  }
}

// An arrow of a length whose tip lies at a point.
function arrow(tip, along, length, thickness, color) {
  const z = normalise(along);
  const x = normalise(cross(Math.abs(z[2]) < 0.9 ? UP : [1, 0, 0], z));
  const y = cross(z, x);
  const head = Math.min(2.3 * thickness, (0.55 * length) / HEAD_ASPECT);
  const r = Math.min(thickness, 0.45 * head);
  const tail = subtract(tip, scale(z, length));
  return {
    base: linearColor(color), bright: false,
    shaft: frame(scale(x, r), scale(y, r), scale(z, length - HEAD_ASPECT * head), tail),
    head: frame(scale(x, head), scale(y, head), scale(z, head), tip),
  };
}

// The load of a solid: the longer the larger.
function loadArrow(body, size, color) {
  if (body.load.size < 0.002) return [];
  return [arrow(body.loadPoint, body.loadDirection, size * (0.05 + 0.2 * body.load.size), 0.014 * size, color)];
}

// Contact forces on the second body, each of them and their sum.
function contactArrows(contact, size, reference) {
  const total = contact.total();
  if (total.count === 0) return [];
  const largest = contact.points.reduce((most, p) => Math.max(most, p.force), 0);
  const drawn = [...contact.points].sort((a, b) => b.force - a.force).slice(0, ARROW_MOST)
    .filter((p) => p.force > 0.02 * largest)
    .map((p) => arrow(p.at, add(scale(p.normal, p.force), p.friction), 0.11 * size * (p.force / largest) + 0.012 * size, 0.0035 * size, "#12a67c"));
  const length = size * (0.08 + 0.22 * Math.min(1, total.size / reference));
  drawn.push(arrow(total.centre, total.force, length, 0.011 * size, "#0f8f6a"));
  return drawn;
}

// Corners of the box about some positions.
function boxOf(...clouds) {
  const low = [Infinity, Infinity, Infinity];
  const high = [-Infinity, -Infinity, -Infinity];
  for (const cloud of clouds) {
    for (let i = 0; i < cloud.length; i++) {
      low[i % 3] = Math.min(low[i % 3], cloud[i]);
      high[i % 3] = Math.max(high[i % 3], cloud[i]);
    }
  }
  return [low, high];
}
