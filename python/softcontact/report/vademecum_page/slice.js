// SPDX-License-Identifier: LGPL-2.1-or-later
// A plane through the distance field, drawn from the side: outside blue, inside warm, a line at every step.

const SLICE_PIXELS = [240, 150];
const OUTSIDE = [["#f4f8fc", "#5d9bd1", "#123a66"], ["#33475c", "#2f6da3", "#0a1a2c"]]; // light and dark: near, middle, far
const INSIDE = ["#ffd9b0", "#e0632c"]; // near the boundary, deep

class Slice {
  constructor(canvas) {
    this.canvas = canvas;
    [canvas.width, canvas.height] = SLICE_PIXELS;
    this.context = canvas.getContext("2d");
    this.distances = new Float64Array(0);
  }

  // across: axis of the plane's normal; right, up: axes of the picture (up with its sign); box: what is to be in sight.
  frame({ across, right, up, upward, box }) {
    const [width, height] = SLICE_PIXELS;
    const [low, high] = box;
    const perPixel = 1.12 * Math.max((high[right] - low[right]) / width, (high[up] - low[up]) / height);
    Object.assign(this, { across, right, up, upward, perPixel });
    this.middle = [0, 1, 2].map((a) => 0.5 * (low[a] + high[a]));
  }

  pointAt(i, j, at) {
    const p = [0, 0, 0];
    p[this.across] = at;
    p[this.right] = this.middle[this.right] + (i - SLICE_PIXELS[0] / 2) * this.perPixel;
    p[this.up] = this.middle[this.up] - this.upward * (j - SLICE_PIXELS[1] / 2) * this.perPixel;
    return p;
  }

  pixelOf(p) {
    return [
      (p[this.right] - this.middle[this.right]) / this.perPixel + SLICE_PIXELS[0] / 2,
      (-this.upward * (p[this.up] - this.middle[this.up])) / this.perPixel + SLICE_PIXELS[1] / 2,
    ];
  }

  // The distances at every `coarse` pixels. Neighbours differ by no more than they are apart, which bounds the search.
  sample(tree, at, coarse) {
    const [columns, rows] = SLICE_PIXELS.map((n) => Math.floor(n / coarse) + 1);
    if (this.distances.length !== columns * rows) this.distances = new Float64Array(columns * rows);
    const step = coarse * this.perPixel * 1.0001;
    for (let j = 0; j < rows; j++) {
      for (let i = 0; i < columns; i++) {
        const near = i > 0 ? this.distances[j * columns + i - 1] : j > 0 ? this.distances[(j - 1) * columns] : Infinity;
        this.distances[j * columns + i] = tree.signedDistance(...this.pointAt(i * coarse, j * coarse, at), Math.abs(near) + step);
      }
    }
    Object.assign(this, { columns, rows, coarse });
  }

  draw({ tree, at, coarse, theme, step, others, shell, points }) {
    this.sample(tree, at, coarse);
    const { context, columns, distances } = this;
    const [width, height] = SLICE_PIXELS;
    const image = context.createImageData(width, height);
    const ramp = OUTSIDE[theme === "dark" ? 1 : 0].map(rgb);
    const warm = INSIDE.map(rgb);
    const reach = 12 * step;
    for (let y = 0; y < height; y++) {
      for (let x = 0; x < width; x++) {
        const [i, j] = [Math.floor(x / coarse), Math.floor(y / coarse)];
        const [f, g] = [x / coarse - i, y / coarse - j];
        const from = j * columns + i;
        const d = (1 - g) * ((1 - f) * distances[from] + f * distances[Math.min(from + 1, distances.length - 1)])
          + g * ((1 - f) * distances[Math.min(from + columns, distances.length - 1)] + f * distances[Math.min(from + columns + 1, distances.length - 1)]);
        const t = clamp(Math.sqrt(Math.abs(d) / (d < 0 ? 4 * step : reach)), 0, 1);
        let color = d < 0 ? blend(warm[0], warm[1], t) : t < 0.5 ? blend(ramp[0], ramp[1], 2 * t) : blend(ramp[1], ramp[2], 2 * t - 1);
        const beside = Math.abs(d / step - Math.round(d / step)) * step / this.perPixel; // pixels to the nearest line
        const line = clamp((Math.abs(d) < step / 2 ? 1.6 : 0.9) - beside, 0, 1);
        if (line > 0) color = blend(color, Math.abs(d) < step / 2 ? [20, 24, 30] : d < 0 ? [160, 60, 10] : [255, 255, 255], line * (Math.abs(d) < step / 2 ? 0.95 : 0.4));
        image.data.set([...color, 255], 4 * (y * width + x));
      }
    }
    context.putImageData(image, 0, 0);
    for (const other of others) this.drawSection(other, at);
    this.drawPoints(shell, points, at);
  }

  // The second body's outline in the plane.
  drawSection({ triangles, world }, at) {
    const { context, across } = this;
    context.strokeStyle = "#1c6fb5";
    context.lineWidth = 1.8;
    context.beginPath();
    for (let t = 0; t < triangles.length; t += 3) {
      const ends = [];
      for (let c = 0; c < 3; c++) {
        const [a, b] = [3 * triangles[t + c], 3 * triangles[t + ((c + 1) % 3)]];
        const [u, v] = [world[a + across] - at, world[b + across] - at];
        if (u > 0 === v > 0) continue;
        const share = u / (u - v);
        ends.push(this.pixelOf([0, 1, 2].map((axis) => world[a + axis] * (1 - share) + world[b + axis] * share)));
      }
      if (ends.length !== 2) continue;
      context.moveTo(...ends[0]);
      context.lineTo(...ends[1]);
    }
    context.stroke();
  }

  // Points in contact near the plane.
  drawPoints(shell, points, at) {
    const { context } = this;
    context.fillStyle = "#12a67c";
    for (const { at: p } of points) {
      if (Math.abs(p[this.across] - at) > 6 * this.perPixel) continue;
      context.beginPath();
      context.arc(...this.pixelOf(p), 2.2, 0, 2 * Math.PI);
      context.fill();
    }
  }
}

const rgb = (hex) => [1, 3, 5].map((i) => parseInt(hex.slice(i, i + 2), 16));
const blend = (a, b, t) => a.map((x, i) => x + (b[i] - x) * t);
