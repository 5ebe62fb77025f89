// Motion checks: findings, a strip of images over time, and curves.

// The time under the pointer in seconds, or `null`, and the finding to highlight.
const motion = { cursor: null, lit: null, drawings: [], images: [] };

function showMotion() {
  const { row, isCheck } = state.entry;
  const box = byId("motion");
  box.hidden = !isCheck;
  Object.assign(motion, { cursor: null, lit: null, drawings: [], images: [] });
  box.replaceChildren();
  if (!isCheck) return;
  const rank = { error: 0, warning: 1, information: 2 };
  const findings = [...state.entry.findings].sort((a, b) => a.passed - b.passed || rank[a.severity] - rank[b.severity]);
  if (findings.length) box.append(make("div", {}, make("h3", {}, "Findings"), make("ul", { className: "findings" }, ...findings.map(spanNode))));
  const faulty = faultyImages(row);
  const images = row.strip.map((image, i) => imageNode(image, faulty.has(i)));
  if (images.length) box.append(make("div", {}, make("h3", {}, "Images"), make("div", { className: "strip" }, ...images)));
  const span = spanOf(row);
  // Curves with faults are shown. If there are none, the first curves are shown. All other curves can be unfolded.
  const isFaultyCurve = curve => findingsOf(row, curve).length > 0;
  const curves = [...row.curves.filter(isFaultyCurve), ...row.curves.filter(curve => !isFaultyCurve(curve))];
  const open = Math.max(row.curves.filter(isFaultyCurve).length, 3);
  const nodes = curves.map(curve => curveNode(row, curve, span));
  box.append(...nodes.slice(0, open));
  if (nodes.length > open) {
    const rest = folded(`${count(nodes.length - open, "more curve")}`, false, make("div", { className: "curves" }, ...nodes.slice(open)));
    rest.ontoggle = drawMotion;
    box.append(rest);
  }
  requestAnimationFrame(drawMotion);
}

// A finding. Its span is highlighted while the pointer or the focus is on it.
function spanNode(finding) {
  const node = findingNode(finding);
  if (!Number.isFinite(finding.from) || !state.entry.row.curves.length) return node;
  const [from, to] = [finding.from, finding.to ?? finding.from].map(time => time.toFixed(2));
  // Most texts end with the time.
  if (!/\d s$/.test(finding.text)) node.append(make("span", { className: "quiet" }, from === to ? ` at ${from} s` : ` from ${from} to ${to} s`));
  node.tabIndex = 0;
  const light = () => setMotion(finding.from, finding);
  const dim = () => setMotion(null, null);
  Object.assign(node, { onpointerenter: light, onpointerleave: dim, onfocus: light, onblur: dim });
  node.onclick = () => motion.images[nearest(state.entry.row.strip.map(s => s.time), finding.from)]?.scrollIntoView({ block: "nearest", inline: "center" });
  return node;
}

// The indices of the images that show a fault: all images within its span or, if there are none, the nearest image.
function faultyImages({ strip, findings }) {
  const times = strip.map(s => s.time);
  const faulty = new Set();
  for (const { passed, from, to } of findings) {
    if (passed || !Number.isFinite(from) || !times.length) continue;
    const end = to ?? from;
    const within = times.flatMap((time, i) => time >= from - 1e-6 && time <= end + 1e-6 ? [i] : []);
    for (const i of within.length ? within : [nearest(times, (from + end) / 2)]) faulty.add(i);
  }
  return faulty;
}

function imageNode({ time, image }, isFaulty) {
  const text = `${time.toFixed(2)} s`;
  const node = make("figure", { className: isFaulty ? "faulty" : "", onpointerenter: () => setMotion(time, null), onpointerleave: () => setMotion(null, null) },
    make("img", { src: image, alt: `the motion at ${text}`, decoding: "async" }), make("figcaption", {}, text));
  motion.images.push(node);
  return node;
}

function curveNode(check, curve, span) {
  const canvas = make("canvas", { role: "img", "aria-label": curveLabel(check, curve) });
  const output = make("output", {});
  const node = make("div", { className: "curve" },
    make("div", { className: "head" }, make("b", {}, curve.check), make("span", { className: "quiet" }, curve.subject ?? ""), output), canvas);
  canvas.onpointermove = event => {
    const { time } = layout(curve, span, canvas.clientWidth, canvas.clientHeight);
    setMotion(clamp(time(event.offsetX), ...span), null);
  };
  canvas.onpointerleave = () => setMotion(null, null);
  motion.drawings.push(() => {
    // A folded curve has no size.
    if (!canvas.clientWidth) return;
    drawCurve(canvas, check, curve, span, motion.cursor, motion.lit);
    const i = motion.cursor === null ? -1 : nearest(curve.times, motion.cursor);
    output.textContent = i < 0 || i >= curve.times.length ? "" : `${digits(curve.times[i], 4)} s: ${valueText(curve.values[i], curve.unit)}`;
  });
  return node;
}

// The text that a screen reader speaks for a curve.
function curveLabel(check, curve) {
  const values = curve.values.filter(v => Number.isFinite(v));
  const range = values.length ? `from ${valueText(values.reduce((a, b) => Math.min(a, b)), curve.unit)} to ${valueText(values.reduce((a, b) => Math.max(a, b)), curve.unit)}` : "without values";
  const limit = Number.isFinite(curve.limit) ? `, limit ${valueText(curve.limit, curve.unit)}` : "";
  return `${curve.check} ${curve.subject ?? ""}: ${range}${limit}, ${count(findingsOf(check, curve).length, "fault")}`;
}

// Shows a time in all curves and in the strip.
function setMotion(cursor, lit) {
  Object.assign(motion, { cursor, lit });
  const here = cursor === null ? -1 : nearest(state.entry.row.strip.map(s => s.time), cursor);
  motion.images.forEach((node, i) => node.classList.toggle("here", i === here));
  drawMotion();
}

function drawMotion() {
  for (const draw of motion.drawings) draw();
}

function connectMotion() {
  on("entry", showMotion);
  new ResizeObserver(drawMotion).observe(byId("motion"));
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", drawMotion);
}
