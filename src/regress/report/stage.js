// The area in which images are compared: its zoom, and the mapping between pixels of the image and points on the screen.

// `centre` is the pixel in the middle of a pane. With `fit`, the whole image is shown and `zoom` follows the size of the area.
const view = { zoom: 1, centre: [0, 0], fit: true };
const ZOOMS = [0.125, 0.25, 0.5, 0.75, 1, 1.5, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64];

// The positions of the panes on the canvas. Two images are side by side, or one above the other if that makes them larger.
function panes(width, height, ratio) {
  const whole = { x: 0, y: 0, width, height };
  if (effectiveMode() !== "side" || !hasBoth() || shown.isIdentical) return [whole];
  const [half, low] = [Math.floor((width - 1) / 2), Math.floor((height - 1) / 2)];
  const beside = [{ ...whole, width: half }, { ...whole, x: width - half, width: half }];
  const stacked = [{ ...whole, height: low }, { ...whole, y: height - low, height: low }];
  return fitZoom(stacked[0], ratio) > fitZoom(beside[0], ratio) ? stacked : beside;
}

// The largest zoom at which an image fits into a pane. The zoom of an enlarged image is a multiple of one half, so that its pixels look
// alike.
function fitZoom(pane, ratio) {
  const zoom = Math.min((pane.width - 16) / shown.width, (pane.height - 16) / shown.height);
  return zoom * ratio >= 1 ? Math.floor(2 * zoom * ratio) / (2 * ratio) : Math.max(zoom, 0.01);
}

function place(pane, ratio) {
  if (view.fit) {
    view.zoom = fitZoom(pane, ratio);
    view.centre = [shown.width / 2, shown.height / 2];
  }
  const snap = x => Math.round(x * ratio) / ratio;
  pane.left = snap(pane.x + pane.width / 2 - view.centre[0] * view.zoom);
  pane.top = snap(pane.y + pane.height / 2 - view.centre[1] * view.zoom);
  return pane;
}

// The panes with the positions of their images.
function placedPanes() {
  const canvas = byId("canvas");
  const ratio = window.devicePixelRatio || 1;
  return panes(canvas.clientWidth, canvas.clientHeight, ratio).map(pane => place(pane, ratio));
}

// The position in the image that corresponds to a point of the canvas, in pixels, or `null` outside the panes.
function imagePoint(x, y) {
  const pane = placedPanes().find(p => x >= p.x && x < p.x + p.width && y >= p.y && y < p.y + p.height);
  return pane && shown.width ? { pane, x: (x - pane.left) / view.zoom, y: (y - pane.top) / view.zoom } : null;
}

// Changes the zoom so that the pixel at the point of the canvas does not move.
function zoomTo(zoom, x, y) {
  const point = imagePoint(x, y);
  if (!point) return;
  view.fit = false;
  view.zoom = clamp(zoom, ZOOMS[0], ZOOMS[ZOOMS.length - 1]);
  view.centre = [
    point.x - (x - point.pane.x - point.pane.width / 2) / view.zoom,
    point.y - (y - point.pane.y - point.pane.height / 2) / view.zoom,
  ];
  keepVisible();
  emit("draw");
}

function zoomBy(step, x, y) {
  const [pane] = placedPanes();
  const next = step > 0 ? ZOOMS.find(z => z > view.zoom * 1.01) : ZOOMS.findLast(z => z < view.zoom * 0.99);
  if (next) zoomTo(next, x ?? pane.x + pane.width / 2, y ?? pane.y + pane.height / 2);
}

function fitImage() {
  view.fit = true;
  emit("draw");
}

// An image cannot be dragged out of sight.
function keepVisible() {
  view.centre = [clamp(view.centre[0], 0, shown.width), clamp(view.centre[1], 0, shown.height)];
}

function panBy(dx, dy) {
  view.fit = false;
  view.centre = [view.centre[0] - dx / view.zoom, view.centre[1] - dy / view.zoom];
  keepVisible();
  emit("draw");
}

// Moves the view to a box of the image, and enlarges it if the box is small.
function showBox([x0, y0, x1, y1]) {
  const [pane] = placedPanes();
  view.fit = false;
  const zoom = Math.min(pane.width / (1.4 * Math.max(8, x1 - x0)), pane.height / (1.4 * Math.max(8, y1 - y0)));
  view.zoom = clamp(Math.floor(zoom) || zoom, 0.25, 16);
  view.centre = [(x0 + x1) / 2, (y0 + y1) / 2];
  keepVisible();
  emit("draw");
}

// Whether the whole image is visible, so that a drag can move the divider instead of the image.
function isWholeVisible() {
  const [pane] = placedPanes();
  return shown.width * view.zoom <= pane.width && shown.height * view.zoom <= pane.height;
}

function connectStage() {
  const canvas = byId("canvas");
  let drag = null;
  const at = event => [event.offsetX, event.offsetY];
  canvas.onpointerdown = event => {
    if (event.button > 1 || !shown.width) return;
    canvas.setPointerCapture(event.pointerId);
    const [x, y] = at(event);
    const point = imagePoint(x, y);
    const divider = point && point.pane.left + compareState.cut * shown.width * view.zoom;
    const cuts = effectiveMode() === "slider" && event.button === 0 && !event.shiftKey && point
      && (Math.abs(x - divider) < 16 || isWholeVisible());
    drag = { x, y, cuts, moved: false };
    if (cuts) setCut(point.x / shown.width);
  };
  canvas.onpointermove = event => {
    const [x, y] = at(event);
    if (drag) {
      drag.moved ||= Math.hypot(x - drag.x, y - drag.y) > 3;
      if (drag.cuts) setCut((x - placedPanes()[0].left) / (shown.width * view.zoom));
      else if (drag.moved) {
        panBy(x - drag.x, y - drag.y);
        [drag.x, drag.y] = [x, y];
      }
    }
    setPointer(imagePoint(x, y));
  };
  canvas.onpointerup = event => {
    // A click on a changed pixel highlights its change.
    const point = imagePoint(...at(event));
    if (drag && !drag.moved && !drag.cuts && point) clickPixel(Math.floor(point.x), Math.floor(point.y));
    drag = null;
  };
  canvas.onpointercancel = () => { drag = null; };
  canvas.onpointerleave = () => setPointer(null);
  canvas.ondblclick = fitImage;
  // Touchpads send many small steps, which add up to one full step.
  let turned = 0;
  canvas.addEventListener("wheel", event => {
    event.preventDefault();
    turned += event.deltaY * (event.deltaMode ? 30 : 1);
    if (Math.abs(turned) < 40) return;
    zoomBy(turned > 0 ? -1 : 1, ...at(event));
    turned = 0;
  }, { passive: false });
  byId("zoom-in").onclick = () => zoomBy(1);
  byId("zoom-out").onclick = () => zoomBy(-1);
  byId("zoom-fit").onclick = fitImage;
  // The canvas is redrawn at once, because the browser would otherwise show a stretched image for one frame.
  new ResizeObserver(drawCompare).observe(canvas);
}

function clickPixel(x, y) {
  if (x < 0 || y < 0 || x >= shown.width || y >= shown.height) return;
  const index = changeAt(x, y);
  if (index >= 0 && state.entry.changes[index]) selectChange(index);
}
