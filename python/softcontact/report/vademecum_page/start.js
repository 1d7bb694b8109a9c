// SPDX-License-Identifier: LGPL-2.1-or-later
// Starts the page and offers window.softcontactVademecum to scripts and tests.

function showMessage(text) {
  byId("message").hidden = false;
  byId("message-text").textContent = text;
  document.body.classList.add("failed");
}

// What the page shows, as numbers; nodes by their numbers in the vademecum's mesh.
function stats(app) {
  const { solid, second, contact, arrays: { numbers } } = app;
  const numbered = ({ node, axis, size }) => ({ node: numbers[node], axis, size });
  const plain = (body) => ({ loads: body.loads.map(numbered), answers: body.answers });
  return {
    load: { ...solid.load, ...plain(solid), point: solid.loadPoint },
    modes: app.solution.used, kind: app.kind, stiffness: app.stiffness, milliseconds: app.milliseconds,
    largest: solid.largestDisplacement(),
    positions: Array.from(solid.world),
    second: second && {
      at: second.at, ...plain(second), positions: Array.from(second.world), shell: Array.from(second.shellPoints),
    },
    path: app.path.map(({ at, loads, settled }) => ({ at, settled, loads: loads.map(numbered) })),
    contact: contact && {
      ...contact.total(), settled: contact.settled,
      points: contact.points.map(({ index, depth, normal, force, at, slip, friction, slides }) => ({ index, depth, normal, force, at, slip, friction, slides })),
    },
    camera: { azimuth: app.camera.azimuth, elevation: app.camera.elevation, distance: app.camera.distance },
  };
}

// Answers to loads all over the boundary, one after the other, each with its contacts; returns how many a second.
function bench(app, count) {
  const nodes = app.arrays.load_nodes;
  const [kept, yielding] = [{ ...app.solid.load }, app.yielding];
  app.yielding = false; // each load for itself
  const started = performance.now();
  for (let i = 0; i < count; i++) {
    app.solid.loadNode(nodes[(i * 37) % nodes.length], ((i * 13) % 97) / 97 + 0.02, 0);
    app.update();
  }
  const rate = (1000 * count) / (performance.now() - started);
  app.solid.load = kept;
  app.setYielding(yielding);
  return rate;
}

// Place of a point of the world in the window [CSS pixels].
function onScreen(app, point) {
  const m = app.camera.matrix();
  const [x, y, , w] = [0, 1, 2, 3].map((row) => m[row] * point[0] + m[4 + row] * point[1] + m[8 + row] * point[2] + m[12 + row]);
  return [((x / w + 1) / 2) * app.camera.size[0], ((1 - y / w) / 2) * app.camera.size[1]];
}

const whenReady = (async () => {
  const page = await readPage();
  if (!document.createElement("canvas").getContext("webgl2")) {
    throw new Error("This page needs WebGL2, which this browser does not offer. Open it in a current Firefox, Chrome, "
      + "Edge or Safari, or switch on hardware acceleration in the browser's settings.");
  }
  const app = new App(page);
  app.first = { azimuth: app.alongAxis === 0 ? -68 : 22, elevation: 16 };
  app.floor = app.box[0][2] - (app.downAxis === 2 && app.downward < 0 ? 1.02 * app.reach : 0.1 * app.size);
  fillPanels(app);
  attachGrip(app);
  attachPointer(app.canvas, app.camera, () => {
    app.turned = true;
    app.drawSoon();
  });
  setTheme(app, new URLSearchParams(location.hash.slice(1)).get("theme") || app.view.theme);
  resize(app);
  app.setBody("block");
  const then = (action) => (...values) => {
    app.path = [];
    action(...values);
    for (let i = 0; i < 400; i++) { // until contact and loads agree
      app.update();
      if (!app.contact || app.contact.settled) break;
    }
    app.drawSoon();
  };
  Object.assign(window.softcontactVademecum, {
    ready: true,
    displacements: (loads) => Array.from(app.solution.displacements(
      loads.map((load) => ({ ...load, node: app.place(load.node) })), new Float64Array(3 * app.solution.nodeCount))),
    signedDistance: (points) => points.map((p) => {
      const distance = app.solid.tree.signedDistance(...p);
      return { distance, nearest: Array.from(app.solid.tree.nearest.point) };
    }),
    setLoad: then((load) => app.setLoad(load.node === undefined ? load : { ...load, node: app.place(load.node) })),
    setModes: then((count) => app.setModes(count)),
    setBody: then((kind) => app.setBody(kind)),
    setPlace: then((at) => (app.second.at = [...at])),
    setSecondLoad: then((node, size) => app.second.loadNode(app.place(node), size, 0)),
    setStiffness: then((stiffness) => (app.stiffness = stiffness)),
    setFriction: then((friction) => (app.friction = friction)),
    setYielding: then((on) => {
      byId("yielding").checked = on;
      app.setYielding(on);
    }),
    setTheme: then((theme) => setTheme(app, theme)),
    stats: () => stats(app),
    bench: (count) => bench(app, count),
    onScreen: (point) => onScreen(app, point),
  });
  byId("loading").hidden = true;
})();
window.softcontactVademecum = { ready: false, error: null, whenReady };
whenReady.catch((error) => {
  window.softcontactVademecum.error = error.message;
  showMessage(error.message);
});
