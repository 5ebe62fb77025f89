// The ways to compare the golden with the actual image.

const MODES = {
  side: "side by side",
  slider: "slider",
  onion: "onion skin",
  blink: "blink",
  difference: "difference",
};
const MODE_NAMES = Object.keys(MODES);
const BLINK_MILLISECONDS = 600;

// `cut` and `mix` are the positions of the slider and of the onion skin, `phase` is the image that blinks, and `map` is the kind of
// difference that is drawn.
const compareState = { cut: 0.5, mix: 0.5, phase: 0, isPaused: matchMedia("(prefers-reduced-motion: reduce)").matches, map: "kinds", pointer: null };
// Images that are computed from the images of the case. They are kept until another case or another change is selected.
let painted = {};

function setMode(mode) {
  state.mode = mode;
  compareState.phase = 0;
  emit("mode");
  emit("draw");
}

function setCut(cut) {
  compareState.cut = clamp(cut, 0, 1);
  byId("cut").value = 100 * compareState.cut;
  emit("draw");
}

function setMix(mix) {
  compareState.mix = clamp(mix, 0, 1);
  byId("mix").value = 100 * compareState.mix;
  emit("draw");
}

// The space bar starts blinking, pauses it, and continues it.
function pauseOrBlink() {
  if (state.mode === "blink") compareState.isPaused = !compareState.isPaused;
  else setMode("blink");
  emit("mode");
}

// Handles the left and right arrow keys, whose effect depends on the mode.
function adjust(step) {
  if (state.mode === "slider") setCut(compareState.cut + step * 0.02);
  if (state.mode === "onion") setMix(compareState.mix + step * 0.05);
  if (state.mode === "blink") {
    compareState.isPaused = true;
    compareState.phase = step > 0 ? 1 : 0;
    emit("mode");
    emit("draw");
  }
}

// The kinds of differences that this case has, with their names.
function maps() {
  if (!hasBoth() || shown.isIdentical) return [];
  return [["kinds", "by kind", shown.map], ["flip", "perceived (FLIP)", shown.flip], ["levels", "in levels", true]].filter(m => m[2]);
}
const mapName = () => (maps().find(([name]) => name === compareState.map) ?? maps()[0])?.[0];

function differenceImage() {
  const name = mapName();
  if (name === "flip") return shown.flip;
  return painted[name] ??= name === "kinds" ? paintKinds() : paintLevels();
}

// Shows which controls belong to the mode.
function showMode() {
  const both = hasBoth();
  const choices = MODE_NAMES.map((mode, i) => [mode, MODES[mode], String(i + 1), mode !== "side" && (!both || (mode === "difference" && shown.isIdentical))]);
  // After a click, the arrow keys move the slider. With the keyboard, they choose the mode.
  radios(byId("modes"), choices, effectiveMode(), (mode, event) => {
    setMode(mode);
    if (event.detail) byId("canvas").focus({ preventScroll: true });
  });
  const mode = effectiveMode();
  byId("cut-tool").hidden = mode !== "slider";
  byId("mix-tool").hidden = mode !== "onion";
  byId("blink-tool").hidden = mode !== "blink";
  byId("map-tool").hidden = mode !== "difference" || maps().length < 2;
  byId("pause").textContent = compareState.isPaused ? "blink (space)" : "pause (space)";
  const select = byId("map");
  select.replaceChildren(...maps().map(([value, text]) => make("option", { value }, text)));
  select.value = mapName() ?? "";
  byId("legend").replaceChildren(...(mode === "difference" && mapName() === "kinds" ? legend() : []));
}

// A case without two images can only be shown, whatever mode is chosen for other cases.
const effectiveMode = () => !hasBoth() || (state.mode === "difference" && shown.isIdentical) ? "side" : state.mode;

function legend() {
  const pixels = new Map();
  for (const change of state.entry.changes) pixels.set(change.kind, (pixels.get(change.kind) ?? 0) + change.pixels);
  return [...pixels].filter(([, n]) => n > 0).map(([kind, n]) => {
    const swatch = make("i", { className: "swatch" });
    swatch.style.setProperty("--kind", kindColour(kind));
    return make("span", {}, swatch, `${kindText(kind)}, ${thousands(n)} px`);
  });
}

