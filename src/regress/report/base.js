// Code that the other files share: the data, elements, the formatting of numbers, the state of the page, and its events.

const data = JSON.parse(document.getElementById("data").textContent);
const byId = id => document.getElementById(id);

// Returns a new element. Strings are always inserted as plain text, so names from files are never interpreted.
function make(tag, props = {}, ...children) {
  const node = document.createElement(tag);
  for (const [key, value] of Object.entries(props)) {
    if (key.includes("-") || key === "role") node.setAttribute(key, value);
    else node[key] = value;
  }
  node.append(...children.filter(child => child !== null && child !== undefined));
  return node;
}

// The kinds of changes, in the order of their numbers in the map. Each has its text in the legend and its colour.
const KINDS = {
  missing: ["missing", "#e5383b"],
  added: ["added", "#2fa84f"],
  bind: ["inverse bind", "#b3261e"],
  weights: ["weights", "#f29c38"],
  moved: ["moved", "#e8710c"],
  mesh: ["mesh", "#7a9a01"],
  shaded: ["shaded differently", "#8a5cf5"],
  light: ["light", "#d9a900"],
  shadow: ["shadow", "#5b6b8c"],
  background: ["background", "#9c6b4a"],
  other: ["other", "#d6457f"],
  camera: ["camera", "#2f7de1"],
  silhouette: ["silhouette", "#0fa3b8"],
  noise: ["noise", "#9aa3af"],
};
const KIND_NAMES = Object.keys(KINDS);
const kindText = kind => KINDS[kind]?.[0] ?? String(kind);
const kindColour = kind => (KINDS[kind] ?? KINDS.other)[1];
const rgbOf = hex => [1, 3, 5].map(i => parseInt(hex.slice(i, i + 2), 16));

// The report stores numbers that are not finite as huge ones.
const isHuge = x => Math.abs(x) >= 1e300;
const digits = (x, n) => Number(x.toPrecision(n)).toString();
const scientific = x => isHuge(x) ? "not finite" : x === 0 ? "0" : x.toExponential(2);

function lengthText(metres) {
  const x = Math.abs(metres);
  if (isHuge(x)) return "not finite";
  if (x !== 0 && x < 1e-5) return scientific(metres) + " m";
  if (x < 0.01) return digits(metres * 1e3, 3) + " mm";
  return x < 1 ? digits(metres * 1e2, 3) + " cm" : digits(metres, 4) + " m";
}

function angleText(radians) {
  if (isHuge(radians)) return "not finite";
  const degrees = radians * 180 / Math.PI;
  return (degrees !== 0 && Math.abs(degrees) < 1e-3 ? degrees.toExponential(1) : digits(degrees, 3)) + "°";
}

const thousands = n => n.toLocaleString("en");
const count = (n, word) => `${thousands(n)} ${word}${n === 1 ? "" : "s"}`;

// The nodes for a text whose names are in backticks.
const named = text => text.split("`").map((part, i) => i % 2 ? make("code", {}, part) : part);

// The verdict of a case without an explanation.
function verdictOf(row, failing, findings) {
  if (row.status === "updated") return failing ? `The golden was updated: ${failing}` : "The golden was updated.";
  return failing ?? (findings && !row.fails ? "All comparisons pass." : "");
}

// The row of a case in the earlier run, if there is one.
const before = row => data.cases.includes(row) && Object.hasOwn(data.earlier?.cases ?? {}, row.name) ? data.earlier.cases[row.name] : undefined;
const failed = earlier => ["failed", "missing", "broken"].includes(earlier.status);

// A case or a motion check of the list. `isCheck` says which one `row` is.
function entryOf(row, isCheck) {
  const changes = row.explanation?.changes ?? [];
  const findings = row.findings.map(finding => Array.isArray(finding)
    ? { passed: finding[0], text: finding[1], severity: "error" } : finding);
  const failing = findings.find(f => !f.passed);
  const verdict = row.explanation?.verdict ?? verdictOf(row, failing?.text, findings.length);
  const words = [row.name, row.status, verdict, ...findings.map(f => f.text),
    ...changes.flatMap(c => [c.kind, c.text, c.part, c.joint, c.material])];
  return {
    row, isCheck, changes, findings, verdict,
    kinds: new Set(changes.map(c => c.kind)),
    causes: new Set(changes.filter(c => c.fails).map(c => `${c.kind} ${c.cause}`)),
    words: words.filter(Boolean).join(" ").toLowerCase(),
  };
}

