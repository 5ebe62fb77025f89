//! Squats in which a pointer pulls the hips down and the body chooses the depth.

use super::checks::Person;
use super::checks::drag::Drag;
use super::checks::runner::rules::position;
use super::checks::verdict::{CheckResult, Id, Kind};

#[test]
fn hips_that_a_pointer_pulls_down_sit_back() {
    let person = Person::load(None).unwrap();
    let body = person.body();
    let hips = body.node("hips").unwrap();
    for (yaw, pitch) in [(0.0, 9.0), (24.0, 30.0)] {
        for (depth, least) in [(0.2, [54.0, 9.0]), (0.4, [52.0, 12.0]), (0.6, [48.0, -2.0])] {
            let mut result = CheckResult::new(Id { kind: Kind::Monotone, number: 0 }, String::new());
            let mut drag = Drag::with_pointer(&person, hips, yaw, pitch).unwrap();
            let pixels = drag.pixels_below(person.metres(depth));
            drag.down_with(pixels, 5.0, &mut result, |_, _| {});
            drag.rest(&mut result);
            let at = |name: &str| {
                let node = body.node(name).unwrap();
                position(drag.puppet(), node)
            };
            let shin = at("leftLowerLeg") - at("leftFoot");
            let shin = shin.y.atan2(shin.with_y(0.0).length()).to_degrees();
            let trunk = at("neck") - at("hips");
            let trunk = trunk.dot(body.facing).atan2(trunk.y).to_degrees();
            let sunk = (body.rest[hips].y - at("hips").y) / body.scale;
            let text =
                format!("yaw {yaw}, depth {depth}: sunk {sunk} m, shin {shin} and trunk {trunk} degrees");
            assert!(sunk > depth - 0.01 && sunk < depth + 0.12, "{text}");
            assert!(shin > least[0] && trunk > least[1] && trunk < 50.0, "{text}");
        }
    }
}
