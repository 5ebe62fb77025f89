//! User-defined methods.

use std::sync::OnceLock;

use super::{Body, Goal, Method, Options};

/// A user-defined method. [`register_method`] adds it to sinew's methods.
///
/// ```standalone_crate
/// use sinew_ik::glam::{DAffine3, DQuat, DVec3};
/// use sinew_ik::{Body, CustomMethod, Goal, Link, LinkIndex, Method, Options, Solver, register_method};
///
/// /// Turns the last joint above the goal towards the target, as far as it can.
/// struct PointAt;
///
/// impl CustomMethod for PointAt {
///     fn name(&self) -> &'static str {
///         "point-at"
///     }
///
///     fn pass(&self, body: &mut Body, goals: &[Goal], _: &Options) -> Result<(), &'static str> {
///         let [Goal { link, position: Some(target), .. }] = *goals else { return Err("one position is needed") };
///         let joint = body.links()[link.0].parent.ok_or("the base has no joint above it")?;
///         let place = |link| body.world_from_link(link).map_or(DVec3::ZERO, |m| m.translation);
///         let (from, to) = (place(link) - place(joint), target - place(joint));
///         let turn = DQuat::from_rotation_arc(from.normalize(), to.normalize());
///         let above = body.links()[joint.0].parent.and_then(|p| body.orientation(p)).unwrap_or_default();
///         let local = above.conjugate() * turn * above * body.rotations()[joint.0];
///         body.set_rotation(joint, local);
///         Ok(())
///     }
/// }
///
/// register_method(PointAt)?;
/// let method: Method = "point-at".parse()?;
/// let mut arm = Body::new(vec![Link::base(), Link::child(LinkIndex(0), DVec3::Y)], DAffine3::IDENTITY)?;
/// let options = Options::default().with_method(method).with_trace(true);
/// let mut solver = Solver::default();
/// let report = solver.solve(&mut arm, &[Goal::position(LinkIndex(1), DVec3::X)], &options)?;
/// assert!(report.reached() && report.iterations == 1 && report.trace.len() == 1);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub trait CustomMethod: Send + Sync {
    /// Returns the method's name as it appears in lists, in files and on the command line. No other method may have this name.
    fn name(&self) -> &'static str;

    /// Runs one iteration, which turns links to bring them nearer to the goals. The same arguments must give the same
    /// result. `options` specify, for example, whether limits apply.
    ///
    /// [`Solver`](super::Solver) calls this function until the goals are met, the iterations run out, or the error no longer falls. If the
    /// method has turned a link beyond its limits, the solver moves the link back to the nearest allowed rotation. It also keeps the best
    /// pose, measures the errors by forward kinematics, and records the trace.
    ///
    /// # Errors
    /// Returns the reason why the method cannot solve the problem, worded to follow "cannot solve this:". The body is then restored.
    fn pass(&self, body: &mut Body, goals: &[Goal], options: &Options) -> Result<(), &'static str>;
}

/// The reason why a method cannot be registered.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum RegisterError {
    /// Another method is registered already.
    #[error("the method {first} is registered already, and there can be only one")]
    Twice {
        /// Name of the registered method.
        first: &'static str,
    },
    /// The name contains characters that are not allowed in a list of methods.
    #[error("the name {name:?} of a method must consist of small letters, digits and hyphens")]
    Letters {
        /// The name.
        name: &'static str,
    },
    /// A method of sinew has the same name.
    #[error("the name {name} is that of another method; choose another one")]
    Name {
        /// The name.
        name: &'static str,
    },
}

static REGISTERED: OnceLock<Box<dyn CustomMethod>> = OnceLock::new();

/// Makes a user-defined method available in this process as [`Method::Custom`]. The method then appears wherever methods are listed: on the
/// command line (`sinew::cli::main`), in `--compare` and `scene::compare`, in `sinew bench`, in traces, and in the window. Call this
/// function once, before any other function of sinew.
///
/// # Errors
/// [`RegisterError`] if a method is registered already, if the name contains invalid characters, or if another method has the same name.
pub fn register_method(method: impl CustomMethod + 'static) -> Result<(), RegisterError> {
    let name = method.name();
    let is_letter = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-';
    if name.is_empty() || !name.chars().all(is_letter) {
        return Err(RegisterError::Letters { name });
    }
    if Method::all().any(|known| known != Method::Custom && known.name() == name) {
        return Err(RegisterError::Name { name });
    }
    let twice = |_| RegisterError::Twice { first: registered().map_or(name, CustomMethod::name) };
    REGISTERED.set(Box::new(method)).map_err(twice)?;
    Method::name_custom(name);
    Ok(())
}

pub(super) fn registered() -> Option<&'static dyn CustomMethod> {
    REGISTERED.get().map(Box::as_ref)
}
