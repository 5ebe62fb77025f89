//! Makes text from files, networks and drivers safe to show on one line of a terminal or a window.
//!
//! Names may contain escape sequences, line breaks or characters that reverse the direction of the following text, and a
//! value may be megabytes long. JSON and XML have their own escapes and do not use this module.

use std::borrow::Cow;

/// Maximum number of characters in a message.
pub const LINE: usize = 1000;
/// Maximum number of characters in the cause of an error within a message. It is small enough that the path before the
/// cause is not shortened.
pub const CAUSE: usize = 500;

/// Returns the text on one line of at most [`LINE`] characters.
pub fn line(text: &str) -> Cow<'_, str> {
    shortened(text, LINE)
}

/// Returns the cause of an error on one line of at most [`CAUSE`] characters, for use within a message.
pub fn cause(text: &str) -> String {
    shortened(text, CAUSE).into_owned()
}

/// Returns the text on one line. Control characters, line breaks and invisible characters (such as marks that change the direction of the
/// text) become escapes like `\n` and `\u{1b}`.
pub fn escaped(text: &str) -> Cow<'_, str> {
    if text.chars().any(must_escape) { Cow::Owned(escape(text.chars())) } else { Cow::Borrowed(text) }
}

/// Like [`escaped`], but returns at most `limit` characters. A longer text keeps its beginning and its end, with the number
/// of omitted characters in between.
pub fn shortened(text: &str, limit: usize) -> Cow<'_, str> {
    if text.chars().map(width).sum::<usize>() <= limit {
        return escaped(text);
    }
    let count = text.chars().count();
    let available = limit.saturating_sub(ellipsis(count).chars().count());
    // Messages begin with the path of a file, and often end with a position in that file.
    let end = available / 3;
    let head = fitting(text.chars(), available - end);
    let tail = fitting(text.chars().rev(), end);
    let mut result = escape(text.chars().take(head));
    result.push_str(&ellipsis(count - head - tail));
    result.push_str(&escape(text.chars().skip(count - tail)));
    Cow::Owned(result)
}

/// Returns the text that replaces omitted characters.
fn ellipsis(count: usize) -> String {
    format!("…{count} characters left out…")
}

/// Returns the number of characters from the start of `chars` that fit into `available` characters after escaping.
fn fitting(chars: impl Iterator<Item = char>, available: usize) -> usize {
    let mut remaining = available;
    let fits = |c: &char| {
        let rest = remaining.checked_sub(width(*c));
        remaining = rest.unwrap_or(0);
        rest.is_some()
    };
    chars.take_while(fits).count()
}

fn escape(chars: impl Iterator<Item = char>) -> String {
    let mut text = String::new();
    for c in chars {
        if must_escape(c) { text.extend(c.escape_default()) } else { text.push(c) }
    }
    text
}

/// Returns the number of characters that represent a character after escaping.
fn width(c: char) -> usize {
    if must_escape(c) { c.escape_default().count() } else { 1 }
}

/// Returns whether a character controls the terminal, breaks the line, or is invisible but changes the text around it.
/// Joiners are allowed, because some scripts and emoji need them.
fn must_escape(c: char) -> bool {
    c.is_control()
        || matches!(
            c,
            // Line and paragraph separators.
            '\u{2028}' | '\u{2029}'
            // Marks, embeddings, overrides and isolates of the bidirectional algorithm.
            | '\u{61C}' | '\u{200E}' | '\u{200F}' | '\u{202A}'..='\u{202E}' | '\u{2066}'..='\u{2069}'
            // Invisible spaces and letters, soft hyphens, invisible operators.
            | '\u{AD}' | '\u{115F}' | '\u{180E}' | '\u{200B}' | '\u{2060}'..='\u{2064}' | '\u{3164}'
            // Byte order mark, interlinear annotations, two noncharacters, tags.
            | '\u{FEFF}' | '\u{FFF9}'..='\u{FFFB}' | '\u{FFFE}' | '\u{FFFF}'
            | '\u{E0000}'..='\u{E007F}'
        )
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn plain_text_is_unchanged() {
        for text in ["", "leftHand", "Größe «α» 手 نص 👩‍🚀", "a\\nb \"c\" \\u{1b}"] {
            assert!(matches!(line(text), Cow::Borrowed(same) if same == text), "{text}");
        }
        assert_eq!(line(&"ä".repeat(LINE)), "ä".repeat(LINE));
    }

    #[test]
    fn control_and_invisible_characters_are_escaped() {
        let text =
            "a\u{1b}]0;title\u{7}\u{1b}[2J\r\n\tb\u{9b}31m\u{7f}\u{202e}c\u{2066}\u{2028}\u{2029}\u{feff}d";
        let expected = "a\\u{1b}]0;title\\u{7}\\u{1b}[2J\\r\\n\\tb\\u{9b}31m\\u{7f}\\u{202e}c\\u{2066}\\u{2028}\\u{2029}\
                     \\u{feff}d";
        assert_eq!(escaped(text), expected);
        assert_eq!(line(text), expected);
    }

    #[test]
    fn a_long_text_keeps_its_beginning_and_its_end() {
        let text = format!("long.gltf: JSON: \"{}\" at column 9", "A".repeat(5_000_000));
        let shown = line(&text);
        assert!(
            shown.starts_with("long.gltf: JSON: \"AAA") && shown.ends_with("AAA\" at column 9"),
            "{shown}"
        );
        let kept = shown.chars().filter(|c| *c == 'A').count();
        let mark = format!("A…{} characters left out…A", 5_000_000 - kept);
        assert!(shown.contains(&mark) && (LINE - 5..=LINE).contains(&shown.chars().count()), "{shown}");
    }

    proptest! {
        #[test]
        fn any_text_becomes_one_line_within_the_limit(text in any::<String>(), limit in 40_usize..80) {
            let shown = shortened(&text, limit);
            prop_assert!(shown.chars().count() <= limit);
            prop_assert!(!shown.chars().any(must_escape));
            prop_assert_eq!(escaped(&shown), &*shown);
            prop_assert!(shown.contains("characters left out") || shown == escaped(&text));
        }
    }
}
