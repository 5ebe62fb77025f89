//! Permissions of a file that replaces another.

use std::fs::{File, Metadata, OpenOptions};
use std::io;

/// Open options for a draft. On Unix, a draft that replaces a file can be read only by its owner until [`copy`] sets the
/// permissions of the replaced file.
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

/// Copies the owner, group and permissions of the replaced file to its draft, where the system allows this.
#[cfg(unix)]
pub(super) fn copy(from: &Metadata, to: &File) -> io::Result<()> {
    use std::fs::Permissions;
    use std::os::unix::fs::{MetadataExt, PermissionsExt, fchown};

    let created = to.metadata()?;
    let mut mode = from.mode() & 0o777;
    // Only root may change the owner. Other users may set one of their own groups.
    if created.uid() != from.uid() {
        let _ = fchown(to, Some(from.uid()), None);
    }
    let has_group = created.gid() == from.gid() || fchown(to, None, Some(from.gid())).is_ok();
    if !has_group {
        // The old group's permissions must not apply to the new group, so the new group gets the permissions of all
        // other users.
        mode = mode & 0o707 | (mode & 0o007) << 3;
    }
    to.set_permissions(Permissions::from_mode(mode))
}

/// Does nothing, because permissions are inherited from the folder.
#[cfg(not(unix))]
pub(super) fn copy(_: &Metadata, _: &File) -> io::Result<()> {
    Ok(())
}
