//! Finds the paths in Rust source text, including nested `use` trees and paths in types and expressions.

/// A path as written in the source, and its location.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct FoundPath {
    /// The segments of the path. `crate::a::{b, c}` is two paths of three segments each.
    pub(crate) path: Vec<String>,
    /// Whether the path starts with `::` and therefore with the name of a crate.
    pub(crate) is_global: bool,
    /// Whether the path belongs to a `use` or `extern crate` item.
    pub(crate) is_import: bool,
    /// Whether that `use` item is visible outside its module.
    pub(crate) is_exported: bool,
    /// The inline modules that enclose the path.
    pub(crate) enclosing: Vec<String>,
}

/// Returns the text with comments, strings and character literals replaced by spaces.
fn code(text: &str) -> String {
    let source: Vec<char> = text.chars().collect();
    let mut out = String::with_capacity(text.len());
    let mut at = 0;
    while at < source.len() {
        let end = literal_end(&source, at);
        if end == at {
            out.push(source[at]);
            at += 1;
        } else {
            out.extend(source[at..end].iter().map(|c| if *c == '\n' { '\n' } else { ' ' }));
            at = end;
        }
    }
    out
}

/// Returns the end of the comment or literal that starts at an index, or the index itself if none starts there.
fn literal_end(source: &[char], at: usize) -> usize {
    let follows = |i: usize, c: char| source.get(i) == Some(&c);
    let find = |from: usize, c: char| (from..source.len()).find(|&i| source[i] == c).unwrap_or(source.len());
    let in_word = at > 0 && is_word(source[at - 1]);
    match source[at] {
        '/' if follows(at + 1, '/') => find(at, '\n'),
        '/' if follows(at + 1, '*') => comment_end(source, at),
        '"' => string_end(source, at + 1, '"'),
        // A character literal, as opposed to a lifetime.
        '\'' if follows(at + 1, '\\') => string_end(source, at + 1, '\''),
        '\'' if follows(at + 2, '\'') => at + 3,
        'r' | 'b' | 'c' if !in_word => {
            let prefix = source[at..].iter().take_while(|c| "rbc".contains(**c)).count();
            let hashes = source[at + prefix..].iter().take_while(|c| **c == '#').count();
            let raw = source[at..at + prefix].contains(&'r');
            if !raw || !follows(at + prefix + hashes, '"') {
                return at;
            }
            let mut close = vec!['"'];
            close.extend(std::iter::repeat_n('#', hashes));
            let from = at + prefix + hashes + 1;
            let end = (from..source.len()).find(|&i| source[i..].starts_with(&close));
            end.map_or(source.len(), |i| i + close.len())
        }
        _ => at,
    }
}

/// Returns the end of a block comment, which may contain other block comments.
fn comment_end(source: &[char], at: usize) -> usize {
    let (mut depth, mut i) = (0, at);
    while i < source.len() {
        match source[i..] {
            ['/', '*', ..] => (depth, i) = (depth + 1, i + 2),
            ['*', '/', ..] => (depth, i) = (depth - 1, i + 2),
            _ => i += 1,
        }
        if depth == 0 {
            break;
        }
    }
    i
}

/// Returns the index after the next unescaped closing quote.
fn string_end(source: &[char], from: usize, quote: char) -> usize {
    let mut i = from;
    while i < source.len() && source[i] != quote {
        i += if source[i] == '\\' { 2 } else { 1 };
    }
    (i + 1).min(source.len())
}

