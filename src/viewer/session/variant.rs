//! The displayed material variant.

use std::borrow::Cow;

use crate::asset::Character;

use super::Session;

impl Session {
    /// Shows a variant. Unknown names change nothing.
    pub(super) fn set_variant(&mut self, name: Option<String>) {
        let names = &self.puppet.character().variants.names;
        if name.as_ref().is_none_or(|name| names.contains(name)) {
            self.document.settings.variant = name;
        }
    }

    /// Returns the character with the displayed materials, for upload to a renderer. If a variant is shown, this is a copy, because the
    /// original is shared with the rest of the program.
    pub fn shown_character(&self) -> Cow<'_, Character> {
        let character = self.puppet.character();
        if self.document.settings.variant.is_none() {
            return Cow::Borrowed(character);
        }
        let mut shown = character.clone();
        // The name was checked when it was set.
        let _ = shown.select_variant(self.document.settings.variant.as_deref());
        Cow::Owned(shown)
    }
}
