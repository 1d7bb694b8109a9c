// SPDX-License-Identifier: LGPL-2.1-or-later
// GLSL ES 3.0 sources. Colours are linear inside, sRGB on the way out.

// Stops of the pressure scale (sRGB), used by the shader and by the legend. Dark violet to yellow: rising lightness,
// and unlike skin already at the low end.
const PRESSURE_STOPS = ["#2f0a8a", "#7e03a8", "#c13b82", "#ee6a4f", "#fdae32", "#f3f724"];

function linearColor(hex) {
  return [1, 3, 5].map((i) => toLinear(parseInt(hex.slice(i, i + 2), 16) / 255));
}

function toLinear(c) {
  return c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4;
}

const GLSL_COMMON = `#version 300 es
precision highp float;
precision highp sampler2DShadow;
uniform vec3 u_sky_top, u_sky_bottom;
uniform vec2 u_viewport;
uniform mat4 u_light_matrix;
uniform sampler2DShadow u_shadow_map;
uniform float u_shadow_spread, u_taps;

vec3 encode(vec3 c) {
  c = clamp(c, 0.0, 1.0);
  return mix(12.92 * c, 1.055 * pow(c, vec3(1.0 / 2.4)) - 0.055, step(0.0031308, c));
}

// Keeps mid tones, rolls highlights off.
vec3 tone(vec3 c) {
  return c * (1.0 + c * 0.16) / (1.0 + c * 0.30);
}

float noise(vec2 p) {
  return fract(52.9829189 * fract(dot(p, vec2(0.06711056, 0.00583715))));
}

vec3 background() {
  vec2 p = gl_FragCoord.xy / u_viewport;
  float glow = exp(-2.2 * dot(p - vec2(0.5, 0.52), p - vec2(0.5, 0.52)));
  return mix(u_sky_bottom, u_sky_top, smoothstep(0.0, 1.0, p.y)) * mix(0.93, 1.05, glow);
}

vec3 dither(vec3 srgb) {
  return srgb + (noise(gl_FragCoord.xy) - 0.5) / 255.0;
}

// Share of the key light that arrives: soft-edged lookups on a disc, turned per pixel against banding.
float lit(vec3 position, vec3 normal) {
  vec3 p = (u_light_matrix * vec4(position + normal * u_shadow_spread * 1.5, 1.0)).xyz * 0.5 + 0.5;
  if (any(lessThan(p, vec3(0.0))) || any(greaterThan(p, vec3(1.0)))) return 1.0;
  float turn = 6.2831853 * noise(gl_FragCoord.xy), sum = 0.0;
  vec2 texel = 1.0 / vec2(textureSize(u_shadow_map, 0));
  for (int i = 0; i < int(u_taps); i++) {
    float angle = float(i) * 2.3999632 + turn, radius = sqrt((float(i) + 0.5) / u_taps) * 9.0;
    sum += texture(u_shadow_map, vec3(p.xy + radius * texel * vec2(cos(angle), sin(angle)), p.z - 0.0012));
  }
  return sum / u_taps;
}
`;

