//! The values that rig files allow. The reader and [`Rig::check`] use the same functions.

use glam::Vec3;
use toml_edit::{Item, TableLike};

use crate::asset::Skeleton;
use crate::rig::RigError;
use crate::rig::model::{Chain, JointRig, Rig};
use crate::text::toml::{SpannedError, at_least, optional, singles, within};

use super::limit;

/// A number in a rig file, and its smallest and largest value.
#[derive(Clone, Copy)]
pub(super) struct Number {
    key: &'static str,
    least: f64,
    most: Option<f64>,
}

pub(super) const WEIGHT: Number = Number { key: "weight", least: 0.0, most: None };
pub(super) const PULL: Number = Number { key: "pull", least: 0.0, most: Some(1.0) };
pub(super) const STIFFNESS: Number = Number { key: "stiffness", least: 0.0, most: Some(1.0) };
/// The budget in degrees.
pub(super) const CCD_BUDGET: Number = Number { key: "ccd_budget", least: 0.0, most: None };

impl Number {
    /// Reads the number from a table. Returns `None` if the table does not have its key.
    pub(super) fn read(self, table: &dyn TableLike) -> Result<Option<f64>, SpannedError> {
        optional(table, self.key, |item, _| self.value(item))
    }

    fn check(self, value: f64) -> Result<(), SpannedError> {
        self.value(&Item::Value(value.into())).map(drop)
    }

    fn value(self, item: &Item) -> Result<f64, SpannedError> {
        match self.most {
            Some(most) => within(self.least..=most)(item, self.key),
            None => at_least(self.least)(item, self.key),
        }
    }
}

/// Reads a vector and normalises it.
pub(super) fn direction(item: &Item, key: &str) -> Result<Vec3, SpannedError> {
    let direction = position(item, key)?.try_normalize();
    direction.ok_or_else(|| SpannedError::at(item, format!("{key} must not be zero")))
}

/// Reads a vector.
pub(super) fn position(item: &Item, key: &str) -> Result<Vec3, SpannedError> {
    Ok(Vec3::from_array(singles(item, key)?))
}

impl Rig {
    /// Checks that every number and every mimic joint of the rig is allowed in a rig file.
    ///
    /// # Errors
    /// [`RigError::Value`] with the first chain or joint that has an invalid value.
    pub fn check(&self, skeleton: &Skeleton) -> Result<(), RigError> {
        for chain in &self.chains {
            check_chain(chain).map_err(|error| RigError::Value {
                object: format!("chain \"{}\"", chain.name),
                cause: error.cause,
            })?;
        }
        for (&node, joint) in &self.joints {
            let mimic = || self.check_mimic(node).map_err(|error| error.cause.to_owned());
            let checked = check_joint(joint).map_err(|error| error.cause).and_then(|()| mimic());
            checked.map_err(|cause| RigError::Value {
                object: format!("joint \"{}\"", skeleton.label(node)),
                cause,
            })?;
        }
        Ok(())
    }
}

fn check_chain(chain: &Chain) -> Result<(), SpannedError> {
    if let Some(bend) = chain.bend {
        direction(&item(bend), "bend")?;
    }
    if let Some(pole) = chain.pole {
        position(&item(pole), "pole")?;
    }
    WEIGHT.check(chain.weight)?;
    chain.pull.map_or(Ok(()), |pull| PULL.check(pull))
}

fn check_joint(joint: &JointRig) -> Result<(), SpannedError> {
    limit::check(&joint.limit)?;
    STIFFNESS.check(joint.stiffness)?;
    // A joint without a budget is written without the key.
    if joint.ccd_budget != f64::INFINITY {
        CCD_BUDGET.check(joint.ccd_budget.to_degrees())?;
    }
    Ok(())
}

/// Returns a vector as a list in a file.
fn item(vector: Vec3) -> Item {
    Item::Value(vector.to_array().map(f64::from).into_iter().collect())
}
