// Draws triangles with a depth buffer, without the GPU. Unlike the painter's algorithm, this needs no sorting and is correct where
// triangles intersect, as they do in two poses of one character.

// A target of `width` by `height` pixels. Each pixel has a colour, as RGBA bytes in one number, and a depth. Larger depths are nearer.
function newTarget(width, height) {
  const image = new ImageData(width, height);
  return { width, height, image, colours: new Uint32Array(image.data.buffer), depths: new Float32Array(width * height).fill(-Infinity) };
}

const packed = (r, g, b, a = 255) => (a << 24 | b << 16 | g << 8 | r) >>> 0;

// Projects points. `points` are x, y and z in metres. Returns x and y in pixels, and a depth that is linear on the screen; a point behind
// the camera has the depth `NaN`.
function project(points, camera, width, height) {
  const { eye, right, up, back } = camera;
  const out = new Float32Array(points.length);
  const [cx, cy] = [width / 2, height / 2];
  const scale = camera.fov ? cy / Math.tan(camera.fov / 2) : height / camera.height;
  for (let i = 0; i < points.length; i += 3) {
    const [x, y, z] = [points[i] - eye[0], points[i + 1] - eye[1], points[i + 2] - eye[2]];
    const distance = -(x * back[0] + y * back[1] + z * back[2]);
    const ahead = camera.fov ? 1 / distance : 1;
    out[i] = cx + scale * ahead * (x * right[0] + y * right[1] + z * right[2]);
    out[i + 1] = cy - scale * ahead * (x * up[0] + y * up[1] + z * up[2]);
    out[i + 2] = camera.fov ? (distance > camera.near ? ahead : NaN) : -distance;
  }
  return out;
}

// Fills the triangle of three projected points, given as indices into `points`, with one colour.
function fillTriangle(target, points, a, b, c, colour) {
  const { width, height, colours, depths } = target;
  const [ax, ay, az] = [points[a], points[a + 1], points[a + 2]];
  const [bx, by, bz] = [points[b], points[b + 1], points[b + 2]];
  const [cx, cy, cz] = [points[c], points[c + 1], points[c + 2]];
  const area = (bx - ax) * (cy - ay) - (cx - ax) * (by - ay);
  if (!(Math.abs(area) > 1e-6) || !(az + bz + cz < Infinity)) return;
  const left = Math.max(0, Math.ceil(Math.min(ax, bx, cx) - 0.5));
  const right = Math.min(width - 1, Math.floor(Math.max(ax, bx, cx) - 0.5));
  const top = Math.max(0, Math.ceil(Math.min(ay, by, cy) - 0.5));
  const bottom = Math.min(height - 1, Math.floor(Math.max(ay, by, cy) - 0.5));
  // Steps of the barycentric coordinates and of the depth.
  const [bdx, bdy] = [(cy - ay) / area, (ax - cx) / area];
  const [cdx, cdy] = [(ay - by) / area, (bx - ax) / area];
  const [zdx, zdy] = [bdx * (bz - az) + cdx * (cz - az), bdy * (bz - az) + cdy * (cz - az)];
  for (let y = top; y <= bottom; y++) {
    const [px, py] = [left + 0.5 - ax, y + 0.5 - ay];
    let [u, v, z] = [bdx * px + bdy * py, cdx * px + cdy * py, az + zdx * px + zdy * py];
    for (let x = left, at = y * width + left; x <= right; x++, at++, u += bdx, v += cdx, z += zdx) {
      if (u < -1e-6 || v < -1e-6 || u + v > 1.000001 || z <= depths[at]) continue;
      depths[at] = z;
      colours[at] = colour;
    }
  }
}

// The unit normals of triangles. `points` are in metres.
function normalsOf(points, triangles) {
  const normals = new Float32Array(triangles.length);
  for (let i = 0; i < triangles.length; i += 3) {
    const [a, b, c] = [3 * triangles[i], 3 * triangles[i + 1], 3 * triangles[i + 2]];
    const [ex, ey, ez] = [points[b] - points[a], points[b + 1] - points[a + 1], points[b + 2] - points[a + 2]];
    const [fx, fy, fz] = [points[c] - points[a], points[c + 1] - points[a + 1], points[c + 2] - points[a + 2]];
    const [x, y, z] = [ey * fz - ez * fy, ez * fx - ex * fz, ex * fy - ey * fx];
    const length = Math.hypot(x, y, z) || 1;
    normals[i] = x / length;
    normals[i + 1] = y / length;
    normals[i + 2] = z / length;
  }
  return normals;
}

// Draws triangles with a light beside the camera, which shines on both sides of them. `isDrawn` chooses triangles by number, and `colourAt`
// returns the colour of one as [r, g, b].
function drawTriangles(target, projected, normals, triangles, camera, isDrawn, colourAt) {
  const { right, up, back } = camera;
  const [lx, ly, lz] = back.map((x, i) => 0.35 * right[i] + 0.45 * up[i] + 0.82 * x);
  for (let t = 0, i = 0; i < triangles.length; t++, i += 3) {
    if (!isDrawn(t)) continue;
    const [x, y, z] = [normals[i], normals[i + 1], normals[i + 2]];
    const side = x * back[0] + y * back[1] + z * back[2] < 0 ? -1 : 1;
    const light = 0.42 + 0.58 * Math.max(0, side * (x * lx + y * ly + z * lz));
    const colour = colourAt(t);
    fillTriangle(target, projected, 3 * triangles[i], 3 * triangles[i + 1], 3 * triangles[i + 2], packed(light * colour[0], light * colour[1], light * colour[2]));
  }
}

// Blends the golden over the actual pose. Where the golden is behind the actual pose, only a faint trace of it is visible.
function blendTargets(actual, golden) {
  const [over, under] = [golden.image.data, actual.image.data];
  for (let i = 0, at = 0; i < golden.depths.length; i++, at += 4) {
    if (golden.depths[i] === -Infinity) continue;
    const isHidden = actual.depths[i] > golden.depths[i];
    const isEmpty = actual.depths[i] === -Infinity;
    if (isEmpty) {
      for (let c = 0; c < 3; c++) under[at + c] = over[at + c];
      under[at + 3] = 150;
      continue;
    }
    const share = isHidden ? 0.14 : 0.5;
    for (let c = 0; c < 3; c++) under[at + c] += share * (over[at + c] - under[at + c]);
  }
}
