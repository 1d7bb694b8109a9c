// SPDX-License-Identifier: LGPL-2.1-or-later
// The bodies: a solid answered by the vademecum, placed in the world, and a rigid block. Both have a pointshell.

const SMALL = 1e-7; // sizes that are answered along the tangent at none

// Points all over a surface, no further apart than `spacing`: numbers of the corners and weights, so that they follow
// the surface as it deforms.
function pointshell(triangles, positions, spacing) {
  const corners = [];
  const weights = [];
  const seen = new Set();
  for (let t = 0; t < triangles.length; t += 3) {
    const ids = [triangles[t], triangles[t + 1], triangles[t + 2]];
    const at = ids.map((v) => Array.from(positions.subarray(3 * v, 3 * v + 3)));
    const longest = Math.max(...[0, 1, 2].map((i) => Math.hypot(...subtract(at[(i + 1) % 3], at[i]))));
    const parts = Math.max(1, Math.ceil(longest / spacing - 1e-9));
    for (let i = 0; i <= parts; i++) {
      for (let j = 0; i + j <= parts; j++) {
        const shares = [parts - i - j, i, j];
        const key = shares.map((s, c) => [ids[c], s]).filter(([, s]) => s > 0).sort((a, b) => a[0] - b[0])
          .map(([v, s]) => `${v}:${s / parts}`).join(" ");
        if (seen.has(key)) continue;
        seen.add(key);
        corners.push(...ids);
        weights.push(...shares.map((s) => s / parts));
      }
    }
  }
  return { count: corners.length / 3, corners: Uint32Array.from(corners), weights: Float64Array.from(weights) };
}

// turn: the columns of its rotation; at: its place [m]. The solid's own frame is that of the vademecum.
class Body {
  constructor({ name, rest, triangles, base, turn = [[1, 0, 0], [0, 1, 0], [0, 0, 1]], spacing }) {
    Object.assign(this, { name, triangles, base, turn, at: [0, 0, 0], rest });
    this.local = Float64Array.from(rest);
    this.world = new Float64Array(rest.length);
    this.shell = pointshell(triangles, this.local, spacing);
    this.shellPoints = new Float64Array(3 * this.shell.count);
    this.place();
    this.tree = new DistanceTree(triangles, this.world);
  }

  toWorld(v) {
    const [x, y, z] = this.turn;
    return [0, 1, 2].map((a) => this.at[a] + v[0] * x[a] + v[1] * y[a] + v[2] * z[a]);
  }

  directionToLocal(v) {
    return this.turn.map((column) => dot(column, v));
  }

  directionToWorld(v) {
    return [0, 1, 2].map((a) => this.turn.reduce((sum, column, i) => sum + v[i] * column[a], 0));
  }

  // Value of something that is known at the vertices (3n), the place in the world if not told, at a place on the surface.
  pointAt({ triangle, weights }, values = this.world) {
    const at = [0, 1, 2].map((c) => 3 * this.triangles[3 * triangle + c]);
    return [0, 1, 2].map((a) => weights.reduce((sum, w, c) => sum + w * values[at[c] + a], 0));
  }

  // Brings world positions to the local ones and the pose.
  place() {
    const { local, world, turn: [x, y, z], at } = this;
    for (let i = 0; i < local.length; i += 3) {
      const [u, v, w] = [local[i], local[i + 1], local[i + 2]];
      for (let a = 0; a < 3; a++) world[i + a] = at[a] + u * x[a] + v * y[a] + w * z[a];
    }
    if (this.tree) this.tree.fit(world);
  }

  // The most that any vertex has moved since the positions kept in `seen[which]`, which become the present ones.
  movedSince(seen, which) {
    const most = largestWay(this.world, seen[which]);
    seen[which].set(this.world);
    return most;
  }

  // Brings the pointshell there too.
  placeShell() {
    const { world, shell: { corners, weights, count }, shellPoints } = this;
    for (let p = 0; p < 3 * count; p += 3) {
      const [i, j, k] = [3 * corners[p], 3 * corners[p + 1], 3 * corners[p + 2]];
      const [u, v, w] = [weights[p], weights[p + 1], weights[p + 2]];
      for (let a = 0; a < 3; a++) shellPoints[p + a] = u * world[i + a] + v * world[j + a] + w * world[k + a];
    }
  }
}