const allEntries = [...data.cases.map(row => entryOf(row, false)), ...(data.checks ?? []).map(row => entryOf(row, true))];
// Failures come first. Otherwise, the suite determines the order.
const entries = [...allEntries.filter(e => e.row.fails), ...allEntries.filter(e => !e.row.fails)];

// The selection and the mode of the page. Only `select`, `selectChange` and `setMode` change these fields.
const state = { entry: null, change: -1, mode: "side", marked: new Set() };

const listeners = {};
const on = (event, listener) => { (listeners[event] ??= []).push(listener); };
const emit = event => { for (const listener of listeners[event] ?? []) listener(); };

function select(entry) {
  if (!entry || entry === state.entry) return;
  state.entry = entry;
  state.change = -1;
  emit("entry");
}

// Highlights a change of the case, or removes the highlight if the change already has it.
function selectChange(index) {
  state.change = index === state.change ? -1 : index;
  emit("change");
}

const selectedChange = () => state.entry?.changes[state.change] ?? null;

let toastTimer = 0;
function toast(text) {
  const node = byId("toast");
  node.textContent = text;
  node.classList.add("on");
  clearTimeout(toastTimer);
  toastTimer = setTimeout(() => node.classList.remove("on"), 2500);
}

// Copies a command. The older of the two interfaces works in pages that were opened as files, without asking for permission.
async function copy(text) {
  const field = make("textarea", { value: text, readOnly: true });
  const focused = document.activeElement;
  document.body.append(field);
  field.select();
  const copied = document.execCommand("copy");
  field.remove();
  focused?.focus({ preventScroll: true });
  if (!copied) {
    const refused = () => toast("The browser does not allow to copy: " + text);
    if (!navigator.clipboard) return refused();
    return navigator.clipboard.writeText(text).then(() => toast("Copied: " + text), refused);
  }
  toast("Copied: " + text);
}

// Fits the pixels of a canvas to its size on the screen and returns its context and that size in CSS pixels.
function prepare(canvas) {
  const ratio = window.devicePixelRatio || 1;
  const { clientWidth: width, clientHeight: height } = canvas;
  const [w, h] = [Math.max(1, Math.round(width * ratio)), Math.max(1, Math.round(height * ratio))];
  if (canvas.width !== w || canvas.height !== h) [canvas.width, canvas.height] = [w, h];
  const context = canvas.getContext("2d");
  context.setTransform(ratio, 0, 0, ratio, 0, 0);
  return { context, width, height, ratio };
}

const colourOf = name => getComputedStyle(document.documentElement).getPropertyValue(name).trim();
const clamp = (x, low, high) => Math.min(high, Math.max(low, x));

// A row of buttons, one of which is chosen. Each of `choices` contains a value, a text, an optional key, and whether its button is
// disabled. `choose` receives the value and the event. If the values have not changed, the existing buttons are reused, so that they keep
// the focus.
function radios(box, choices, chosen, choose) {
  const values = choices.map(([value]) => value).join();
  if ([...box.children].map(button => button.dataset.value).join() !== values) box.replaceChildren(...choices.map(([value, text, key]) => {
    const button = make("button", { type: "button", role: "radio" }, text);
    if (key) button.append(make("kbd", {}, key));
    button.dataset.value = value;
    return button;
  }));
  choices.forEach(([value, , , isDisabled], i) => {
    const button = box.children[i];
    Object.assign(button, { disabled: Boolean(isDisabled), tabIndex: value === chosen ? 0 : -1, onclick: event => choose(value, event) });
    button.setAttribute("aria-checked", String(value === chosen));
  });
}

// In a row of radio buttons, the arrow keys move to the next or previous button.
addEventListener("keydown", event => {
  const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
  const box = event.target.closest?.("[role=radiogroup]");
  if (!step || !box) return;
  const buttons = [...box.querySelectorAll("button:not(:disabled)")];
  const next = buttons[(buttons.indexOf(event.target) + step + buttons.length) % buttons.length];
  event.preventDefault();
  event.stopPropagation();
  next.click();
  box.querySelector("[aria-checked=true]")?.focus();
}, true);
