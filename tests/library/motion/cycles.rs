//! Cycles in captured clips.

use sinew::asset;
use sinew::motion::Cycle;

use sinew_testkit::external_or_skip;

/// Two steps, one with each foot, take about a second and end in the pose in which they began, at another position.
#[test]
fn the_cycle_of_a_captured_walk_is_two_steps() {
    let Some(path) = external_or_skip("models/bvh/pybvh/cmu_12_01_walk.bvh") else { return };
    let character = asset::load(&path).unwrap();
    let cycle = Cycle::find(&character, 0).unwrap();
    let seconds = cycle.to - cycle.from;
    assert!((0.9..1.5).contains(&seconds), "{cycle:?}");
    assert!(cycle.error < 0.04 && cycle.error < 0.2 * cycle.change, "{cycle:?}");
    assert!(cycle.from >= 0.0 && cycle.to <= character.clips[0].seconds);
    assert_eq!(Cycle::find(&character, 0), Some(cycle));
    assert_eq!(Cycle::find(&character, 1), None);
}

#[test]
fn a_clip_at_rest_or_a_short_one_has_no_cycle() {
    let mut character = asset::mannequin().unwrap();
    for channel in &mut character.clips[2].channels {
        channel.node = character.skeleton.nodes.len();
    }
    character.clips[1].seconds = 0.2;
    assert_eq!(Cycle::find(&character, 2), None);
    assert_eq!(Cycle::find(&character, 1), None);
}