class RigidBlock extends Body {
  constructor(size, options) {
    const rest = Float64Array.from({ length: 24 }, (_, i) => (((i / 3) >> (i % 3)) & 1 ? 0.5 : -0.5) * size[i % 3]);
    const quads = [[0, 4, 6, 2], [1, 3, 7, 5], [0, 1, 5, 4], [2, 6, 7, 3], [0, 2, 3, 1], [4, 5, 7, 6]];
    const triangles = Uint32Array.from(quads.flatMap(([a, b, c, d]) => [a, b, c, a, c, d]));
    super({ ...options, rest, triangles });
    this.size = size;
    Object.assign(this, { loads: [], answers: [] });
  }

  update() {
    this.place();
  }
}

class VademecumBody extends Body {
  constructor(solution, header, arrays, options) {
    super({ ...options, rest: Float64Array.from(arrays.nodes), triangles: Uint32Array.from(arrays.triangles) });
    Object.assign(this, { solution, directions: header.directions, magnitude: header.magnitude });
    Object.assign(this, axesOf(header.directions, header.magnitude));
    this.displacement = new Float64Array(this.rest.length);
    this.nearestLoaded = nearestLoaded(solution, this.rest, this.triangles);
    this.load = { triangle: 0, weights: [1, 0, 0], family: 0, size: 0 };
    this.reactions = []; // of contacts, as loads {node, axis, size}
    this.loads = [];
    this.answers = [];
    this.first = solution.first;
  }

  // A load between nodes is shared by the corners around it. On a clamped corner it moves nothing.
  ownLoads() {
    const { triangle, weights, family, size } = this.load;
    const axis = this.axes.findIndex(({ plus, minus }) => plus === family || minus === family);
    const sign = this.axes[axis].plus === family ? 1 : -1;
    return [0, 1, 2].map((c) => ({ node: this.nearestLoaded[this.triangles[3 * triangle + c]], axis, size: sign * size * weights[c] }))
      .filter((load) => load.node >= 0 && weights.some((w) => w > 1e-9) && load.size !== 0);
  }

  // All loads by node and axis, {node, axis, size}, each with the size `alone` at which it alone would deflect the body
  // as all together do; the same prediction as softcontact/vademecum/loaded.py.
  gatherLoads() {
    const merged = new Map();
    for (const { node, axis, size } of [...this.ownLoads(), ...this.reactions]) {
      const key = `${axis} ${node}`;
      if (!merged.has(key)) merged.set(key, { node, axis, size: 0 });
      merged.get(key).size += size;
    }
    const loads = [...merged.values()].filter((load) => load.size !== 0);
    const together = new Float64Array(this.solution.modes);
    for (const load of loads) this.firstOf(load).forEach((g, k) => (together[k] += load.size * g));
    for (const load of loads) load.alone = likeness(together, this.firstOf(load));
    return { loads, together };
  }

  caseOf({ node, axis }, against = false) {
    const { plus, minus } = this.axes[axis];
    return (against ? minus : plus) * this.solution.positions + this.solution.caseOfNode[node];
  }

  firstOf(load) {
    return this.first[this.caseOf(load)];
  }

  // Whether a size along an axis is answered by the family against it.
  against(axis, size) {
    return size < 0 && this.axes[axis].minus !== undefined;
  }

  // The answers that are summed up for some loads: of each the share that is there.
  answersTo(loads) {
    return loads.map(({ node, axis, size, alone }) => {
      const against = this.against(axis, alone);
      const some = Math.abs(alone) > SMALL ? alone : against ? -SMALL : SMALL;
      const { plus, minus } = this.axes[axis];
      return { node, family: against ? minus : plus, size: against ? -some : some, weight: size / some };
    });
  }

