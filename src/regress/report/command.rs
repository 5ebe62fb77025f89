//! Writes commands that a reader of the report can paste into a shell.

use std::path::Path;

/// The command that runs one case of a suite again.
pub(super) fn repeat(suite: &Path, case: &str) -> String {
    command(suite, "--case", case)
}

/// The command that makes the results of one case its goldens. It ends with ` --accept` and the name of the case, so that the page
/// can join the commands of several cases.
pub(super) fn accept(suite: &Path, case: &str) -> String {
    command(suite, "--accept", case)
}

fn command(suite: &Path, option: &str, case: &str) -> String {
    let suite = suite.display().to_string();
    // A file whose name looks like an option needs a folder in front of it.
    let suite = if suite.starts_with('-') { format!("./{suite}") } else { suite };
    // The same holds for the name of a case, which is then joined to its option.
    let between = if case.starts_with('-') { '=' } else { ' ' };
    format!("sinew test {} {option}{between}{}", quoted(&suite), quoted(case))
}

/// Quotes a word for a POSIX shell, if that is necessary.
fn quoted(word: &str) -> String {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "_-./:,+@%=".contains(c);
    if !word.is_empty() && word.chars().all(is_plain) {
        word.to_owned()
    } else {
        format!("'{}'", word.replace('\'', "'\\''"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_quoted_only_if_a_shell_would_change_them() {
        let name = |case: &str| repeat(Path::new("a/suite.toml"), case);
        assert_eq!(name("walk"), "sinew test a/suite.toml --case walk");
        assert_eq!(name("walk 0.5"), "sinew test a/suite.toml --case 'walk 0.5'");
        assert_eq!(name("it's $HOME"), r"sinew test a/suite.toml --case 'it'\''s $HOME'");
        assert_eq!(name(""), "sinew test a/suite.toml --case ''");
        assert_eq!(name("-v"), "sinew test a/suite.toml --case=-v");
        assert_eq!(accept(Path::new("-s.toml"), "ü"), "sinew test ./-s.toml --accept 'ü'");
    }

    /// A shell must pass exactly the name to the program.
    #[cfg(unix)]
    #[test]
    fn a_shell_restores_each_name() {
        for name in ["a b", "it's", "\\", "$(echo x) `y` \"z\" ! * ~ # ;", "two\nlines", "-x", "ü"] {
            let script = format!("printf %s {}", quoted(name));
            // `printf` would take a name that begins with a dash for an option.
            let script = if name.starts_with('-') { script.replace("%s", "%s --") } else { script };
            let output = std::process::Command::new("sh").args(["-c", &script]).output().unwrap();
            let printed = String::from_utf8(output.stdout).unwrap();
            assert_eq!(printed.trim_start_matches("--"), name, "{script}");
        }
    }
}
