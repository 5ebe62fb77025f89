// The small 3-D view of both poses. Surfaces that moved are orange in the actual pose and blue in the golden pose. The others are grey.

const view3d = { mesh: null, camera: null, poses: "both", isDragged: false, hovered: -1 };
const POSES = [["both", "both"], ["golden", "golden"], ["actual", "actual"]];
// Distances as fractions of the box's half size. A vertex that moved farther than `UNMOVED` is coloured, and one that moved by `FULL` has
// the full colour.
const [UNMOVED, FULL] = [0.0006, 0.04];

function bytesOf(base64) {
  const text = atob(base64);
  const bytes = new Uint8Array(text.length);
  for (let i = 0; i < text.length; i++) bytes[i] = text.charCodeAt(i);
  return bytes;
}

// Decodes the view of a case: positions in metres, and for each triangle how far it moved, from 0 to 1. Triangles with vertices that do
// not exist are left out.
function meshOf(source) {
  const { centre, half } = source.box;
  const metres = base64 => {
    const words = new Int16Array(bytesOf(base64).buffer);
    return Float32Array.from(words, (word, i) => centre[i % 3] + word / 32767 * half);
  };
  const [golden, actual] = [metres(source.golden), metres(source.actual)];
  const vertices = Math.min(golden.length, actual.length) / 3;
  const all = new Uint32Array(bytesOf(source.triangles).buffer);
  const part = new Int32Array(all.length / 3).fill(-1);
  source.parts.forEach(({ first_triangle: first, triangles }, i) => part.fill(i, first, first + triangles));
  const moved = new Float32Array(all.length / 3);
  for (let t = 0; t < moved.length; t++) {
    let largest = 0;
    for (const v of all.subarray(3 * t, 3 * t + 3)) {
      const at = 3 * v;
      largest = v < vertices ? Math.max(largest, Math.hypot(golden[at] - actual[at], golden[at + 1] - actual[at + 1], golden[at + 2] - actual[at + 2])) : NaN;
    }
    moved[t] = Number.isNaN(largest) ? -1 : clamp((largest / half - UNMOVED) / (FULL - UNMOVED), 0, 1);
  }
  // The distances in the report are relative to the parent joint, so world distances are computed here.
  const joints = source.joints.map(joint => ({ ...joint, path: Math.hypot(...sub(joint.golden, joint.actual)) }));
  const normals = { golden: normalsOf(golden, all), actual: normalsOf(actual, all) };
  return { golden, actual, normals, triangles: all, part, moved, half, centre, joints, parts: source.parts, camera: source.camera };
}

const sub = (a, b) => a.map((x, i) => x - b[i]);
const cross = (a, b) => [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]];
const unit = a => { const length = Math.hypot(...a) || 1; return a.map(x => x / length); };

// The camera of the case as a target, a distance, and two angles around the target.
function resetCamera() {
  const { camera, half, centre } = view3d.mesh;
  const { position, target, fov, height } = camera ?? { position: [centre[0], centre[1], centre[2] + 4 * half], target: centre, fov: 0.6 };
  const offset = sub(position, target);
  const distance = Math.hypot(...offset) || 4 * half;
  view3d.camera = {
    target: [...target], distance, yaw: Math.atan2(offset[0], offset[2]), pitch: Math.asin(clamp(offset[1] / distance, -1, 1)),
    fov, height: fov ? null : height ?? 2 * half,
  };
}

// The eye and the axes of the camera. `back` points from the target to the eye.
function cameraAxes() {
  const { target, distance, yaw, pitch, fov, height } = view3d.camera;
  const back = [Math.sin(yaw) * Math.cos(pitch), Math.sin(pitch), Math.cos(yaw) * Math.cos(pitch)];
  const right = [Math.cos(yaw), 0, -Math.sin(yaw)];
  const up = cross(back, right);
  return { eye: target.map((x, i) => x + distance * back[i]), right, up, back, fov, height, near: 0.01 * distance };
}

