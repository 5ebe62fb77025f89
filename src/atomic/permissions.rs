//! The permissions of a file that replaces another.

use std::fs::{File, Metadata, OpenOptions};
use std::io;

/// Options for a draft: until [`copy`] has given it the permissions of the file that it replaces, only its owner can
/// read it.
pub(super) fn draft_options(replaced: Option<&Metadata>) -> OpenOptions {
    let mut options = OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    if replaced.is_some() {
        use std::os::unix::fs::OpenOptionsExt;
        options.mode(0o600);
    }
    #[cfg(not(unix))]
    let _ = replaced;
    options
}

/// Gives a draft the owner, the group and the permissions of the file that it will replace, as far as the system
/// allows.
#[cfg(unix)]
pub(super) fn copy(from: &Metadata, to: &File) -> io::Result<()> {
    use std::fs::Permissions;
    use std::os::unix::fs::{MetadataExt, PermissionsExt, fchown};

    let created = to.metadata()?;
    let mut mode = from.mode() & 0o777;
    // Only an administrator may give a file away; others may choose one of their groups.
    if created.uid() != from.uid() {
        let _ = fchown(to, Some(from.uid()), None);
    }
    let has_group = created.gid() == from.gid() || fchown(to, None, Some(from.gid())).is_ok();
    if !has_group {
        // What the old group was allowed must not go to another one.
        mode = mode & 0o707 | (mode & 0o007) << 3;
    }
    to.set_permissions(Permissions::from_mode(mode))
}

/// Permissions are inherited from the folder.
#[cfg(not(unix))]
pub(super) fn copy(_: &Metadata, _: &File) -> io::Result<()> {
    Ok(())
}
