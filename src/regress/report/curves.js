// Curves of a motion check over time, drawn on canvases.

const MARGIN = { left: 62, right: 12, top: 10, bottom: 22 };

// About `wanted` round numbers from `low` to `high`.
function ticks(low, high, wanted) {
  const raw = (high - low) / wanted;
  if (!(raw > 0) || !Number.isFinite(raw)) return [low];
  const power = 10 ** Math.floor(Math.log10(raw));
  const step = [1, 2, 5, 10].map(f => f * power).find(s => s >= raw);
  const out = [];
  for (let i = Math.ceil(low / step - 1e-9); i * step <= high + 1e-9 * step; i++) out.push(i * step);
  return out;
}

const withUnit = (number, unit) => (unit.startsWith("°") ? number + unit : `${number} ${unit}`.trim());

// A value in the unit of its curve. Lengths and angles are shown in the units that people read.
function valueText(value, unit) {
  if (value === null || value === undefined) return "unknown";
  if (unit === "m") return lengthText(value);
  if (unit === "rad") return angleText(value);
  const [shown, factor] = axisUnit(unit, Infinity);
  return withUnit(digits(value * factor, 4), shown);
}

// The scale of the axis: metres become millimetres if all values are small, and radians become degrees.
function axisUnit(unit, largest) {
  const factors = { rad: ["°", 180 / Math.PI], "rad/s": ["°/s", 180 / Math.PI], degrees: ["°", 1] };
  if (factors[unit]) return factors[unit];
  if (unit === "m" && largest < 0.1) return ["mm", 1e3];
  if (unit === "m" && largest < 1) return ["cm", 1e2];
  return [unit ?? "", 1];
}

// The range of time that all curves and the strip share.
function spanOf(check) {
  const times = [...check.curves.flatMap(c => [c.times[0], c.times[c.times.length - 1]]), ...check.strip.map(s => s.time), check.duration, 0];
  const known = times.filter(t => Number.isFinite(t));
  return [Math.min(...known), Math.max(...known, 1e-3)];
}

// The layout of a curve on its canvas.
function layout(curve, span, width, height) {
  const values = curve.values.filter(v => Number.isFinite(v) && !isHuge(v));
  const limit = Number.isFinite(curve.limit) ? [curve.limit] : [];
  let low = values.concat(limit, 0).reduce((a, b) => Math.min(a, b));
  let high = values.concat(limit, 0).reduce((a, b) => Math.max(a, b));
  if (high - low < 1e-12) high = low + 1;
  high += 0.06 * (high - low);
  if (low < 0) low -= 0.06 * (high - low);
  const [w, h] = [width - MARGIN.left - MARGIN.right, height - MARGIN.top - MARGIN.bottom];
  return {
    low, high,
    x: time => MARGIN.left + (time - span[0]) / (span[1] - span[0]) * w,
    y: value => MARGIN.top + (1 - (clamp(value, low, high) - low) / (high - low)) * h,
    time: x => span[0] + (x - MARGIN.left) / w * (span[1] - span[0]),
    bottom: MARGIN.top + h, right: MARGIN.left + w,
  };
}

// The faults and warnings that belong to a curve and have a time span.
const findingsOf = (check, curve) => check.findings.filter(f => (!f.passed || f.severity === "warning") && Number.isFinite(f.from)
  && f.check === curve.check && (f.subject || "") === (curve.subject || ""));

// Draws a curve. `cursor` is the time under the pointer, and `lit` is the finding to highlight.
function drawCurve(canvas, check, curve, span, cursor, lit) {
  const { context, width, height } = prepare(canvas);
  const place = layout(curve, span, width, height);
  const [unit, factor] = axisUnit(curve.unit, Math.max(Math.abs(place.low), Math.abs(place.high)));
  context.clearRect(0, 0, width, height);
  context.font = "11px system-ui, sans-serif";
  const ink = { line: colourOf("--line"), quiet: colourOf("--quiet"), bad: colourOf("--bad"), warn: colourOf("--new"), focus: colourOf("--focus") };
  for (const finding of findingsOf(check, curve)) {
    const x = place.x(finding.from);
    context.fillStyle = finding.severity === "error" ? ink.bad : ink.warn;
    context.globalAlpha = finding === lit ? 0.45 : 0.18;
    context.fillRect(x - 1, MARGIN.top, Math.max(3, place.x(finding.to ?? finding.from) - x + 2), place.bottom - MARGIN.top);
  }
  context.globalAlpha = 1;
  drawAxes(context, place, span, unit, factor, ink);
  if (Number.isFinite(curve.limit)) {
    context.strokeStyle = context.fillStyle = ink.bad;
    context.setLineDash([5, 4]);
    strokeLine(context, MARGIN.left, place.y(curve.limit), place.right, place.y(curve.limit));
    context.setLineDash([]);
    context.textAlign = "right";
    context.textBaseline = place.y(curve.limit) < MARGIN.top + 14 ? "top" : "bottom";
    context.fillText("limit " + withUnit(digits(curve.limit * factor, 3), unit), place.right - 2, place.y(curve.limit) + (context.textBaseline === "top" ? 2 : -1));
  }
  context.strokeStyle = ink.focus;
  context.lineWidth = 1.5;
  context.lineJoin = "round";
  context.beginPath();
  let isDown = false;
  curve.times.forEach((time, i) => {
    const value = curve.values[i];
    // A missing value leaves a gap.
    if (!Number.isFinite(value)) return void (isDown = false);
    context[isDown ? "lineTo" : "moveTo"](place.x(time), place.y(value));
    isDown = true;
  });
  context.stroke();
  if (cursor === null) return;
  const i = nearest(curve.times, cursor);
  context.strokeStyle = ink.quiet;
  context.lineWidth = 1;
  strokeLine(context, place.x(cursor), MARGIN.top, place.x(cursor), place.bottom);
  if (!Number.isFinite(curve.values[i])) return;
  context.fillStyle = ink.focus;
  context.beginPath();
  context.arc(place.x(curve.times[i]), place.y(curve.values[i]), 3.5, 0, 2 * Math.PI);
  context.fill();
}

function drawAxes(context, place, span, unit, factor, ink) {
  context.lineWidth = 1;
  context.strokeStyle = ink.line;
  context.fillStyle = ink.quiet;
  context.textAlign = "right";
  context.textBaseline = "middle";
  for (const value of ticks(place.low * factor, place.high * factor, 4)) {
    const y = Math.round(place.y(value / factor)) + 0.5;
    strokeLine(context, MARGIN.left, y, place.right, y);
    context.fillText(withUnit(digits(value, 6), unit), MARGIN.left - 6, y);
  }
  context.textAlign = "center";
  context.textBaseline = "top";
  for (const time of ticks(span[0], span[1], Math.max(2, (place.right - MARGIN.left) / 90))) {
    const x = Math.round(place.x(time)) + 0.5;
    strokeLine(context, x, place.bottom, x, place.bottom + 4);
    context.fillText(`${digits(time, 6)} s`, Math.min(x, place.right - 8), place.bottom + 6);
  }
}

function strokeLine(context, x0, y0, x1, y1) {
  context.beginPath();
  context.moveTo(x0, y0);
  context.lineTo(x1, y1);
  context.stroke();
}

// The index of the time that is nearest to a given one. `times` increase.
function nearest(times, time) {
  let [low, high] = [0, times.length - 1];
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if (times[middle] < time) low = middle; else high = middle;
  }
  return high >= 0 && Math.abs((times[high] ?? Infinity) - time) < Math.abs(times[low] - time) ? high : low;
}