const SHADES = 32;
// The colours of triangles from unmoved to fully moved, as [r, g, b]. The colours of parts that are not highlighted are closer to the
// background.
function shades(name, pale) {
  const [same, moved] = [rgbOf(colourOf("--same")), rgbOf(colourOf(name))];
  const paper = isDark() ? 30 : 225;
  const shade = share => same.map((x, i) => { const colour = x + share * (moved[i] - x); return colour + pale * (paper - colour); });
  return Array.from({ length: SHADES + 1 }, (_, i) => shade(i / SHADES));
}

function drawView() {
  const { mesh } = view3d;
  const canvas = byId("view-canvas");
  if (!mesh || !canvas.clientWidth) return;
  const { context, width, height, ratio } = prepare(canvas);
  const camera = cameraAxes();
  // While the view turns, fewer pixels are drawn. When it is still, more pixels are drawn than the screen has, which smooths the
  // edges.
  const scale = view3d.isDragged ? 1 : Math.min(2 * ratio, 3);
  const [w, h] = [Math.round(width * scale), Math.round(height * scale)];
  const part = mesh.parts.findIndex(p => p.name === selectedChange()?.part);
  const draw = (name, isDrawn) => {
    const target = newTarget(w, h);
    const [clear, pale] = [shades("--" + name, 0), shades("--" + name, 0.45)];
    const colourAt = t => (part >= 0 && mesh.part[t] !== part ? pale : clear)[Math.round(mesh.moved[t] * SHADES)];
    drawTriangles(target, project(mesh[name], camera, w, h), mesh.normals[name], mesh.triangles, camera, isDrawn, colourAt);
    return target;
  };
  const { poses } = view3d;
  const base = draw(poses === "golden" ? "golden" : "actual", t => mesh.moved[t] >= 0);
  if (poses === "both") blendTargets(base, draw("golden", t => mesh.moved[t] > 0));
  const image = make("canvas", { width: w, height: h });
  image.getContext("2d").putImageData(base.image, 0, 0);
  context.clearRect(0, 0, width, height);
  context.imageSmoothingQuality = "high";
  context.drawImage(image, 0, 0, width, height);
  drawJoints(context, camera, width, height);
  canvas.ariaLabel = `3-D view of ${state.entry.row.name}: ${poses === "both" ? "both poses" : poses + " pose"}, ${mesh.triangles.length / 3} triangles`;
}

const isMoved = joint => joint.path > 0.004 * view3d.mesh.half;

// Draws a line from the golden to the actual position of each joint that moved, and labels the highlighted joint.
function drawJoints(context, camera, width, height) {
  const { joints } = view3d.mesh;
  const at = key => project(joints.flatMap(j => j[key]), camera, width, height);
  const [golden, actual] = [at("golden"), at("actual")];
  const line = (a, i, b, j) => { context.beginPath(); context.moveTo(a[3 * i], a[3 * i + 1]); context.lineTo(b[3 * j], b[3 * j + 1]); context.stroke(); };
  if (byId("bones").checked) {
    context.lineWidth = 1.5;
    const skeletons = [["golden", golden], ["actual", actual]].filter(([name]) => view3d.poses === "both" || view3d.poses === name);
    for (const [name, points] of skeletons) {
      context.strokeStyle = colourOf("--" + name);
      joints.forEach((joint, i) => { if (joints[joint.parent]) line(points, joint.parent, points, i); });
    }
  }
  const chosen = joints.findIndex(j => j.name === selectedChange()?.joint);
  joints.forEach((joint, i) => {
    if (!isMoved(joint) && i !== chosen) return;
    context.lineWidth = i === chosen ? 2.5 : 1.25;
    context.strokeStyle = colourOf("--ink");
    line(golden, i, actual, i);
    for (const [name, points] of [["golden", golden], ["actual", actual]]) {
      context.fillStyle = colourOf("--" + name);
      context.beginPath();
      context.arc(points[3 * i], points[3 * i + 1], i === chosen ? 5 : 2, 0, 2 * Math.PI);
      context.fill();
      if (i === chosen) context.stroke();
    }
  });
  view3d.screen = actual;
  const named = view3d.hovered >= 0 ? view3d.hovered : chosen;
  const tag = byId("view-tag");
  tag.hidden = named < 0;
  if (named >= 0) {
    const { name, path, angle } = joints[named];
    tag.textContent = [name, path && `moved ${lengthText(path)}`, angle && `turned ${angleText(angle)}`].filter(Boolean).join(", ");
  }
}

