//! The position and direction from which a character looks.

use glam::{DVec3, Vec3};
use serde::{Deserialize, Serialize};

use crate::pose::{orientation, rest_orientation};
use crate::puppet::Puppet;

/// Initial distance of the look-at point from the eyes, as a fraction of the scene's radius.
#[cfg(any(test, feature = "window"))]
const DISTANCE: f32 = 0.5;

/// The look-at target of a character's eyes, or of its head if the file does not define eyes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum EyeTarget {
    /// Nothing: eyes and head follow the motion.
    #[default]
    Nothing,
    /// The camera.
    Camera,
    /// A point in the world, in metres.
    Point(DVec3),
}

/// The eyes of a character in its current pose.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Viewpoint {
    /// The head's node.
    pub(crate) head: usize,
    /// Position between the eyes in world metres.
    pub(crate) eyes: Vec3,
    /// Unit direction in which the head faces.
    pub(crate) forward: Vec3,
}

impl Viewpoint {
    /// Returns the viewpoint from which a character can look at something. The head is taken from the look-at definition of the file or, if
    /// there is none, from the recognised body.
    pub(crate) fn of(puppet: &Puppet) -> Option<Self> {
        let (character, body) = (puppet.character(), puppet.rig.body.as_ref());
        let look = character.look_at.as_ref();
        let head = look.map(|look| look.head).or_else(|| body?.head())?;
        let at_rest = match (look, body) {
            (Some(look), _) if look.faces_back => Vec3::NEG_Z,
            (Some(_), _) => Vec3::Z,
            (None, body) => body?.facing,
        };
        let world = puppet.world_from_node().get(head)?;
        let eyes = world.transform_point3(look.map_or(Vec3::ZERO, |look| look.offset.as_vec3()));
        let skeleton = &character.skeleton;
        let turned =
            orientation(skeleton, puppet.pose(), head) * rest_orientation(skeleton, head).conjugate();
        let forward = (turned.as_quat() * at_rest).try_normalize()?;
        eyes.is_finite().then_some(Self { head, eyes, forward })
    }

    /// Returns a point in front of the eyes in world metres, at a distance that suits a scene of this radius.
    #[cfg(any(test, feature = "window"))]
    pub(crate) fn point_before(&self, radius: f32) -> Vec3 {
        self.eyes + DISTANCE * radius * self.forward
    }
}

#[cfg(test)]
mod tests {
    use glam::{DVec3, Quat, Vec2, Vec3};

    use super::Viewpoint;
    use crate::asset::{Character, LookAt, LookAtKind, Node, RangeMap, Skeleton, Transform, load, mannequin};
    use crate::pose::{orientation, rest_orientation};
    use crate::scene::picking::pixel;
    use crate::session::place::pin_here;
    use crate::{Command, EyeTarget, Session};

    const SIZE: Vec2 = Vec2::new(960.0, 540.0);

    fn session(character: Character) -> Session {
        Session::new(character, None, SIZE)
    }

    /// A head with an eye on each side. The eyes turn exactly to the gaze direction.
    fn eyes() -> Character {
        let at = |x: f32, y: f32| Transform::from_translation(Vec3::new(x, y, 0.0));
        let turned = Transform { rotation: Quat::from_rotation_x(0.7), ..at(-0.03, 0.0) };
        let nodes = vec![
            Node::new("root"),
            Node::child("head", 0, at(0.0, 1.5)),
            Node::child("left", 1, at(0.03, 0.0)),
            Node::child("right", 1, turned),
        ];
        let mut character = Character::new(Skeleton::new(nodes).unwrap());
        let range = RangeMap { input_max: 90.0, output_scale: 90.0 };
        character.look_at = Some(LookAt {
            head: 1,
            eyes: [Some(2), Some(3)],
            offset: DVec3::new(0.0, 0.06, 0.0),
            kind: LookAtKind::Bone,
            faces_back: false,
            inner: range,
            outer: range,
            down: range,
            up: range,
        });
        character
    }

    fn before_face(session: &Session) -> Vec3 {
        Viewpoint::of(&session.puppet).unwrap().point_before(session.view.home.scene_bounds.sphere().1)
    }

    fn point(session: &Session) -> Vec3 {
        let EyeTarget::Point(point) = session.document.settings.look_at else {
            panic!("{:?}", session.document.settings)
        };
        point.as_vec3()
    }

