//! Retargets takes to characters, and checks the results with `sinew check`.
//!
//! ```text
//! cargo run -p sinew-tools --bin retarget_pairs -- [OPTIONS] TAKE[#CLIP]… -- CHARACTER…
//! ```
//!
//! `-` is the built-in character. Without `#CLIP`, the first clip is used. `scripts/retarget-pairs.sh` builds and runs it on folders. A
//! pair passes if the result has no more kinds of errors than the take has on its own body. The two angles are the mean differences between
//! the directions of arms and legs in the take and on the character: one before contacts and the body displace the limbs, and one in the
//! result.
//!
//! | option | meaning |
//! |---|---|
//! | `-v` | prints the errors of each pair |

#![allow(clippy::print_stdout, reason = "the program prints its results")]

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

    /// Returns the pose at a time of a clip.
    fn pose(&self, clip: &Clip, time: f32) -> Pose {
        let mut pose = Pose::rest(&self.character.skeleton);
        Playhead::default().sample(clip, time, &self.character.skeleton, &mut pose);
        pose
    }

    /// Returns whether the second bone of a limb is a descendant of the first one.
    fn hangs_together(&self, limb: &[&str; 2]) -> bool {
        let [from, to] = limb.map(|bone| self.rig.bones.get(bone).copied());
        from.zip(to).is_some_and(|(from, to)| self.character.skeleton.ancestors(to).any(|node| node == from))
    }

    /// Returns the directions of the limbs in a pose.
    fn limbs(&self, pose: &Pose) -> [Option<Vec3>; 8] {
        let mut world = Vec::new();
        world_matrices(&self.character.skeleton, pose, &mut world);
        let at = |bone: &str| Some(Vec3::from(world[*self.rig.bones.get(bone)?].translation));
        LIMBS.map(|[a, b]| (at(b)? - at(a)?).try_normalize())
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
                    let [free, angle] = deviation(&source, target, clip)?;
                    let new: Vec<_> = kinds.difference(&known).copied().collect();
                    lines.insert(0, format!("{free:4.1}° {angle:4.1}° {}", new.join(" ")));
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

/// Returns two mean angles in degrees between the limbs of a source and of a target: one before contacts and the body displace the limbs,
/// and one in the result.
fn deviation(source: &Actor, target: &Actor, clip: &Clip) -> Result<[f32; 2], Box<dyn Error>> {
    let mut retarget =
        Retarget::with_bones(&source.character, &source.rig.bones, &target.character, &target.rig.bones)?;
    if retarget.is_by_names() {
        return Ok([0.0; 2]);
    }
    let turn = retarget.target_from_source();
    let (mut sums, mut counts) = ([0.0; 2], [0.0_f32; 2]);
    for i in 0..MOMENTS {
        let time = clip.seconds * f32::from(i) / f32::from(MOMENTS - 1);
        let pose = source.pose(source.character.clips.first().ok_or("no clip")?, time);
        let mut free = Pose::rest(&target.character.skeleton);
        retarget.pose(&pose, &mut free, &mut Vec::new());
        let from = source.limbs(&pose);
        // If a foot is not a descendant of its shin, only a contact moves it to the shin.
        let is_free = |limb: &[&str; 2]| target.hangs_together(limb);
        let free =
            target.limbs(&free).into_iter().zip(&LIMBS).map(|(way, limb)| way.filter(|_| is_free(limb)));
        let both = free.zip(target.limbs(&target.pose(clip, time)));
        for (from, (free, is)) in from.into_iter().zip(both) {
            let Some(from) = from else { continue };
            for (i, to) in [free, is].into_iter().enumerate() {
                let Some(to) = to else { continue };
                sums[i] += turn.transform_vector3(from).angle_between(to).to_degrees();
                counts[i] += 1.0;
            }
        }
    }
    Ok([0, 1].map(|i: usize| sums[i] / counts[i].max(1.0)))
}
