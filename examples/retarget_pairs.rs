//! Retargets takes to characters, and checks the results with `sinew check`.
//!
//! ```text
//! cargo run --example retarget_pairs -- [OPTIONS] TAKE[#CLIP]… -- CHARACTER…
//! ```
//!
//! `-` is the built-in character. Without `#CLIP`, the first clip is used. `scripts/retarget-pairs.sh` builds and runs it on folders.
//! A pair passes if the result has no more kinds of errors than the take has on its own body. The angle is the mean
//! difference of the directions of arms and legs.
//!
//! | option | meaning |
//! |---|---|
//! | `-v` | prints the errors of each pair |

#![allow(clippy::print_stdout, reason = "an example prints its results")]

use std::collections::BTreeSet;
use std::error::Error;
use std::path::Path;

use sinew::asset::{self, Character, Clip};
use sinew::check::{CheckOptions, Checker, Finding, Severity};
use sinew::export::bake::Source;
use sinew::glam::Vec3;
use sinew::motion::{Playhead, Retarget};
use sinew::pose::{Pose, world_matrices};
use sinew::rig::{self, Rig};

/// Limbs whose directions are compared: from one bone to the next.
const LIMBS: [[&str; 2]; 8] = [
    ["leftUpperArm", "leftLowerArm"],
    ["leftLowerArm", "leftHand"],
    ["rightUpperArm", "rightLowerArm"],
    ["rightLowerArm", "rightHand"],
    ["leftUpperLeg", "leftLowerLeg"],
    ["leftLowerLeg", "leftFoot"],
    ["rightUpperLeg", "rightLowerLeg"],
    ["rightLowerLeg", "rightFoot"],
];
/// Number of moments at which the poses are compared.
const MOMENTS: u8 = 24;

/// Kinds of errors, and a line for each error.
type Errors = (BTreeSet<&'static str>, Vec<String>);

struct Actor {
    name: String,
    character: Character,
    rig: Rig,
}

impl Actor {
    fn load(path: &str) -> Result<Self, Box<dyn Error>> {
        let character = if path == "-" { asset::mannequin()? } else { asset::load(Path::new(path))? };
        let rig = rig::load(&character, None)?;
        let name = Path::new(path).file_stem().unwrap_or_default().to_string_lossy().into_owned();
        Ok(Self { name: if path == "-" { "mannequin".into() } else { name }, character, rig })
    }

    /// Returns the kinds of errors in a clip, and a line for each error.
    fn errors(&self, clip: &Clip) -> Result<Errors, Box<dyn Error>> {
        let report = Checker::new(&self.character, &self.rig).check(clip, &CheckOptions::default())?;
        let is_error = |f: &&Finding| f.severity == Severity::Error;
        let errors: Vec<_> = report.findings.iter().filter(is_error).collect();
        let kinds = errors.iter().map(|f| f.check.name()).collect();
        let name = |node: usize| self.character.skeleton.nodes.get(node)?.name.as_deref();
        let line = |f: &&Finding| {
            let node = f.node.and_then(name).unwrap_or("the body");
            format!("{} at {:.2} s: {node} {}, limit {:.3}", f.check.name(), f.from, f.text, f.limit)
        };
        Ok((kinds, errors.iter().map(line).collect()))
    }
}

fn main() -> Result<(), Box<dyn Error>> {
    let (mut verbose, mut takes, mut targets, mut is_target) = (false, Vec::new(), Vec::new(), false);
    for argument in std::env::args().skip(1) {
        match &*argument {
            "-v" => verbose = true,
            "--" => is_target = true,
            _ if is_target => targets.push(Actor::load(&argument)?),
            _ => takes.push(argument),
        }
    }
    let (mut counts, mut all) = ([0_usize; 3], 0);
    for take in &takes {
        let (path, clip) = take.split_once('#').unwrap_or((take, ""));
        let mut source = Actor::load(path)?;
        let found = source.character.clips.iter().position(|c| c.name.as_deref() == Some(clip));
        let index = found.unwrap_or(clip.parse().unwrap_or(0));
        let Some(clip) = source.character.clips.get(index).cloned() else { continue };
        source.character.clips = vec![clip.clone()];
        let (known, _) = source.errors(&clip)?;
        let title = format!("{}#{}", source.name, clip.name.as_deref().unwrap_or_default());
        let own = known.iter().copied().collect::<Vec<_>>().join(" ");
        println!("{title}: on its own body {}", if own.is_empty() { "passes" } else { &own });
        for target in &targets {
            all += 1;
            let shared = Source::Character(Box::new(source.character.clone()));
            let (verdict, lines) = match shared.clips(&target.character, &target.rig, false) {
                Err(error) => (0, vec![error.to_string()]),
                Ok(done) => {
                    let clip = done.clips.first().ok_or("no clip")?;
                    let (kinds, mut lines) = target.errors(clip)?;
                    let angle = deviation(&source, target, clip)?;
                    let new: Vec<_> = kinds.difference(&known).copied().collect();
                    lines.insert(0, format!("{angle:4.1}° {}", new.join(" ")));
                    (if new.is_empty() { 2 } else { 1 }, lines)
                }
            };
            counts[verdict] += 1;
            let shown = if verbose { lines.len() } else { 1 };
            let word = ["refused", "fails", "passes"][verdict];
            println!(
                "  {word:8}{:24}{}",
                target.name,
                lines[..shown.min(lines.len())].join("\n            ")
            );
        }
    }
    let [refused, fails, passes] = counts;
    println!("{all} pairs: {passes} pass, {fails} fail, {refused} are refused");
    Ok(())
}

/// Returns the mean angle between the limbs of a source and of a target, degrees.
fn deviation(source: &Actor, target: &Actor, clip: &Clip) -> Result<f32, Box<dyn Error>> {
    let retarget =
        Retarget::with_bones(&source.character, &source.rig.bones, &target.character, &target.rig.bones)?;
    if retarget.is_by_names() {
        return Ok(0.0);
    }
    let turn = retarget.target_from_source();
    let (mut sum, mut count) = (0.0, 0.0_f32);
    for i in 0..MOMENTS {
        let time = clip.seconds * f32::from(i) / f32::from(MOMENTS - 1);
        let from = limbs(source, source.character.clips.first().ok_or("no clip")?, time);
        for (a, b) in from.iter().zip(limbs(target, clip, time)) {
            let (Some(a), Some(b)) = (a, b) else { continue };
            sum += turn.transform_vector3(*a).angle_between(b).to_degrees();
            count += 1.0;
        }
    }
    Ok(sum / count.max(1.0))
}

/// Returns the directions of the limbs at a time of a clip.
fn limbs(actor: &Actor, clip: &Clip, time: f32) -> [Option<Vec3>; 8] {
    let skeleton = &actor.character.skeleton;
    let (mut pose, mut world) = (Pose::rest(skeleton), Vec::new());
    Playhead::default().sample(clip, time, skeleton, &mut pose);
    world_matrices(skeleton, &pose, &mut world);
    let at = |bone: &str| Some(Vec3::from(world[*actor.rig.bones.get(bone)?].translation));
    LIMBS.map(|[a, b]| (at(b)? - at(a)?).try_normalize())
}
