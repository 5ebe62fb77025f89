//! Checks that the claims in the map of the founding documents are true.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::process::Output;

use serde_json::Value;
use sinew::asset::{self, Channel, Values};

use crate::claims::{Claim, JointMotion};
use crate::page::{Page, pages};
use crate::{fixtures, sinew};

/// Distance in metres, or change of a quaternion component, above which a joint counts as moved or turned.
const MOVED: f64 = 1e-3;
/// Maximum movement of a joint that stays in place, in metres. Poses have single precision.
const STAYS: f64 = 1e-5;

/// A command that has run in a folder, and its output.
pub(crate) struct Run<'a> {
    pub(crate) folder: &'a Path,
    /// The arguments of the program.
    pub(crate) words: &'a [String],
    pub(crate) output: &'a Output,
}

impl Run<'_> {
    /// Checks a claim.
    pub(crate) fn check(&self, claim: &Claim) -> Result<(), String> {
        let wrong = |found: String| Err(format!("{claim:?}, but {found}"));
        match claim {
            Claim::Opens => Ok(()),
            Claim::Reached => {
                let missed = self.reports()?.into_iter().find(|r| r["outcome"] != "reached");
                missed.map_or(Ok(()), |report| wrong(report.to_string()))
            }
            Claim::Outcome(outcome) => self.first(|r| r["outcome"] == **outcome, claim),
            Claim::By(method) => {
                let other = self.reports()?.into_iter().find(|r| r["method"] != **method);
                other.map_or(Ok(()), |report| wrong(report.to_string()))
            }
            Claim::Iterations(count, true) => self.first(|r| r["iterations"] == *count, claim),
            Claim::Iterations(most, false) => {
                self.first(|r| r["iterations"].as_u64().is_some_and(|n| n <= *most), claim)
            }
            Claim::Error(metres, is_below) => {
                let holds = |error: f64| if *is_below { error < *metres } else { error > *metres };
                self.first(|r| r["position_error"].as_f64().is_some_and(holds), claim)
            }
            Claim::Steps(..) | Claim::StepsOf(..) | Claim::End(..) | Claim::Sign(..) | Claim::Turns(_) => {
                self.check_trace(claim)
            }
            Claim::Changed(option) => self.check_change(option),
            Claim::Tracks(count) => match self.clip()?.1.values().sum::<usize>() {
                moving if moving == *count => Ok(()),
                moving => wrong(format!("{moving} tracks move")),
            },
            Claim::Lasts(seconds) => match self.clip()?.0 {
                length if (length - seconds).abs() < 0.02 => Ok(()),
                length => wrong(format!("it lasts {length} s")),
            },
            Claim::Picture => {
                let picture = fs::read(self.folder.join(self.file()?)).map_err(|e| e.to_string())?;
                let mut reader = png::Decoder::new(std::io::Cursor::new(picture)).read_info().unwrap();
                let mut pixels = vec![0; reader.output_buffer_size().unwrap()];
                reader.next_frame(&mut pixels).map_err(|e| e.to_string())?;
                let has_colours = pixels.chunks_exact(4).any(|pixel| pixel != &pixels[..4]);
                if has_colours { Ok(()) } else { wrong("the image has one colour".into()) }
            }
            Claim::Prints(text) => {
                let Output { stdout, stderr, .. } = self.output;
                let printed = String::from_utf8_lossy(stdout) + String::from_utf8_lossy(stderr);
                if printed.contains(text.as_str()) { Ok(()) } else { wrong(format!("it prints\n{printed}")) }
            }
            Claim::Joint(joint, motion) => self.check_joint(joint, *motion),
        }
    }

    fn first(&self, holds: impl Fn(&Value) -> bool, claim: &Claim) -> Result<(), String> {
        let reports = self.reports()?;
        match reports.first() {
            Some(report) if holds(report) => Ok(()),
            other => Err(format!("{claim:?}, but {other:?}")),
        }
    }

    fn value(&self, options: &[&str]) -> Option<&str> {
        let place = self.words.iter().position(|word| options.contains(&word.as_str()))?;
        self.words.get(place + 1).map(String::as_str)
    }

    /// Returns the name of the written file, or of the first file of a sequence.
    fn file(&self) -> Result<String, String> {
        let file = self.value(&["-o", "--output"]).ok_or("the command writes no file")?;
        Ok(crate::commands::first_frame(file))
    }

    /// Returns the pose that the command writes or prints.
    fn pose(&self) -> Result<Value, String> {
        let text = match self.value(&["-o", "--output"]) {
            Some(file) => fs::read_to_string(self.folder.join(file)).map_err(|e| format!("{file}: {e}"))?,
            None => String::from_utf8_lossy(&self.output.stdout).into_owned(),
        };
        serde_json::from_str(&text).map_err(|e| format!("no pose: {e}"))
    }

    fn reports(&self) -> Result<Vec<Value>, String> {
        let reports = self.pose()?["reports"].as_array().cloned().unwrap_or_default();
        if reports.is_empty() { Err("there is no report".into()) } else { Ok(reports) }
    }

    /// Returns the rows of the trace. The cells of a row are indexed by column name.
    fn trace(&self) -> Result<Vec<BTreeMap<String, String>>, String> {
        let file = self.value(&["--trace"]).ok_or("the command has no trace")?;
        let text = fs::read_to_string(self.folder.join(file)).map_err(|e| format!("{file}: {e}"))?;
        let mut lines = text.lines();
        let header: Vec<&str> = lines.next().unwrap_or_default().split(',').collect();
        let row = |line: &str| {
            header.iter().zip(line.split(',')).map(|(name, cell)| ((*name).into(), cell.into())).collect()
        };
        Ok(lines.map(row).collect())
    }

    fn check_trace(&self, claim: &Claim) -> Result<(), String> {
        let rows = self.trace()?;
        let of = |joint: &str| rows.iter().filter(|row| row["joint"] == joint).collect::<Vec<_>>();
        let holds = match claim {
            Claim::Steps(count, kind) => {
                let found = rows.iter().filter(|row| row["kind"] == *kind).count();
                count.map_or(found > 0, |count| found == count)
            }
            Claim::StepsOf(joint, are_there) => of(joint).is_empty() != *are_there,
            Claim::End(joint, true) => rows.first().is_some_and(|row| row["joint"] == *joint),
            Claim::End(joint, false) => rows.last().is_some_and(|row| row["joint"] == *joint),
            Claim::Sign(joint, sign) => {
                !of(joint).is_empty() && of(joint).iter().all(|row| row["sign"] == sign.to_string())
            }
            Claim::Turns(most) => {
                let mut turned: BTreeMap<&str, f64> = BTreeMap::new();
                for row in &rows {
                    *turned.entry(&row["joint"]).or_default() += row["angle_deg"].parse::<f64>().unwrap();
                }
                !turned.is_empty() && turned.values().all(|angle| *angle < most + 1e-6)
            }
            _ => false,
        };
        if holds { Ok(()) } else { Err(format!("{claim:?} is wrong for the trace of {} steps", rows.len())) }
    }

    /// Checks that the command without an option has a different result.
    fn check_change(&self, option: &[String]) -> Result<(), String> {
        let before = self.result()?;
        let place = self.words.windows(option.len()).position(|words| words == option);
        let place = place.ok_or_else(|| format!("the command does not have {}", option.join(" ")))?;
        let mut words = self.words.to_vec();
        words.drain(place..place + option.len());
        let output = sinew(self.folder).args(&words).output().unwrap();
        // Without the option, the command may be rejected, which is a different result too.
        let is_same = output.status.code() == self.output.status.code()
            && Run { folder: self.folder, words: &words, output: &output }.result()? == before;
        if is_same { Err(format!("{} changes nothing", option.join(" "))) } else { Ok(()) }
    }

    /// Returns the result of the command: the nodes of a pose, or the bytes of another file.
    fn result(&self) -> Result<Vec<u8>, String> {
        if self.words.first().is_some_and(|word| word == "pose") {
            return Ok(self.pose()?["nodes"].to_string().into_bytes());
        }
        fs::read(self.folder.join(self.file()?)).map_err(|e| e.to_string())
    }

    /// Returns the length of the last clip of the written file in seconds, and the number of moving tracks of each of its nodes.
    fn clip(&self) -> Result<(f32, BTreeMap<String, usize>), String> {
        let character = asset::load(&self.folder.join(self.file()?)).map_err(|e| e.to_string())?;
        let clip = character.clips.last().ok_or("the file has no clip")?;
        let mut tracks = BTreeMap::new();
        for channel in clip.channels.iter().filter(|channel| moves(channel)) {
            *tracks.entry(character.skeleton.label(channel.node)).or_default() += 1;
        }
        Ok((clip.seconds, tracks))
    }

    /// Checks the motion of a joint in the written clip, or its difference from rest in the written pose.
    fn check_joint(&self, joint: &str, motion: JointMotion) -> Result<(), String> {
        let wrong = |found: String| Err(format!("{joint} {motion:?}, but {found}"));
        if self.words.first().is_some_and(|word| word == "bake") {
            let moving = self.clip()?.1.contains_key(joint);
            return if moving == (motion != JointMotion::Stays) {
                Ok(())
            } else {
                wrong(format!("moves: {moving}"))
            };
        }
        let model = self.words.get(1).filter(|word| word.ends_with(".glb"));
        let rest = sinew(self.folder).args(["pose"]).args(model).output().unwrap();
        let rest: Value = serde_json::from_slice(&rest.stdout).map_err(|e| e.to_string())?;
        let of = |pose: &Value, key: &str| -> Result<Vec<f64>, String> {
            let nodes = pose["nodes"].as_array().cloned().unwrap_or_default();
            let node = nodes.into_iter().find(|node| node["name"] == joint);
            let node = node.ok_or_else(|| format!("there is no {joint}"))?;
            Ok(node[key].as_array().into_iter().flatten().filter_map(Value::as_f64).collect())
        };
        let pose = self.pose()?;
        let away = |key: &str, from: usize| -> Result<f64, String> {
            let (a, b) = (of(&pose, key)?, of(&rest, key)?);
            Ok(a.iter().zip(&b).skip(from).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max))
        };
        // The last column of the matrix is the position.
        let (turned, moved) = (away("rotation", 0)?, away("world", 12)?);
        let holds = match motion {
            JointMotion::Turns => turned > MOVED,
            JointMotion::Moves => moved > MOVED,
            JointMotion::Stays => moved < STAYS,
        };
        if holds { Ok(()) } else { wrong(format!("it turns by {turned} and moves by {moved} m")) }
    }
}

