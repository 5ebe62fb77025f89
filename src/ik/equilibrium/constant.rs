//! Constants that set the behaviour of a figure. Forces are in newtons for a person of 75 kg. Stiffness is in newtons per metre or newton
//! metres per radian.

/// The maximum force of a goal. Doubling it brings limbs nearer to targets at the limit of their reach, and folds them more if the target
/// is beyond their reach.
pub(super) const PULL: f64 = 1000.0;
/// Lever arm of a pull on an orientation, in metres.
pub(super) const LEVER: f64 = 0.05;
/// The force of a pole, and of a limb that stays in place without holding the trunk.
pub(super) const LIGHT_PULL: f64 = 100.0;
/// Spring stiffness of a pin that yields. This value makes a leg that meets the other leg move aside as a whole before it turns about the
/// line from hip to ankle.
pub(super) const YIELDING: f64 = 100.0;
/// Stiffness of the springs that keep the pelvis and the chest upright, keep the head upright, and maintain the yaw of the pelvis.
pub(super) const UPRIGHT: f64 = 55.0;
pub(super) const HEAD_UPRIGHT: f64 = 60.0;
pub(super) const YAW: f64 = 30.0;
/// Stiffness of the spring that keeps the centre of mass in place. This stiffness determines how far the hips move back when other parts
/// move forwards.
pub(super) const COMFORT: f64 = 4000.0;
/// Minimum distance of the centre of mass from the edge of the support, in metres.
pub(super) const MARGIN: f64 = 0.01;
/// Weight and spring stiffness that keep a heel down.
pub(super) const HEEL: [f64; 2] = [160.0, 200.0];
/// The force at which the foot of a pulled leg leaves the floor.
pub(super) const GRIP: f64 = 300.0;
pub(super) const GRAVITY: f64 = 9.81;
/// Factor for a pulled arm's springs and weight, so that the arm moves before the trunk. The springs of a pulled leg are multiplied by the
/// square of this factor.
pub(super) const RELAXED: f64 = 0.3;
/// Stiffness of three springs: along the free axes of a goal, at the hips, and at the hips of a body in the air when only its limbs are
/// pulled.
pub(super) const DEPTH: f64 = 200.0;
pub(super) const ROOT: f64 = 10.0;
pub(super) const ROOT_IN_AIR: f64 = 3000.0;
/// Factor for the springs of the trunk while nothing pulls, so that only the necessary parts move.
pub(super) const UNPULLED: f64 = 2e4;
/// Like [`UNPULLED`], while body parts are moved apart. The rows that move the parts must be stronger than these springs. Otherwise the
/// trunk would stay in the floor.
pub(super) const CLEARED: f64 = 1e3;
