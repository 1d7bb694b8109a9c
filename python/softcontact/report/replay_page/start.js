// SPDX-License-Identifier: LGPL-2.1-or-later
// Starts the page and offers window.softcontactReplay to scripts and tests.

function showMessage(text) {
  byId("message").hidden = false;
  byId("message-text").textContent = text;
  document.body.classList.add("failed");
}

const whenReady = (async () => {
  const replay = await loadReplay();
  if (!document.createElement("canvas").getContext("webgl2")) {
    throw new Error("This replay needs WebGL2, which this browser does not offer. Open it in a current Firefox, "
      + "Chrome, Edge or Safari, or switch on hardware acceleration in the browser's settings.");
  }
  const player = new Player(replay);
  player.draw();
  // Scripts get the finished picture at once.
  const drawn = (action) => (...values) => {
    action(...values);
    player.draw();
  };
  Object.assign(window.softcontactReplay, {
    ready: true,
    frameCount: player.scene.frameCount,
    setFrame: drawn((i) => player.goTo(i)),
    setTime: drawn((t) => player.goTo(player.scene.frameOfTime(t))),
    setCamera: drawn((camera) => player.setCamera(camera)),
    setView: drawn((name, on) => player.set(name, on)),
    setLayers: drawn((names, state) => player.setLayers(names, state)),
    play: () => player.setPlaying(true),
    pause: () => player.setPlaying(false),
    stats: () => player.stats(),
  });
  byId("loading").hidden = true;
  const still = matchMedia("(prefers-reduced-motion: reduce)").matches || location.hash.length > 1;
  if (!still && player.scene.frameCount > 1) player.setPlaying(true);
})();
window.softcontactReplay = { ready: false, error: null, whenReady };
whenReady.catch((error) => {
  window.softcontactReplay.error = error.message;
  showMessage(error.message);
});
