//! Writes commands that a reader of the report can paste into a shell.

use std::path::Path;

use crate::text::shell::quoted;

/// The command that reruns one case of a suite.
pub(super) fn repeat(suite: &Path, case: &str) -> String {
    command(suite, "--case", case)
}

/// The command that accepts the results of one case as its goldens. It ends with ` --accept` and the name of the case, so that the page can
/// join the commands of several cases.
pub(super) fn accept(suite: &Path, case: &str) -> String {
    command(suite, "--accept", case)
}

fn command(suite: &Path, option: &str, case: &str) -> String {
    let suite = suite.display().to_string();
    // A file whose name looks like an option needs a folder in front of it.
    let suite = if suite.starts_with('-') { format!("./{suite}") } else { suite };
    // The name of a case may look like an option too. It is then joined to its option with an equals sign.
    let between = if case.starts_with('-') { '=' } else { ' ' };
    format!("sinew test {} {option}{between}{}", quoted(&suite), quoted(case))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_quoted_and_joined_to_their_option_if_necessary() {
        let name = |case: &str| repeat(Path::new("a/suite.toml"), case);
        assert_eq!(name("walk"), "sinew test a/suite.toml --case walk");
        assert_eq!(name("walk 0.5"), "sinew test a/suite.toml --case 'walk 0.5'");
        assert_eq!(name("it's $HOME"), r"sinew test a/suite.toml --case 'it'\''s $HOME'");
        assert_eq!(name(""), "sinew test a/suite.toml --case ''");
        assert_eq!(name("-v"), "sinew test a/suite.toml --case=-v");
        assert_eq!(accept(Path::new("-s.toml"), "ü"), "sinew test ./-s.toml --accept 'ü'");
    }
}
