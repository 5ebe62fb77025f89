// The keyboard, and the window that lists its keys.

const KEYS = [
  [["j", "ArrowDown"], "j ↓", "next case", () => move(1)],
  [["k", "ArrowUp"], "k ↑", "previous case", () => move(-1)],
  [["PageDown"], "PgDn", "ten cases down", () => move(10)],
  [["PageUp"], "PgUp", "ten cases up", () => move(-10)],
  [["Home"], "Home", "first case", () => move(-Infinity)],
  [["End"], "End", "last case", () => move(Infinity)],
  [["/"], "/", "filter; Escape returns to the list", () => byId("search").focus()],
  [["1", "2", "3", "4", "5"], "1 – 5", "side by side, slider, onion skin, blink, difference", key => setMode(MODE_NAMES[key - 1])],
  [[" "], "space", "blink, pause", () => pauseOrBlink()],
  [["ArrowLeft"], "←", "move the slider or the onion skin; golden while blinking", () => adjust(-1)],
  [["ArrowRight"], "→", "the same to the right; actual while blinking", () => adjust(1)],
  [["n"], "n", "next change of the case", () => stepChange(1)],
  [["p"], "p", "previous change", () => stepChange(-1)],
  [["z"], "z", "enlarge the highlighted change", () => { const box = selectedChange()?.box; if (box) showBox(box); }],
  [["+", "="], "+", "zoom in", () => zoomBy(1)],
  [["-"], "−", "zoom out", () => zoomBy(-1)],
  [["0"], "0", "fit the image", () => fitImage()],
  [["c"], "c", "copy the command that repeats the case", () => { const command = state.entry?.row.repeat; if (command) copy(command); }],
  [["a"], "a", "copy the command that accepts the case", () => { const command = state.entry?.row.accept; if (command) copy(command); }],
  [["x"], "x", "mark the case, to accept several with one command", () => toggleMark()],
  [["?"], "?", "these keys", () => byId("help").showModal()],
];

function connectKeys() {
  byId("keys").append(...KEYS.flatMap(([, shown, text]) => [make("span", {}, make("kbd", {}, shown)), make("span", {}, text)]));
  byId("open-help").onclick = () => byId("help").showModal();
  addEventListener("keydown", event => {
    if (event.ctrlKey || event.metaKey || event.altKey || byId("help").open) return;
    const { target } = event;
    if (target === byId("search")) {
      if (event.key === "Escape" || event.key === "Enter") byId("list").focus();
      if (event.key === "ArrowDown" || event.key === "ArrowUp") { event.preventDefault(); move(event.key === "ArrowDown" ? 1 : -1); }
      return;
    }
    if (target.matches?.("select, textarea, input[type=range]")) return;
    // The space bar presses the button that has the focus.
    if (event.key === " " && target.matches?.("button:not([role=radio]), summary, input, li")) return;
    if (event.key === "Escape" && state.change >= 0) return selectChange(state.change);
    const key = KEYS.find(([keys]) => keys.includes(event.key));
    if (!key) return;
    // The browser would scroll on some of these keys, and would type the slash.
    event.preventDefault();
    key[3](event.key);
  });
}