  // How some nodes move with the size of each of some loads: a list of (3 k) [m].
  slopes(wanted, nodes) {
    const { solution } = this;
    const { loads, together } = this.gatherLoads();
    const [secants, slopes] = [new Float64Array(solution.terms), new Float64Array(solution.terms)];
    const fieldOf = (load, alone, bend) => {
      const against = this.against(load.axis, alone);
      sizeBasis(against ? -alone : alone, solution.terms, { secants, slopes });
      if (against && !bend) secants.forEach((s, j) => (secants[j] = -s));
      return solution.fieldAt(this.caseOf(load, against), bend ? slopes : secants, nodes);
    };
    const bends = loads.map((load) => fieldOf(load, load.alone, true));
    return wanted.map((load) => {
      const own = this.firstOf(load);
      const moves = fieldOf(load, likeness(together, own), false);
      loads.forEach((other, j) => {
        const factor = other.size * likeness(own, this.firstOf(other));
        for (let i = 0; i < moves.length; i++) moves[i] += factor * bends[j][i];
      });
      return moves;
    });
  }

  loadNode(node, size = this.load.size, family = this.load.family) {
    const corner = this.triangles.indexOf(node);
    if (corner < 0 || this.solution.caseOfNode[node] < 0) throw new Error(`node ${node} cannot be loaded`);
    this.load = { triangle: Math.floor(corner / 3), weights: [0, 1, 2].map((c) => Number(c === corner % 3)), family, size };
  }

  get loadPoint() {
    return this.pointOf(this.world);
  }

  // Value at the loaded point of something that is known at the nodes (3n).
  pointOf(values) {
    return this.pointAt(this.load, values);
  }

  get loadDirection() {
    return this.directionToWorld(this.directions[this.load.family]);
  }

  update() {
    this.loads = this.gatherLoads().loads;
    this.answers = this.answersTo(this.loads);
    this.solution.displacements(this.answers, this.displacement);
    for (let i = 0; i < this.local.length; i++) this.local[i] = this.rest[i] + this.displacement[i];
    this.place();
  }

  largestDisplacement() {
    let most = 0;
    for (let i = 0; i < this.displacement.length; i += 3) {
      most = Math.max(most, Math.hypot(this.displacement[i], this.displacement[i + 1], this.displacement[i + 2]));
    }
    return most;
  }
}

// How far a load with first amplitudes `own` has to be there to deflect as `all`.
function likeness(all, own) {
  let [along, square] = [0, 0];
  for (let k = 0; k < own.length; k++) {
    along += all[k] * own[k];
    square += own[k] * own[k];
  }
  return along / square;
}

// For each boundary node itself where it may be loaded; clamped ones have none (-1); others the nearest that may.
function nearestLoaded(solution, rest, triangles) {
  const result = new Int32Array(solution.nodeCount).fill(-1);
  const loaded = [];
  solution.caseOfNode.forEach((place, node) => place >= 0 && loaded.push(node));
  const distance = (a, b) => Math.hypot(rest[3 * a] - rest[3 * b], rest[3 * a + 1] - rest[3 * b + 1], rest[3 * a + 2] - rest[3 * b + 2]);
  for (const node of new Set(triangles)) {
    if (solution.caseOfNode[node] >= 0) result[node] = node;
    else if (!solution.clamped.has(node)) result[node] = loaded.reduce((best, other) => (distance(node, other) < distance(node, best) ? other : best));
  }
  return result;
}

// Families whose directions are opposite make one axis; inverse: rows [1/N] that make the sizes along them of a force.
function axesOf(directions, magnitude) {
  const axes = [];
  directions.forEach((direction, family) => {
    const against = axes.find(({ plus }) => dot(directions[plus], direction) < -1 + 1e-9);
    if (against) against.minus = family;
    else axes.push({ plus: family });
  });
  const along = axes.map(({ plus }) => directions[plus]);
  const n = along.length;
  const inverse = along.map(() => [0, 0, 0]);
  for (let a = 0; a < 3; a++) { // normal equations
    const products = Float64Array.from({ length: n * n }, (_, i) => dot(along[Math.floor(i / n)], along[i % n]));
    solveDense(products, Float64Array.from(along, (d) => d[a] / magnitude), n).forEach((x, i) => (inverse[i][a] = x));
  }
  return { axes, inverse };
}
