//! Splits the commands of `sh` blocks into words.

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Words {
    /// Number of its first line in the block, counted from 0.
    pub(crate) line: usize,
    pub(crate) words: Vec<String>,
    /// The exit code in the command's comment, for example `# exits with 1`, or 0.
    pub(crate) code: i32,
}

/// Returns the commands of a block. A line that ends with a backslash continues on the next one.
pub(crate) fn commands(block: &str) -> Result<Vec<Words>, String> {
    let mut found = Vec::new();
    let mut lines = block.lines().enumerate();
    while let Some((line, text)) = lines.next() {
        let mut text = text.to_owned();
        while let Some(start) = text.strip_suffix('\\') {
            text = start.to_owned() + lines.next().ok_or("the last line continues")?.1;
        }
        let (commands, comment) = split(&text)?;
        let code = comment.split_once("exits with ").and_then(|(_, rest)| rest.split_whitespace().next());
        let code = code.map_or(Ok(0), |code| code.trim_end_matches(['.', ',', ':']).parse());
        let code = code.map_err(|_| format!("no exit code in: {comment}"))?;
        found.extend(commands.into_iter().map(|words| Words { line, words, code }));
    }
    Ok(found)
}

/// Splits a line at `&&` into commands and their words, and returns the comment at its end.
fn split(line: &str) -> Result<(Vec<Vec<String>>, &str), String> {
    let mut words: Vec<String> = Vec::new();
    let (mut word, mut in_word, mut quote) = (String::new(), false, None);
    let mut comment = "";
    for (index, c) in line.char_indices() {
        match (quote, c) {
            (Some(open), c) if c == open => quote = None,
            (Some(_), c) => word.push(c),
            (None, '\'' | '"') => (quote, in_word) = (Some(c), true),
            (None, ' ') => {
                if std::mem::take(&mut in_word) {
                    words.push(std::mem::take(&mut word));
                }
            }
            (None, '#') if !in_word => {
                comment = &line[index..];
                break;
            }
            (None, '|' | '<' | '>' | ';' | '$' | '*') => {
                return Err(format!("{c} is for a shell, which this test does without: {line}"));
            }
            (None, c) => {
                word.push(c);
                in_word = true;
            }
        }
    }
    if in_word {
        words.push(word);
    }
    let commands =
        words.split(|word| word == "&&").map(<[String]>::to_vec).filter(|c| !c.is_empty()).collect();
    if quote.is_some() { Err(format!("a quote is not closed: {line}")) } else { Ok((commands, comment)) }
}

#[test]
fn lines_are_split_like_in_a_shell() {
    let block = "a -o 'x {y}.png' # exits with 1: why\nb \\\n  c && ./d\n# nothing\n";
    let words = |line, words: &[&str], code| Words {
        line,
        words: words.iter().map(|w| (*w).to_owned()).collect(),
        code,
    };
    let expected = [words(0, &["a", "-o", "x {y}.png"], 1), words(1, &["b", "c"], 0), words(1, &["./d"], 0)];
    assert_eq!(commands(block).unwrap(), expected);
    for wrong in ["a > b", "a 'b", "a \\", "a # exits with x"] {
        assert!(commands(wrong).is_err(), "{wrong}");
    }
}
