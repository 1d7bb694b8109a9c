// SPDX-License-Identifier: LGPL-2.1-or-later
// Mouse, touch and keyboard on the picture.

const ORBIT_STEP = 6; // degrees a key press
const ORBIT_PER_PIXEL = 0.35;

// One pointer turns (or moves, with the right or middle button or Shift); two pinch, move and turn nothing.
function attachPointer(canvas, camera, changed) {
  const pointers = new Map();
  let moving = false;
  canvas.addEventListener("contextmenu", (event) => event.preventDefault());
  canvas.addEventListener("pointerdown", (event) => {
    canvas.setPointerCapture(event.pointerId);
    pointers.set(event.pointerId, [event.clientX, event.clientY]);
    moving = event.button !== 0 || event.shiftKey || event.ctrlKey;
    canvas.focus({ preventScroll: true });
    event.preventDefault();
  });
  canvas.addEventListener("pointermove", (event) => {
    const before = pointers.get(event.pointerId);
    if (!before) return;
    const now = [event.clientX, event.clientY];
    const [dx, dy] = [now[0] - before[0], now[1] - before[1]];
    if (pointers.size === 1) {
      if (moving) camera.pan(dx, dy);
      else camera.orbit(dx * ORBIT_PER_PIXEL, dy * ORBIT_PER_PIXEL);
    } else if (pointers.size === 2) {
      const [other] = [...pointers].filter(([id]) => id !== event.pointerId).map(([, p]) => p);
      const apart = (p) => Math.max(Math.hypot(p[0] - other[0], p[1] - other[1]), 1);
      camera.zoom(apart(before) / apart(now));
      camera.pan(dx / 2, dy / 2);
    }
    pointers.set(event.pointerId, now);
    changed();
  });
  for (const type of ["pointerup", "pointercancel"]) {
    canvas.addEventListener(type, (event) => pointers.delete(event.pointerId));
  }
  canvas.addEventListener("wheel", (event) => {
    event.preventDefault();
    const pixels = event.deltaY * (event.deltaMode === 1 ? 16 : event.deltaMode === 2 ? 400 : 1);
    camera.zoom(Math.exp(clamp(pixels, -300, 300) * 0.0015));
    changed();
  }, { passive: false });
  canvas.addEventListener("dblclick", () => byId("reset").click());
}

// actions: see player.js. Keys typed into a field, and browser shortcuts, are left alone.
function attachKeyboard(camera, actions, changed) {
  const move = (change) => {
    change();
    changed();
  };
  const keys = {
    " ": actions.togglePlay,
    k: actions.togglePlay,
    ArrowLeft: () => actions.step(-1),
    ArrowRight: () => actions.step(1),
    Home: () => actions.goTo(0),
    End: () => actions.goTo(Infinity),
    a: () => move(() => camera.orbit(ORBIT_STEP, 0)),
    d: () => move(() => camera.orbit(-ORBIT_STEP, 0)),
    w: () => move(() => camera.orbit(0, ORBIT_STEP)),
    s: () => move(() => camera.orbit(0, -ORBIT_STEP)),
    A: () => move(() => camera.pan(40, 0)),
    D: () => move(() => camera.pan(-40, 0)),
    W: () => move(() => camera.pan(0, 40)),
    S: () => move(() => camera.pan(0, -40)),
    "+": () => move(() => camera.zoom(0.9)),
    "=": () => move(() => camera.zoom(0.9)),
    "-": () => move(() => camera.zoom(1 / 0.9)),
    r: actions.resetView,
    f: actions.toggleForces,
    p: actions.togglePressure,
    x: actions.toggleSeeThrough,
    c: actions.toggleCut,
    g: actions.toggleGrid,
    l: actions.toggleLoop,
    t: actions.toggleTheme,
    h: actions.toggleHelp,
    "?": actions.toggleHelp,
  };
  window.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const target = event.target;
    if (target instanceof HTMLSelectElement || byId("help").open) return;
    if (event.key === " " && target instanceof HTMLElement && target.closest("button, summary")) return;
    if (event.shiftKey && event.key.startsWith("Arrow")) {
      event.preventDefault();
      actions.step(event.key === "ArrowLeft" ? -10 : event.key === "ArrowRight" ? 10 : 0);
      return;
    }
    const action = keys[event.key];
    if (!action) return;
    event.preventDefault();
    action();
  });
}