function drawImage(context, image, pane, alpha = 1) {
  context.imageSmoothingEnabled = view.zoom < 1;
  context.imageSmoothingQuality = "high";
  context.globalAlpha = alpha;
  context.drawImage(image, pane.left, pane.top, shown.width * view.zoom, shown.height * view.zoom);
  context.globalAlpha = 1;
}

// Draws squares behind the image, so that transparent pixels are visible as such.
function drawBackground(context, pane) {
  const [width, height] = [shown.width * view.zoom, shown.height * view.zoom];
  const tile = make("canvas", { width: 16, height: 16 });
  const paper = tile.getContext("2d");
  paper.fillStyle = colourOf("--check");
  paper.fillRect(0, 0, 8, 8);
  paper.fillRect(8, 8, 8, 8);
  context.fillStyle = context.createPattern(tile, "repeat");
  context.fillRect(pane.left, pane.top, width, height);
}

function inPane(context, pane, draw) {
  context.save();
  context.beginPath();
  context.rect(pane.x, pane.y, pane.width, pane.height);
  context.clip();
  draw();
  context.restore();
}

function drawCompare() {
  const { context, width, height, ratio } = prepare(byId("canvas"));
  context.clearRect(0, 0, width, height);
  const mode = effectiveMode();
  const list = panes(width, height, ratio).map(pane => place(pane, ratio));
  const names = { left: "", right: "" };
  if (shown.width) {
    list.forEach((pane, i) => inPane(context, pane, () => {
      drawBackground(context, pane);
      const first = list.length > 1 ? [shown.golden, shown.actual][i] : shown.golden ?? shown.actual;
      if (mode === "difference") drawImage(context, differenceImage(), pane);
      else if (mode === "blink") drawImage(context, [shown.golden, shown.actual][compareState.phase], pane);
      else drawImage(context, first, pane);
      if (mode === "slider") drawSlider(context, pane);
      if (mode === "onion") drawImage(context, shown.actual, pane, compareState.mix);
      drawHighlight(context, pane);
      drawPointer(context, pane);
    }));
    if (list.length > 1) {
      context.fillStyle = colourOf("--line");
      if (list[1].x) context.fillRect(list[0].width, 0, list[1].x - list[0].width, height);
      else context.fillRect(0, list[0].height, width, list[1].y - list[0].height);
    }
    Object.assign(names, tags(mode, list.length));
  }
  byId("tag-left").textContent = names.left;
  byId("tag-right").textContent = names.right;
  byId("stage").classList.toggle("beside", list.length > 1 && list[1].x > 0);
  byId("stage").classList.toggle("stacked", list.length > 1 && list[1].y > 0);
  byId("zoom").textContent = shown.width ? Math.round(view.zoom * 100) + " %" : "";
  byId("canvas").ariaLabel = shown.width ? `${state.entry.row.name}: ${MODES[mode]}, ${shown.width} by ${shown.height} pixels` : "no image";
}

// The texts of the labels above the images.
function tags(mode, count) {
  if (count > 1 || mode === "slider" || mode === "onion") return { left: "golden", right: "actual" };
  if (mode === "blink") return compareState.phase ? { right: "actual" } : { left: "golden" };
  if (mode === "difference") return { left: "difference " + (maps().find(m => m[0] === mapName())?.[1] ?? "") };
  if (shown.isIdentical) return { left: state.entry.row.fails ? "golden and actual" : "golden and actual are identical" };
  return { left: shown.golden ? "golden" : "actual (no golden to compare with)" };
}

function drawSlider(context, pane) {
  const x = pane.left + compareState.cut * shown.width * view.zoom;
  context.save();
  context.beginPath();
  context.rect(x, 0, pane.x + pane.width - x, pane.height);
  context.clip();
  drawBackground(context, pane);
  drawImage(context, shown.actual, pane);
  context.restore();
  context.fillStyle = colourOf("--actual");
  context.fillRect(x - 1, 0, 2, pane.height);
  context.beginPath();
  context.arc(x, pane.height / 2, 9, 0, 2 * Math.PI);
  context.fill();
  context.fillStyle = "#fff";
  for (const side of [-1, 1]) {
    context.beginPath();
    context.moveTo(x + side * 6.5, pane.height / 2);
    context.lineTo(x + side * 2, pane.height / 2 - 4);
    context.lineTo(x + side * 2, pane.height / 2 + 4);
    context.fill();
  }
}

