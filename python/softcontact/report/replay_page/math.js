// SPDX-License-Identifier: LGPL-2.1-or-later
// Three-vectors as arrays and 4x4 matrices as column-major Float32Array.

const add = (a, b) => [a[0] + b[0], a[1] + b[1], a[2] + b[2]];
const subtract = (a, b) => [a[0] - b[0], a[1] - b[1], a[2] - b[2]];
const scale = (a, s) => [a[0] * s, a[1] * s, a[2] * s];
const dot = (a, b) => a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
const cross = (a, b) => [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]];
const normalise = (a) => scale(a, 1 / (Math.hypot(...a) || 1));
const clamp = (x, low, high) => Math.min(high, Math.max(low, x));
const radians = (degrees) => (degrees * Math.PI) / 180;

// Unit vector at an azimuth about z and an elevation above the horizontal [degrees].
function direction(azimuth, elevation) {
  const [a, e] = [radians(azimuth), radians(elevation)];
  return [Math.cos(e) * Math.cos(a), Math.cos(e) * Math.sin(a), Math.sin(e)];
}

const IDENTITY = new Float32Array([1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1]);

function multiply(a, b) {
  const m = new Float32Array(16);
  for (let column = 0; column < 4; column++) {
    for (let row = 0; row < 4; row++) {
      let sum = 0;
      for (let k = 0; k < 4; k++) sum += a[4 * k + row] * b[4 * column + k];
      m[4 * column + row] = sum;
    }
  }
  return m;
}

function frame(x, y, z, origin) {
  return new Float32Array([...x, 0, ...y, 0, ...z, 0, ...origin, 1]);
}

function lookAt(eye, target, up) {
  const z = normalise(subtract(eye, target));
  const x = normalise(cross(up, z));
  const y = cross(z, x);
  return new Float32Array([
    x[0], y[0], z[0], 0, x[1], y[1], z[1], 0, x[2], y[2], z[2], 0, -dot(x, eye), -dot(y, eye), -dot(z, eye), 1,
  ]);
}

// shift: where the optical axis meets the picture, in clip coordinates.
function perspective(tanX, tanY, near, far, shift) {
  const m = new Float32Array(16);
  m[0] = 1 / tanX;
  m[5] = 1 / tanY;
  m[8] = -shift[0];
  m[9] = -shift[1];
  m[10] = (far + near) / (near - far);
  m[11] = -1;
  m[14] = (2 * far * near) / (near - far);
  return m;
}

function orthographic(half, near, far) {
  const m = new Float32Array(16);
  m[0] = m[5] = 1 / half;
  m[10] = 2 / (near - far);
  m[14] = (far + near) / (near - far);
  m[15] = 1;
  return m;
}

// Rigid transformation from a position and a unit quaternion (x, y, z, w).
function fromPose(p, [x, y, z, w]) {
  return frame(
    [1 - 2 * (y * y + z * z), 2 * (x * y + z * w), 2 * (x * z - y * w)],
    [2 * (x * y - z * w), 1 - 2 * (x * x + z * z), 2 * (y * z + x * w)],
    [2 * (x * z + y * w), 2 * (y * z - x * w), 1 - 2 * (x * x + y * y)],
    p,
  );
}
