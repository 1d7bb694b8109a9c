// SPDX-License-Identifier: LGPL-2.1-or-later
// The separated solution: u(x, s, t) = sum of modes times amplitudes, and a dent at the loaded node. The same sums as
// softcontact/vademecum/separated.py and chebyshev.py.

// Values of t T_j(2 t - 1) at one size t, and that divided by the size (secants) with its slopes; beyond [0, 1] the
// functions go on along their tangents.
function sizeBasis(size, terms, { values, secants, slopes }) {
  const t = clamp(size, 0, 1);
  const x = 2 * t - 1;
  let [value, last, slope, lastSlope] = [1, x, 0, 2]; // T_0, T_(-1) and their derivatives by t
  for (let j = 0; j < terms; j++) {
    const tangent = value + t * slope;
    const whole = t * value + (size - t) * tangent;
    if (values) values[j] = whole;
    if (secants) {
      secants[j] = size > 1 ? whole / size : value;
      slopes[j] = size > 1 ? (tangent - whole / size) / size : size > 0 ? slope : 0;
    }
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
    const { series, own, sum, terms, modes, used, fields } = this;
    sizeBasis(size, terms, { values: series });
    this.amplitudesOf(loadCase, series, own);
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
  // Amplitudes of a series in the size of a load case, into `out`.
  amplitudesOf(loadCase, series, out) {
    const { amplitudes, terms, modes } = this;
    out.fill(0);
    for (let j = 0, from = loadCase * terms * modes; j < terms; j++) {
      for (let k = 0; k < modes; k++, from++) out[k] += series[j] * amplitudes[from];
    }
    return out;
  }

  // Amplitudes per size of a small load of each case.
  firstAmplitudes() {
    const secants = new Float64Array(this.terms);
    sizeBasis(0, this.terms, { secants, slopes: new Float64Array(this.terms) });
    return Array.from({ length: this.cases }, (_, c) => this.amplitudesOf(c, secants, new Float64Array(this.modes)));
  }

  // What a series in the size of a load case moves some nodes by: (3 k) [m], in the order of `nodes`.
  fieldAt(loadCase, series, nodes) {
    const { own, terms, modes, used, fields } = this;
    const n = 3 * this.nodeCount;
    this.amplitudesOf(loadCase, series, own);
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
