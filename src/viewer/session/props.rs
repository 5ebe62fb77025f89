//! Loads and places the models that joints carry.

use std::path::{Path, PathBuf};

use glam::{Affine3A, Vec3};

use crate::asset;
use crate::document::prop::Prop;
use crate::files::Progress;
use crate::puppet::Puppet;
use crate::render::{DecodedImages, Instance, Model, RenderError, Renderer, ShadingMode};
use crate::scene;
#[cfg(any(test, feature = "window"))]
use crate::{Command, Session, document::prop::MAX_PROPS};

/// A prop's model in its rest pose, or the reason why it could not be loaded.
#[derive(Clone, Debug)]
struct LoadedProp {
    file: PathBuf,
    model: Result<Box<Puppet>, String>,
}

/// Loads a model and poses it. The loading can be stopped from another thread.
///
/// # Errors
/// Returns the reason as one line.
pub(crate) fn load_with(file: &Path, progress: &Progress) -> Result<Box<Puppet>, String> {
    let mut puppet = Puppet::new(asset::load_with(file, None, progress).map_err(|e| e.to_string())?, 0);
    puppet.update().map_err(|e| format!("{}: {e}", file.display()))?;
    Ok(Box::new(puppet))
}

/// Returns the name of the joint that carries the next prop: the selected joint.
///
/// # Errors
/// Returns the reason as one line why no prop can be attached.
#[cfg(any(test, feature = "window"))]
pub(crate) fn prop_joint(session: &Session) -> Result<String, String> {
    let node = session.selected().and_then(|node| session.puppet.character().skeleton.nodes.get(node));
    let name = node.and_then(|node| node.name.clone());
    let node = name.ok_or("select the joint that carries the model first")?;
    check_count(session)?;
    Ok(node)
}

/// Lets a joint carry a model that is loaded already.
///
/// # Errors
/// Returns the reason as one line why no prop can be attached.
#[cfg(any(test, feature = "window"))]
pub(crate) fn attach(
    session: &mut Session,
    file: &Path,
    prop_joint: String,
    model: Box<Puppet>,
) -> Result<(), String> {
    check_count(session)?;
    let mut props = session.document.settings.props.clone();
    props.push(Prop::new(file.to_path_buf(), prop_joint));
    session.props.insert(file, model);
    session.apply(Command::Props(props));
    Ok(())
}

#[cfg(any(test, feature = "window"))]
fn check_count(session: &Session) -> Result<(), String> {
    if session.document.settings.props.len() < MAX_PROPS {
        return Ok(());
    }
    Err(format!("a character carries at most {MAX_PROPS} props"))
}

/// The models of a character's props, in their rest poses.
#[derive(Clone, Debug, Default)]
pub(crate) struct PropModels(Vec<LoadedProp>);

impl PropModels {
    /// Loads the models of the props that are not loaded yet, and drops the other ones.
    pub(super) fn set(&mut self, props: &[Prop]) {
        self.set_with(props, &Progress::default());
    }

    /// Does the same as [`Self::set`], but can be stopped from another thread.
    pub(crate) fn set_with(&mut self, props: &[Prop], progress: &Progress) {
        self.0.retain(|loaded| props.iter().any(|prop| prop.file == loaded.file));
        for Prop { file, .. } in props {
            if !self.0.iter().any(|loaded| loaded.file == *file) {
                self.0.push(LoadedProp { file: file.clone(), model: load_with(file, progress) });
            }
        }
    }

    /// Takes over the models that another session has loaded, so that [`Self::set`] does not read their files. It reads the other files
    /// again, because they may have been repaired.
    pub(super) fn share(&mut self, from: &Self) {
        self.0 = from.0.iter().filter(|loaded| loaded.model.is_ok()).cloned().collect();
    }

    /// Adds a model that is loaded already, so that [`Self::set`] does not read its file.
    #[cfg(any(test, feature = "window"))]
    fn insert(&mut self, file: &Path, model: Box<Puppet>) {
        self.0.retain(|loaded| loaded.file != file);
        self.0.push(LoadedProp { file: file.to_path_buf(), model: Ok(model) });
    }

    /// Returns why a prop is not drawn: its model could not be loaded, or its joint or its part does not exist. `skeleton` is the skeleton
    /// of the character.
    #[cfg(any(test, feature = "window"))]
    pub(crate) fn failure(&self, prop: &Prop, skeleton: &asset::Skeleton) -> Option<String> {
        let loaded = self.0.iter().find(|loaded| loaded.file == prop.file)?;
        let model = match &loaded.model {
            Ok(puppet) => &puppet.character().skeleton,
            Err(failure) => return Some(failure.clone()),
        };
        if skeleton.find(&prop.node).is_none() {
            return Some(format!("the character has no joint {:?}", prop.node));
        }
        let missing = prop.part.as_ref().filter(|part| model.find(part).is_none())?;
        Some(format!("{} has no part {missing:?}", prop.file.display()))
    }

