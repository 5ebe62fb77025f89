//! Checks the clips of the built-in mannequin.

use sinew::asset::mannequin;
use sinew::puppet::Puppet;

/// Number of frames to check in each clip.
const FRAMES: usize = 240;

#[test]
fn feet_on_the_ground_do_not_slide() {
    let mut puppet = Puppet::new(mannequin().unwrap(), 0);
    let clip = puppet.character().clips.iter().position(|c| c.name.as_deref() == Some("walk")).unwrap();
    let seconds = puppet.character().clips[clip].seconds;
    for name in ["leftToes", "rightToes"] {
        let toes = puppet.character().skeleton.find(name).unwrap();
        let positions: Vec<_> = (0..=FRAMES)
            .map(|frame| {
                puppet.play(clip, seconds * frame as f32 / FRAMES as f32);
                puppet.update().unwrap();
                puppet.world_from_node()[toes].translation
            })
            .collect();
        let lowest = positions.iter().map(|p| p.y).fold(f32::INFINITY, f32::min);
        let step = seconds / FRAMES as f32;
        // The clip is in place, so a foot on the ground moves back at the speed of the ground.
        let on_ground = positions.windows(2).filter(|p| p[0].y.max(p[1].y) < lowest + 0.004);
        let speeds = on_ground.map(|p| (p[1] - p[0]) / step);
        // Exclude frames in which the foot lands or lifts off.
        let speeds: Vec<_> = speeds.filter(|v| v.y.abs() < 0.02).collect();
        assert!(speeds.len() > FRAMES / 4, "{name}: {} frames on the ground", speeds.len());
        let mean = speeds.iter().map(|v| v.z).sum::<f32>() / speeds.len() as f32;
        assert!(mean < -0.5, "{name}: {mean} m/s");
        for speed in speeds {
            assert!(
                (speed.z - mean).abs() < 0.06 && speed.x.abs() < 0.03,
                "{name}: {speed} instead of {mean}"
            );
        }
    }
}

#[test]
fn clips_end_as_they_begin() {
    let mut puppet = Puppet::new(mannequin().unwrap(), 0);
    for (index, clip) in puppet.character().clips.clone().iter().enumerate() {
        let [start, end] = [0.0, clip.seconds].map(|time| {
            puppet.play(index, time);
            puppet.update().unwrap();
            puppet.world_from_node().to_vec()
        });
        for (a, b) in start.iter().zip(&end) {
            assert!(a.translation.distance(b.translation) < 1e-4, "{:?}", clip.name);
        }
    }
}
