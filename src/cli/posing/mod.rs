//! The posing options of `render`, `pose`, `bake` and suites, and the puppet that they describe.

use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;

use clap::{ArgMatches, Args};

use crate::asset::Character;
use crate::capture::RotationFit;
use crate::ik;
use crate::puppet::{GoalReport, Pin, Puppet};
use crate::rig::Rig;

use super::failure::Failure;
use super::names::Nodes;
use super::rig_args::RigArgs;
use super::{ModelArg, Verbosity, names};

mod axes;
pub(super) mod clips;
mod face;
pub(super) mod robot;
pub(super) mod secondary;
mod solver;
mod targets;
mod values;

pub(super) use clips::{TimeRange, time_range};

use axes::{AngleUnit, AxisValues, LengthUnit, NodeFrame, PlainUnit};
use solver::{OptionArg, ParametersArg, StartArg};
pub(super) use solver::{SolverArgs, methods, metres, print_options, requested_options};
use values::{Assignment, seconds};
pub(super) use values::{numbers, unit};

#[derive(Args, Clone, Debug)]
#[command(next_help_heading = "Posing")]
pub(super) struct PosingArgs {
    /// Play the clip with this name or index
    #[arg(long, value_name = "NAME|INDEX", group = "moving")]
    animation: Option<String>,
    /// Time in the clip in seconds, clamped to its ends unless --loop is given
    #[arg(long, value_name = "S", default_value = "0", value_parser = seconds)]
    animation_time: f32,
    /// Add the clips of another file, retargeted to this character (repeatable)
    #[arg(long, value_name = "FILE")]
    pub(super) clips: Vec<PathBuf>,
    /// Blend another clip into the animation with weight W, aligning their steps (repeatable)
    #[arg(long, value_name = "NAME=W", requires = "animation")]
    pub(super) blend: Vec<String>,
    /// Choose the weights of --animation and --blend, so that the node reaches a world position when it is farthest from its start
    #[arg(long, value_name = "NODE=X,Y,Z", requires = "blend")]
    blend_to: Option<Assignment<3>>,
    /// Start from the joint values of a robot: CSV with one column for each joint, which moves it if there is more than one line, or
    /// JSON with a value for each name
    #[arg(long, value_name = "FILE", group = "moving", conflicts_with = "blend")]
    pub(super) q: Option<PathBuf>,
    /// Use the robot's own frame, in which +Z is up, for targets, camera and results, instead of the world frame, in which +Y is up
    #[arg(long)]
    pub(super) robot_frame: bool,
    /// Play a motion file, which arranges clips, layers and edits
    #[arg(long, value_name = "FILE", group = "moving", conflicts_with = "blend")]
    pub(super) motion: Option<PathBuf>,
    /// Loop the motion, so that times beyond its end wrap around
    #[arg(long = "loop")]
    looping: bool,
    /// Play only the part of the clip from A to B seconds, or its best cycle; times then count from A
    #[arg(long, value_name = "A..B|cycle", value_parser = clips::trim, conflicts_with = "motion")]
    trim: Option<clips::Trim>,
    /// Exchange left and right in the clips
    #[arg(long)]
    mirror: bool,
    /// Root motion of the clips: accumulate, in-place, or the name of an ancestor of the hips that carries it
    #[arg(long, value_name = "accumulate|in-place|NODE")]
    root_motion: Option<String>,
    /// Keep each foot fixed while it is on the ground
    #[arg(long)]
    pub(super) plant_feet: bool,
    /// Also retarget hand positions relative to the shoulders, scaled by the arm span
    #[arg(long)]
    pub(super) keep_hands: bool,
    /// Smooth takes (.csv, .trc, .c3d) that are the model or --clips: remove motion faster than HZ, without lag; 6 suits people
    #[arg(long, value_name = "HZ", value_parser = clips::cutoff)]
    pub(super) smooth: Option<f64>,
    /// How takes turn a joint towards its children: least-squares, or lecture (the inverse of three bones, for comparison)
    #[arg(long, value_name = "FIT", default_value = "least-squares", value_parser = clips::rotation_fit)]
    pub(super) fit: RotationFit,
    /// Let left and right bones of a model that is a take have different lengths, instead of their mean
    #[arg(long)]
    asymmetric: bool,
    /// Up axis of .bvh, .csv and .trc files that are the model or --clips
    #[arg(long, value_name = "y|z", default_value = "y", value_parser = ["y", "z"])]
    up: String,
    /// Replace a node's local rotation after the clip (repeatable)
    #[arg(long, value_name = "NODE=X,Y,Z,W")]
    rotate: Vec<Assignment<4>>,
    /// Turn a node relative to the clip, about X,Y,Z in its own frame, by the vector's length in degrees (repeatable)
    #[arg(long, value_name = "NODE=X,Y,Z")]
    turn: Vec<Assignment<3>>,
    /// Set the morph targets with this name or index, replacing the clip's value (repeatable)
    #[arg(long, value_name = "NAME=W")]
    morph: Vec<face::Weight>,
    /// Set an expression of a VRM character, from 0 to 1, as in happy=1 (repeatable)
    #[arg(long, value_name = "NAME=W")]
    expression: Vec<face::Weight>,
    /// Move a node to a world position (repeatable)
    #[arg(long, value_name = "NODE=X,Y,Z")]
    reach: Vec<Assignment<3>>,
    /// Turn a node to a world orientation (repeatable)
    #[arg(long, value_name = "NODE=X,Y,Z,W")]
    orient: Vec<Assignment<4>>,
    /// Aim a node's forward axis at a world position (repeatable)
    #[arg(long, value_name = "NODE=X,Y,Z")]
    look: Vec<Assignment<3>>,
    /// Turn the eyes of a character, or its head if the file does not describe eyes, towards a world position
    #[arg(long, value_name = "X,Y,Z", value_parser = secondary::position, allow_hyphen_values = true)]
    look_at: Option<[f64; 3]>,
    /// Let the spring bones of a VRM character swing for S seconds before the first pose [default: 0]
    #[arg(long, value_name = "S", value_parser = secondary::settle)]
    settle: Option<f64>,
    /// Do not simulate the spring bones of a VRM character
    #[arg(long)]
    no_springs: bool,
    /// Bend the limb that ends at a node towards a world position (repeatable)
    #[arg(long, value_name = "NODE=X,Y,Z")]
    pole: Vec<Assignment<3>>,
    /// Keep a joint where the clip puts it (repeatable)
    #[arg(long, value_name = "NODE")]
    pin: Vec<String>,
    /// Weight of a node's goals (repeatable) [default: 1]
    #[arg(long, value_name = "NODE=W")]
    weight: Vec<Assignment<1>>,
    /// Weight of a node's position, or of each of its axes; 0 frees an axis (repeatable) [default: 1]
    #[arg(long, value_name = "NODE=W|X,Y,Z")]
    position_weight: Vec<AxisValues<PlainUnit>>,
    /// Weight of a node's orientation, or of turns about each axis; 0 frees an axis (repeatable) [default: 1]
    #[arg(long, value_name = "NODE=W|X,Y,Z")]
    orientation_weight: Vec<AxisValues<PlainUnit>>,
    /// Distance at which a node's position counts as reached, or one for each axis (repeatable) [default: that of --tolerance]
    #[arg(long, value_name = "NODE=M|X,Y,Z")]
    position_tolerance: Vec<AxisValues<LengthUnit>>,
    /// Angle at which a node's orientation counts as reached, or one for each axis (repeatable) [default: 0.001rad]
    #[arg(long, value_name = "NODE=ANGLE|X,Y,Z")]
    orientation_tolerance: Vec<AxisValues<AngleUnit>>,
    /// Frame of a node's axes: the world or the node's --orient target (repeatable) [default: world]
    #[arg(long, value_name = "NODE=world|target")]
    axes: Vec<NodeFrame>,
    /// Keep a joint fixed for the --reach, --orient and --look options that follow [default: the chain's base; none if the whole body moves]
    #[arg(long, value_name = "NODE")]
    base: Vec<String>,
    /// Rig file with chains and limits [default: NAME.rig.toml beside the model, or found in the model]
    // Not flattened, because clap leaves a group empty if it contains another group.
    #[arg(long, value_name = "FILE")]
    rig: Option<PathBuf>,
    /// Node of a bone of the body, named as in VRM 1.0, instead of the one that would be recognised (repeatable)
    #[arg(long, value_name = "BONE=NODE")]
    bone: Vec<String>,
    /// Pose prior of --method style: a file written by `sinew style`, or a glTF, BVH or CSV file with example clips
    #[arg(long, value_name = "FILE")]
    style: Option<PathBuf>,
    /// Solver to use; auto and full-body move the whole of a recognised body, unless a base is given [default: the rig's, or auto]
    #[arg(long, value_name = "NAME", value_parser = methods())]
    method: Option<String>,
    /// Joint parameters that the Jacobian methods solve for [default: rotation-vector]
    #[arg(long, value_name = "WHICH")]
    joint_parameters: Option<ParametersArg>,
    /// Ignore joint limits
    #[arg(long)]
    no_limits: bool,
    /// Maximum number of iterations [default: 100]
    #[arg(long, value_name = "N")]
    iterations: Option<usize>,
    /// Distance at which a goal counts as reached, in metres [default: 1e-4 of the chain's length]
    #[arg(long, value_name = "M", value_parser = metres)]
    tolerance: Option<f64>,
    /// Pose to start from: the clip's pose (current) or the rest pose [default: current]
    #[arg(long, value_name = "POSE")]
    start: Option<StartArg>,
    /// Set any solver option, for example ccd.step=5deg (repeatable; --option help lists them)
    #[arg(long, value_name = "KEY=VALUE")]
    option: Vec<OptionArg>,
    /// Exit 1 unless every goal, pin and contact of a planted foot is reached
    #[arg(long)]
    require_reached: bool,
    /// Use the scene with this name or index [default: the file's default scene]
    #[arg(long, value_name = "NAME|INDEX")]
    scene: Option<String>,
}

