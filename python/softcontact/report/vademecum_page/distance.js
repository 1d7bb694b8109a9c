// SPDX-License-Identifier: LGPL-2.1-or-later
// Signed distance to a closed triangle surface that deforms: a tree of boxes, built once and fitted anew to each state.
// The sign is that of the pseudo-normal at the nearest face, edge or vertex (Baerentzen and Aanaes 2005).

const LEAF_TRIANGLES = 4;

class DistanceTree {
  // triangles: vertex numbers, counter-clockwise from outside; positions (3n) [m] of the state it is built for.
  constructor(triangles, positions) {
    this.triangles = triangles;
    this.count = triangles.length / 3;
    this.order = Uint32Array.from({ length: this.count }, (_, t) => t);
    this.neighbours = edgeNeighbours(triangles);
    this.faceNormals = new Float64Array(3 * this.count);
    this.vertexNormals = new Float64Array(positions.length);
    this.left = [];
    this.right = [];
    this.first = [];
    this.last = [];
    this.build(0, this.count, centroids(triangles, positions));
    this.boxes = new Float64Array(6 * this.left.length);
    this.stack = new Int32Array(128);
    this.nearest = { distance: 0, squared: 0, triangle: -1, feature: 0, point: new Float64Array(3), weights: new Float64Array(3) };
    this.fit(positions);
  }

  build(from, to, middles) {
    const node = this.left.length;
    this.left.push(-1);
    this.right.push(-1);
    this.first.push(from);
    this.last.push(to);
    if (to - from <= LEAF_TRIANGLES) return node;
    const low = [Infinity, Infinity, Infinity];
    const high = [-Infinity, -Infinity, -Infinity];
    for (let i = from; i < to; i++) {
      for (let a = 0; a < 3; a++) {
        low[a] = Math.min(low[a], middles[3 * this.order[i] + a]);
        high[a] = Math.max(high[a], middles[3 * this.order[i] + a]);
      }
    }
    const axis = [0, 1, 2].reduce((best, a) => (high[a] - low[a] > high[best] - low[best] ? a : best), 0);
    this.order.subarray(from, to).sort((s, t) => middles[3 * s + axis] - middles[3 * t + axis] || s - t);
    const middle = (from + to) >> 1;
    this.left[node] = this.build(from, middle, middles);
    this.right[node] = this.build(middle, to, middles);
    return node;
  }

  // Follows the vertices to a new state.
  fit(positions) {
    this.positions = positions;
    const { triangles, boxes, order } = this;
    this.findNormals();
    for (let node = this.left.length - 1; node >= 0; node--) { // children come after their parents
      const b = 6 * node;
      for (let a = 0; a < 3; a++) {
        let [low, high] = [Infinity, -Infinity];
        if (this.left[node] >= 0) {
          low = Math.min(boxes[6 * this.left[node] + a], boxes[6 * this.right[node] + a]);
          high = Math.max(boxes[6 * this.left[node] + 3 + a], boxes[6 * this.right[node] + 3 + a]);
        } else {
          for (let i = this.first[node]; i < this.last[node]; i++) {
            for (let c = 0; c < 3; c++) {
              const x = positions[3 * triangles[3 * order[i] + c] + a];
              low = Math.min(low, x);
              high = Math.max(high, x);
            }
          }
        }
        boxes[b + a] = low;
        boxes[b + 3 + a] = high;
      }
    }
  }