const SHADERS = {
  background: {
    vertex: `#version 300 es
void main() {
  gl_Position = vec4(vec2(gl_VertexID & 1, gl_VertexID >> 1) * 4.0 - 1.0, 1.0, 1.0);
}`,
    fragment: `${GLSL_COMMON}
out vec4 color;
void main() { color = vec4(dither(encode(background())), 1.0); }`,
  },

  depth: {
    vertex: `#version 300 es
layout(location = 0) in vec3 a_position;
uniform mat4 u_model, u_view_projection;
out vec3 v_position;
void main() {
  vec4 p = u_model * vec4(a_position, 1.0);
  v_position = p.xyz;
  gl_Position = u_view_projection * p;
}`,
    fragment: `#version 300 es
precision highp float;
in vec3 v_position;
uniform vec4 u_cut; // a plane: what lies on its positive side is cut away
void main() {
  if (dot(u_cut.xyz, v_position) + u_cut.w > 0.0) discard;
}`,
  },

  // The floor is the background itself, with a grid and shadows that fade out, so it has no visible edge.
  floor: {
    vertex: `#version 300 es
uniform mat4 u_view_projection;
uniform vec3 u_centre;
uniform float u_extent;
out vec3 v_position;
void main() {
  v_position = u_centre + u_extent * vec3(vec2(gl_VertexID & 1, gl_VertexID >> 1) * 2.0 - 1.0, 0.0);
  gl_Position = u_view_projection * vec4(v_position, 1.0);
}`,
    fragment: `${GLSL_COMMON}
in vec3 v_position;
uniform vec3 u_centre, u_grid_color;
uniform float u_extent, u_cell, u_grid;
out vec4 color;
float lines(float cell) {
  vec2 q = v_position.xy / cell, width = fwidth(q);
  vec2 line = 1.0 - smoothstep(width * 0.5, width * 1.5, abs(fract(q - 0.5) - 0.5));
  return max(line.x, line.y) * (1.0 - smoothstep(0.15, 0.5, max(width.x, width.y)));
}
void main() {
  float fade = 1.0 - smoothstep(0.25, 0.95, length(v_position.xy - u_centre.xy) / u_extent);
  vec3 c = background();
  float grid = u_grid * (0.55 * lines(u_cell) + 0.35 * lines(u_cell * 5.0));
  c = mix(c, u_grid_color, grid * fade * 0.35);
  c *= 1.0 - 0.42 * fade * (1.0 - lit(v_position, vec3(0.0, 0.0, 1.0)));
  color = vec4(dither(encode(c)), 1.0);
}`,
  },

  surface: {
    vertex: `#version 300 es
layout(location = 0) in vec3 a_position;
layout(location = 1) in vec3 a_normal;
layout(location = 2) in float a_pressure;
uniform mat4 u_model, u_view_projection;
out vec3 v_position, v_normal;
out float v_pressure;
void main() {
  vec4 p = u_model * vec4(a_position, 1.0);
  v_position = p.xyz;
  v_normal = mat3(u_model) * a_normal;
  v_pressure = a_pressure;
  gl_Position = u_view_projection * p;
}`,
    fragment: `${GLSL_COMMON}
in vec3 v_position, v_normal;
in float v_pressure;
uniform vec3 u_eye, u_key, u_fill, u_base, u_stops[6], u_centre;
uniform sampler2D u_occlusion;
uniform vec4 u_cut;
uniform float u_occluded, u_alpha, u_soft, u_gloss, u_pressure_gain, u_fade_start, u_ambient, u_glow;
out vec4 color;

vec3 stops(float t) {
  float s = clamp(t, 0.0, 1.0) * 5.0;
  int i = int(min(floor(s), 4.0));
  return mix(u_stops[i], u_stops[i + 1], s - float(i));
}

void main() {
  if (dot(u_cut.xyz, v_position) + u_cut.w > 0.0) discard;
  vec3 n = normalize(v_normal), v = normalize(u_eye - v_position), position = v_position;
  // Behind the plane the inside of a closed surface shows: the plane itself is drawn there, as solid matter.
  bool section = !gl_FrontFacing && dot(u_cut.xyz, u_cut.xyz) > 0.0;
  if (section) {
    n = u_cut.xyz;
    position += v * max(0.0, -(dot(n, position) + u_cut.w) / max(dot(n, v), 1e-3));
  } else if (!gl_FrontFacing) {
    n = -n;
  }
  float t = section ? 0.0 : v_pressure * u_pressure_gain;
  float mark = smoothstep(0.0, 0.22, t) * 0.94;
  vec3 scale_color = stops(t);
  vec3 base = mix(section ? mix(u_base, vec3(0.85, 0.62, 0.55), 0.55) : u_base, scale_color, mark);

  // Light bleeds past the terminator in soft tissue, red the furthest.
  vec3 wrap = u_soft * vec3(0.42, 0.20, 0.14) * (1.0 - mark);
  vec3 facing = clamp((dot(n, u_key) + wrap) / (1.0 + wrap), 0.0, 1.0);
  float shadow = lit(position, n);
  vec3 bleed = mix(vec3(shadow), vec3(pow(shadow, 0.6), shadow, shadow), u_soft);
  vec3 key = 2.05 * vec3(1.0, 0.965, 0.91) * facing * bleed;
  vec3 fill = 0.55 * vec3(0.80, 0.90, 1.0) * max(dot(n, u_fill) * 0.6 + 0.4, 0.0);
  float up = n.z * 0.5 + 0.5;
  vec3 ambient = u_ambient * mix(vec3(0.34, 0.31, 0.30), vec3(0.72, 0.78, 0.88), up);
  float open = mix(1.0, texture(u_occlusion, gl_FragCoord.xy / u_viewport).r, section ? 0.0 : u_occluded);
  // Light that enters a crease of skin comes back red.
  vec3 dim = pow(vec3(open), mix(vec3(1.0), vec3(0.75, 1.1, 1.15), u_soft));
  vec3 c = base * 0.45 * (key * mix(vec3(1.0), dim, 0.45) + (fill + ambient) * dim);

  vec3 h = normalize(u_key + v);
  float fresnel = pow(1.0 - max(dot(n, v), 0.0), 4.0);
  float power = mix(14.0, 90.0, u_gloss);
  float spec = pow(max(dot(n, h), 0.0), power) * (power + 8.0) / 80.0 * mix(0.05, 0.30, u_gloss);
  c += spec * shadow * open * max(dot(n, u_key), 0.0) * (1.0 - 0.7 * mark);
  c += fresnel * mix(0.10, 0.22, u_gloss) * mix(u_sky_bottom, u_sky_top, up) * (0.4 + 0.6 * shadow) * open;
  c = mix(c, scale_color, 0.45 * mark);
  c = mix(c, u_base, u_glow);
  c = tone(c);
  float away = length(v_position.xy - u_centre.xy) / u_fade_start;
  c = mix(c, background(), smoothstep(0.7, 1.6, away));
  float alpha = u_alpha < 1.0 ? mix(u_alpha, min(1.0, u_alpha + 0.5), max(fresnel, mark)) : 1.0;
  color = vec4(dither(encode(c)), alpha);
}`,
  },
};
