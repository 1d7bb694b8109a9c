// SPDX-License-Identifier: LGPL-2.1-or-later
// WebGL2 renderer: shadow map, background and floor, opaque surfaces, arrows, see-through surfaces.

const SHADOW_SIZE = 2048;
const NO_CUT = [0, 0, 0, -1];
const SAMPLERS = ["u_shadow_map", "u_occlusion", "u_depth", "u_raw"];

const THEMES = {
  light: { top: "#f7f9fc", bottom: "#cfd7e2", grid: "#7d8a9c", ambient: 1.02 },
  dark: { top: "#2a313c", bottom: "#12161c", grid: "#66717f", ambient: 0.88 },
};

class Renderer {
  constructor(canvas) {
    this.canvas = canvas;
    const gl = canvas.getContext("webgl2", { antialias: true, alpha: false, powerPreference: "high-performance" });
    if (!gl) throw new Error("WebGL2 is missing");
    this.gl = gl;
    const info = gl.getExtension("WEBGL_debug_renderer_info");
    const name = info ? String(gl.getParameter(info.UNMASKED_RENDERER_WEBGL)) : "";
    this.software = /swiftshader|llvmpipe|softpipe|software|basic render/i.test(name);
    this.programs = {};
    for (const [name, source] of Object.entries({ ...SHADERS, ...OCCLUSION_SHADERS })) this.programs[name] = this.link(name, source);
    this.emptyVertexArray = gl.createVertexArray();
    this.shadow = this.createShadowMap();
    this.occlusion = new Occlusion(this);
    this.shaft = this.createMesh(arrowShaft());
    this.head = this.createMesh(arrowHead());
    this.stops = new Float32Array(PRESSURE_STOPS.flatMap(linearColor));
  }

  link(name, { vertex, fragment }) {
    const gl = this.gl;
    const program = gl.createProgram();
    for (const [type, text] of [[gl.VERTEX_SHADER, vertex], [gl.FRAGMENT_SHADER, fragment]]) {
      const shader = gl.createShader(type);
      gl.shaderSource(shader, text);
      gl.compileShader(shader);
      if (!gl.getShaderParameter(shader, gl.COMPILE_STATUS)) {
        throw new Error(`shader ${name}: ${gl.getShaderInfoLog(shader)}`);
      }
      gl.attachShader(program, shader);
    }
    gl.linkProgram(program);
    if (!gl.getProgramParameter(program, gl.LINK_STATUS)) {
      throw new Error(`shader ${name}: ${gl.getProgramInfoLog(program)}`);
    }
    const uniforms = {};
    const count = gl.getProgramParameter(program, gl.ACTIVE_UNIFORMS);
    for (let i = 0; i < count; i++) {
      const { name: uniform } = gl.getActiveUniform(program, i);
      uniforms[uniform.replace("[0]", "")] = gl.getUniformLocation(program, uniform);
    }
    return { program, uniforms };
  }

  createShadowMap() {
    const gl = this.gl;
    const texture = gl.createTexture();
    gl.bindTexture(gl.TEXTURE_2D, texture);
    gl.texStorage2D(gl.TEXTURE_2D, 1, gl.DEPTH_COMPONENT24, SHADOW_SIZE, SHADOW_SIZE);
    gl.texParameteri(gl.TEXTURE_2D, gl.TEXTURE_COMPARE_MODE, gl.COMPARE_REF_TO_TEXTURE);
    gl.texParameteri(gl.TEXTURE_2D, gl.TEXTURE_MIN_FILTER, gl.LINEAR);
    gl.texParameteri(gl.TEXTURE_2D, gl.TEXTURE_MAG_FILTER, gl.LINEAR);
    gl.texParameteri(gl.TEXTURE_2D, gl.TEXTURE_WRAP_S, gl.CLAMP_TO_EDGE);
    gl.texParameteri(gl.TEXTURE_2D, gl.TEXTURE_WRAP_T, gl.CLAMP_TO_EDGE);
    const framebuffer = gl.createFramebuffer();
    gl.bindFramebuffer(gl.FRAMEBUFFER, framebuffer);
    gl.framebufferTexture2D(gl.FRAMEBUFFER, gl.DEPTH_ATTACHMENT, gl.TEXTURE_2D, texture, 0);
    gl.bindFramebuffer(gl.FRAMEBUFFER, null);
    return { texture, framebuffer };
  }

