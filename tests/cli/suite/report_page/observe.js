// Operates the page as a user does and writes what it observes into the document. `tests/cli/suite/report_page.rs` adds this script to
// a copy of the page.
const problems = [];
addEventListener("error", event => problems.push("error: " + event.message));
addEventListener("unhandledrejection", event => problems.push("rejection: " + event.reason));
addEventListener("securitypolicyviolation", event => problems.push("policy: " + event.violatedDirective));
for (const name of ["error", "warn"]) console[name] = (...texts) => problems.push(`console.${name}: ${texts.join(" ")}`);

// Waits for timers, decoders and frames.
const pause = milliseconds => new Promise(done => setTimeout(done, milliseconds + 40));
const all = query => [...document.querySelectorAll(query)];
const texts = query => all(query).map(node => node.textContent);
const shownNames = () => all(".entry").filter(n => !n.hidden && !n.parentNode.hidden).map(n => n.querySelector("b").textContent);
const selected = () => all(".entry[aria-selected=true] b").map(n => n.textContent).join();

async function press(key, target = document.body) {
  target.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true, cancelable: true }));
  await pause(80);
}

// A checksum of the drawing on a canvas, and its number of colours.
function drawing(id) {
  const canvas = document.getElementById(id);
  const words = new Uint32Array(canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height).data.buffer);
  let sum = 0;
  for (const word of words) sum = (Math.imul(sum, 31) + word) >>> 0;
  return { sum, colours: new Set(words).size };
}

// Selects a case by its name and waits until it is drawn.
async function open(name) {
  select(entries.find(entry => entry.row.name === name));
  await pause(250);
}

async function type(text) {
  const search = document.getElementById("search");
  search.value = text;
  search.dispatchEvent(new Event("input"));
  await pause(50);
}

async function pointer(id, type, x, y, more = {}) {
  const canvas = document.getElementById(id);
  const { left, top } = canvas.getBoundingClientRect();
  canvas.setPointerCapture = () => {};
  canvas.dispatchEvent(new PointerEvent(type, { clientX: left + x, clientY: top + y, pointerId: 1, button: 0, bubbles: true, ...more }));
  await pause(40);
}

addEventListener("load", async () => {
  const observed = {};
  try {
    await pause(300);
    await (data.cases.length ? observe(observed) : observeChecks(observed));
  } catch (error) {
    problems.push("script: " + error.stack);
  }
  observed.problems = problems;
  observed.resources = performance.getEntriesByType("resource").map(entry => entry.name.slice(0, 40)).filter(name => !name.startsWith("data:"));
  document.body.append(Object.assign(document.createElement("pre"), { id: "observed", textContent: JSON.stringify(observed) }));
});

async function observeCauses(observed) {
  observed.causes = texts("#causes li button");
  all("#causes li button").find(button => !button.disabled).click();
  await pause(50);
  observed.ofCause = shownNames();
  document.getElementById("mark-all").click();
  observed.marks = document.getElementById("marked-count").textContent;
  observed.earlier = document.getElementById("earlier").textContent;
}

async function observe(observed) {
  observed.title = document.getElementById("title").textContent;
  observed.all = shownNames();
  observed.first = selected();
  observed.scripts = document.scripts.length;
  if (data.earlier) return observeCauses(observed);

  // Filters
  document.querySelector("[data-kind=failures]").click();
  observed.failures = shownNames();
  document.querySelector("[data-kind=passed]").click();
  observed.passed = shownNames();
  observed.selectedByFilter = selected();
  document.querySelector("[data-kind=all]").click();
  await type("walk MASK");
  observed.search = shownNames();
  await type("no such case");
  observed.noMatch = !document.getElementById("no-match").hidden;
  await type("");

  // Keys in the list
  await press("Home");
  observed.home = selected();
  await press("j");
  observed.next = selected();
  await press("k");
  observed.previous = selected();
  await press("/");
  observed.slash = document.activeElement.id;
  await press("j", document.activeElement);
  observed.typed = selected();
  await press("Escape", document.activeElement);
  observed.escape = document.activeElement.id;
  await press("?");
  observed.help = [document.getElementById("help").open, document.querySelectorAll("#keys kbd").length > 10];
  document.getElementById("help").close();

  // The modes of a case with two images
  await open("wave");
  observed.image = [shown.width, shown.height];
  observed.status = document.getElementById("status").textContent;
  observed.modes = {};
  for (const key of "12345") {
    await press(key);
    observed.modes[state.mode] = drawing("canvas");
  }
  await press("2");
  const before = drawing("canvas").sum;
  const range = document.getElementById("cut");
  range.value = 80;
  range.dispatchEvent(new Event("input"));
  await pause(60);
  observed.sliderMoves = drawing("canvas").sum !== before && compareState.cut === 0.8;
  await press("4");
  await press(" ");
  observed.paused = compareState.isPaused;
  await press("ArrowRight");
  const actual = drawing("canvas").sum;
  await press("ArrowLeft");
  observed.blinks = drawing("canvas").sum !== actual;
  await press("+");
  observed.zoom = [view.fit, document.getElementById("zoom").textContent];
  await press("0");
  observed.fits = view.fit;
  await press("1");
  const pane = placedPanes()[1];
  await pointer("canvas", "pointermove", pane.left + 10.5 * view.zoom, pane.top + 20.5 * view.zoom);
  observed.readout = document.getElementById("readout").textContent;

  // Commands
  observed.commands = texts("#details code");
  // Browsers do not copy without a user gesture.
  document.execCommand = () => { observed.clipboard = document.activeElement.value; return true; };
  await press("c");
  observed.copied = document.getElementById("toast").textContent;
  await press("x");
  await open(observed.failures[0]);
  await press("x");
  observed.acceptBoth = acceptMarked();
  observed.marked = document.getElementById("marked-count").textContent;
  observed.joints = all("#details tbody tr").length;
  await observeChanges(observed);
  await observeView(observed);
  await observeChecks(observed);
}

