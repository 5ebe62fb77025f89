// The causes of all failed cases, with the number of cases for each. The numbers of an earlier run are shown beside them.

const causeKey = change => `${change.kind} ${change.cause}`;
const failing = explanation => (explanation?.changes ?? []).filter(change => change.fails && change.cause);
const causes = [];

// Collects the causes. Causes with the most cases come first.
function buildCauses() {
  const known = new Map();
  const cause = change => {
    const key = causeKey(change);
    if (!known.has(key)) known.set(key, { key, kind: change.kind, text: change.cause, now: new Set(), before: new Set() });
    return known.get(key);
  };
  for (const { row } of entries.filter(entry => entry.row.fails)) for (const change of failing(row.explanation)) cause(change).now.add(row.name);
  for (const row of Object.values(data.earlier?.cases ?? {})) {
    for (const change of failing(row.explanation)) cause(change).before.add(row.name);
  }
  causes.push(...[...known.values()].sort((a, b) => b.now.size - a.now.size || b.before.size - a.before.size));
  const section = byId("causes");
  section.hidden = !causes.length;
  if (!causes.length) return;
  const nodes = causes.map(causeNode);
  const mark = make("button", { type: "button", id: "mark-all", onclick: markVisible, title: "Mark the cases of the list, to accept them with one command" }, "mark these");
  section.append(make("div", { className: "row" }, make("h3", {}, count(causes.length, "cause")), mark), make("ul", {}, ...nodes));
}

function causeNode(cause) {
  const swatch = make("i", { className: "swatch" });
  swatch.style.setProperty("--kind", kindColour(cause.kind));
  const numbers = data.earlier ? `${cause.before.size} → ${count(cause.now.size, "case")}` : count(cause.now.size, "case");
  const title = data.earlier ? "cases of the earlier run → cases of this run" : "";
  cause.button = make("button", { type: "button", onclick: () => { filter.cause = filter.cause === cause.key ? "" : cause.key; applyFilter(); } },
    swatch, make("b", { title }, numbers), make("span", { className: "text", title: kindText(cause.kind) }, ...named(cause.text)));
  // This cause occurs only in the earlier run.
  cause.button.disabled = cause.now.size === 0;
  return make("li", {}, cause.button);
}

function showCauses() {
  for (const cause of causes) cause.button.ariaPressed = String(filter.cause === cause.key);
}
