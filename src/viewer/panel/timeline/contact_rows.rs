//! The stored contacts of a motion, and the contacts implied by its keys, as rows of the dope sheet.

use crate::Session;
use crate::motion::Contact;
use crate::panel::node_name;
use crate::rig::Foot;

/// The contacts of a foot or a hand.
#[derive(Debug)]
pub(super) struct ContactRow {
    pub(super) node: usize,
    pub(super) name: String,
    pub(super) bars: Vec<Bar>,
}

/// A contact in a row.
#[derive(Clone, Copy, Debug)]
pub(super) struct Bar {
    pub(super) contact: Contact,
    /// Index of the contact among the contacts of the motion. A contact implied by the keys is stored at this index when it is changed.
    pub(super) index: usize,
    pub(super) is_stored: bool,
}

impl ContactRow {
    /// Collects the contacts of the session's motion.
    pub(super) fn all(session: &Session) -> Vec<Self> {
        let (motion, puppet) = (&session.document.scene.motion, &session.puppet);
        let stored = &motion.contacts;
        let own = stored.iter().enumerate();
        let own = own.map(|(index, contact)| Bar { contact: *contact, index, is_stored: true });
        let feet: Vec<Foot> = puppet.rig.soles().collect();
        let settings = &session.document.settings;
        let loops = settings.looping && settings.timeline.loops_whole(puppet.seconds());
        let of_keys = motion.contacts_of_keys(&puppet.character().skeleton, &feet, loops).into_iter();
        let of_keys = of_keys.map(|contact| Bar { contact, index: stored.len(), is_stored: false });
        let mut rows: Vec<Self> = Vec::new();
        for bar in own.chain(of_keys) {
            let node = bar.contact.node;
            match rows.iter_mut().find(|row| row.node == node) {
                Some(row) => row.bars.push(bar),
                None => rows.push(Self { node, name: row_name(session, node), bars: vec![bar] }),
            }
        }
        rows.sort_by_key(|row| row.node);
        rows
    }

    /// Returns whether any bar is implied by the keys.
    pub(super) fn follows_keys(&self) -> bool {
        self.bars.iter().any(|bar| !bar.is_stored)
    }
}

/// Returns a row's name, such as "Left foot contact". It contains the bone's name, or the node's name if the node is not a bone.
pub(super) fn row_name(session: &Session, node: usize) -> String {
    let bone = session.puppet.rig.bones.iter().find(|(_, known)| **known == node);
    let name = bone.map_or_else(|| node_name(session, node), |(bone, _)| words(bone));
    format!("{name} contact")
}

/// Splits a bone's name into words.
pub(super) fn words(bone: &str) -> String {
    let mut text = String::new();
    for (index, letter) in bone.chars().enumerate() {
        match (index, letter.is_uppercase()) {
            (0, _) => text.extend(letter.to_uppercase()),
            (_, true) => {
                text.push(' ');
                text.extend(letter.to_lowercase());
            }
            _ => text.push(letter),
        }
    }
    text
}
