//! Keymaps: which keys trigger which actions, and which buttons move the camera.
//!
//! One table ([`actions`]) lists all actions with their keys. It defines the shortcuts, the shortcut list, the command palette and the tooltips.

use serde::{Deserialize, Serialize};

mod actions;
mod shortcut;

pub use actions::Action;
pub use shortcut::{Key, Shortcut};

/// A set of conventions for keys and pointer buttons.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Keymap {
    /// The viewer's own keys. Where there is nothing to drag, every button moves the camera.
    #[default]
    Sinew,
    /// Keys and navigation as in Blender.
    Blender,
    /// Keys and navigation as in Maya.
    Maya,
}

/// How the pointer moves the camera, as shown in the shortcut list.
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

    /// The display name.
    pub fn name(self) -> &'static str {
        match self {
            Self::Sinew => "sinew",
            Self::Blender => "Blender",
            Self::Maya => "Maya",
        }
    }

    /// Returns the pointer gestures that move the camera, and their effects.
    pub fn navigation(self) -> &'static [(&'static str, &'static str)] {
        let [sinew, blender, maya] = &NAVIGATION;
        match self {
            Self::Sinew => sinew,
            Self::Blender => blender,
            Self::Maya => maya,
        }
    }

    /// Returns the action that a key triggers. Shift is ignored unless an action needs it, because some characters can only be typed with Shift.
    pub fn action(self, shortcut: Shortcut) -> Option<Action> {
        let find =
            |wanted: Shortcut| Action::all().find(|action| self.shortcuts(*action).any(|s| s == wanted));
        find(shortcut).or_else(|| find(Shortcut { shift: false, ..shortcut }))
    }

    /// Returns the action that a key triggers during a drag. Modifier keys are ignored, because they have other uses during a drag.
    /// Mirroring is excluded for two reasons. It ends the drag, and Shift, which distinguishes mirroring a limb from mirroring the pose, is
    /// held down during some drags.
    pub fn action_in_drag(self, key: Key) -> Option<Action> {
        let action = self.action(Shortcut::from(key));
        action.filter(|action| !matches!(action, Action::MirrorPose | Action::MirrorLimb))
    }

    /// The shortcuts of an action.
    pub fn shortcuts(self, action: Action) -> impl Iterator<Item = Shortcut> {
        self.text(action).split(" or ").filter_map(Shortcut::parse)
    }

    /// Returns the shortcuts of an action as text, for example `Ctrl+Z or Z`. The text is empty if the action has no shortcut.
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
