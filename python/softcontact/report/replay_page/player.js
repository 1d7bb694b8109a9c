// SPDX-License-Identifier: LGPL-2.1-or-later
// Puts the parts together: time, view state, and the address (#t=1.5&cam=...).

const SPEEDS = [0.05, 0.1, 0.25, 0.5, 1, 2, 4];
// Drawing while something moves; a still picture is always drawn with the first entry. Without a graphics card a
// picture takes a good part of a second, so a slow pace steps down.
const QUALITIES = [
  { ratio: 2, taps: 16 },
  { ratio: 1, taps: 8 },
  { ratio: 0.6, taps: 4 },
];
const SLOW_MILLISECONDS = 90;

const NARROW = 760; // window width [px] up to which the panels lie above the picture, as in style.css

const asSeenWithin = (s) => (s.state === "ghost" ? Object.create(s, { state: { value: "solid" } }) : s);

class Player {
  constructor(replay) {
    const { header } = replay;
    this.header = header;
    this.canvas = byId("view");
    this.renderer = new Renderer(this.canvas);
    this.scene = new Scene(replay);
    this.camera = new OrbitCamera();
    this.camera.sceneRadius = this.scene.radius;
    this.bodyCameras = (header.cameras || []).map((entry) => new BodyCamera(entry, this.scene, this.camera));
    this.through = null; // the body's camera that is looked through
    this.position = 0; // frame, with a fraction
    this.playing = false;
    this.loop = true;
    this.view = { forces: true, pressure: true, grid: true, cut: true, theme: "light", panels: true };
    this.view.theme = matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light";
    this.emphasised = null;
    Object.assign(this, { quality: this.renderer.software ? 1 : 0, slow: 0, lastDraw: 0 });
    this.first = { ...header.camera };
    fillSummary(header, this.scene);
    this.refreshLayers = fillLayers(this.scene, () => this.drawSoon());
    this.table = new ContactTable(this.scene, (key) => {
      this.emphasised = key;
      this.drawSoon();
    });
    fillLegend(this.scene);
    byId("cut").hidden = Object.keys(this.scene.cuts).length === 0;
    fillViews(this.bodyCameras, (camera) => this.lookThrough(this.through === camera ? null : camera));
    drawLoadCurve(this.scene);
    if (this.canvas.clientWidth <= NARROW) for (const id of ["layers-part", "contacts"]) byId(id).open = false;
    this.attach();
    const duration = this.scene.times[this.scene.frameCount - 1] - this.scene.times[0];
    this.setSpeed(duration < 0.6 ? 0.1 : duration < 1.6 ? 0.5 : 1);
    this.resize();
    this.resetView();
    this.readAddress();
  }

  attach() {
    const redraw = () => {
      this.userView = true;
      this.drawSoon();
    };
    const press = (id, action) => byId(id).addEventListener("click", action);
    const actions = {
      togglePlay: () => this.setPlaying(!this.playing),
      step: (n) => this.goTo(Math.round(this.position) + n),
      goTo: (frameIndex) => this.goTo(frameIndex),
      resetView: () => this.resetView(),
      toggleForces: () => this.toggle("forces"),
      togglePressure: () => this.toggle("pressure"),
      toggleGrid: () => this.toggle("grid"),
      toggleCut: () => this.toggle("cut"),
      toggleSeeThrough: () => this.toggleSeeThrough(),
      toggleLoop: () => this.setLoop(!this.loop),
      toggleTheme: () => this.setTheme(this.view.theme === "dark" ? "light" : "dark"),
      toggleHelp: () => (byId("help").open ? byId("help").close() : byId("help").showModal()),
    };
    attachPointer(this.canvas, this.camera, redraw);
    attachKeyboard(this.camera, actions, redraw);
    press("play", actions.togglePlay);
    press("back", () => actions.step(-1));
    press("forward", () => actions.step(1));
    press("reset", actions.resetView);
    press("loop", actions.toggleLoop);
    press("theme", actions.toggleTheme);
    press("help-button", actions.toggleHelp);
    press("picture", () => this.savePicture());
    press("forces", actions.toggleForces);
    press("pressure", actions.togglePressure);
    press("grid", actions.toggleGrid);
    press("cut", actions.toggleCut);
    press("see-through", actions.toggleSeeThrough);
    const slider = byId("slider");
    slider.max = this.scene.frameCount - 1;
    slider.addEventListener("input", () => {
      this.setPlaying(false);
      this.position = Number(slider.value);
      this.drawSoon();
    });
    const speed = byId("speed");
    for (const s of SPEEDS) speed.append(make("option", { value: s }, `${s}×`));
    speed.addEventListener("change", () => this.setSpeed(Number(speed.value)));
    window.addEventListener("resize", () => this.resize());
    window.addEventListener("hashchange", () => this.readAddress());
    for (const fold of document.querySelectorAll("details")) fold.addEventListener("toggle", () => this.resize());
    this.canvas.addEventListener("webglcontextlost", () =>
      showMessage("The graphics context was lost. Reload the page to continue."));
  }