// Draws the outline and the box of the highlighted change.
function drawHighlight(context, pane) {
  const change = selectedChange();
  if (!change) return;
  // The outline of a change that covers half of the image would hide the image itself.
  const isSmall = change.pixels < 0.2 * shown.width * shown.height;
  if (shown.map && isSmall && effectiveMode() !== "difference") drawImage(context, painted.outline ??= paintOutline(state.change), pane);
  if (!change.box) return;
  const [x0, y0, x1, y1] = change.box;
  const rect = [pane.left + x0 * view.zoom - 2, pane.top + y0 * view.zoom - 2, (x1 - x0) * view.zoom + 4, (y1 - y0) * view.zoom + 4];
  context.lineWidth = 3;
  context.strokeStyle = "#0009";
  context.strokeRect(...rect);
  context.lineWidth = 1.5;
  context.strokeStyle = kindColour(change.kind);
  context.strokeRect(...rect);
}

// In the other pane, a frame marks the pixel that is under the pointer.
function drawPointer(context, pane) {
  const { pointer } = compareState;
  if (!pointer || !isInside(pointer)) return;
  const size = Math.max(view.zoom, 3);
  context.lineWidth = 1;
  context.strokeStyle = "#000";
  const [x, y] = [pane.left + Math.floor(pointer.x) * view.zoom, pane.top + Math.floor(pointer.y) * view.zoom];
  context.strokeRect(x - 1, y - 1, size + 2, size + 2);
  context.strokeStyle = "#fff";
  context.strokeRect(x, y, size, size);
}

const isInside = point => point.x >= 0 && point.y >= 0 && point.x < shown.width && point.y < shown.height;

function setPointer(point) {
  compareState.pointer = point;
  showReadout();
  emit("draw");
}

// Shows the colours of the pixel under the pointer, and the change to which it belongs.
function showReadout() {
  const { pointer } = compareState;
  if (!pointer || !shown.width || !isInside(pointer)) return byId("readout").replaceChildren();
  const [x, y] = [Math.floor(pointer.x), Math.floor(pointer.y)];
  const at = 4 * (y * shown.width + x);
  const colour = (name, bytes) => {
    const rgba = [...bytes.slice(at, at + 4)];
    const swatch = make("i", { className: "swatch" });
    swatch.style.setProperty("--colour", `rgb(${rgba[0]} ${rgba[1]} ${rgba[2]} / ${rgba[3] / 255})`);
    return make("span", {}, name + " ", swatch, make("b", {}, rgba.join(" ")));
  };
  const parts = [make("span", {}, "x ", make("b", {}, x), " y ", make("b", {}, y))];
  if (shown.golden) parts.push(colour("golden", shown.pixels.golden));
  if (shown.actual) parts.push(colour("actual", shown.pixels.actual));
  if (hasBoth()) parts.push(make("span", {}, "differs by ", make("b", {}, count(levelsAt(at), "level"))));
  const index = changeAt(x, y);
  const change = state.entry.changes[index];
  if (change) {
    const swatch = make("i", { className: "swatch kind" });
    swatch.style.setProperty("--kind", kindColour(change.kind));
    parts.push(make("span", {}, swatch, `${kindText(change.kind)}: `, ...named(change.text)));
  }
  byId("readout").replaceChildren(...parts);
}

function connectCompare() {
  connectStage();
  byId("cut").oninput = () => setCut(byId("cut").value / 100);
  byId("mix").oninput = () => setMix(byId("mix").value / 100);
  byId("pause").onclick = pauseOrBlink;
  byId("map").onchange = () => { compareState.map = byId("map").value; emit("mode"); emit("draw"); };
  setInterval(() => {
    if (effectiveMode() !== "blink" || compareState.isPaused || document.hidden) return;
    compareState.phase = 1 - compareState.phase;
    emit("draw");
  }, BLINK_MILLISECONDS);
  // Whether a drawing is already scheduled. Many events may request the same drawing.
  let isAsked = false;
  on("draw", () => {
    if (isAsked) return;
    isAsked = true;
    requestAnimationFrame(() => { isAsked = false; drawCompare(); });
  });
  on("images", () => {
    painted = {};
    compareState.pointer = null;
    view.fit = true;
    byId("compare").hidden = !hasImage(state.entry);
    showReadout();
    showMode();
    emit("draw");
  });
  on("mode", showMode);
  on("change", () => { painted = { levels: painted.levels }; emit("draw"); });
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => { painted = {}; emit("draw"); });
}