  findNormals() {
    const { triangles, positions: p, faceNormals: faces, vertexNormals: vertices } = this;
    const edges = new Float64Array(9); // of the triangle, from each corner to the next
    const lengths = new Float64Array(3);
    vertices.fill(0);
    for (let t = 0; t < 3 * this.count; t += 3) {
      for (let c = 0; c < 3; c++) {
        const [from, to] = [3 * triangles[t + c], 3 * triangles[t + ((c + 1) % 3)]];
        for (let a = 0; a < 3; a++) edges[3 * c + a] = p[to + a] - p[from + a];
        lengths[c] = Math.sqrt(edges[3 * c] ** 2 + edges[3 * c + 1] ** 2 + edges[3 * c + 2] ** 2);
      }
      const nx = edges[1] * edges[5] - edges[2] * edges[4];
      const ny = edges[2] * edges[3] - edges[0] * edges[5];
      const nz = edges[0] * edges[4] - edges[1] * edges[3];
      const length = Math.sqrt(nx * nx + ny * ny + nz * nz) || 1;
      faces[t] = nx / length;
      faces[t + 1] = ny / length;
      faces[t + 2] = nz / length;
      for (let c = 0; c < 3; c++) {
        const [next, back] = [3 * c, 3 * ((c + 2) % 3)];
        const along = -(edges[next] * edges[back] + edges[next + 1] * edges[back + 1] + edges[next + 2] * edges[back + 2]);
        const angle = Math.acos(clamp(along / (lengths[c] * lengths[(c + 2) % 3] || 1), -1, 1));
        for (let a = 0; a < 3; a++) vertices[3 * triangles[t + c] + a] += angle * faces[t + a];
      }
    }
  }

  // Squared distance to the box of a node; node 0 holds the whole surface.
  boxSquared(node, x, y, z) {
    const { boxes } = this;
    const b = 6 * node;
    const dx = Math.max(boxes[b] - x, 0, x - boxes[b + 3]);
    const dy = Math.max(boxes[b + 1] - y, 0, y - boxes[b + 4]);
    const dz = Math.max(boxes[b + 2] - z, 0, z - boxes[b + 5]);
    return dx * dx + dy * dy + dz * dz;
  }

  // The nearest point of the surface, in `this.nearest`, which the next call overwrites; returns the signed distance.
  // within: no more than this far away, where that is known; NaN where there is nothing so near.
  signedDistance(x, y, z, within = Infinity) {
    const { nearest, stack, order } = this;
    nearest.squared = within * within;
    nearest.triangle = -1;
    let top = 0;
    stack[top++] = 0;
    while (top > 0) {
      const node = stack[--top];
      if (this.boxSquared(node, x, y, z) > nearest.squared) continue;
      if (this.left[node] < 0) {
        for (let i = this.first[node]; i < this.last[node]; i++) this.tryTriangle(order[i], x, y, z);
        continue;
      }
      const [l, r] = [this.left[node], this.right[node]];
      const leftNearer = this.boxSquared(l, x, y, z) < this.boxSquared(r, x, y, z);
      stack[top++] = leftNearer ? r : l;
      stack[top++] = leftNearer ? l : r;
    }
    if (nearest.triangle < 0) return NaN;
    const q = nearest.point;
    const n = this.pseudoNormal(nearest.triangle, nearest.feature);
    const inside = (x - q[0]) * n[0] + (y - q[1]) * n[1] + (z - q[2]) * n[2] < 0;
    nearest.distance = inside ? -Math.sqrt(nearest.squared) : Math.sqrt(nearest.squared);
    return nearest.distance;
  }

  // feature: 0 the face, 1 to 3 an edge (from corner 0, 1, 2 to the next), 4 to 6 a corner
  pseudoNormal(triangle, feature) {
    const faces = this.faceNormals;
    if (feature === 0) return faces.subarray(3 * triangle, 3 * triangle + 3);
    if (feature > 3) {
      const v = 3 * this.triangles[3 * triangle + feature - 4];
      return this.vertexNormals.subarray(v, v + 3);
    }
    const other = this.neighbours[3 * triangle + feature - 1];
    return [0, 1, 2].map((a) => faces[3 * triangle + a] + (other < 0 ? 0 : faces[3 * other + a]));
  }

