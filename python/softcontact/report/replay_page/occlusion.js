// SPDX-License-Identifier: LGPL-2.1-or-later
// Ambient occlusion at half resolution or less: creases, and the place where a finger meets an object, are darker.
// Source: McGuire et al. 2012, Scalable Ambient Obscurance, Sec. 2.3 (estimator, without its depth pyramid).

// Samples and their smoothing are counted in pixels: on a finer screen too few of them would leave specks.
const MOST_ROWS = 400;

const GLSL_VIEW_POSITION = `
uniform sampler2D u_depth;
uniform vec4 u_unproject; // m0, m5, m8, m9 of the projection
uniform vec2 u_depth_terms; // m10, m14
float viewDepth(ivec2 pixel) {
  return -u_depth_terms.y / (texelFetch(u_depth, pixel, 0).r * 2.0 - 1.0 + u_depth_terms.x);
}
vec3 viewPosition(ivec2 pixel) {
  float z = viewDepth(pixel);
  vec2 clip = (vec2(pixel) + 0.5) / vec2(textureSize(u_depth, 0)) * 2.0 - 1.0;
  return vec3(-z * (clip + u_unproject.zw) / u_unproject.xy, z);
}`;

const GLSL_SCREEN_TRIANGLE = `#version 300 es
void main() { gl_Position = vec4(vec2(gl_VertexID & 1, gl_VertexID >> 1) * 4.0 - 1.0, 0.0, 1.0); }`;

const OCCLUSION_SHADERS = {
  occlusion: {
    vertex: GLSL_SCREEN_TRIANGLE,
    fragment: `#version 300 es
precision highp float;
precision highp sampler2D;
${GLSL_VIEW_POSITION}
uniform float u_radius;
out vec4 color;
void main() {
  ivec2 pixel = ivec2(gl_FragCoord.xy), last = textureSize(u_depth, 0) - 1;
  if (texelFetch(u_depth, pixel, 0).r >= 1.0) { color = vec4(1.0); return; }
  vec3 p = viewPosition(pixel);
  // Of the two neighbours on each axis the nearer in depth lies on the same surface.
  vec3 l = viewPosition(max(pixel - ivec2(1, 0), 0)), r = viewPosition(min(pixel + ivec2(1, 0), last));
  vec3 d = viewPosition(max(pixel - ivec2(0, 1), 0)), u = viewPosition(min(pixel + ivec2(0, 1), last));
  vec3 dx = abs(r.z - p.z) < abs(p.z - l.z) ? r - p : p - l;
  vec3 dy = abs(u.z - p.z) < abs(p.z - d.z) ? u - p : p - d;
  vec3 n = normalize(cross(dx, dy));
  float reach = min(u_radius * u_unproject.y / -p.z * 0.5 * float(last.y), 0.2 * float(last.y));
  float turn = 6.2831853 * fract(52.9829189 * fract(dot(gl_FragCoord.xy, vec2(0.06711056, 0.00583715))));
  float sum = 0.0, square = u_radius * u_radius;
  for (int i = 0; i < 14; i++) {
    float angle = float(i) * 2.3999632 + turn, away = (float(i) + 0.5) / 14.0 * reach + 1.0;
    ivec2 q = clamp(pixel + ivec2(away * vec2(cos(angle), sin(angle))), ivec2(0), last);
    vec3 v = viewPosition(q) - p;
    float f = max(square - dot(v, v), 0.0);
    sum += f * f * f * max(dot(v, n) - 0.012 * u_radius, 0.0) / (dot(v, v) + 0.0004 * square);
  }
  color = vec4(max(0.0, 1.0 - 8.0 * u_radius * sum / (square * square * square * 14.0)));
}`,
  },

  smooth: {
    vertex: GLSL_SCREEN_TRIANGLE,
    fragment: `#version 300 es
precision highp float;
precision highp sampler2D;
${GLSL_VIEW_POSITION}
uniform sampler2D u_raw;
uniform float u_radius;
out vec4 color;
void main() {
  ivec2 pixel = ivec2(gl_FragCoord.xy), last = textureSize(u_depth, 0) - 1;
  float z = viewDepth(pixel), sum = 0.0, weights = 0.0;
  for (int x = -3; x <= 3; x++) for (int y = -3; y <= 3; y++) {
    ivec2 q = clamp(pixel + ivec2(x, y), ivec2(0), last);
    float w = exp(-float(x * x + y * y) * 0.12) * max(0.0, 1.0 - abs(viewDepth(q) - z) / (0.5 * u_radius));
    sum += w * texelFetch(u_raw, q, 0).r;
    weights += w;
  }
  color = vec4(weights > 0.0 ? sum / weights : 1.0);
}`,
  },
};

