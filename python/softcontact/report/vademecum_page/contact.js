// SPDX-License-Identifier: LGPL-2.1-or-later
// Penalty contact: points of the second body that lie inside the first are pushed out along its distance's gradient and
// held by a tangential spring from where they first touched the material, F = k d n - k s, |k s| <= mu k d; they push
// back where they are nearest. The same law as softcontact/vademecum/contact.py. Source: Gonzalez et al. 2015, Sec. 3;
// friction beyond it.

const MOST_SWEEPS = 6; // a step; the search goes on with the next drawing
const MOST_TRIALS = 6; // shares of a Newton step
const WAY = 0.15; // of the smallest extent of the bodies: most that they move in one
const SETTLED = 1e-6; // of the largest load

class Contact {
  constructor(first, second) {
    Object.assign(this, { first, second, stiffness: 1e7, friction: 0, yielding: true });
    this.clear = new Float64Array(second.shell.count); // how far each point is outside at least [m]
    this.seen = [first, second].map((body) => new Float64Array(body.world.length)); // positions then
    this.mostWay = WAY * Math.min(...[first, second].map((body) => smallestExtent(body.rest)));
    this.points = [];
    this.count = 0; // evaluations
    this.forget();
  }

  forget() {
    this.carried = new Map(); // forces of contact as loads on the bodies: {body, node, axis, size}
    this.anchors = new Map(); // of points in contact by their index: where the spring is tied to the first body
    this.last = null; // the state that was answered last
    this.settled = true;
    this.hand();
  }

  // Number of evaluations since the last call.
  takeCount() {
    const { count } = this;
    this.count = 0;
    return Math.max(1, count);
  }

  // How far the second body is outside the first at least [m], as of the last evaluation; 0 in contact.
  gap() {
    return Math.max(0, this.clear.reduce((least, d) => Math.min(least, d), Infinity));
  }

  // The points of the second body inside the first.
  detect() {
    const { tree } = this.first;
    this.second.placeShell();
    const p = this.second.shellPoints;
    const moved = this.first.movedSince(this.seen, 0) + this.second.movedSince(this.seen, 1);
    this.points = [];
    for (let i = 0; i < this.second.shell.count; i++) {
      this.clear[i] -= moved;
      if (this.clear[i] > 0) continue; // still outside: no distance changes by more than the bodies move
      const [x, y, z] = [p[3 * i], p[3 * i + 1], p[3 * i + 2]];
      const outside = tree.boxSquared(0, x, y, z);
      if (outside > 0) {
        this.clear[i] = Math.sqrt(outside);
        continue;
      }
      const distance = tree.signedDistance(x, y, z);
      this.clear[i] = distance;
      if (!(distance < 0)) continue;
      const { point, triangle, weights, feature } = tree.nearest;
      const normal = distance > -1e-12 ? normalise(tree.pseudoNormal(triangle, feature)) : [0, 1, 2].map((a) => (point[a] - p[3 * i + a]) / -distance);
      const contact = { index: i, at: [x, y, z], depth: -distance, normal, triangle, weights: Array.from(weights), force: this.stiffness * -distance };
      this.points.push(Object.assign(contact, this.pull(contact)));
    }
  }

  // Friction at a point: slip that its spring holds [m], force of that on the second body [N], whether it slides.
  pull({ index, at, normal, force }) {
    const anchor = this.friction > 0 && this.anchors.get(index);
    if (!anchor) return { slip: [0, 0, 0], friction: [0, 0, 0], slides: false, stretch: 0 };
    const way = subtract(at, this.first.pointAt(anchor));
    let slip = subtract(way, scale(normal, dot(way, normal)));
    const [stretch, most] = [Math.hypot(...slip), (this.friction * force) / this.stiffness];
    const slides = stretch > most;
    if (slides) slip = scale(slip, most / stretch);
    return { slip, friction: scale(slip, -this.stiffness), slides, stretch };
  }