  // Ericson 2005, Sec. 5.1.5.
  tryTriangle(t, x, y, z) {
    const { triangles, positions: p } = this;
    const [i, j, k] = [3 * triangles[3 * t], 3 * triangles[3 * t + 1], 3 * triangles[3 * t + 2]];
    const [ax, ay, az] = [p[i], p[i + 1], p[i + 2]];
    const [ux, uy, uz] = [p[j] - ax, p[j + 1] - ay, p[j + 2] - az];
    const [vx, vy, vz] = [p[k] - ax, p[k + 1] - ay, p[k + 2] - az];
    const [wx, wy, wz] = [x - ax, y - ay, z - az];
    const uu = ux * ux + uy * uy + uz * uz;
    const uv = ux * vx + uy * vy + uz * vz;
    const vv = vx * vx + vy * vy + vz * vz;
    const d1 = ux * wx + uy * wy + uz * wz;
    const d2 = vx * wx + vy * wy + vz * wz;
    const [d3, d4, d5, d6] = [d1 - uu, d2 - uv, d1 - uv, d2 - vv];
    const [va, vb, vc] = [d3 * d6 - d5 * d4, d5 * d2 - d1 * d6, d1 * d4 - d3 * d2];
    let [v, w, feature] = [0, 0, 4];
    if (d1 <= 0 && d2 <= 0) feature = 4;
    else if (d3 >= 0 && d4 <= d3) [v, feature] = [1, 5];
    else if (vc <= 0 && d1 >= 0 && d3 <= 0) [v, feature] = [d1 / (d1 - d3), 1];
    else if (d6 >= 0 && d5 <= d6) [w, feature] = [1, 6];
    else if (vb <= 0 && d2 >= 0 && d6 <= 0) [w, feature] = [d2 / (d2 - d6), 3];
    else if (va <= 0 && d4 - d3 >= 0 && d5 - d6 >= 0) {
      w = (d4 - d3) / (d4 - d3 + (d5 - d6));
      [v, feature] = [1 - w, 2];
    } else {
      const sum = va + vb + vc;
      [v, w, feature] = [vb / sum, vc / sum, 0];
    }
    const [dx, dy, dz] = [wx - v * ux - w * vx, wy - v * uy - w * vy, wz - v * uz - w * vz];
    const squared = dx * dx + dy * dy + dz * dz;
    const { nearest } = this;
    if (!(squared <= nearest.squared) || (squared === nearest.squared && nearest.triangle >= 0 && nearest.triangle < t)) return;
    nearest.squared = squared;
    nearest.triangle = t;
    nearest.feature = feature;
    nearest.point[0] = x - dx;
    nearest.point[1] = y - dy;
    nearest.point[2] = z - dz;
    nearest.weights[0] = 1 - v - w;
    nearest.weights[1] = v;
    nearest.weights[2] = w;
  }

  // Where a ray first meets the surface: {distance, triangle, weights}, or null.
  castRay(origin, along) {
    const { triangles, positions: p } = this;
    let best = null;
    for (let t = 0; t < this.count; t++) {
      const [a, b, c] = [0, 1, 2].map((i) => {
        const v = 3 * triangles[3 * t + i];
        return [p[v], p[v + 1], p[v + 2]];
      });
      const [u, v] = [subtract(b, a), subtract(c, a)];
      const q = cross(along, v);
      const determinant = dot(u, q);
      if (Math.abs(determinant) < 1e-300) continue;
      const s = subtract(origin, a);
      const r = cross(s, u);
      const [f, g, distance] = [dot(s, q) / determinant, dot(along, r) / determinant, dot(v, r) / determinant];
      if (f < 0 || g < 0 || f + g > 1 || distance <= 0 || (best && distance >= best.distance)) continue;
      best = { distance, triangle: t, weights: [1 - f - g, f, g] };
    }
    return best;
  }
}

// The triangle across each edge, -1 where there is none.
function edgeNeighbours(triangles) {
  const result = new Int32Array(triangles.length).fill(-1);
  const open = new Map();
  for (let corner = 0; corner < triangles.length; corner++) {
    const [a, b] = [triangles[corner], triangles[corner % 3 === 2 ? corner - 2 : corner + 1]];
    const key = a < b ? `${a} ${b}` : `${b} ${a}`;
    if (open.has(key)) {
      const other = open.get(key);
      result[corner] = Math.floor(other / 3);
      result[other] = Math.floor(corner / 3);
    } else open.set(key, corner);
  }
  return result;
}

function centroids(triangles, positions) {
  const middles = new Float64Array(triangles.length);
  for (let corner = 0; corner < triangles.length; corner++) {
    for (let a = 0; a < 3; a++) middles[3 * Math.floor(corner / 3) + a] += positions[3 * triangles[corner] + a] / 3;
  }
  return middles;
}
