//! Keymaps: which keys trigger which actions, and which buttons move the camera.
//!
//! One table ([`actions`]) holds all actions with their keys. The shortcuts, their list, the command palette and the tooltips follow
//! from it.

use serde::{Deserialize, Serialize};

mod actions;
mod shortcut;

pub use actions::Action;
pub use shortcut::{Key, Shortcut};

/// The habits that the keys and the pointer follow.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Keymap {
    /// Keys of this viewer. Every button moves the camera where there is nothing to drag.
    #[default]
    Sinew,
    /// Keys and navigation as in Blender.
    Blender,
    /// Keys and navigation as in Maya.
    Maya,
}

/// How the pointer moves the camera, as the list of shortcuts shows it.
const NAVIGATION: [[(&str, &str); 3]; 3] = [
    [
        ("Left drag on empty space, Alt+left", "Orbit"),
        ("Middle or right drag", "Pan"),
        ("Wheel", "Zoom to the pointer"),
    ],
    [("Middle drag", "Orbit"), ("Shift+middle drag", "Pan"), ("Ctrl+middle drag, wheel", "Zoom")],
    [("Alt+left drag", "Orbit"), ("Alt+middle drag", "Pan"), ("Alt+right drag, wheel", "Zoom")],
];

impl Keymap {
    /// All keymaps.
    pub const ALL: [Self; 3] = [Self::Sinew, Self::Blender, Self::Maya];

    /// Returns the name.
    pub fn name(self) -> &'static str {
        match self {
            Self::Sinew => "sinew",
            Self::Blender => "Blender",
            Self::Maya => "Maya",
        }
    }

    /// Returns how the pointer moves the camera: gestures and what they do.
    pub fn navigation(self) -> &'static [(&'static str, &'static str)] {
        let [sinew, blender, maya] = &NAVIGATION;
        match self {
            Self::Sinew => sinew,
            Self::Blender => blender,
            Self::Maya => maya,
        }
    }

    /// Returns the action that a key triggers. Shift is ignored if no action needs it, because some characters are typed with it.
    pub fn action(self, shortcut: Shortcut) -> Option<Action> {
        let find =
            |wanted: Shortcut| Action::all().find(|action| self.shortcuts(*action).any(|s| s == wanted));
        find(shortcut).or_else(|| find(Shortcut { shift: false, ..shortcut }))
    }

    /// Returns the action that a key triggers during a drag, in which modifier keys have other uses. Mirroring would end the drag,
    /// and Shift, which mirrors only a limb, is down in some drags.
    pub fn action_in_drag(self, key: Key) -> Option<Action> {
        let action = self.action(Shortcut::from(key));
        action.filter(|action| !matches!(action, Action::MirrorPose | Action::MirrorLimb))
    }

    /// Returns the shortcuts of an action.
    pub fn shortcuts(self, action: Action) -> impl Iterator<Item = Shortcut> {
        self.text(action).split(" or ").filter_map(Shortcut::parse)
    }

    /// Returns the shortcuts of an action as text, for example `Ctrl+Z or Z`. The text is empty if there are none.
    pub fn text(self, action: Action) -> &'static str {
        let [sinew, blender, maya] = action.keys();
        match self {
            Self::Sinew => sinew,
            Self::Blender => blender,
            Self::Maya => maya,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_shortcut_is_valid_and_triggers_only_its_action() {
        for keymap in Keymap::ALL {
            for action in Action::all() {
                let text = keymap.text(action);
                let parts = text.split(" or ").filter(|part| !part.is_empty()).count();
                assert_eq!(keymap.shortcuts(action).count(), parts, "{text}");
                for shortcut in keymap.shortcuts(action) {
                    assert_eq!(keymap.action(shortcut), Some(action), "{}: {text}", keymap.name());
                }
            }
        }
    }

    #[test]
    fn shift_counts_only_where_an_action_needs_it() {
        let key = |key, shift| Shortcut { shift, ..Shortcut::from(key) };
        assert_eq!(Keymap::Sinew.action(key(Key::Char('?'), true)), Some(Action::Shortcuts));
        assert_eq!(Keymap::Sinew.action(key(Key::Char('y'), true)), Some(Action::AxisY));
        assert_eq!(Keymap::Sinew.action(key(Key::Char('r'), true)), Some(Action::ResetJoint));
        assert_eq!(Keymap::Sinew.action(key(Key::Char('r'), false)), Some(Action::ResetLimb));
        assert_eq!(Keymap::Blender.action(key(Key::Char('r'), false)), Some(Action::Turn));
    }
}
