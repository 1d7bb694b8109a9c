// SPDX-License-Identifier: LGPL-2.1-or-later
// Turntable camera: z stays up, the target is looked at from an azimuth, an elevation and a distance.

const FIELD_OF_VIEW = 30; // degrees over the height of the free part of the window: long lens, little distortion
const UP = [0, 0, 1];

class OrbitCamera {
  constructor() {
    this.azimuth = -60;
    this.elevation = 18;
    this.distance = 1;
    this.target = [0, 0, 0];
    this.sceneRadius = 1;
    this.size = [1, 1];
    this.insets = { left: 0, right: 0, top: 0, bottom: 0 };
  }

  get backward() {
    return direction(this.azimuth, this.elevation);
  }

  get eye() {
    return add(this.target, scale(this.backward, this.distance));
  }

  get axes() {
    const z = this.backward;
    const x = normalise(cross(UP, z));
    return { x, y: cross(z, x), z };
  }

  // Size and centre of the part of the window that no panel covers, in pixels.
  get free() {
    const { left, right, top, bottom } = this.insets;
    const width = Math.max(this.size[0] - left - right, 80);
    const height = Math.max(this.size[1] - top - bottom, 80);
    return { width, height, x: left + width / 2, y: top + height / 2 };
  }

  // Metres at the target per pixel of the window.
  get metresPerPixel() {
    return (2 * Math.tan(radians(FIELD_OF_VIEW / 2)) * this.distance) / this.free.height;
  }

  projection() {
    const [width, height] = this.size;
    const free = this.free;
    const perPixel = (2 * Math.tan(radians(FIELD_OF_VIEW / 2))) / free.height;
    const shift = [(2 * free.x) / width - 1, 1 - (2 * free.y) / height];
    const near = Math.max(this.distance - 6 * this.sceneRadius, this.distance * 0.02);
    const far = this.distance + 40 * this.sceneRadius;
    return perspective((perPixel * width) / 2, (perPixel * height) / 2, near, far, shift);
  }

  matrix() {
    return multiply(this.projection(), lookAt(this.eye, this.target, UP));
  }

  orbit(dx, dy) {
    this.azimuth -= dx;
    this.elevation = clamp(this.elevation + dy, -89, 89);
  }

  // Moves the target with the pointer: dx to the right, dy down, in pixels.
  pan(dx, dy) {
    const { x, y } = this.axes;
    const s = this.metresPerPixel;
    this.target = add(this.target, add(scale(x, -dx * s), scale(y, dy * s)));
  }

  zoom(factor) {
    this.distance = clamp(this.distance * factor, 0.02 * this.sceneRadius, 30 * this.sceneRadius);
  }

  // Looks at a box from the present direction, from as near as all its corners stay in the free part.
  fit([low, high], margin = 1.12) {
    const middle = scale(add(low, high), 0.5);
    const { x, y, z } = this.axes;
    const tanY = Math.tan(radians(FIELD_OF_VIEW / 2)) / margin;
    const tanX = (tanY * this.free.width) / this.free.height;
    let distance = 0;
    for (let corner = 0; corner < 8; corner++) {
      const point = [0, 1, 2].map((i) => (corner & (1 << i) ? high : low)[i] - middle[i]);
      const across = Math.max(Math.abs(dot(point, x)) / tanX, Math.abs(dot(point, y)) / tanY);
      distance = Math.max(distance, dot(point, z) + across);
    }
    this.target = middle;
    this.distance = distance || 1;
  }

  set({ azimuth, elevation, distance, target }) {
    if (Number.isFinite(azimuth)) this.azimuth = azimuth;
    if (Number.isFinite(elevation)) this.elevation = clamp(elevation, -89, 89);
    if (Number.isFinite(distance) && distance > 0) this.distance = distance;
    if (Array.isArray(target) && target.length === 3 && target.every(Number.isFinite)) this.target = [...target];
  }
}