function turnView(dx, dy) {
  view3d.camera.yaw -= dx * 0.01;
  view3d.camera.pitch = clamp(view3d.camera.pitch + dy * 0.01, -1.55, 1.55);
  drawView();
}

function shiftView(dx, dy) {
  const { camera } = view3d;
  const { right, up } = cameraAxes();
  const metres = (camera.fov ? 2 * camera.distance * Math.tan(camera.fov / 2) : camera.height) / byId("view-canvas").clientHeight;
  camera.target = camera.target.map((x, i) => x - metres * (dx * right[i] - dy * up[i]));
  drawView();
}

function zoomView(factor) {
  const { camera, mesh } = view3d;
  if (camera.fov) camera.distance = clamp(camera.distance * factor, 0.02 * mesh.half, 100 * mesh.half);
  else camera.height = clamp(camera.height * factor, 0.01 * mesh.half, 100 * mesh.half);
  drawView();
}

function showView() {
  view3d.mesh = null;
  view3d.hovered = -1;
  const source = state.entry.row.view;
  const node = byId("view");
  node.hidden = !source;
  if (!source) return;
  // If there are no images, the view takes their place.
  node.classList.toggle("large", !hasImage(state.entry));
  if (hasImage(state.entry)) byId("changes").after(node); else byId("main").append(node);
  view3d.mesh = meshOf(source);
  resetCamera();
  radios(byId("view-modes"), POSES, view3d.poses, setPoses);
  requestAnimationFrame(drawView);
}

function setPoses(poses) {
  view3d.poses = poses;
  radios(byId("view-modes"), POSES, poses, setPoses);
  drawView();
}

// The moved joint whose actual position is near a point of the canvas, or -1.
function jointAt(x, y) {
  let [best, near] = [-1, 12];
  view3d.mesh.joints.forEach((joint, i) => {
    const away = Math.hypot(view3d.screen[3 * i] - x, view3d.screen[3 * i + 1] - y);
    if (isMoved(joint) && away < near) [best, near] = [i, away];
  });
  return best;
}

function connectView() {
  const canvas = byId("view-canvas");
  let last = null;
  canvas.onpointerdown = event => {
    canvas.setPointerCapture(event.pointerId);
    last = [event.offsetX, event.offsetY];
    view3d.isDragged = true;
  };
  canvas.onpointermove = event => {
    const [x, y] = [event.offsetX, event.offsetY];
    if (last) {
      (event.shiftKey || event.buttons & 6 ? shiftView : turnView)(x - last[0], y - last[1]);
      last = [x, y];
    } else if (view3d.mesh) {
      const joint = jointAt(x, y);
      if (joint === view3d.hovered) return;
      view3d.hovered = joint;
      drawView();
    }
  };
  const end = () => { last = null; view3d.isDragged = false; drawView(); };
  canvas.onpointerup = canvas.onpointercancel = end;
  canvas.oncontextmenu = event => event.preventDefault();
  canvas.ondblclick = byId("view-reset").onclick = () => { resetCamera(); drawView(); };
  canvas.addEventListener("wheel", event => { event.preventDefault(); zoomView(Math.exp(clamp(event.deltaY, -100, 100) * 0.002)); }, { passive: false });
  canvas.onkeydown = event => {
    const turns = { ArrowLeft: [-12, 0], ArrowRight: [12, 0], ArrowUp: [0, -12], ArrowDown: [0, 12] };
    if (turns[event.key]) turnView(...turns[event.key]);
    else if (event.key === "+" || event.key === "=") zoomView(0.8);
    else if (event.key === "-") zoomView(1.25);
    else if (event.key === "0") { resetCamera(); drawView(); } else return;
    event.preventDefault();
    event.stopPropagation();
  };
  byId("bones").onchange = drawView;
  new ResizeObserver(drawView).observe(canvas);
  on("change", drawView);
  on("entry", showView);
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", drawView);
}
