// SPDX-License-Identifier: LGPL-2.1-or-later
// Reads the data embedded in the page: a JSON header and one deflated block of byte planes (see packing.py).

const TYPES = {
  uint8: Uint8Array,
  uint16: Uint16Array,
  uint32: Uint32Array,
  int32: Int32Array,
  float32: Float32Array,
};

async function inflate(text) {
  if (typeof DecompressionStream === "undefined") {
    throw new Error("This browser cannot unpack the page's data (no DecompressionStream). Please update it.");
  }
  const bytes = Uint8Array.from(atob(text), (c) => c.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}

function unpack(block, entry) {
  const Type = TYPES[entry.type];
  const count = entry.shape.reduce((a, b) => a * b, 1);
  const size = Type.BYTES_PER_ELEMENT;
  const bytes = new Uint8Array(count * size);
  for (let plane = 0; plane < size; plane++) {
    const start = entry.offset + plane * count;
    for (let i = 0, j = plane; i < count; i++, j += size) bytes[j] = block[start + i];
  }
  const array = new Type(bytes.buffer);
  if (entry.delta) {
    // Sums wrap around like the differences did.
    const row = count / entry.shape[0];
    for (let i = row; i < count; i++) array[i] += array[i - row];
  }
  return array;
}

// The page's header and arrays by name.
async function readPage() {
  const header = JSON.parse(document.getElementById("header").textContent);
  const block = await inflate(document.getElementById("data").textContent.trim());
  const arrays = {};
  for (const [name, entry] of Object.entries(header.arrays)) arrays[name] = unpack(block, entry);
  return { header, arrays };
}

async function loadReplay() {
  const { header, arrays } = await readPage();
  return { header, arrays, patches: readPatches(header, arrays) };
}

// Per frame a list of {body, other, number, centre, force, torque, normalForce, area, pressureMean, pressureMax,
// slipGauge}; quantities the run did not give are NaN.
function readPatches(header, arrays) {
  const start = arrays["patches.start"];
  const pair = arrays["patches.pair"];
  const values = arrays["patches.values"];
  const columns = header.patch_columns.length;
  const frames = [];
  for (let frame = 0; frame < header.frame_count; frame++) {
    const list = [];
    for (let i = start[frame]; i < start[frame + 1]; i++) {
      const row = values.subarray(i * columns, (i + 1) * columns);
      const force = Array.from(row.subarray(3, 6));
      list.push({
        body: header.patch_names[pair[2 * i]],
        other: header.patch_names[pair[2 * i + 1]],
        centre: Array.from(row.subarray(0, 3)),
        force,
        torque: Array.from(row.subarray(6, 9)),
        normalForce: Number.isNaN(row[9]) ? Math.hypot(...force) : row[9],
        area: row[10],
        pressureMean: row[11],
        pressureMax: row[12],
        slipGauge: row[13],
        number: row[14],
      });
    }
    frames.push(list);
  }
  return frames;
}
