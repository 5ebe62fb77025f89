//! Kind d: hips that are pulled further down never rise, whatever the speed.

use glam::Vec3;

use super::drag::Drag;
use super::person::Person;
use super::same::{SPEEDS, compare_speeds};
use super::shot::End;
use super::verdict::{CheckResult, Rule};

/// Number of checks whose target is set in metres, and the step between their depths, in metres at human size.
const DEPTHS: u8 = 8;
const DEPTH: f32 = 0.1;
/// Camera angles around the body and downwards, in degrees, for the checks that move the pointer in pixels.
const YAWS: [f32; 3] = [0.0, 45.0, 90.0];
const PITCHES: [f32; 3] = [0.0, 15.0, 30.0];
const PIXELS: [u8; 3] = [1, 5, 8];
/// Length of the pointer's path at the distance of the hips, in metres at human size.
const WAY: f32 = 0.8;

/// The names of the checks.
pub fn names() -> Vec<String> {
    let depth = |n: u8| format!("hips down by {:.1} m", DEPTH * f32::from(n));
    let view = |yaw: f32, pitch: f32| format!("hips down in pixels, yaw {yaw}°, pitch {pitch}°");
    let views = YAWS.into_iter().flat_map(|yaw| PITCHES.into_iter().map(move |pitch| view(yaw, pitch)));
    (1..=DEPTHS).map(depth).chain(views).collect()
}

/// The lowest position of the hips, which later frames must not exceed.
struct Lowest {
    height: f32,
}

impl Lowest {
    fn watch(&mut self, person: &Person, drag: &Drag<'_>, result: &mut CheckResult) {
        let now = drag.position().y;
        self.height = self.height.min(now);
        let millimetres = 1e3 * person.scaled(now - self.height);
        result.judge(Rule::Rise, millimetres, || {
            format!("the hips rise by {millimetres:.1} mm {}", drag.place())
        });
    }
}

/// Pulls the hips down at three speeds.
pub fn down(person: &Person, (_, number): (u64, usize), result: &mut CheckResult) -> Result<(), String> {
    let index = number - 1;
    match index.checked_sub(usize::from(DEPTHS)) {
        None => in_metres(person, number, result),
        Some(view) => in_pixels(person, YAWS[view / PITCHES.len()], PITCHES[view % PITCHES.len()], result),
    }
}

/// Each drag goes straight to the depth, except that the drag at the middle speed first rests one step above it.
fn in_metres(person: &Person, number: usize, result: &mut CheckResult) -> Result<(), String> {
    let hips = person.body().node("hips")?;
    #[expect(clippy::cast_precision_loss, reason = "a small number")]
    let [above, depth] = [number - 1, number].map(|n| person.metres(DEPTH * n as f32));
    let at = |depth: f32| person.at(hips) - depth * Vec3::Y;
    let mut ends: Vec<(String, End)> = Vec::new();
    for millimetres in SPEEDS {
        let (mut drag, step) = (Drag::new(person, hips), person.metres(1e-3 * f32::from(millimetres)));
        let mut lowest = Lowest { height: f32::INFINITY };
        if millimetres == SPEEDS[1] && above > 0.0 {
            drag.line_with(at(above), step, result, |drag, result| lowest.watch(person, drag, result));
            drag.rest_with(result, |drag, result| lowest.watch(person, drag, result));
        }
        drag.line_with(at(depth), step, result, |drag, result| lowest.watch(person, drag, result));
        drag.rest_with(result, |drag, result| lowest.watch(person, drag, result));
        let Some(end) = drag.end(result) else { return Ok(()) };
        ends.push((drag.speed().to_owned(), end));
    }
    compare_speeds(person, Rule::PullSpeed, &ends, result);
    Ok(())
}

fn in_pixels(person: &Person, yaw: f32, pitch: f32, result: &mut CheckResult) -> Result<(), String> {
    let hips = person.body().node("hips")?;
    let mut ends: Vec<(String, End)> = Vec::new();
    for pixels in PIXELS {
        let drag = Drag::with_pointer(person, hips, yaw, pitch);
        let mut drag = drag.ok_or("the hips are behind the camera")?;
        let mut lowest = Lowest { height: f32::INFINITY };
        let way = drag.pixels_below(person.metres(WAY));
        drag.down_with(way, f32::from(pixels), result, |drag, result| lowest.watch(person, drag, result));
        drag.rest_with(result, |drag, result| lowest.watch(person, drag, result));
        let Some(end) = drag.end(result) else { return Ok(()) };
        ends.push((drag.speed().to_owned(), end));
    }
    compare_speeds(person, Rule::PullSpeed, &ends, result);
    Ok(())
}
