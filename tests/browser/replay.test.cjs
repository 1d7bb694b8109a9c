// SPDX-License-Identifier: LGPL-2.1-or-later
// Mouse, touch and keyboard on a replay page. REPLAY: the page, of a lifted ball (tests/python/replay_sample.py),
// CHROMIUM: the browser. Run by tests/python/test_replay.py.

const assert = require("node:assert/strict");
const fs = require("node:fs");
const { after, before, test } = require("node:test");
const { pathToFileURL } = require("node:url");
const { chromium } = require("playwright-core");

let browser;
let context;
let page;
const problems = [];

before(async () => {
  browser = await chromium.launch({
    executablePath: process.env.CHROMIUM,
    args: [
      "--no-sandbox", "--disable-quic", "--use-gl=angle", "--use-angle=swiftshader", "--enable-unsafe-swiftshader",
      "--ignore-gpu-blocklist", "--disable-background-networking", "--disable-component-update", "--disable-sync",
    ],
  });
  context = await browser.newContext({
    viewport: { width: 780, height: 420 }, deviceScaleFactor: 0.5, hasTouch: true, acceptDownloads: true,
  });
  page = await context.newPage();
  page.on("pageerror", (error) => problems.push(String(error)));
  page.on("console", (message) => message.type() === "error" && problems.push(message.text()));
  page.on("request", (request) => !/^(file|data|blob):/.test(request.url()) && problems.push(request.url()));
  await page.goto(pathToFileURL(process.env.REPLAY) + "#frame=3&grid=0");
  await page.evaluate(() => softcontactReplay.whenReady.then(() => true));
});

after(async () => {
  await browser.close();
  assert.deepEqual(problems, []);
});

const stats = () => page.evaluate(() => softcontactReplay.stats());
// Panels follow with the next drawing.
const drawn = () => page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));
const MIDDLE = [520, 150];

async function drag(dx, dy, options = {}) {
  await page.mouse.move(...MIDDLE);
  await page.mouse.down(options);
  await page.mouse.move(MIDDLE[0] + dx, MIDDLE[1] + dy, { steps: 3 });
  await page.mouse.up(options);
}

test("dragging turns, right-dragging moves, the wheel zooms, R goes back", async () => {
  const first = (await stats()).camera;
  await drag(100, 0);
  const turned = (await stats()).camera;
  assert.ok(turned.azimuth < first.azimuth - 10, "a drag to the right turns the scene to the right");
  assert.deepEqual(turned.target, first.target);
  await drag(0, 60, { button: "right" });
  const moved = (await stats()).camera;
  assert.equal(moved.azimuth, turned.azimuth);
  assert.ok(moved.target[2] > turned.target[2], "dragging down lowers the scene: the target rises");
  await page.mouse.wheel(0, -240);
  await page.waitForFunction((d) => softcontactReplay.stats().camera.distance < d, moved.distance * 0.9);
  await page.keyboard.press("r");
  const back = (await stats()).camera;
  assert.ok(Math.abs(back.distance - first.distance) < 1e-9 && Math.abs(back.azimuth - first.azimuth) < 1e-9);
});

test("two fingers zoom", async () => {
  const before = (await stats()).camera.distance;
  const client = await context.newCDPSession(page);
  const touch = (type, apart) =>
    client.send("Input.dispatchTouchEvent", {
      type,
      touchPoints: apart === null ? [] : [-1, 1].map((side, id) => ({ x: MIDDLE[0] + side * apart, y: MIDDLE[1], id })),
    });
  await touch("touchStart", 40);
  await touch("touchMove", 60);
  await touch("touchMove", 80);
  await touch("touchEnd", null);
  await page.waitForFunction((d) => softcontactReplay.stats().camera.distance < 0.7 * d, before);
  await page.keyboard.press("r");
});

test("keys step, play, pause and switch layers", async () => {
  await page.keyboard.press("Home");
  await page.keyboard.press("ArrowRight");
  await page.keyboard.press("ArrowRight");
  await page.keyboard.press("ArrowLeft");
  assert.equal((await stats()).frame, 1);
  await page.keyboard.press("Shift+ArrowRight");
  assert.equal((await stats()).frame, 11);
  await page.keyboard.press("f");
  await page.keyboard.press("p");
  await page.keyboard.press("x");
  const { view, surfaces } = await stats();
  assert.ok(!view.forces && !view.pressure);
  assert.equal(surfaces.find((s) => s.role === "object").state, "ghost");
  assert.equal(await page.getAttribute("#see-through", "aria-pressed"), "true");
  for (const key of ["f", "p", "x", "Home", " "]) await page.keyboard.press(key);
  await page.waitForFunction(() => softcontactReplay.stats().time > 0.1);
  assert.ok((await stats()).playing);
  await page.keyboard.press(" ");
  assert.ok(!(await stats()).playing);
});

test("the slider and the contact table follow", async () => {
  await page.fill("#slider", "20");
  assert.equal((await stats()).frame, 20);
  await drawn();
  const rows = page.locator("#contact-rows tr:visible");
  assert.equal(await rows.count(), 2);
  assert.match(await rows.first().innerText(), /(thumb|index) distal\s+ball\s+4\.00/);
  assert.match(await page.innerText("#badges"), /2\/2 checks passed/);
  await page.keyboard.press("Home");
  await drawn();
  assert.match(await page.innerText("#contact-rows"), /ball\s+table\s+1\.80/);
});

test("the picture button saves a PNG of the view", async () => {
  const [download] = await Promise.all([page.waitForEvent("download"), page.click("#picture")]);
  assert.match(download.suggestedFilename(), /^soft-fingers-lift-a-ball-0\.000s\.png$/);
  const bytes = fs.readFileSync(await download.path());
  assert.equal(bytes.toString("latin1", 1, 4), "PNG");
  assert.ok(bytes.length > 5000, "a blank picture packs into far less");
});
