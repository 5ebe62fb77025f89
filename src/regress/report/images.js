// The decoded images of the selected case. The images of other cases remain encoded, so that a page may have thousands of cases.

// The decoded images. `golden`, `actual`, `flip` and `map` are each a canvas or `null`, and `pixels` contains their RGBA bytes.
let shown = emptyImages();
function emptyImages() {
  return { entry: null, width: 0, height: 0, golden: null, actual: null, flip: null, map: null, pixels: {} };
}

async function decode(url) {
  if (!url) return null;
  const image = new Image();
  image.src = url;
  await image.decode();
  const canvas = make("canvas", { width: image.naturalWidth, height: image.naturalHeight });
  const context = canvas.getContext("2d", { willReadFrequently: true });
  context.drawImage(image, 0, 0);
  return { canvas, bytes: context.getImageData(0, 0, canvas.width, canvas.height).data };
}

// Decodes the images of the selected case and emits `images`. If another case is selected in the meantime, the result is dropped.
async function showImages() {
  const { entry } = state;
  const { row } = entry;
  const clear = () => { shown = emptyImages(); emit("images"); };
  if (!hasImage(entry)) return clear();
  // The images of the previous case must not remain visible under the name of this one, but most images are decoded so quickly that
  // clearing the area at once would only cause flicker.
  const timer = setTimeout(clear, 100);
  const same = row.expected && !row.actual && row.status !== "missing";
  const urls = { golden: row.expected, actual: same ? row.expected : row.actual, flip: row.difference, map: row.explanation?.map };
  const names = Object.keys(urls);
  const decoded = await Promise.all(names.map(name => decode(urls[name]).catch(() => null)));
  clearTimeout(timer);
  if (state.entry !== entry) return;
  const images = emptyImages();
  images.entry = entry;
  names.forEach((name, i) => {
    if (!decoded[i]) return;
    images[name] = decoded[i].canvas;
    images.pixels[name] = decoded[i].bytes;
  });
  const first = images.actual ?? images.golden;
  [images.width, images.height] = first ? [first.width, first.height] : [0, 0];
  // A map of a different size would mark the wrong pixels.
  if (images.map && (images.map.width !== images.width || images.map.height !== images.height)) images.map = null;
  images.isIdentical = Boolean(same);
  shown = images;
  emit("images");
}

// Whether a case has an image. Motion checks and cases that compare only joints have none.
const hasImage = ({ row }) => Boolean(row.expected || row.actual);
const hasBoth = () => Boolean(shown.golden && shown.actual);

// The index of the change to which a pixel belongs, or -1.
function changeAt(x, y) {
  if (!shown.map || shown.entry !== state.entry) return -1;
  const at = 4 * (y * shown.width + x);
  const bytes = shown.pixels.map;
  return bytes[at + 3] < 128 ? -1 : bytes[at] - 1;
}

// The largest difference in a channel at a pixel, in levels of 255.
function levelsAt(at) {
  const { golden, actual } = shown.pixels;
  let largest = 0;
  for (let i = at; i < at + 4; i++) largest = Math.max(largest, Math.abs(golden[i] - actual[i]));
  return largest;
}

function paint(write) {
  const canvas = make("canvas", { width: shown.width, height: shown.height });
  const context = canvas.getContext("2d");
  const image = context.createImageData(shown.width, shown.height);
  write(image.data);
  context.putImageData(image, 0, 0);
  return canvas;
}

const isDark = () => matchMedia("(prefers-color-scheme: dark)").matches;

// The difference by kind: the golden in pale grey, and each changed pixel in the colour of its kind. All changes except the highlighted one
// are paler.
function paintKinds() {
  const colours = state.entry.changes.map(change => rgbOf(kindColour(change.kind)));
  const { golden, actual, map } = shown.pixels;
  const base = golden ?? actual;
  const [low, span] = isDark() ? [24, 0.3] : [150, 0.36];
  return paint(out => {
    for (let at = 0; at < out.length; at += 4) {
      const grey = low + span * (0.3 * base[at] + 0.59 * base[at + 1] + 0.11 * base[at + 2]) * base[at + 3] / 255;
      out[at] = out[at + 1] = out[at + 2] = grey;
      out[at + 3] = 255;
      if (map[at + 3] < 128) continue;
      const index = map[at] - 1;
      const colour = colours[index] ?? rgbOf(kindColour(KIND_NAMES[map[at + 1]]));
      const share = state.change < 0 || state.change === index ? 1 : 0.3;
      for (let i = 0; i < 3; i++) out[at + i] = grey + share * (colour[i] - grey);
    }
  });
}

// The difference in levels, from dark blue through orange to white. A square root makes small differences more visible.
function paintLevels() {
  const stops = [[12, 14, 24], [58, 44, 120], [214, 80, 60], [255, 176, 60], [255, 255, 255]];
  return paint(out => {
    for (let at = 0; at < out.length; at += 4) {
      const t = Math.sqrt(levelsAt(at) / 255) * (stops.length - 1);
      const [i, part] = [Math.min(stops.length - 2, Math.floor(t)), t - Math.min(stops.length - 2, Math.floor(t))];
      for (let c = 0; c < 3; c++) out[at + c] = stops[i][c] + part * (stops[i + 1][c] - stops[i][c]);
      out[at + 3] = 255;
    }
  });
}

// The outline of the highlighted change, one pixel wide, to be drawn over any of the images.
function paintOutline(index) {
  const { width, height } = shown;
  const bytes = shown.pixels.map;
  const [r, g, b] = rgbOf(kindColour(state.entry.changes[index].kind));
  const isInside = (x, y) => x >= 0 && y >= 0 && x < width && y < height && changeAt(x, y) === index;
  return paint(out => {
    for (let y = 0, at = 0; y < height; y++) for (let x = 0; x < width; x++, at += 4) {
      if (bytes[at] !== index + 1 || bytes[at + 3] < 128) continue;
      const isEdge = !isInside(x - 1, y) || !isInside(x + 1, y) || !isInside(x, y - 1) || !isInside(x, y + 1);
      out.set([r, g, b, isEdge ? 255 : 60], at);
    }
  });
}