class Occlusion {
  constructor(renderer) {
    this.renderer = renderer;
    this.gl = renderer.gl;
    this.size = [0, 0];
  }

  resize(width, height) {
    if (this.size[0] === width && this.size[1] === height) return;
    const gl = this.gl;
    for (const { texture, framebuffer } of this.targets || []) {
      gl.deleteTexture(texture);
      gl.deleteFramebuffer(framebuffer);
    }
    this.size = [width, height];
    this.targets = [
      [gl.DEPTH_COMPONENT24, gl.DEPTH_ATTACHMENT, gl.NEAREST],
      [gl.R8, gl.COLOR_ATTACHMENT0, gl.NEAREST],
      [gl.R8, gl.COLOR_ATTACHMENT0, gl.LINEAR],
    ].map(([format, attachment, filter]) => {
      const texture = gl.createTexture();
      gl.bindTexture(gl.TEXTURE_2D, texture);
      gl.texStorage2D(gl.TEXTURE_2D, 1, format, width, height);
      for (const key of [gl.TEXTURE_MIN_FILTER, gl.TEXTURE_MAG_FILTER]) gl.texParameteri(gl.TEXTURE_2D, key, filter);
      for (const key of [gl.TEXTURE_WRAP_S, gl.TEXTURE_WRAP_T]) gl.texParameteri(gl.TEXTURE_2D, key, gl.CLAMP_TO_EDGE);
      const framebuffer = gl.createFramebuffer();
      gl.bindFramebuffer(gl.FRAMEBUFFER, framebuffer);
      gl.framebufferTexture2D(gl.FRAMEBUFFER, attachment, gl.TEXTURE_2D, texture, 0);
      return { texture, framebuffer };
    });
  }

  // Leaves the occlusion of the given surfaces in texture unit 1.
  render(surfaces, camera, radius) {
    const { gl, renderer } = this;
    const share = Math.min(0.5, MOST_ROWS / gl.drawingBufferHeight);
    const [width, height] = [gl.drawingBufferWidth, gl.drawingBufferHeight];
    this.resize(Math.max(1, Math.floor(share * width)), Math.max(1, Math.floor(share * height)));
    const [depth, raw, result] = this.targets;
    const projection = camera.projection();
    const common = {
      u_depth: 2,
      u_raw: 3,
      u_unproject: [projection[0], projection[5], projection[8], projection[9]],
      u_depth_terms: [projection[10], projection[14]],
      u_radius: radius,
    };
    gl.viewport(0, 0, ...this.size);
    gl.activeTexture(gl.TEXTURE2);
    gl.bindTexture(gl.TEXTURE_2D, null); // no texture may be read while it is drawn to
    gl.activeTexture(gl.TEXTURE1);
    gl.bindTexture(gl.TEXTURE_2D, null);
    gl.bindFramebuffer(gl.FRAMEBUFFER, depth.framebuffer);
    gl.clear(gl.DEPTH_BUFFER_BIT);
    gl.enable(gl.DEPTH_TEST);
    renderer.use("depth", { u_view_projection: camera.matrix() });
    for (const { mesh, model, cut } of surfaces) {
      renderer.setUniforms({ u_model: model, u_cut: cut || NO_CUT });
      renderer.drawMesh(mesh);
    }
    gl.disable(gl.DEPTH_TEST);
    gl.bindVertexArray(renderer.emptyVertexArray);
    gl.activeTexture(gl.TEXTURE2);
    gl.bindTexture(gl.TEXTURE_2D, depth.texture);
    gl.activeTexture(gl.TEXTURE3);
    gl.bindTexture(gl.TEXTURE_2D, null);
    gl.bindFramebuffer(gl.FRAMEBUFFER, raw.framebuffer);
    renderer.use("occlusion", common);
    gl.drawArrays(gl.TRIANGLES, 0, 3);
    gl.bindTexture(gl.TEXTURE_2D, raw.texture);
    gl.bindFramebuffer(gl.FRAMEBUFFER, result.framebuffer);
    renderer.use("smooth", common);
    gl.drawArrays(gl.TRIANGLES, 0, 3);
    gl.activeTexture(gl.TEXTURE1);
    gl.bindTexture(gl.TEXTURE_2D, result.texture);
    gl.activeTexture(gl.TEXTURE0);
  }
}
