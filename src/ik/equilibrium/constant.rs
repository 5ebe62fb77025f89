//! Constants of behaviour. Forces are newtons on a person of 75 kg, stiffness is newtons per metre or newton metres per radian.

/// The strength of the pointer. Doubling it brings limbs nearer to targets at the end of reach, and folds them more beyond.
pub(super) const PULL: f64 = 1000.0;
/// Lever of a pull on an orientation, metres.
pub(super) const LEVER: f64 = 0.05;
/// The strength of a limb that keeps its place without holding the trunk, and of a pole.
pub(super) const LIGHT_PULL: f64 = 100.0;
/// The spring of a pin that yields. A leg that meets the other one then moves aside as a whole, before it turns about the line from hip
/// to ankle.
pub(super) const YIELDING: f64 = 100.0;
/// Uprightness of pelvis and chest, of the head, and keeping the pelvis from turning.
pub(super) const UPRIGHT: f64 = 55.0;
pub(super) const HEAD_UPRIGHT: f64 = 60.0;
pub(super) const YAW: f64 = 30.0;
/// Comfort of balance: how far the hips move back when anything moves forwards.
pub(super) const COMFORT: f64 = 4000.0;
/// Distance of the centre of mass from the edge of the support, metres.
pub(super) const MARGIN: f64 = 0.01;
/// Weight and stiffness of a heel that rises.
pub(super) const HEEL: [f64; 2] = [160.0, 200.0];
/// The force at which the foot of a pulled leg leaves the floor.
pub(super) const GRIP: f64 = 300.0;
pub(super) const GRAVITY: f64 = 9.81;
/// Factor of a pulled arm's springs and weight, so that the arm moves before the trunk. A pulled leg's springs have it twice.
pub(super) const RELAXED: f64 = 0.3;
/// The unknown depth of a pointer, the hips, and the hips of a body in the air whose limb is pulled.
pub(super) const DEPTH: f64 = 200.0;
pub(super) const ROOT: f64 = 10.0;
pub(super) const ROOT_IN_AIR: f64 = 3000.0;
/// Factor of the springs of the trunk while nothing pulls, so that only what must move does.
pub(super) const UNPULLED: f64 = 2e4;
/// The same while body parts are moved apart. The rows that move them must be stronger than these springs, or the trunk would stay in the
/// floor.
pub(super) const CLEARED: f64 = 1e3;