/// Returns whether the values of a track change.
fn moves(channel: &Channel) -> bool {
    fn differ<T: PartialEq>(values: &[T]) -> bool {
        values.first().is_some_and(|first| values.iter().any(|value| value != first))
    }
    match &channel.values {
        Values::Translation(values) | Values::Scale(values) => differ(values),
        Values::Rotation(values) => differ(values),
        Values::Weights(values) => differ(values),
    }
}

/// Rows of earlier versions of the map whose commands did not do what they claimed: a pass that only bent the chain, a take with a
/// single position, and a clip that is the same without planted feet.
#[test]
fn empty_rows_are_found() {
    let pages: Vec<Page> = pages().into_iter().filter(|page| !page.is_exercise()).collect();
    let folder = fixtures::create("empty-rows", &pages);
    let take = "time,hips.x,hips.y,hips.z\n0,0.01,0.98,0\n0.008333,0.012,0.979,0.001\n";
    fs::write(folder.join("still.csv"), take).unwrap();
    let rows = [
        (
            "pose tentacle.glb --reach segment_39=0.4,1.2,0.3 --no-limits --method ccd --iterations 1 --trace a.csv -o a.json",
            "39 iteration steps",
        ),
        ("bake man.glb --clips still.csv --animation still -o still.glb", "16 tracks move"),
        ("bake man.glb --animation walk --plant-feet -o planted.glb", "changed by `--plant-feet`"),
        (
            "pose man.glb --base leftUpperArm --reach leftHand=0.35,1.5,0.35 --method ccd --option limits=true",
            "changed by `--option limits=true`",
        ),
        ("pose man.glb --base leftUpperArm --reach leftHand=1.5,1.5,0 --method ccd", "reached"),
    ];
    for (command, cell) in rows {
        let words: Vec<String> = command.split(' ').map(str::to_owned).collect();
        let output = sinew(&folder).args(&words).output().unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        let run = Run { folder: &folder, words: &words, output: &output };
        let found: Vec<_> =
            crate::claims::parse(cell).unwrap().iter().map(|claim| run.check(claim)).collect();
        assert!(found.iter().all(Result::is_err), "{command}: {cell} was not found to be wrong");
    }
}