  createMesh({ positions, normals, triangles, pressure }) {
    const gl = this.gl;
    const mesh = { vertexArray: gl.createVertexArray(), count: triangles.length, buffers: [] };
    gl.bindVertexArray(mesh.vertexArray);
    [[positions, 3], [normals, 3], [pressure, 1]].forEach(([data, size], location) => {
      if (!data) return; // a disabled attribute reads as zero
      const buffer = (mesh.buffers[location] = gl.createBuffer());
      gl.bindBuffer(gl.ARRAY_BUFFER, buffer);
      gl.bufferData(gl.ARRAY_BUFFER, data, gl.DYNAMIC_DRAW);
      gl.enableVertexAttribArray(location);
      gl.vertexAttribPointer(location, size, gl.FLOAT, false, 0, 0);
    });
    gl.bindBuffer(gl.ELEMENT_ARRAY_BUFFER, gl.createBuffer());
    gl.bufferData(gl.ELEMENT_ARRAY_BUFFER, triangles, gl.STATIC_DRAW);
    gl.bindVertexArray(null);
    return mesh;
  }

  updateMesh(mesh, ...arrays) {
    const gl = this.gl;
    arrays.forEach((data, location) => {
      if (!data || !mesh.buffers[location]) return;
      gl.bindBuffer(gl.ARRAY_BUFFER, mesh.buffers[location]);
      gl.bufferSubData(gl.ARRAY_BUFFER, 0, data);
    });
  }

  use(name, values) {
    const gl = this.gl;
    const { program, uniforms } = this.programs[name];
    gl.useProgram(program);
    this.uniforms = uniforms;
    this.setUniforms(values);
  }

  setUniforms(values) {
    const gl = this.gl;
    for (const [name, value] of Object.entries(values)) {
      const location = this.uniforms[name];
      if (!location) continue;
      if (SAMPLERS.includes(name)) gl.uniform1i(location, value);
      else if (typeof value === "number") gl.uniform1f(location, value);
      else if (value.length === 2) gl.uniform2fv(location, value);
      else if (value.length === 4) gl.uniform4fv(location, value);
      else if (value.length === 16) gl.uniformMatrix4fv(location, false, value);
      else gl.uniform3fv(location, value);
    }
  }

  drawMesh(mesh) {
    const gl = this.gl;
    gl.bindVertexArray(mesh.vertexArray);
    gl.drawElements(gl.TRIANGLES, mesh.count, gl.UNSIGNED_INT, 0);
    this.drawCalls++;
  }

  // view: {camera, theme, shadowTaps, light: {shadows, key, fill, centre, radius}, occlusionRadius, floor: {z, extent, cell, grid, centre},
  //   surfaces: [{mesh, model, state, base, soft, gloss, cut}], arrows: [{base, shaft, head, bright}], pressureGain}
  render(view) {
    const gl = this.gl;
    this.drawCalls = 0;
    const shown = view.surfaces.filter((s) => s.state !== "hidden");
    const solid = shown.filter((s) => s.state === "solid");
    const lightMatrix = this.renderShadows(view.light, view.light.shadows ? solid : []);
    this.occlusion.render(solid, view.camera, view.occlusionRadius);
    const theme = THEMES[view.theme];
    const common = {
      u_sky_top: linearColor(theme.top),
      u_sky_bottom: linearColor(theme.bottom),
      u_viewport: [this.canvas.width, this.canvas.height],
      u_light_matrix: lightMatrix,
      u_shadow_map: 0,
      u_occlusion: 1,
      u_taps: view.shadowTaps,
      u_shadow_spread: (2 * view.light.radius) / SHADOW_SIZE,
      u_view_projection: view.camera.matrix(),
    };
    gl.activeTexture(gl.TEXTURE0);
    gl.bindTexture(gl.TEXTURE_2D, this.shadow.texture);
    gl.bindFramebuffer(gl.FRAMEBUFFER, null);
    gl.viewport(0, 0, this.canvas.width, this.canvas.height);
    gl.clear(gl.COLOR_BUFFER_BIT | gl.DEPTH_BUFFER_BIT);
    gl.disable(gl.DEPTH_TEST);
    this.use("background", common);
    gl.bindVertexArray(this.emptyVertexArray);
    gl.drawArrays(gl.TRIANGLES, 0, 3);
    if (view.camera.eye[2] > view.floor.z) this.renderFloor(view.floor, theme, common);

    gl.enable(gl.DEPTH_TEST);
    gl.depthFunc(gl.LEQUAL);
    this.use("surface", {
      ...common,
      u_eye: view.camera.eye,
      u_key: view.light.key,
      u_fill: view.light.fill,
      u_centre: view.light.centre,
      u_fade_start: view.floor.extent * 0.6,
      u_ambient: theme.ambient,
      u_stops: this.stops,
      u_alpha: 1,
      u_occluded: 1,
    });
    for (const surface of solid) this.renderSurface(surface, view.pressureGain);
    this.setUniforms({ u_occluded: 0 });
    this.renderArrows(view.arrows, 1);
    this.renderSeeThrough(shown.filter((s) => s.state === "ghost"), view);
    this.renderHiddenArrows(view.arrows);
    gl.bindVertexArray(null);
  }