async function observeChanges(observed) {
  const entry = entries.find(e => e.row.explanation);
  if (!entry) return;
  await open(entry.row.name);
  await press("5");
  observed.verdict = document.getElementById("verdict").textContent;
  observed.changes = all(".change").length;
  observed.legend = texts("#legend span");
  const plain = drawing("canvas").sum;
  await press("n");
  observed.highlights = [drawing("canvas").sum !== plain, document.querySelector(".change[aria-pressed=true]") !== null];
  // Each pixel of the map belongs to an existing change, and a click on one of them highlights it.
  const counts = {};
  let hit = null;
  for (let y = 0; y < shown.height; y++) for (let x = 0; x < shown.width; x++) {
    const index = changeAt(x, y);
    if (index >= 0) { counts[index] = (counts[index] ?? 0) + 1; hit = [x, y, index]; }
  }
  observed.mapCounts = counts;
  observed.pixels = entry.changes.map(change => change.pixels);
  await press("Escape");
  const pane = placedPanes()[0];
  const at = [pane.left + (hit[0] + 0.5) * view.zoom, pane.top + (hit[1] + 0.5) * view.zoom];
  await pointer("canvas", "pointerdown", ...at);
  await pointer("canvas", "pointerup", ...at);
  observed.clicked = state.change === hit[2];
  const kinds = document.getElementById("kind-filter");
  kinds.value = [...entry.kinds][0];
  kinds.onchange();
  observed.byKind = shownNames().includes(entry.row.name) && shownNames().length < entries.length;
  kinds.value = "";
  kinds.onchange();
}

async function observeView(observed) {
  const entry = entries.find(e => e.row.view);
  if (!entry) return;
  await open(entry.row.name);
  await pause(200);
  observed.viewShown = !document.getElementById("view").hidden;
  observed.triangles = [view3d.mesh.triangles.length / 3, view3d.mesh.moved.some(x => x > 0), view3d.mesh.moved.every(x => x >= 0)];
  const both = drawing("view-canvas");
  observed.viewColours = both.colours;
  setPoses("golden");
  const golden = drawing("view-canvas").sum;
  setPoses("actual");
  observed.poses = new Set([both.sum, golden, drawing("view-canvas").sum]).size;
  setPoses("both");
  await pointer("view-canvas", "pointerdown", 100, 100);
  await pointer("view-canvas", "pointermove", 160, 110);
  await pointer("view-canvas", "pointerup", 160, 110);
  observed.orbits = drawing("view-canvas").sum !== both.sum;
  document.getElementById("view-canvas").dispatchEvent(new MouseEvent("dblclick"));
  await pause(50);
  observed.resets = drawing("view-canvas").sum === both.sum;
}

async function observeChecks(observed) {
  const entry = entries.find(e => e.isCheck && e.row.curves.length);
  if (!entry) return;
  await open(entry.row.name);
  observed.strip = texts(".strip figcaption");
  observed.faulty = texts(".strip .faulty figcaption");
  observed.curves = texts(".curve .head b");
  const canvas = document.querySelector(".curve canvas");
  canvas.id = "first-curve";
  observed.curveColours = drawing("first-curve").colours;
  const plain = drawing("first-curve").sum;
  const finding = document.querySelector("#motion .findings li[tabindex]");
  finding.dispatchEvent(new PointerEvent("pointerenter"));
  observed.lights = drawing("first-curve").sum !== plain;
  finding.dispatchEvent(new PointerEvent("pointerleave"));
  await pointer("first-curve", "pointermove", canvas.clientWidth / 2, 40);
  observed.hovered = document.querySelector(".curve output").textContent;
}
