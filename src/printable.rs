//! Text from files, networks and drivers, made safe to show on one line of a terminal or a window.
//!
//! Names may hold escape sequences, line breaks, or characters that reverse the text after them, and a value may be
//! megabytes long. JSON and XML have their own escapes and do not use this module.

use std::borrow::Cow;

/// Characters of the longest message.
const LINE: usize = 1000;
/// Characters of the longest cause within a message, so that the path before it stays whole.
const CAUSE: usize = 500;

/// A text on one line of at most [`LINE`] characters.
pub(crate) fn line(text: &str) -> Cow<'_, str> {
    shortened(text, LINE)
}

/// The cause of an error, to stand within a message: on one line, and not much of a long one.
pub(crate) fn cause(text: &str) -> String {
    shortened(text, CAUSE).into_owned()
}

/// A text on one line: control characters, line breaks and invisible characters, such as those that change the direction
/// of the text, become escapes such as `\n` and `\u{1b}`.
pub(crate) fn escaped(text: &str) -> Cow<'_, str> {
    if text.chars().any(must_escape) { Cow::Owned(escape(text.chars())) } else { Cow::Borrowed(text) }
}

/// The same of at most `most` characters. A longer text keeps its beginning and its end, and says between them how
/// many of its characters are left out.
pub(crate) fn shortened(text: &str, most: usize) -> Cow<'_, str> {
    if text.chars().map(width).sum::<usize>() <= most {
        return escaped(text);
    }
    let all = text.chars().count();
    let room = most.saturating_sub(mark(all).chars().count());
    // Messages begin with the path of a file, and often end with a place in it.
    let end = room / 3;
    let head = fitting(text.chars(), room - end);
    let tail = fitting(text.chars().rev(), end);
    let mut shown = escape(text.chars().take(head));
    shown.push_str(&mark(all - head - tail));
    shown.push_str(&escape(text.chars().skip(all - tail)));
    Cow::Owned(shown)
}

/// Stands for the characters that are left out.
fn mark(count: usize) -> String {
    format!("…{count} characters left out…")
}

/// How many characters, once escaped, fit into `room` characters.
fn fitting(chars: impl Iterator<Item = char>, room: usize) -> usize {
    let mut left = room;
    let fits = |c: &char| {
        let rest = left.checked_sub(width(*c));
        left = rest.unwrap_or(0);
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

/// Characters that a character takes once escaped.
fn width(c: char) -> usize {
    if must_escape(c) { c.escape_default().count() } else { 1 }
}

/// Characters that command a terminal, break the line, or cannot be seen but change how the text around them looks.
/// Joiners stay: scripts and emoji need them.
fn must_escape(c: char) -> bool {
    c.is_control()
        || matches!(
            c,
            // Line and paragraph separators.
            '\u{2028}' | '\u{2029}'
            // Marks, embeddings, overrides and isolates of the bidirectional algorithm.
            | '\u{61C}' | '\u{200E}' | '\u{200F}' | '\u{202A}'..='\u{202E}' | '\u{2066}'..='\u{2069}'
            // Spaces and letters without a shape, soft hyphens, operators that are not written.
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
    fn plain_text_stays_as_it_is() {
        for text in ["", "leftHand", "Größe «α» 手 نص 👩‍🚀", "a\\nb \"c\" \\u{1b}"] {
            assert!(matches!(line(text), Cow::Borrowed(same) if same == text), "{text}");
        }
        assert_eq!(line(&"ä".repeat(LINE)), "ä".repeat(LINE));
    }

    #[test]
    fn what_commands_a_terminal_or_hides_is_escaped() {
        let text =
            "a\u{1b}]0;title\u{7}\u{1b}[2J\r\n\tb\u{9b}31m\u{7f}\u{202e}c\u{2066}\u{2028}\u{2029}\u{feff}d";
        let shown = "a\\u{1b}]0;title\\u{7}\\u{1b}[2J\\r\\n\\tb\\u{9b}31m\\u{7f}\\u{202e}c\\u{2066}\\u{2028}\\u{2029}\
                     \\u{feff}d";
        assert_eq!(escaped(text), shown);
        assert_eq!(line(text), shown);
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
        fn any_text_is_one_line_of_that_length(text in any::<String>(), most in 40_usize..80) {
            let shown = shortened(&text, most);
            prop_assert!(shown.chars().count() <= most);
            prop_assert!(!shown.chars().any(must_escape));
            prop_assert_eq!(escaped(&shown), &*shown);
            prop_assert!(shown.contains("characters left out") || shown == escaped(&text));
        }
    }
}