  renderShadows({ key, centre, radius }, surfaces) {
    const gl = this.gl;
    const eye = add(centre, scale(key, 3 * radius));
    const up = Math.abs(key[2]) > 0.95 ? [1, 0, 0] : UP;
    const matrix = multiply(orthographic(radius, radius, 5 * radius), lookAt(eye, centre, up));
    gl.activeTexture(gl.TEXTURE0);
    gl.bindTexture(gl.TEXTURE_2D, null); // it may not be read while it is drawn to
    gl.bindFramebuffer(gl.FRAMEBUFFER, this.shadow.framebuffer);
    gl.viewport(0, 0, SHADOW_SIZE, SHADOW_SIZE);
    gl.clear(gl.DEPTH_BUFFER_BIT);
    gl.enable(gl.DEPTH_TEST);
    gl.depthFunc(gl.LEQUAL);
    gl.enable(gl.POLYGON_OFFSET_FILL);
    gl.polygonOffset(2, 4);
    this.use("depth", { u_view_projection: matrix });
    for (const { mesh, model, cut } of surfaces) {
      this.setUniforms({ u_model: model, u_cut: cut || NO_CUT });
      this.drawMesh(mesh);
    }
    gl.disable(gl.POLYGON_OFFSET_FILL);
    return matrix;
  }

  renderFloor(floor, theme, common) {
    const gl = this.gl;
    this.use("floor", {
      ...common,
      u_centre: [floor.centre[0], floor.centre[1], floor.z],
      u_extent: floor.extent,
      u_cell: floor.cell,
      u_grid: floor.grid ? 1 : 0,
      u_grid_color: linearColor(theme.grid),
    });
    gl.drawArrays(gl.TRIANGLE_STRIP, 0, 4);
    this.drawCalls++;
  }

  renderSurface({ mesh, model, base, soft, gloss, cut }, pressureGain) {
    this.setUniforms({
      u_model: model,
      u_cut: cut || NO_CUT,
      u_base: base,
      u_soft: soft,
      u_gloss: gloss,
      u_glow: 0,
      u_pressure_gain: pressureGain,
    });
    this.drawMesh(mesh);
  }

  renderArrows(arrows, alpha) {
    if (arrows.length === 0) return;
    this.setUniforms({ u_cut: NO_CUT, u_soft: 0, u_gloss: 0.4, u_pressure_gain: 0, u_alpha: alpha });
    for (const arrow of arrows) {
      this.setUniforms({ u_base: arrow.base, u_glow: arrow.bright ? 0.75 : 0.35 });
      for (const [mesh, model] of [[this.shaft, arrow.shaft], [this.head, arrow.head]]) {
        this.setUniforms({ u_model: model });
        this.drawMesh(mesh);
      }
    }
  }

  // What lies inside or behind a body still shows, faintly, so that no arrow seems to be missing.
  renderHiddenArrows(arrows) {
    const gl = this.gl;
    gl.enable(gl.BLEND);
    gl.blendFunc(gl.SRC_ALPHA, gl.ONE_MINUS_SRC_ALPHA);
    gl.depthFunc(gl.GREATER);
    gl.depthMask(false);
    gl.enable(gl.CULL_FACE);
    this.renderArrows(arrows, 0.4);
    gl.disable(gl.CULL_FACE);
    gl.depthMask(true);
    gl.depthFunc(gl.LEQUAL);
    gl.disable(gl.BLEND);
  }

  // Depth first, so that of each see-through surface only the front layer is blended.
  renderSeeThrough(surfaces, view) {
    const gl = this.gl;
    if (surfaces.length === 0) return;
    this.setUniforms({ u_alpha: 0.22 });
    gl.colorMask(false, false, false, false);
    for (const surface of surfaces) this.renderSurface(surface, view.pressureGain);
    gl.colorMask(true, true, true, true);
    gl.enable(gl.BLEND);
    gl.blendFunc(gl.SRC_ALPHA, gl.ONE_MINUS_SRC_ALPHA);
    for (const surface of surfaces) this.renderSurface(surface, view.pressureGain);
    gl.disable(gl.BLEND);
    this.setUniforms({ u_alpha: 1 });
  }
}
