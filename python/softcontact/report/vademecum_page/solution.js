// SPDX-License-Identifier: LGPL-2.1-or-later
// The separated solution: u(x, s, t) = sum of modes times amplitudes, and a dent at the loaded node. The same sums as
// softcontact/vademecum/separated.py and chebyshev.py.

// Values of t T_j(2 t - 1) at one size t, or their slopes; beyond [0, 1] the functions go on along their tangents.
function sizeBasis(size, terms, out, slopes = false) {
  const t = clamp(size, 0, 1);
  const x = 2 * t - 1;
  let [value, last, slope, lastSlope] = [1, x, 0, 2]; // T_0, T_(-1) and their derivatives by t
  for (let j = 0; j < terms; j++) {
    const tangent = value + t * slope;
    out[j] = slopes ? tangent : t * value + (size - t) * tangent;
    const [next, nextSlope] = j === 0 ? [x, 2] : [2 * x * value - last, 4 * value + 2 * x * slope - lastSlope];
    [last, lastSlope, value, slope] = [value, slope, next, nextSlope];
  }
}

// out += sum of amplitudes times fields, four fields a round, so that `out` is read and written a quarter as often.
function addFields(fields, amplitudes, count, out) {
  const n = out.length;
  let k = 0;
  for (; k + 3 < count; k += 4) {
    const a = amplitudes[k];
    const b = amplitudes[k + 1];
    const c = amplitudes[k + 2];
    const d = amplitudes[k + 3];
    const first = k * n;
    for (let i = 0; i < n; i++) {
      const from = first + i;
      out[i] += a * fields[from] + b * fields[from + n] + c * fields[from + 2 * n] + d * fields[from + 3 * n];
    }
  }
  for (; k < count; k++) for (let i = 0; i < n; i++) out[i] += amplitudes[k] * fields[k * n + i];
}

class Solution {
  constructor(header, arrays) {
    const [cases, terms, modes] = header.arrays.amplitudes.shape;
    Object.assign(this, { cases, terms, modes, used: modes });
    this.nodeCount = header.arrays.nodes.shape[0];
    this.fields = Float64Array.from(arrays.modes);
    this.amplitudes = arrays.amplitudes;
    this.dentStarts = arrays.dent_starts;
    this.dentNodes = arrays.dent_nodes;
    this.dents = arrays.dents;
    this.families = header.directions.length;
    this.caseOfNode = new Int32Array(this.nodeCount).fill(-1);
    arrays.load_nodes.forEach((node, place) => (this.caseOfNode[node] = place));
    this.positions = arrays.load_nodes.length;
    this.series = new Float64Array(terms);
    this.sum = new Float64Array(modes);
    this.own = new Float64Array(modes);
  }

  // Displacements (3n) [m] of all nodes under some loads, superposed.
  // loads: [{node, family, size, weight}]; weight: share with which its answer counts.
  displacements(loads, out) {
    const { fields, modes, used } = this;
    this.sum.fill(0);
    out.fill(0);
    for (const { node, family, size, weight } of loads) {
      const place = this.caseOfNode[node];
      if (place >= 0 && weight !== 0 && size !== 0) this.addLoad(family * this.positions + place, size, weight, out);
    }
    addFields(fields, this.sum, used, out);
    return out;
  }

  addLoad(loadCase, size, weight, out) {
    const { series, own, sum, amplitudes, terms, modes, used, fields } = this;
    sizeBasis(size, terms, series);
    own.fill(0);
    for (let j = 0, from = loadCase * terms * modes; j < terms; j++) {
      for (let k = 0; k < modes; k++, from++) own[k] += series[j] * amplitudes[from];
    }
    for (let k = 0; k < used; k++) sum[k] += weight * own[k];
    for (let d = this.dentStarts[loadCase]; d < this.dentStarts[loadCase + 1]; d++) {
      const to = 3 * this.dentNodes[d];
      for (let axis = 0; axis < 3; axis++) {
        let dent = 0;
        for (let j = 0; j < terms; j++) dent += series[j] * this.dents[(d * terms + j) * 3 + axis];
        // around the loaded node the dent takes what the modes that are left out would give
        for (let k = used; k < modes; k++) dent += own[k] * fields[k * out.length + to + axis];
        out[to + axis] += weight * dent;
      }
    }
  }
  // How some nodes move with the size of one load: (3 k) [m], in the order of `nodes`.
  slopes({ node, family, size }, nodes) {
    const { series, own, amplitudes, terms, modes, used, fields } = this;
    const loadCase = family * this.positions + this.caseOfNode[node];
    const n = 3 * this.nodeCount;
    sizeBasis(size, terms, series, true);
    own.fill(0);
    for (let j = 0, from = loadCase * terms * modes; j < terms; j++) {
      for (let k = 0; k < modes; k++, from++) own[k] += series[j] * amplitudes[from];
    }
    const [first, last] = [this.dentStarts[loadCase], this.dentStarts[loadCase + 1]];
    const out = new Float64Array(3 * nodes.length);
    nodes.forEach((at, i) => {
      const entry = this.dentNodes.subarray(first, last).indexOf(at);
      const count = entry < 0 ? used : modes;
      for (let axis = 0; axis < 3; axis++) {
        for (let k = 0; k < count; k++) out[3 * i + axis] += own[k] * fields[k * n + 3 * at + axis];
        if (entry < 0) continue;
        for (let j = 0; j < terms; j++) out[3 * i + axis] += series[j] * this.dents[((first + entry) * terms + j) * 3 + axis];
      }
    });
    return out;
  }
}