    /// Chooses a point, and drags its handle with the pointer and the wheel.
    fn drag_handle(session: &mut Session) {
        let before = before_face(session);
        session.apply(Command::LookAt(EyeTarget::Point(before.as_dvec3())));
        let at = pixel(&session.camera(), before, SIZE).unwrap();
        session.apply(Command::Hover(at));
        assert!(session.is_hovering() && session.hovered().is_none());
        for command in [
            Command::Grab(at),
            Command::Drag(at + Vec2::new(30.0, -20.0)),
            Command::Push(-2.0),
            Command::Drag(at + Vec2::new(45.0, -25.0)),
            Command::Release,
        ] {
            session.apply(command);
        }
        assert!(point(session).distance(before) > 0.02, "{before} {}", point(session));
        let now = pixel(&session.camera(), point(session), SIZE).unwrap();
        assert!(now.distance(at + Vec2::new(45.0, -25.0)) < 0.1, "the handle is under the pointer: {now}");
    }

    fn degrees_between(a: Vec3, b: Vec3) -> f32 {
        a.angle_between(b).to_degrees()
    }

    #[test]
    fn eyes_look_at_the_handle() {
        let mut session = session(eyes());
        drag_handle(&mut session);
        let viewpoint = Viewpoint::of(&session.puppet).unwrap();
        let wanted = point(&session) - viewpoint.eyes;
        assert!(degrees_between(Vec3::Z, wanted) > 2.0);
        let skeleton = &session.puppet.character().skeleton;
        for eye in [2, 3] {
            let turned = orientation(skeleton, session.puppet.pose(), eye)
                * rest_orientation(skeleton, eye).conjugate();
            let angle = degrees_between((turned * DVec3::Z).as_vec3(), wanted);
            assert!(angle < 1.0, "eye {eye}: {angle}");
        }
    }

    /// A character without eyes in its file turns its head and neck, but its pose does not change.
    #[test]
    fn a_head_turns_to_the_handle_within_its_limits() {
        let mut characters = vec![mannequin().unwrap()];
        if let Some(root) = std::env::var_os("SINEW_TEST_DATA") {
            let models = std::path::Path::new(&root).join("models/quaternius");
            for file in ["modular_men/Adventurer/Adventurer.glb", "modular_women/Witch/Witch.glb"] {
                characters.push(load(&models.join(file)).unwrap());
            }
        }
        for character in characters {
            let mut session = session(character);
            let pose = session.puppet.primary_pose().clone();
            drag_handle(&mut session);
            let viewpoint = Viewpoint::of(&session.puppet).unwrap();
            let angle = degrees_between(viewpoint.forward, point(&session) - viewpoint.eyes);
            assert!(angle < 1.0, "{angle}");
            assert!(*session.puppet.primary_pose() == pose && !session.history.can_undo());
            // If the point is behind the character, the limits stop the head.
            let behind = viewpoint.eyes - 2.0 * viewpoint.forward + Vec3::X;
            session.apply(Command::LookAt(EyeTarget::Point(behind.as_dvec3())));
            let neck = session.puppet.rig.body.as_ref().unwrap().neck.clone();
            for joint in neck {
                let rest = session.puppet.character().skeleton.nodes[joint].rest.rotation.as_dquat();
                let turn = rest.conjugate() * session.puppet.pose().locals[joint].rotation.as_dquat();
                assert!(session.puppet.rig.joint(joint).limit.limit_violation(turn) < 1e-3);
            }
            session.apply(Command::LookAt(EyeTarget::Nothing));
            assert_eq!(session.puppet.pose(), &pose);
        }
    }

    #[test]
    fn a_cancelled_drag_puts_the_handle_back() {
        let mut session = session(mannequin().unwrap());
        // Single precision cannot represent this coordinate.
        let before = before_face(&session).as_dvec3().with_x(0.1);
        session.apply(Command::LookAt(EyeTarget::Point(before)));
        let at = pixel(&session.camera(), before.as_vec3(), SIZE).unwrap();
        for command in [Command::Grab(at), Command::Drag(at + 40.0), Command::Push(3.0)] {
            session.apply(command);
        }
        assert_ne!(point(&session), before.as_vec3());
        session.apply(Command::Cancel);
        assert_eq!(session.document.settings.look_at, EyeTarget::Point(before));
    }

    /// Regression: a pin kept the head in its look-at orientation.
    #[test]
    fn a_pin_of_a_head_does_not_contain_its_look() {
        let mut session = session(mannequin().unwrap());
        let viewpoint = Viewpoint::of(&session.puppet).unwrap();
        let (before, forward) = (pin_here(&session.puppet, viewpoint.head), viewpoint.forward);
        let beside = viewpoint.eyes + forward + 0.5 * Vec3::X;
        session.apply(Command::LookAt(EyeTarget::Point(beside.as_dvec3())));
        assert!(degrees_between(Viewpoint::of(&session.puppet).unwrap().forward, forward) > 15.0);
        assert_eq!(pin_here(&session.puppet, viewpoint.head), before);
    }
}
