//! The HTML report of checks: one page without scripts that needs no other file.

use std::fmt::Write;

use crate::check::{CheckRow, CurveRow};

const STYLE: &str = ".motion-checks{font:15px/1.5 system-ui,sans-serif;margin:2rem auto;max-width:75rem;padding:1rem;color:#1c2024;\
background:#fff;.failed,.broken{color:#c62a2f}.passed{color:#2b7a3d}ul{margin:.3rem 0}h2{font-size:1.1rem;margin:2rem 0 .3rem}\
.strip{display:flex;gap:4px;flex-wrap:wrap}figure{margin:0}figcaption{font-size:12px;color:#60646c}\
svg{width:100%;height:110px;background:#f5f6f8}code{background:#f0f1f4;padding:0 .3em}.curves{display:grid;\
grid-template-columns:repeat(auto-fill,minmax(22rem,1fr));gap:.6rem}.curves b{font-size:12px;font-weight:600}}";
/// Size of the drawing of a curve, in its own units.
const WIDTH: f64 = 400.0;
const HEIGHT: f64 = 110.0;
/// Maximum number of points of a curve.
const MAX_POINTS: usize = 800;

/// Returns the page with a section for each row, failures first.
pub(super) fn checks_page(rows: &[CheckRow]) -> String {
    format!(
        "<!doctype html><html lang=\"en\"><meta charset=\"utf-8\"><title>sinew check</title>{}</html>\n",
        checks_section(rows)
    )
}

/// Returns the part of a page that shows the rows.
pub(in crate::cli) fn checks_section(rows: &[CheckRow]) -> String {
    let failed = rows.iter().filter(|r| r.fails).count();
    let mut page = format!(
        "<style>{STYLE}</style><div class=\"motion-checks\"><h1>Motion checks</h1><p>{} clips, {failed} failed</p>",
        rows.len()
    );
    let mut sorted: Vec<&CheckRow> = rows.iter().collect();
    sorted.sort_by_key(|row| !row.fails);
    sorted.into_iter().for_each(|row| section(&mut page, row));
    page + "</div>"
}

fn section(page: &mut String, row: &CheckRow) {
    let status = format!("{:?}", row.status).to_lowercase();
    let _ = write!(
        page,
        "<h2><span class=\"{status}\">{status}</span> {}</h2><p>{:.2} s &nbsp; <code>{}</code></p><ul>",
        escaped(&row.name),
        row.duration,
        escaped(&row.repeat)
    );
    for f in &row.findings {
        let _ = write!(
            page,
            "<li><span class=\"{}\">{} {}</span> {:.3}–{:.3} s: {} ({:.4} of {:.4} {})</li>",
            if f.passed { "" } else { "failed" },
            f.severity.name(),
            f.check,
            f.from,
            f.to,
            escaped(&f.text),
            f.value,
            f.limit,
            f.unit
        );
    }
    page.push_str("</ul><div class=\"strip\">");
    for image in &row.strip {
        let _ = write!(
            page,
            "<figure><img src=\"{}\" alt=\"the pose at {:.2} s\" width=\"160\" height=\"160\"><figcaption>{:.2} s</figcaption></figure>",
            image.image, image.time, image.time
        );
    }
    page.push_str("</div><div class=\"curves\">");
    if row.fails {
        row.curves.iter().for_each(|curve| drawing(page, row, curve));
    }
    page.push_str("</div>");
}

/// Draws a curve with its limit, and the spans of the findings of its check behind it.
fn drawing(page: &mut String, row: &CheckRow, curve: &CurveRow) {
    let largest = curve.values.iter().copied().chain(curve.limit).fold(0.0, f64::max);
    if largest <= 0.0 || curve.times.len() < 2 {
        return;
    }
    let seconds = f64::from(row.duration.max(1e-6));
    let (x, y) = (|t: f32| f64::from(t) / seconds * WIDTH, |v: f64| HEIGHT * (1.0 - 0.92 * v / largest));
    let _ = write!(
        page,
        "<div><b>{} {} ({}, up to {largest:.4})</b><svg viewBox=\"0 0 {WIDTH} {HEIGHT}\" preserveAspectRatio=\"none\">",
        curve.check,
        escaped(&curve.subject),
        curve.unit
    );
    for f in row.findings.iter().filter(|f| f.check == curve.check && !f.passed) {
        let width = (x(f.to) - x(f.from)).max(2.0);
        let _ = write!(
            page,
            "<rect x=\"{:.1}\" y=\"0\" width=\"{width:.1}\" height=\"{HEIGHT}\" fill=\"#e5484d\" opacity=\".2\"/>",
            x(f.from)
        );
    }
    if let Some(limit) = curve.limit {
        let at = y(limit);
        let _ = write!(
            page,
            "<line x1=\"0\" x2=\"{WIDTH}\" y1=\"{at:.1}\" y2=\"{at:.1}\" stroke=\"#e5484d\" stroke-dasharray=\"4 3\"/>"
        );
    }
    let every = curve.times.len().div_ceil(MAX_POINTS);
    let points: String = curve
        .times
        .iter()
        .zip(&curve.values)
        .step_by(every)
        .map(|(t, v)| format!("{:.1},{:.1} ", x(*t), y(*v)))
        .collect();
    let _ = write!(
        page,
        "<polyline points=\"{points}\" fill=\"none\" stroke=\"#0090ff\" stroke-width=\"1.5\"/></svg></div>"
    );
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}