impl PosingArgs {
    /// Returns a puppet that is set up according to the options. The order of the options is read from `matches`, the parsed arguments of
    /// the subcommand.
    pub(super) fn puppet(
        &self,
        character: Character,
        matches: &ArgMatches,
        verbosity: Verbosity,
    ) -> Result<Puppet, Failure> {
        self.puppet_or(character, matches, verbosity, |_, _| Ok(None))
    }

    /// Like [`Self::puppet`], but plays a clip if the options name no clip, motion file or joint values. `default` chooses that clip, given
    /// the number of clips in the model and the total number of clips.
    pub(super) fn puppet_or(
        &self,
        character: Character,
        matches: &ArgMatches,
        verbosity: Verbosity,
        default: impl FnOnce(usize, usize) -> Result<Option<usize>, Failure>,
    ) -> Result<Puppet, Failure> {
        verbosity.warn(&character.warnings);
        let rig = self.rig().load(&character)?;
        let own = character.clips.len();
        let (character, warnings) = self.extend(character.into(), &rig)?;
        verbosity.warn(&warnings);
        let (character, values) = self.add_joint_values(character)?;
        let is_named = self.animation.is_some() || self.motion.is_some() || values.is_some();
        let default = if is_named { values } else { default(own, character.clips.len())? };
        let (puppet, note) = self.puppet_playing(character, rig, matches, default)?;
        verbosity.warn(&self.namesakes(&puppet));
        note.iter().for_each(|note| verbosity.print(note));
        Ok(puppet)
    }

