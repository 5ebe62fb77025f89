//! Contacts in motion files.

use glam::Vec3;
use toml_edit::Table;

use crate::motion::Contact;
use crate::text::toml::{SpannedError, check_keys, flag, optional, required, singles};

use super::{MotionReader, limited};

impl MotionReader<'_> {
    /// Reads a contact. Errors start with its index.
    pub(super) fn contact(&self, table: &Table, index: usize) -> Result<Contact, SpannedError> {
        let read = || {
            check_keys(table, &["node", "point", "from", "to", "slides", "on"])?;
            let contact = Contact {
                point: optional(table, "point", singles)?.map_or(Vec3::ZERO, Vec3::from_array),
                node: required(table, "node", |item, key| self.node(item, key))?,
                from: required(table, "from", limited)?,
                to: required(table, "to", limited)?,
                slides: optional(table, "slides", flag)?.unwrap_or_default(),
                on: optional(table, "on", |item, key| self.node(item, key))?,
            };
            if let Some(cause) = contact.error() {
                return Err(SpannedError::new(table.span(), cause));
            }
            self.check_on(contact.is_on_own_part(&self.character.skeleton), table)?;
            Ok(contact)
        };
        read().map_err(|error: SpannedError| error.prefixed(&format!("contacts[{index}]")))
    }

    /// Rejects an item that is on its own node or one of its descendants.
    pub(super) fn check_on(&self, is_on_own_part: bool, table: &Table) -> Result<(), SpannedError> {
        match is_on_own_part {
            true => Err(SpannedError::at_key(table, "on", "on must not be a node below its own")),
            false => Ok(()),
        }
    }
}