  // Room that the panels take; the picture is centred in what is left.
  resize() {
    const [width, height] = [this.canvas.clientWidth, this.canvas.clientHeight];
    this.camera.size = [width, height];
    const wide = width > NARROW && this.view.panels;
    const covered = (id) => (byId(id).hidden ? 0 : byId(id).getBoundingClientRect());
    this.camera.insets = {
      left: wide ? covered("info").right : 0,
      right: 0,
      top: this.view.panels ? (wide ? 0 : covered("info").bottom || 0) : 0,
      bottom: this.view.panels ? height - covered(wide ? "bar" : "legend").top : 0,
    };
    if (!this.userView) this.fitView();
    this.drawSoon();
  }

  fitView() {
    this.camera.set({ azimuth: this.first.azimuth, elevation: this.first.elevation });
    this.camera.fit(this.scene.box);
    this.camera.set(this.first);
  }

  resetView() {
    this.userView = false;
    this.fitView();
    this.drawSoon();
  }

  // One drawing a screen refresh, however many pointer events arrive; a fine one when they end.
  drawSoon() {
    clearTimeout(this.fine);
    this.fine = setTimeout(() => !this.playing && this.draw(), 200);
    if (this.awaited || this.playing) return;
    this.awaited = requestAnimationFrame((now) => {
      this.awaited = 0;
      this.notePace(now);
      this.draw(this.quality);
    });
  }

  notePace(now) {
    const gap = now - this.lastDraw;
    this.lastDraw = now;
    this.slow = gap > SLOW_MILLISECONDS && gap < 3000 ? this.slow + gap : 0;
    if (this.slow < 4 * SLOW_MILLISECONDS) return;
    this.slow = 0;
    this.quality = Math.min(this.quality + 1, QUALITIES.length - 1);
  }

  setResolution(most) {
    const ratio = Math.min(window.devicePixelRatio || 1, most);
    const [width, height] = this.camera.size.map((length) => Math.max(1, Math.round(length * ratio)));
    if (this.canvas.width !== width) this.canvas.width = width;
    if (this.canvas.height !== height) this.canvas.height = height;
  }

  draw(quality = 0) {
    cancelAnimationFrame(this.awaited);
    this.awaited = 0;
    if (quality === 0) clearTimeout(this.fine);
    const { scene, view } = this;
    const camera = this.through || this.camera;
    const { ratio, taps } = QUALITIES[quality];
    this.setResolution(ratio);
    const frameIndex = Math.round(this.position);
    const started = performance.now();
    scene.update(this.renderer, this.position);
    this.renderer.render({
      camera,
      shadowTaps: taps,
      occlusionRadius: (this.through ? 0.01 : 0.11) * scene.radius,
      theme: view.theme,
      // Within a body its walls are seen, and light comes along with the optics.
      surfaces: this.through ? scene.surfaces.map(asSeenWithin) : scene.seenFromOutside(view.cut),
      arrows: view.forces ? scene.arrows(frameIndex, this.emphasised) : [],
      pressureGain: view.pressure && scene.pressureScale > 0 ? 1 / scene.pressureScale : 0,
      light: {
        shadows: !this.through,
        key: this.through ? camera.backward : direction(this.first.azimuth + 58, 50),
        fill: direction(this.first.azimuth - 65, 12),
        centre: scene.centre,
        radius: scene.radius * 1.7,
      },
      floor: { z: scene.floorZ, extent: 9 * scene.radius, cell: scene.cell, grid: view.grid, centre: scene.centre },
    });
    this.table.update(frameIndex);
    updateScales(scene, this.camera, view);
    byId("slider").value = this.position;
    byId("time").textContent = `${scene.timeOfFrame(this.position).toFixed(3)} s`;
    byId("frame").textContent = `frame ${frameIndex + 1} / ${scene.frameCount}`;
    this.drawMilliseconds = performance.now() - started;
  }

  goTo(frameIndex) {
    this.position = clamp(frameIndex, 0, this.scene.frameCount - 1);
    if (this.playing) this.setPlaying(false);
    else this.drawSoon();
  }

  setPlaying(playing) {
    if (playing === this.playing) return;
    this.playing = playing;
    byId("play").setAttribute("aria-pressed", String(playing));
    byId("play").setAttribute("aria-label", playing ? "Pause" : "Play");
    if (!playing) {
      this.drawSoon();
      return;
    }
    if (this.position >= this.scene.frameCount - 1) this.position = 0;
    let before = performance.now();
    this.lastDraw = before;
    const tick = (now) => {
      if (!this.playing) return;
      this.notePace(now);
      this.advance(Math.max(0, now - before) / 1000);
      before = now;
      if (this.playing) requestAnimationFrame(tick);
    };
    requestAnimationFrame(tick);
  }

