// The details of the selected entry: its verdict, its changes, its commands, and its tables.

function showHead() {
  const { entry } = state;
  const { row } = entry;
  byId("name").textContent = row.name;
  const status = byId("status");
  status.textContent = row.status;
  status.className = `badge ${row.fails ? "fails" : row.status}`;
  byId("verdict").replaceChildren(...named(entry.verdict));
  const earlier = before(row);
  byId("earlier").hidden = !earlier;
  if (earlier) byId("earlier").replaceChildren(...named(`Earlier run: ${earlier.status}. ${earlier.explanation?.verdict ?? ""}`));
}

// The numbers and names of a change that its text does not mention.
function numbersOf(change) {
  const parts = [];
  const add = (value, text) => { if (value) parts.push(text(value)); };
  add(change.pixels, n => `${thousands(n)} px`);
  add(change.levels, n => `at most ${count(n, "level")}`);
  add(change.delta_e, x => `mean ΔE ${digits(x, 3)}`);
  add(change.part, name => `part ${name}`);
  add(change.material, name => `material ${name}`);
  return parts;
}

function changeNode(change, index) {
  const node = make("button", { type: "button", className: change.fails ? "change" : "change passes", "aria-pressed": "false", onclick: () => selectChange(index) });
  node.style.setProperty("--kind", kindColour(change.kind));
  if (!change.fails) node.append(make("span", { className: "tolerated" }, "within tolerance"));
  node.append(make("span", { className: "kind" }, kindText(change.kind)), make("span", { className: "text" }, ...named(change.text)),
    make("span", { className: "numbers" }, ...numbersOf(change).map(text => make("span", {}, text))));
  // A double click shows the box of the change. Its second click has cleared the highlight, which
  // is set again here.
  node.ondblclick = () => { if (change.box) { state.change = index; emit("change"); showBox(change.box); } };
  return make("li", {}, node);
}

function showChanges() {
  const { changes } = state.entry;
  byId("changes").replaceChildren(...(changes.length ? [
    make("h3", {}, count(changes.length, "change")),
    make("ul", { className: "changes", title: "Click to highlight a change, double-click to enlarge it" }, ...changes.map(changeNode)),
  ] : []));
}

function markChange() {
  const nodes = byId("changes").querySelectorAll(".change");
  nodes.forEach((node, i) => node.setAttribute("aria-pressed", String(i === state.change)));
  // If the list is below the images, scrolling to its entries must not move the images out of view.
  const scrolls = getComputedStyle(byId("side")).overflowY === "auto";
  if (scrolls) nodes[state.change]?.scrollIntoView({ block: "nearest" });
}

// Highlights the next or the previous change.
function stepChange(step) {
  const { changes } = state.entry;
  if (!changes.length) return;
  state.change = state.change < 0 && step < 0 ? changes.length - 1 : (state.change + step + changes.length) % changes.length;
  emit("change");
}

function table(heads, rows) {
  const line = (cells, tag) => make("tr", {}, ...cells.map(cell => make(tag, {}, String(cell))));
  return make("div", { className: "scroll" }, make("table", {}, make("thead", {}, line(heads, "th")), make("tbody", {}, ...rows.map(row => line(row, "td")))));
}

function folded(title, isOpen, ...content) {
  return make("details", { open: isOpen }, make("summary", {}, title), ...content);
}

function commandNode(title, command, key) {
  const button = make("button", { type: "button", onclick: () => copy(command) }, "copy");
  if (key) button.append(" ", make("kbd", {}, key));
  return make("div", {}, make("h3", {}, title), make("div", { className: "command" }, make("code", {}, command), button));
}

// A finding: ✓ or ✗ for a comparison, ! for a warning, and i for an observation.
function findingNode(finding) {
  const isNote = finding.severity === "warning" || finding.severity === "information";
  return make("li", { className: isNote ? finding.severity : finding.passed ? "" : "off" }, finding.text);
}

function showDetails() {
  const { row, findings, isCheck } = state.entry;
  const nodes = [];
  if (row.repeat) nodes.push(commandNode("Repeat", row.repeat, "c"));
  if (row.accept) nodes.push(commandNode("Accept what was drawn as the golden", row.accept, "a"));
  if (!isCheck && findings.length) nodes.push(make("div", {}, make("h3", {}, "Comparisons"), make("ul", { className: "findings" }, ...findings.map(findingNode))));
  if (row.goals?.length) nodes.push(folded(`Goals (${row.goals.length})`, true, table(["node", "kind", "method", "outcome", "iterations", "error"],
    row.goals.map(g => [g.node, g.kind, g.method, g.outcome, g.iterations, g.error === null ? "" : lengthText(g.error)]))));
  if (row.joints?.length) {
    const more = row.more_joints ? make("p", { className: "quiet" }, `and ${count(row.more_joints, "more joint")} with smaller differences`) : null;
    nodes.push(folded(`Joints (${row.joints.length + row.more_joints})`, row.fails && !row.explanation, table(["joint", "moved", "turned"],
      row.joints.map(([name, distance, angle]) => [name, lengthText(distance), angleText(angle)])), more));
  }
  const facts = [`${row.milliseconds.toFixed(1)} ms`];
  if (row.size) facts.unshift(`${row.size[0]} × ${row.size[1]} pixels`);
  if (row.duration) facts.unshift(`${digits(row.duration, 4)} s of motion`);
  if (row.expected_by) facts.push(`golden drawn by ${row.expected_by}`);
  nodes.push(make("p", { className: "quiet" }, facts.join(" · ")));
  byId("details").replaceChildren(...nodes);
  // A motion check has no other details, so its curves take the whole width.
  document.body.classList.toggle("is-check", isCheck);
  if (isCheck) byId("motion").before(byId("details")); else byId("side").append(byId("details"));
}

function connectDetails() {
  on("entry", showHead);
  on("entry", showChanges);
  on("entry", showDetails);
  on("change", markChange);
}