    /// Returns the files and the models that could be loaded.
    pub(crate) fn loaded(&self) -> impl Iterator<Item = (&Path, &Puppet)> {
        self.0.iter().filter_map(|loaded| Some((loaded.file.as_path(), loaded.model.as_deref().ok()?)))
    }

    /// Returns the props as instances, whose models follow the character's.
    pub(super) fn instances(&self, props: &[Prop], owner: &Puppet) -> impl Iterator<Item = Instance<'_>> {
        props.iter().filter_map(move |prop| {
            let (index, (_, puppet)) = self.loaded().enumerate().find(|(_, (file, _))| *file == prop.file)?;
            let node = owner.character().skeleton.find(&prop.node)?;
            let place = prop.world_from_model(owner.world_from_node().get(node)?)?;
            let mut instance = Instance { model: 1 + index, place, ..scene::instance(puppet) };
            if let Some(shown) = &prop.part {
                let skeleton = &puppet.character().skeleton;
                let part = skeleton.find(shown)?;
                let is_in_part = |node: usize| skeleton.ancestors(node).any(|n| n == part);
                instance
                    .draws
                    .retain(|draw| puppet.parts().get(draw.part).is_some_and(|p| is_in_part(p.node)));
                let origin = puppet.world_from_node().get(part)?.translation;
                instance.place = place * Affine3A::from_translation(-Vec3::from(origin));
            }
            Some(instance)
        })
    }

    /// Returns the names of the things in a prop's file: the topmost nodes, if there are several.
    #[cfg(any(test, feature = "window"))]
    pub(crate) fn parts(&self, prop: &Prop) -> Vec<String> {
        let Some((_, puppet)) = self.loaded().find(|(file, _)| *file == prop.file) else {
            return Vec::new();
        };
        let skeleton = &puppet.character().skeleton;
        let top = |part: &asset::Part| skeleton.ancestors(part.node).last().unwrap_or(part.node);
        let tops: std::collections::BTreeSet<usize> = puppet.parts().iter().map(top).collect();
        let names: Vec<String> =
            tops.into_iter().filter_map(|node| skeleton.nodes.get(node)?.name.clone()).collect();
        if names.len() > 1 { names } else { Vec::new() }
    }

    /// Uploads the models.
    pub(super) fn upload(&self, renderer: &Renderer) -> Result<Vec<Model>, RenderError> {
        let upload = |puppet: &Puppet| {
            let images = DecodedImages::decode(puppet.character(), puppet.parts(), ShadingMode::Shaded);
            renderer.model(puppet.character(), puppet.parts(), &images)
        };
        self.loaded().map(|(_, puppet)| upload(puppet)).collect()
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use glam::{DVec3, Vec2};
    use sinew_testkit::asset_path as asset;

    use super::*;
    use crate::asset::mannequin;
    use crate::render::{AdapterChoice, Gpu};
    use crate::rig;
    use crate::session::display;
    use crate::{NodePoint, Recording, Replay};

    const SIZE: Vec2 = Vec2::new(320.0, 240.0);

    fn holding(file: &Path) -> Session {
        let mut session = Session::new(mannequin().unwrap(), None, SIZE);
        let hand = session.puppet.character().skeleton.find("leftHand");
        session.apply(Command::Select(hand));
        let prop_joint = prop_joint(&session).unwrap();
        attach(&mut session, file, prop_joint, load(file).unwrap()).unwrap();
        session
    }

    fn load(file: &Path) -> Result<Box<Puppet>, String> {
        load_with(file, &Progress::default())
    }

    fn failure(session: &Session, prop: &Prop) -> Option<String> {
        session.props.failure(prop, &session.puppet.character().skeleton)
    }

    fn hand(session: &Session) -> Vec3 {
        session.position_of(session.puppet.character().skeleton.find("leftHand").unwrap()).unwrap()
    }

    #[test]
    fn a_prop_follows_the_joint_that_carries_it() {
        let mut session = holding(&asset("arm.glb"));
        let place = |session: &Session| session.frame(1.0).instances[1].place;
        let [before, start] = [Vec3::from(place(&session).translation), hand(&session)];
        assert!(before.distance(start) < 1e-5, "the origin of the model is at the joint");
        let node = session.puppet.character().skeleton.find("leftHand").unwrap();
        session.apply(Command::GrabNode(NodePoint { node, offset: DVec3::ZERO }));
        session.apply(Command::DragTo((start + Vec3::new(-0.1, 0.2, 0.1)).as_dvec3()));
        session.apply(Command::Release);
        let [after, end] = [Vec3::from(place(&session).translation), hand(&session)];
        assert!(end.distance(start) > 0.1 && after.distance(end) < 1e-5, "{after} {end}");
        // The position is in the joint's frame, in metres.
        let mut props = session.settings().props.clone();
        props[0].position = DVec3::new(0.0, 0.3, 0.0);
        props[0].scale = 0.5;
        session.apply(Command::Props(props));
        let moved = place(&session);
        assert!((Vec3::from(moved.translation).distance(end) - 0.3).abs() < 1e-4);
        assert!((moved.matrix3.x_axis.length() - 0.5).abs() < 1e-4);
    }

    /// The joints of this doll have a scale of 100, and one arm is mirrored.
    #[test]
    fn the_scale_of_a_joint_does_not_affect_its_prop() {
        let mut session = Session::new(crate::asset::load(&asset("awkward.glb")).unwrap(), None, SIZE);
        let named = session.puppet.character().skeleton.nodes.iter().filter_map(|node| node.name.clone());
        let props: Vec<Prop> = named.take(MAX_PROPS).map(|node| Prop::new(asset("arm.glb"), node)).collect();
        session.apply(Command::Props(props));
        let frame = session.frame(1.0);
        assert_eq!(frame.instances.len(), 1 + MAX_PROPS);
        for instance in &frame.instances[1..] {
            assert!((instance.place.matrix3.determinant() - 1.0).abs() < 1e-3, "{:?}", instance.place);
        }
    }

    /// The file has several things side by side, of which a hand carries one.
    #[test]
    fn a_part_of_a_file_is_carried_alone() {
        let folder = std::env::temp_dir().join(format!("sinew-prop-parts-{}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        let file = folder.join("things.gltf");
        let mut builder = sinew_testkit::Builder::default();
        builder.floats("VEC3", 3, &[0.0, 0.0, 0.0, 0.1, 0.0, 0.0, 0.0, 0.1, 0.0]);
        let bytes = builder.file(serde_json::json!({
            "meshes": [{"primitives": [{"attributes": {"POSITION": 0}}]}],
            "nodes": [
                {"name": "cup", "mesh": 0, "translation": [2.0, 0.0, 0.0]},
                {"name": "axe", "translation": [0.0, 3.0, 0.0], "children": [2]},
                {"name": "blade", "mesh": 0},
            ],
            "scenes": [{"nodes": [0, 1]}],
        }));
        std::fs::write(&file, bytes).unwrap();
        let mut session = holding(&file);
        let mut props = session.settings().props.clone();
        assert_eq!(session.props.parts(&props[0]), ["cup", "axe"]);
        assert_eq!(session.frame(1.0).instances[1].draws.len(), 2);
        props[0].part = Some("axe".into());
        session.apply(Command::Props(props.clone()));
        let frame = session.frame(1.0);
        let draws: Vec<usize> = frame.instances[1].draws.iter().map(|draw| draw.part).collect();
        assert_eq!(draws, [1], "only the blade");
        let origin = frame.instances[1].place.transform_point3(Vec3::new(0.0, 3.0, 0.0));
        assert!(origin.distance(hand(&session)) < 1e-5);
        props[0].part = Some("spoon".into());
        session.apply(Command::Props(props.clone()));
        assert_eq!(session.frame(1.0).instances.len(), 1);
        assert!(failure(&session, &props[0]).unwrap().contains("has no part \"spoon\""));
        std::fs::remove_dir_all(&folder).unwrap();
    }

    #[test]
    fn images_show_props() {
        let mut renderer = Renderer::new(Gpu::new(&AdapterChoice::Cpu).unwrap());
        let mut image = |session: &Session| {
            let (character, parts) = (session.puppet.character(), session.puppet.parts());
            let images = DecodedImages::decode(character, parts, ShadingMode::Shaded);
            let model = renderer.model(character, parts, &images).unwrap();
            let (pending, _) = display::submit(session, &mut renderer, &model, 1.0).unwrap();
            pending.image().unwrap().rgba
        };
        let session = holding(&asset("arm.glb"));
        let shown = image(&session);
        let mut without = holding(&asset("arm.glb"));
        without.apply(Command::Props(Vec::new()));
        let hidden = image(&without);
        let changed = shown.chunks(4).zip(hidden.chunks(4)).filter(|(a, b)| a != b).count();
        assert!(changed > 200, "{changed} pixels");
    }

    /// Regression test: the window waited while a session read the file of a prop.
    #[test]
    fn a_session_does_not_read_the_file_of_a_loaded_model() {
        let missing = Path::new("missing.glb");
        let mut session = holding(&asset("arm.glb"));
        let loaded = Box::new(session.props.loaded().next().unwrap().1.clone());
        attach(&mut session, missing, "rightHand".into(), loaded).unwrap();
        let shown = |session: &Session| {
            let props = &session.settings().props;
            assert!(props.len() == 2 && props.iter().all(|prop| failure(session, prop).is_none()));
            session.frame(1.0).instances.len()
        };
        assert_eq!(shown(&session), 3);
        // Another character takes over the models, too.
        let mut other = Session::new(mannequin().unwrap(), None, SIZE);
        other.take_over(&session, false);
        assert_eq!(shown(&other), 3);
    }

    /// Regression test: a file that could not be loaded was never read again, and neither was a file that has changed.
    #[test]
    fn files_of_props_are_read_again() {
        let folder = std::env::temp_dir().join(format!("sinew-props-again-{}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        let file = folder.join("cup.glb");
        let mut session = holding(&asset("arm.glb"));
        let mut props = session.settings().props.clone();
        props.push(Prop::new(file.clone(), "rightHand".into()));
        session.apply(Command::Props(props.clone()));
        assert!(failure(&session, &props[1]).unwrap().contains("cup.glb: "));
        std::fs::copy(asset("arm.glb"), &file).unwrap();
        let first = |session: &Session| session.prop_puppets().next().unwrap().shared_character();
        for reloaded in [false, true] {
            let mut other = Session::new(mannequin().unwrap(), None, SIZE);
            other.take_over(&session, reloaded);
            assert_eq!(other.settings().props, props);
            assert!(props.iter().all(|prop| failure(&other, prop).is_none()));
            // A loaded model is shared with the session of another file, but a reload reads its file.
            assert_eq!(Arc::ptr_eq(&first(&session), &first(&other)), !reloaded);
        }
        std::fs::remove_dir_all(&folder).unwrap();
    }

    #[test]
    fn projects_and_recordings_find_props_from_their_folder() {
        let folder = std::env::temp_dir().join(format!("sinew-props-{}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        let (file, project) = (folder.join("cup.glb"), folder.join("holding.sinew"));
        std::fs::copy(asset("arm.glb"), &file).unwrap();
        let mut session = holding(&file);
        let mut props = session.settings().props.clone();
        props[0].degrees.y = 30.0;
        session.apply(Command::Props(props.clone()));
        session.save_project(&project, true).unwrap();
        let text = std::fs::read_to_string(&project).unwrap();
        assert!(text.contains("file = \"cup.glb\", node = \"leftHand\""), "{text}");
        let recording = Recording::open(&project).unwrap();
        let replayed = || {
            let character = mannequin().unwrap();
            let rig = rig::load(&character, None).unwrap();
            Replay::new(&recording, character, rig).unwrap()
        };
        let replay = replayed();
        assert_eq!(replay.session().settings().props, props);
        assert_eq!(replay.session().frame(1.0).instances.len(), 2);
        std::fs::remove_file(&file).unwrap();
        let replay = replayed();
        let failure = failure(replay.session(), &props[0]).unwrap();
        assert!(failure.contains("cup.glb: "), "{failure}");
        assert_eq!(replay.session().frame(1.0).instances.len(), 1);
        std::fs::remove_dir_all(&folder).unwrap();
    }

    #[test]
    fn invalid_props_are_refused() {
        let mut session = holding(&asset("arm.glb"));
        let valid = session.settings().props.clone();
        let refuse = |change: fn(&mut Prop)| {
            let mut props = valid.clone();
            change(&mut props[0]);
            Command::Props(props).validate().unwrap_err()
        };
        assert!(refuse(|prop| prop.position.x = f64::NAN).contains("arm.glb: position is not finite"));
        assert!(refuse(|prop| prop.degrees.x = f64::INFINITY).contains("rotation is not finite"));
        assert!(refuse(|prop| prop.scale = 0.0).contains("scale must be between"));
        let many = vec![valid[0].clone(); MAX_PROPS + 1];
        assert!(Command::Props(many.clone()).validate().is_err());
        session.apply(Command::Props(many));
        assert_eq!(session.settings().props, valid);
        assert!(load(Path::new("missing.glb")).unwrap_err().contains("missing.glb: "));
        session.apply(Command::Props(vec![valid[0].clone(); MAX_PROPS]));
        assert!(prop_joint(&session).unwrap_err().contains("at most 16 props"));
        let attached =
            attach(&mut session, Path::new("cup.glb"), "leftHand".into(), load(&asset("arm.glb")).unwrap());
        assert!(attached.unwrap_err().contains("at most 16 props"));
        session.apply(Command::Select(None));
        assert!(prop_joint(&session).unwrap_err().contains("select the joint"));
    }
}