fn is_word(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

/// Splits code into words, `::` and single characters. White space is skipped.
fn tokens(code: &str) -> Vec<&str> {
    let mut tokens = Vec::new();
    let mut rest = code.trim_start();
    while let Some(first) = rest.chars().next() {
        let length = match first {
            _ if is_word(first) => rest.find(|c| !is_word(c)).unwrap_or(rest.len()),
            ':' if rest.starts_with("::") => 2,
            _ => first.len_utf8(),
        };
        let (token, after) = rest.split_at(length);
        tokens.push(token);
        rest = after.trim_start();
    }
    tokens
}

/// Returns the words of source text in order.
pub(crate) fn words(text: &str) -> Vec<String> {
    tokens(&code(text)).into_iter().filter(|t| is_name(t)).map(str::to_owned).collect()
}

/// Returns all paths of source text. A single name counts as a path only in an import.
pub(crate) fn paths(text: &str) -> Vec<FoundPath> {
    let code = code(text);
    let tokens = tokens(&code);
    let mut found = Vec::new();
    // The names of the enclosing inline modules, each with the brace depth at which it begins.
    let (mut modules, mut depth): (Vec<(String, usize)>, usize) = (Vec::new(), 0);
    let (mut at, mut import, mut exported) = (0, false, false);
    while let Some(&token) = tokens.get(at) {
        match token {
            "{" => depth += 1,
            "}" => {
                depth = depth.saturating_sub(1);
                if modules.last().is_some_and(|(_, opened)| *opened == depth) {
                    modules.pop();
                }
            }
            ";" => import = false,
            "use" | "extern" => {
                import = true;
                // `pub use`, or `pub(…) use`.
                exported = at > 0 && ["pub", ")"].contains(&tokens[at - 1]);
            }
            // Skip the new name of the import, because its path has already been read.
            "as" if import => at += 1,
            "mod" if tokens.get(at + 2) == Some(&"{") => {
                modules.push((tokens[at + 1].to_owned(), depth));
                at += 1;
            }
            "fn" | "impl" | "=" => import = false,
            "crate" if at > 1 && tokens[at - 1] == "(" && tokens[at - 2] == "pub" => {}
            "crate" if at > 0 && tokens[at - 1] == "extern" => {}
            _ if starts_path(&tokens, at) => {
                let global = token == "::";
                let mut trees = Vec::new();
                at = tree(&tokens, at + usize::from(global), &[], &mut trees);
                let inside: Vec<String> = modules.iter().map(|(name, _)| name.clone()).collect();
                for path in trees.into_iter().filter(|p| p.len() > 1 || import || global) {
                    found.push(FoundPath {
                        path,
                        is_global: global,
                        is_import: import,
                        is_exported: import && exported,
                        enclosing: inside.clone(),
                    });
                }
                continue;
            }
            _ => {}
        }
        at += 1;
    }
    found
}

/// Returns whether a path starts at a token. A path starts with a word that is not a field or method, or with a `::`
/// that does not follow a `<type>`.
fn starts_path(tokens: &[&str], at: usize) -> bool {
    let before = |back: usize| at.checked_sub(back).map_or("", |i| tokens[i]);
    if tokens[at] == "::" {
        let after_type = before(1) == ">" && !["-", "="].contains(&before(2));
        return !after_type && tokens.get(at + 1).is_some_and(|t| is_name(t));
    }
    let after_range = before(1) == "." && before(2) == ".";
    is_name(tokens[at]) && (before(1) != "." || after_range) && before(1) != "::"
}

fn is_name(token: &str) -> bool {
    token.chars().next().is_some_and(|c| c.is_alphabetic() || c == '_')
}

/// Reads a path or a tree of paths at an index, and returns the index after it.
fn tree(tokens: &[&str], mut at: usize, prefix: &[String], out: &mut Vec<Vec<String>>) -> usize {
    let mut path = prefix.to_vec();
    loop {
        match tokens.get(at) {
            Some(&"{") => {
                at += 1;
                while tokens.get(at).is_some_and(|t| *t != "}") {
                    at = tree(tokens, at, &path, out);
                    while tokens.get(at).is_some_and(|t| !["}", ","].contains(t)) {
                        at += 1;
                    }
                    at += usize::from(tokens.get(at) == Some(&","));
                }
                return at + 1;
            }
            Some(&token) if is_name(token) || token == "*" => {
                path.push(token.to_owned());
                at += 1;
            }
            _ => break,
        }
        // `::<` starts the generic arguments of a call.
        let continues = tokens.get(at) == Some(&"::")
            && tokens.get(at + 1).is_some_and(|t| is_name(t) || ["{", "*"].contains(t));
        if !continues {
            break;
        }
        at += 1;
    }
    out.push(path);
    at
}