  advance(seconds) {
    const { scene } = this;
    const end = scene.times[scene.frameCount - 1];
    const time = scene.timeOfFrame(this.position) + seconds * this.speed;
    if (time < end) {
      this.position = scene.frameOfTime(time);
    } else if (this.loop && scene.frameCount > 1) {
      this.position = 0;
    } else {
      this.position = scene.frameCount - 1;
      this.setPlaying(false);
      return;
    }
    this.draw(this.quality);
  }

  setSpeed(speed) {
    this.speed = speed;
    byId("speed").value = String(speed);
  }

  setLoop(loop) {
    this.loop = loop;
    byId("loop").setAttribute("aria-pressed", String(loop));
  }

  setTheme(theme) {
    this.view.theme = theme;
    document.documentElement.dataset.theme = theme;
    this.drawSoon();
  }

  set(name, on) {
    this.view[name] = on;
    byId(name).setAttribute("aria-pressed", String(on));
    this.drawSoon();
  }

  toggle(name) {
    this.set(name, !this.view[name]);
  }

  // Looks through a body's camera; null: from around the scene again.
  lookThrough(camera) {
    this.through = camera;
    for (const { name } of this.bodyCameras) {
      byId(`through-${name}`).setAttribute("aria-pressed", String(camera !== null && camera.name === name));
    }
    document.body.classList.toggle("within", camera !== null);
    this.drawSoon();
  }

  // Makes the objects see-through, so that the pressure under the fingers shows; or solid again.
  toggleSeeThrough() {
    const objects = this.scene.surfaces.filter((s) => s.role === "object");
    const solid = objects.some((s) => s.state === "solid");
    for (const s of objects) s.state = solid ? "ghost" : "solid";
    this.refreshLayers();
    this.drawSoon();
  }

  setLayers(names, state) {
    for (const s of this.scene.surfaces) if (names.includes(s.name) || names.includes(s.role)) s.state = state;
    this.refreshLayers();
    this.drawSoon();
  }

  savePicture() {
    this.draw(); // the drawing buffer only holds its picture until the browser shows it
    this.canvas.toBlob((blob) => {
      const link = make("a", { href: URL.createObjectURL(blob), download: `${this.header.title.replace(/\W+/g, "-").toLowerCase() || "replay"}-${this.scene.timeOfFrame(this.position).toFixed(3)}s.png` });
      link.click();
      setTimeout(() => URL.revokeObjectURL(link.href), 1000);
    }, "image/png");
  }

  // #t=1.5 or #frame=40, through=name of a body's camera, cam=azimuth,elevation[,distance[,x,y,z]], forces|pressure|grid|cut|panels=0|1, theme=light|dark,
  // solid|ghost|hide=roles or names with commas between.
  readAddress() {
    const given = new URLSearchParams(location.hash.slice(1));
    const numbers = (key) => given.get(key).split(",").map((text) => (text === "" ? NaN : Number(text)));
    for (const name of ["forces", "pressure", "grid", "cut"]) if (given.has(name)) this.set(name, given.get(name) !== "0");
    if (given.has("panels")) {
      this.view.panels = given.get("panels") !== "0";
      document.body.classList.toggle("bare", !this.view.panels);
      this.resize();
    }
    this.setTheme(["light", "dark"].includes(given.get("theme")) ? given.get("theme") : this.view.theme);
    for (const [key, state] of [["solid", "solid"], ["ghost", "ghost"], ["hide", "hidden"]]) {
      if (given.has(key)) this.setLayers(given.get(key).split(","), state);
    }
    if (given.has("through")) this.lookThrough(this.bodyCameras.find((c) => c.name === given.get("through")) || null);
    if (given.has("cam")) {
      const [azimuth, elevation, distance, ...target] = numbers("cam");
      this.setCamera({ azimuth, elevation, distance, target });
    }
    if (given.has("t")) this.goTo(this.scene.frameOfTime(numbers("t")[0]));
    else if (given.has("frame")) this.goTo(numbers("frame")[0] || 0);
  }

  // What is left out of distance and target is framed anew for the new direction.
  setCamera({ azimuth, elevation, distance, target }) {
    this.camera.set({ azimuth, elevation });
    if (!Number.isFinite(distance)) this.camera.fit(this.scene.box);
    this.camera.set({ distance, target });
    this.userView = true;
    this.drawSoon();
  }

  stats() {
    const { camera, scene } = this;
    return {
      frame: Math.round(this.position),
      time: scene.timeOfFrame(this.position),
      playing: this.playing,
      surfaces: scene.surfaces.map(({ name, role, state, vertexCount, triangles, positions, model }) => ({
        name, role, state, vertices: vertexCount, triangles: triangles.length / 3,
        first: Array.from(positions.subarray(0, 3)), model: Array.from(model),
      })),
      patches: scene.patches[Math.round(this.position)].length,
      camera: { azimuth: camera.azimuth, elevation: camera.elevation, distance: camera.distance, target: camera.target },
      view: { ...this.view },
      through: this.through ? this.through.name : null,
      drawCalls: this.renderer.drawCalls,
      occlusionSize: this.renderer.occlusion.size,
      drawMilliseconds: this.drawMilliseconds,
      quality: this.quality,
    };
  }
}