  // What the force on a point gains as the first body moves there by `way` against the second.
  follow({ index, normal, force, slip, slides, stretch }, way) {
    const k = this.stiffness;
    const deeper = dot(normal, way);
    const gain = scale(normal, k * deeper);
    if (!(this.friction > 0 && this.anchors.has(index))) return gain;
    const across = subtract(way, scale(normal, deeper));
    if (!slides) return add(gain, scale(across, k));
    const along = normalise(slip);
    const turned = scale(subtract(across, scale(along, dot(along, across))), (this.friction * force) / stretch);
    return add(add(gain, turned), scale(along, -this.friction * k * deeper));
  }

  // The state has come true: anchors follow what slides, what is apart loses its own.
  commit() {
    const anchors = new Map();
    const { tree } = this.first;
    for (const { index, at, depth, normal, triangle, weights, slip, slides } of this.points) {
      const anchor = this.anchors.get(index);
      if (anchor && slides) {
        tree.signedDistance(...subtract(add(at, scale(normal, depth)), slip));
        anchors.set(index, { triangle: tree.nearest.triangle, weights: Array.from(tree.nearest.weights) });
      } else anchors.set(index, anchor || { triangle, weights });
    }
    this.anchors = anchors;
  }

  // The bodies under their loads and, where they give way, under the contact forces: found by Newton's method on the
  // forces as loads of nodes, whose number is small.
  update() {
    this.place();
    this.settled = !this.yielding;
    for (let sweep = 0; sweep < MOST_SWEEPS && !this.settled; sweep++) this.correct();
    if (this.settled) this.commit();
  }

  place() {
    this.count++;
    this.first.update();
    this.second.update();
    this.detect();
  }

  hand() {
    for (const body of [this.first, this.second]) {
      if (body.reactions) body.reactions = [...this.carried.values()].filter((load) => load.body === body);
    }
  }

  // Where a point's force goes as loads, `size` each, and how its place follows nodes: [{body, node, axis, corner, ...}].
  links(point) {
    const { shell } = this.second;
    const own = [0, 1, 2].map((c) => shell.corners[3 * point.index + c]);
    const theirs = [0, 1, 2].map((c) => this.first.triangles[3 * point.triangle + c]);
    const sides = [
      [this.first, theirs, point.weights, 1],
      [this.second, own, shell.weights.subarray(3 * point.index, 3 * point.index + 3), -1],
    ];
    const whole = add(scale(point.normal, point.force), point.friction);
    return sides.filter(([body]) => body.reactions).flatMap(([body, corners, weights, sign]) => {
      return corners.flatMap((corner, c) => {
        const node = body.nearestLoaded[corner];
        if (node < 0 || weights[c] < 1e-9) return [];
        return body.inverse.map((row, axis) => {
          const sizeOf = (force) => -sign * weights[c] * dot(body.directionToLocal(force), row);
          return { body, node, axis, corner, weight: weights[c], sign, sizeOf, size: sizeOf(whole) };
        });
      });
    });
  }

  // The loads that carry contact, and by how much what the depths ask for differs from them.
  imbalance() {
    const { carried, points } = this;
    const key = ({ body, node, axis }) => `${body.name} ${axis} ${node}`;
    const links = points.map((point) => this.links(point));
    for (const list of links) {
      for (const link of list) {
        if (!carried.has(key(link))) carried.set(key(link), { body: link.body, node: link.node, axis: link.axis, size: 0 });
      }
    }
    const loads = [...carried.values()];
    const place = new Map([...carried.keys()].map((name, i) => [name, i]));
    const residual = Float64Array.from(loads, (load) => -load.size);
    for (const list of links) for (const link of list) residual[place.get(key(link))] += link.size;
    return { links, loads, place, key, residual, norm: Math.hypot(...residual) };
  }

  // One step of Newton's method, unless the loads carried are those of the depths. Bodies must not move far at once: where a contact has opened the step knows nothing of it and would lead through the other body.
  correct() {
    const { links, loads, place, key, residual, norm } = this.imbalance();
    this.settled = residual.every((r) => Math.abs(r) <= SETTLED);
    if (this.settled) {
      for (const [name, load] of this.carried) if (Math.abs(load.size) <= SETTLED) this.carried.delete(name);
      return;
    }
    const bodies = [this.first, this.second].filter((body) => body.reactions);
    const before = loads.map((load) => load.size);
    const then = bodies.map((body) => body.local.slice());
    const step = solveDense(this.jacobian(links, loads, place, key), residual, loads.length);
    for (let trial = 0, share = 1, far = false; trial < MOST_TRIALS; trial++) {
      loads.forEach((load, i) => (load.size = before[i] + share * step[i]));
      this.hand();
      this.place();
      const way = bodies.reduce((sum, body, i) => sum + largestWay(body.local, then[i]), 0);
      if (way > this.mostWay) {
        share *= (0.99 * this.mostWay) / way;
        far = true;
      } else if (far || this.imbalance().norm < norm) break;
      else share *= 0.5;
    }
  }

