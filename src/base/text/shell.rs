//! Quotes words of commands, so that a reader can paste the commands into a shell.

/// Quotes a word for a POSIX shell if necessary.
pub fn quoted(word: &str) -> String {
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
        for plain in ["walk", "a/b-c_d.glb", "x=1,2"] {
            assert_eq!(quoted(plain), plain);
        }
        assert_eq!(quoted("walk 0.5"), "'walk 0.5'");
        assert_eq!(quoted("it's $HOME"), r"'it'\''s $HOME'");
        assert_eq!(quoted(""), "''");
        assert_eq!(quoted("ü"), "'ü'");
    }

    /// A shell must pass exactly the original word to the program.
    #[cfg(unix)]
    #[test]
    fn a_shell_restores_each_word() {
        for word in ["a b", "it's", "\\", "$(echo x) `y` \"z\" ! * ~ # ;", "two\nlines", "-x", "ü", ""] {
            let script = format!("printf '<%s>' {}", quoted(word));
            let output = std::process::Command::new("sh").args(["-c", &script]).output().unwrap();
            assert_eq!(String::from_utf8(output.stdout).unwrap(), format!("<{word}>"), "{script}");
        }
    }
}