    /// Returns the input files that the options name, including the model.
    pub(super) fn files<'a>(&'a self, model: &'a ModelArg) -> impl Iterator<Item = &'a Path> {
        let files = [&model.file, &self.motion, &self.q, &self.rig, &self.style];
        files.into_iter().flatten().chain(&self.clips).map(PathBuf::as_path)
    }

    /// Returns the options that choose the rig.
    pub(super) fn rig(&self) -> RigArgs {
        RigArgs { rig: self.rig.clone(), bone: self.bone.clone() }
    }

    /// Like [`Self::puppet`], but takes the character's rig and a shared character that already has all clips.
    pub(super) fn puppet_of(
        &self,
        character: Arc<Character>,
        rig: Rig,
        matches: &ArgMatches,
    ) -> Result<Puppet, Failure> {
        Ok(self.puppet_playing(character, rig, matches, None)?.0)
    }

    fn puppet_playing(
        &self,
        character: Arc<Character>,
        rig: Rig,
        matches: &ArgMatches,
        default: Option<usize>,
    ) -> Result<(Puppet, Option<String>), Failure> {
        let scene = match &self.scene {
            Some(name) => names::scene(&character, name)?,
            None => character.default_scene,
        };
        let clip = self.animation.as_deref().map(|name| character.clip_index(name)).transpose()?;
        let clip = clip.or(default);
        let nodes = Nodes { character: &character, bones: &rig.bones };
        let mut targets = self.targets(nodes, matches)?;
        self.turn_targets(&mut targets, &character)?;
        let pins = self.pin.iter().map(|n| Ok(nodes.find(n)?.into()));
        let pins = pins.collect::<Result<Vec<Pin>, Failure>>()?;
        let rotations = self.rotations(nodes)?;
        let turns = self.turns(nodes)?;
        let weights = self.weights(&character)?;
        let load_prior = |path| super::style::load_prior(path, &character, &rig, self.keep_hands);
        let style = self.style.as_deref().map(load_prior).transpose()?;
        let mut puppet = Puppet::with_rig(character, scene, rig);
        self.apply_solver_options(&mut puppet.options.solver)?;
        if style.is_none() && puppet.options.solver.method == ik::Method::Style && !targets.is_empty() {
            return Err(Failure::Usage("--method style needs a pose prior; add --style FILE".into()));
        }
        puppet.style = style;
        let note = self.play(&mut puppet, clip, self.animation_time)?;
        puppet.options.looping = self.looping;
        puppet.rotations = rotations;
        puppet.turns = turns;
        puppet.weights = weights;
        puppet.targets = targets;
        puppet.pins = pins;
        self.apply_secondary(&mut puppet);
        Ok((puppet, note))
    }

    /// Returns exit code 1 if `--require-reached` is given and a goal, pin or contact was not reached, and 0
    /// otherwise.
    pub(super) fn exit_code(&self, reports: &[GoalReport]) -> ExitCode {
        let reached = reports.iter().all(|r| r.outcome == ik::Outcome::Reached);
        ExitCode::from(u8::from(self.require_reached && !reached))
    }
}
