//! Where the packages of robots are.

use std::collections::BTreeMap;
use std::path::PathBuf;

/// The folders of ROS packages by their names, to which the `package://NAME/…` of robots refer.
pub type Packages = BTreeMap<String, PathBuf>;
