// SPDX-License-Identifier: LGPL-2.1-or-later
// A camera that a body carries, such as the optics of a scope.

const NEAREST = 2e-4; // m before the optics, from where on things are drawn
const WIDEST_HALF = 80; // degrees

class BodyCamera extends OrbitCamera {
  // entry: {name, surface, position, direction, up, field_of_view} in axes of the surface's body; see Recording.cameras.
  constructor(entry, scene, outer) {
    super();
    this.name = entry.name;
    this.entry = entry;
    this.surface = scene.surfaces.find((s) => s.name === entry.surface);
    this.sceneRadius = scene.radius;
    this.outer = outer; // the camera around the scene, for the window and its panels
    this.half = clamp(entry.field_of_view / 2, 1, WIDEST_HALF);
  }

  // Into the world: a place (last component 1) or a direction (0).
  carried(vector, last) {
    const m = this.surface.model;
    return [0, 1, 2].map((i) => m[i] * vector[0] + m[4 + i] * vector[1] + m[8 + i] * vector[2] + m[12 + i] * last);
  }

  get backward() {
    return normalise(scale(this.carried(this.entry.direction, 0), -1));
  }

  get eye() {
    return this.carried(this.entry.position, 1);
  }

  matrix() {
    const eye = this.eye;
    return multiply(this.projection(), lookAt(eye, subtract(eye, this.backward), this.carried(this.entry.up, 0)));
  }

  projection() {
    const [width, height] = this.outer.size;
    const free = this.outer.free;
    const perPixel = (2 * Math.tan(radians(this.half))) / free.height;
    const shift = [(2 * free.x) / width - 1, 1 - (2 * free.y) / height];
    return perspective((perPixel * width) / 2, (perPixel * height) / 2, NEAREST, 12 * this.sceneRadius, shift);
  }
}
