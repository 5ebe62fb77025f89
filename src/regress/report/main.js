// Connects the parts, and opens the first case or the one that the address names.

function showTitle() {
  const failed = entries.filter(e => e.row.fails).length;
  byId("title").textContent = `${data.suite}: ${failed ? `${failed} of ${entries.length} failed` : `all ${entries.length} passed`}`;
  byId("about").textContent = `sinew ${data.version} · ${data.machine} · ${data.seconds.toFixed(1)} s`;
  document.title = `${failed ? failed + " failed" : "passed"} · sinew test`;
}

// The address ends with the name of the case, so that it is still selected when the page is loaded again.
function entryOfAddress() {
  try {
    const name = decodeURIComponent(location.hash.slice(1));
    return entries.find(e => e.row.name === name);
  } catch {
    return undefined;
  }
}

function start() {
  showTitle();
  connectDetails();
  connectCompare();
  connectView();
  connectMotion();
  connectKeys();
  buildList();
  on("entry", showImages);
  on("entry", () => history.replaceState(null, "", "#" + encodeURIComponent(state.entry.row.name)));
  on("marks", () => byId("copy-marked").title = state.marked.size ? acceptMarked() : "");
  byId("copy-marked").onclick = () => copy(acceptMarked());
  addEventListener("hashchange", () => select(entryOfAddress()));
  const first = entryOfAddress() ?? entries[0];
  if (first) select(first);
  applyFilter();
  if (!entries.length) byId("compare").hidden = true;
}

start();
