// SPDX-License-Identifier: LGPL-2.1-or-later
// Triangle meshes: vertices split at sharp edges, normals, and the parts of an arrow.

const CREASE_COSINE = Math.cos((52 * Math.PI) / 180);

function faceNormals(positions, triangles) {
  const normals = new Float32Array(triangles.length);
  for (let t = 0; t < triangles.length; t += 3) {
    const n = crossOfTriangle(positions, triangles[t], triangles[t + 1], triangles[t + 2]);
    const length = Math.hypot(n[0], n[1], n[2]) || 1;
    for (let i = 0; i < 3; i++) normals[t + i] = n[i] / length;
  }
  return normals;
}

function crossOfTriangle(p, a, b, c) {
  const [ax, ay, az] = [p[3 * a], p[3 * a + 1], p[3 * a + 2]];
  const [ux, uy, uz] = [p[3 * b] - ax, p[3 * b + 1] - ay, p[3 * b + 2] - az];
  const [vx, vy, vz] = [p[3 * c] - ax, p[3 * c + 1] - ay, p[3 * c + 2] - az];
  return [uy * vz - uz * vy, uz * vx - ux * vz, ux * vy - uy * vx];
}

// Smooth shading across a sharp edge makes a box look like a pillow: a vertex gets one copy for each group of
// faces around it that are joined by edges less sharp than the limit. Returns {source, triangles}: source[i] is the
// given vertex that copy i follows.
function splitCreases(positions, triangles) {
  const vertexCount = positions.length / 3;
  const faces = faceNormals(positions, triangles);
  const start = new Uint32Array(vertexCount + 1);
  for (const v of triangles) start[v + 1]++;
  for (let v = 0; v < vertexCount; v++) start[v + 1] += start[v];
  const corners = new Uint32Array(triangles.length);
  const fill = start.slice();
  triangles.forEach((v, corner) => (corners[fill[v]++] = corner));

  const source = [];
  const result = new Uint32Array(triangles.length);
  for (let v = 0; v < vertexCount; v++) {
    const around = corners.subarray(start[v], start[v + 1]);
    const group = Array.from(around, (_, i) => i);
    const find = (i) => (group[i] === i ? i : (group[i] = find(group[i])));
    for (let i = 0; i < around.length; i++) {
      for (let j = 0; j < i; j++) {
        if (find(i) !== find(j) && smoothlyJoined(around[i], around[j], v, triangles, faces)) {
          group[find(i)] = find(j);
        }
      }
    }
    const copies = new Map();
    around.forEach((corner, i) => {
      const root = find(i);
      if (!copies.has(root)) {
        copies.set(root, source.length);
        source.push(v);
      }
      result[corner] = copies.get(root);
    });
  }
  return { source: Uint32Array.from(source), triangles: result };
}

function smoothlyJoined(cornerA, cornerB, vertex, triangles, faces) {
  const a = cornerA - (cornerA % 3);
  const b = cornerB - (cornerB % 3);
  const cosine = faces[a] * faces[b] + faces[a + 1] * faces[b + 1] + faces[a + 2] * faces[b + 2];
  if (cosine < CREASE_COSINE) return false;
  for (let i = 0; i < 3; i++) {
    for (let j = 0; j < 3; j++) {
      if (triangles[a + i] !== vertex && triangles[a + i] === triangles[b + j]) return true;
    }
  }
  return false;
}

// Area-weighted vertex normals, written into `normals`.
function computeNormals(positions, triangles, normals) {
  normals.fill(0);
  for (let t = 0; t < triangles.length; t += 3) {
    const n = crossOfTriangle(positions, triangles[t], triangles[t + 1], triangles[t + 2]);
    for (let corner = 0; corner < 3; corner++) {
      const v = 3 * triangles[t + corner];
      normals[v] += n[0];
      normals[v + 1] += n[1];
      normals[v + 2] += n[2];
    }
  }
  for (let v = 0; v < normals.length; v += 3) {
    const length = Math.hypot(normals[v], normals[v + 1], normals[v + 2]) || 1;
    normals[v] /= length;
    normals[v + 1] /= length;
    normals[v + 2] /= length;
  }
}

// Surface of revolution about z through the given (radius, z) pairs; consecutive equal pairs make a sharp edge.
function revolve(profile, segments = 28) {
  const positions = [];
  const triangles = [];
  for (const [radius, z] of profile) {
    for (let i = 0; i < segments; i++) {
      const angle = (2 * Math.PI * i) / segments;
      positions.push(radius * Math.cos(angle), radius * Math.sin(angle), z);
    }
  }
  for (let ring = 0; ring + 1 < profile.length; ring++) {
    for (let i = 0; i < segments; i++) {
      const a = ring * segments + i;
      const b = ring * segments + ((i + 1) % segments);
      triangles.push(a, b, b + segments, a, b + segments, a + segments);
    }
  }
  const mesh = { positions: Float32Array.from(positions), triangles: Uint32Array.from(triangles) };
  mesh.normals = new Float32Array(mesh.positions.length);
  computeNormals(mesh.positions, mesh.triangles, mesh.normals);
  return mesh;
}

// Shaft: radius 1, z in 0..1. Head: radius 1, tip at z = 0, base at z = -HEAD_ASPECT.
const HEAD_ASPECT = 2.1;
const arrowShaft = () => revolve([[0, 0], [1, 0], [1, 0], [1, 1], [1, 1], [0, 1]]);
const arrowHead = () => revolve([[0, -HEAD_ASPECT], [1, -HEAD_ASPECT], [1, -HEAD_ASPECT], [0.001, 0]]);
