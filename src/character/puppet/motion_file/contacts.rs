//! Contacts in motion files.

use glam::DVec3;
use toml_edit::Table;

use crate::motion::Contact;
use crate::text::toml::{SpannedError, check_keys, numbers, required};

use super::{MotionReader, flag, limited};

impl MotionReader<'_> {
    /// Reads a contact. Errors start with its index.
    pub(super) fn contact(&self, table: &Table, index: usize) -> Result<Contact, SpannedError> {
        let read = || {
            check_keys(table, &["node", "point", "from", "to", "slides", "on"])?;
            let point = table.get("point").map_or(Ok([0.0; 3]), |item| numbers(item, "point"))?;
            let contact = Contact {
                node: self.node_of(table, "node")?,
                point: DVec3::from_array(point).as_vec3(),
                from: limited(required(table, "from")?, "from")?,
                to: limited(required(table, "to")?, "to")?,
                slides: flag(table, "slides")?,
                on: table.get("on").map(|_| self.node_of(table, "on")).transpose()?,
            };
            match contact.error() {
                Some(cause) => Err(SpannedError::new(table.span(), cause.to_owned())),
                None => {
                    self.check_on(contact.is_on_own_part(&self.character.skeleton), table)?;
                    Ok(contact)
                }
            }
        };
        read().map_err(|error: SpannedError| SpannedError {
            cause: format!("contacts[{index}]: {}", error.cause),
            ..error
        })
    }

    /// Reads the name of a node.
    pub(super) fn node_of(&self, table: &Table, key: &str) -> Result<usize, SpannedError> {
        let item = required(table, key)?;
        let no_name = || SpannedError::at(item, format!("{key} must be the name of a node"));
        self.node(item, item.as_str().ok_or_else(no_name)?)
    }

    /// Rejects an item that is on its own node or one of its descendants.
    pub(super) fn check_on(&self, is_on_own_part: bool, table: &Table) -> Result<(), SpannedError> {
        match table.get("on").filter(|_| is_on_own_part) {
            Some(item) => Err(SpannedError::at(item, "on must not be a node below its own")),
            None => Ok(()),
        }
    }
}
