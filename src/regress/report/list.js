// The list of cases and checks, with its filters.

const filter = { status: "all", kind: "", cause: "", words: [] };

const STATUSES = {
  all: () => true,
  failures: row => row.fails,
  passed: row => row.status === "passed",
  updated: row => row.status === "updated",
  // Compared with an earlier run.
  "new failures": row => row.fails && before(row) && !failed(before(row)),
  mended: row => !row.fails && before(row) && failed(before(row)),
};

const matches = entry => STATUSES[filter.status](entry.row)
  && (!filter.kind || entry.kinds.has(filter.kind))
  && (!filter.cause || entry.causes.has(filter.cause))
  && filter.words.every(word => entry.words.includes(word));

function entryNode(entry, index) {
  const { row } = entry;
  const isCompact = !row.fails && row.status !== "updated";
  const swatches = make("span", { className: "swatches", "aria-hidden": "true" });
  for (const kind of entry.kinds) {
    const swatch = make("i", { className: "swatch", title: kindText(kind) });
    swatch.style.setProperty("--kind", kindColour(kind));
    swatches.append(swatch);
  }
  const node = make("div", { id: "entry-" + index, role: "option", "aria-selected": "false", title: row.name,
    className: `entry ${row.fails ? "fails" : row.status}${isCompact ? " compact" : ""}` });
  const mark = make("span", { className: "mark", hidden: true }, "✓ ");
  const name = make("b", {}, row.name);
  const dot = make("i", { className: "dot", title: row.status });
  if (isCompact) node.append(dot, mark, name, make("span", { className: "quiet" }, entry.isCheck ? "motion" : row.milliseconds.toFixed(0) + " ms"));
  else node.append(swatches, dot, mark, name, make("span", { className: "says" }, ...named(entry.verdict || row.status)));
  node.onclick = () => select(entry);
  entry.node = node;
  entry.mark = mark;
  return node;
}

function buildList() {
  const groups = [["Failed", e => e.row.fails], ["Updated", e => !e.row.fails && e.row.status === "updated"],
    ["Passed", e => !e.row.fails && e.row.status !== "updated"]];
  for (const [title, belongs] of groups) {
    const members = entries.filter(belongs);
    if (!members.length) continue;
    const head = make("div", { className: "group", role: "presentation" });
    const nodes = members.map(entry => entryNode(entry, entries.indexOf(entry)));
    byId("list").append(make("div", { role: "group", "aria-label": title }, head, ...nodes));
    groupHeads.push({ title, members, head });
  }
  for (const name of Object.keys(STATUSES)) {
    const number = entries.filter(e => STATUSES[name](e.row)).length;
    if (["updated", "new failures", "mended"].includes(name) && !number) continue;
    const button = make("button", { type: "button", onclick: () => { filter.status = name; applyFilter(); } }, `${name} ${number}`);
    button.dataset.kind = name;
    byId("statuses").append(button);
  }
  const kinds = byId("kind-filter");
  kinds.append(make("option", { value: "" }, "any kind of change"));
  for (const kind of new Set([...KIND_NAMES, ...entries.flatMap(e => [...e.kinds])])) {
    const number = entries.filter(e => e.kinds.has(kind)).length;
    if (number) kinds.append(make("option", { value: kind }, `${kindText(kind)} (${count(number, "case")})`));
  }
  buildCauses();
  kinds.hidden = kinds.options.length < 2;
  kinds.onchange = () => { filter.kind = kinds.value; applyFilter(); };
  byId("search").oninput = () => {
    filter.words = byId("search").value.toLowerCase().split(/\s+/).filter(Boolean);
    applyFilter();
  };
}
const groupHeads = [];

// Hides the entries that do not match. If the selected entry is hidden, the first visible one is selected.
function applyFilter() {
  for (const entry of entries) entry.node.hidden = !matches(entry);
  for (const { title, members, head } of groupHeads) {
    const visible = members.filter(e => !e.node.hidden).length;
    head.textContent = visible === members.length ? `${title} ${visible}` : `${title} ${visible} of ${members.length}`;
    head.parentNode.hidden = visible === 0;
  }
  for (const button of byId("statuses").children) button.ariaPressed = String(button.dataset.kind === filter.status);
  const visible = visibleEntries();
  byId("no-match").hidden = visible.length > 0;
  showCauses();
  if (visible.length && !visible.includes(state.entry)) select(visible[0]);
  else showPlace();
}

const visibleEntries = () => entries.filter(e => !e.node.hidden);

// Selects the entry that is `step` entries further down among those that match.
function move(step) {
  const visible = visibleEntries();
  const index = visible.indexOf(state.entry);
  select(visible[clamp(index + step, 0, visible.length - 1)]);
}

function showPlace() {
  const visible = visibleEntries();
  byId("place").textContent = state.entry ? `${visible.indexOf(state.entry) + 1} of ${visible.length}` : "";
}

let selectedNode = null;
on("entry", () => {
  const { node } = state.entry;
  selectedNode?.setAttribute("aria-selected", "false");
  node.setAttribute("aria-selected", "true");
  selectedNode = node;
  byId("list").setAttribute("aria-activedescendant", node.id);
  node.scrollIntoView({ block: "nearest" });
  showPlace();
});

// Marks the selected case, so that one command can accept several cases.
function toggleMark() {
  const { entry, marked } = state;
  if (!entry?.row.accept) return;
  if (!marked.delete(entry)) marked.add(entry);
  showMarks();
}

// Marks all cases that the filter shows.
function markVisible() {
  for (const entry of visibleEntries()) if (entry.row.accept) state.marked.add(entry);
  showMarks();
}

function showMarks() {
  const { marked } = state;
  for (const entry of entries) entry.mark.hidden = !marked.has(entry);
  byId("marked").hidden = marked.size === 0;
  byId("marked-count").textContent = count(marked.size, "case") + " marked";
  emit("marks");
}

// The command that accepts all marked cases. The commands of single cases begin with the same words and end with the names of the cases.
function acceptMarked() {
  const commands = entries.filter(e => state.marked.has(e)).map(e => e.row.accept);
  const start = commands[0].lastIndexOf(" --accept");
  return commands[0] + commands.slice(1).map(c => c.slice(start)).join("");
}