  // Of the residual with its sign turned: one, and what the depths give up as the bodies yield.
  jacobian(links, loads, place, key) {
    const n = loads.length;
    const matrix = new Float64Array(n * n);
    for (let i = 0; i < n; i++) matrix[i * n + i] = 1;
    for (const body of [this.first, this.second]) {
      if (!body.reactions) continue;
      const corners = [...new Set(links.flat().filter((link) => link.body === body).map((link) => link.corner))];
      const index = new Map(corners.map((corner, i) => [corner, i]));
      const own = loads.filter((load) => load.body === body);
      body.slopes(own, corners).forEach((moves, i) => {
        const b = place.get(key(own[i]));
        links.forEach((list, p) => {
          const way = [0, 0, 0];
          for (const { body: other, axis, corner, weight, sign } of list) {
            if (other !== body || axis !== 0) continue; // once a corner
            const at = 3 * index.get(corner);
            for (let a = 0; a < 3; a++) way[a] += sign * weight * moves[at + a];
          }
          const gain = this.follow(this.points[p], body.directionToWorld(way));
          for (const link of list) matrix[place.get(key(link)) * n + b] -= link.sizeOf(gain);
        });
      });
    }
    return matrix;
  }

  // Sums over the points: force and its point of attack on the second body.
  total() {
    const force = [0, 0, 0];
    const centre = [0, 0, 0];
    let [sum, deepest] = [0, 0];
    for (const point of this.points) {
      for (let a = 0; a < 3; a++) {
        force[a] += point.force * point.normal[a] + point.friction[a];
        centre[a] += point.force * point.at[a];
      }
      sum += point.force;
      deepest = Math.max(deepest, point.depth);
    }
    const sliding = this.points.filter((point) => point.slides).length;
    return { count: this.points.length, sliding, force, size: Math.hypot(...force), centre: sum > 0 ? scale(centre, 1 / sum) : null, deepest };
  }
}

// Solves A x = b by Gaussian elimination with pivots; overwrites both.
function solveDense(matrix, vector, n) {
  for (let k = 0; k < n; k++) {
    let pivot = k;
    for (let i = k + 1; i < n; i++) if (Math.abs(matrix[i * n + k]) > Math.abs(matrix[pivot * n + k])) pivot = i;
    if (pivot !== k) {
      for (let j = k; j < n; j++) [matrix[k * n + j], matrix[pivot * n + j]] = [matrix[pivot * n + j], matrix[k * n + j]];
      [vector[k], vector[pivot]] = [vector[pivot], vector[k]];
    }
    for (let i = k + 1; i < n; i++) {
      const factor = matrix[i * n + k] / matrix[k * n + k];
      if (factor === 0) continue;
      for (let j = k; j < n; j++) matrix[i * n + j] -= factor * matrix[k * n + j];
      vector[i] -= factor * vector[k];
    }
  }
  for (let k = n - 1; k >= 0; k--) {
    for (let j = k + 1; j < n; j++) vector[k] -= matrix[k * n + j] * vector[j];
    vector[k] /= matrix[k * n + k];
  }
  return vector;
}

function largestWay(positions, before) {
  let most = 0;
  for (let i = 0; i < positions.length; i += 3) {
    most = Math.max(most, (positions[i] - before[i]) ** 2 + (positions[i + 1] - before[i + 1]) ** 2 + (positions[i + 2] - before[i + 2]) ** 2);
  }
  return Math.sqrt(most);
}

function smallestExtent(positions) {
  const [low, high] = boxOf(positions);
  return Math.min(...[0, 1, 2].map((a) => high[a] - low[a]));
}
