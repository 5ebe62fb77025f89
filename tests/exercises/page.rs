//! A page of `docs/exercises`: its files, its commands, its tables and its Rust blocks.

use std::path::{Path, PathBuf};
use std::process::Command;

/// The characters that a student copies: their names on the page and in `assets`.
const CHARACTERS: [(&str, &str); 4] = [
    ("man.glb", "mannequin.glb"),
    ("arm.glb", "arm.glb"),
    ("tentacle.glb", "tentacle.glb"),
    ("spider.glb", "spider.glb"),
];

/// A page, and a folder with the files that the student writes for it.
pub(crate) struct Page {
    text: &'static str,
    folder: PathBuf,
}

/// A fenced block: its language, the file name in the line above it, and its lines.
struct Block {
    language: &'static str,
    file: Option<&'static str>,
    text: String,
}

impl Page {
    /// Creates the folder of a page, with the page's files and the built-in characters.
    pub(crate) fn new(name: &str, text: &'static str) -> Self {
        let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("exercises").join(name);
        // Ignore the error, because the folder may not exist yet.
        let _ = std::fs::remove_dir_all(&folder);
        std::fs::create_dir_all(&folder).unwrap();
        let page = Self { text, folder };
        let needed = CHARACTERS.iter().filter(|(name, _)| text.contains(name));
        for (name, asset) in needed {
            let assets = Path::new(env!("CARGO_MANIFEST_DIR")).join("assets");
            std::fs::copy(assets.join(asset), page.path(name)).unwrap();
        }
        for block in page.blocks() {
            if let Some(file) = block.file {
                std::fs::write(page.path(file), block.text).unwrap();
            }
        }
        page
    }

    pub(crate) fn path(&self, file: &str) -> PathBuf {
        self.folder.join(file)
    }

    /// Runs the command of the page that contains `part`, and returns its stdout.
    pub(crate) fn run(&self, part: &str) -> String {
        let commands = self.commands();
        let found: Vec<&String> = commands.iter().filter(|c| c.contains(part)).collect();
        let [command] = found[..] else { panic!("{} commands contain {part:?}", found.len()) };
        self.execute(command)
    }

    /// Runs a command of the page with one part replaced by another.
    pub(crate) fn run_with(&self, part: &str, replaced: &str, by: &str) -> String {
        let commands = self.commands();
        let command = commands.iter().find(|c| c.contains(part)).unwrap();
        assert!(command.contains(replaced), "{command}");
        self.execute(&command.replace(replaced, by))
    }

    /// Runs all commands of the page in order.
    pub(crate) fn run_all(&self) {
        for command in self.commands().iter().filter(|command| command.starts_with("sinew ")) {
            self.execute(command);
        }
    }

    fn execute(&self, command: &str) -> String {
        let mut words = shell_words(command).into_iter();
        assert_eq!(words.next().as_deref(), Some("sinew"));
        let output =
            Command::new(env!("CARGO_BIN_EXE_sinew")).args(words).current_dir(&self.folder).output().unwrap();
        assert!(output.status.success(), "{command}\n{}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8(output.stdout).unwrap()
    }

    /// Returns the `sinew` commands of the page.
    fn commands(&self) -> Vec<String> {
        let shell = self.blocks().into_iter().filter(|b| b.language == "sh");
        let joined = shell.map(|b| b.text.replace("\\\n", " "));
        joined.flat_map(|t| t.lines().map(str::to_owned).collect::<Vec<_>>()).collect::<Vec<_>>()
    }

    /// Asserts that each Rust block of the page is a part of its solution.
    pub(crate) fn assert_blocks_are_in(&self, solution: &str) {
        let blocks: Vec<Block> = self.blocks().into_iter().filter(|b| b.language == "rust").collect();
        assert!(!blocks.is_empty(), "the page has no Rust block");
        for block in blocks {
            assert!(solution.contains(&block.text), "the solution does not contain\n{}", block.text);
        }
    }

    /// Returns the cells of the first table after a text, without its header.
    pub(crate) fn table(&self, after: &str) -> Vec<Vec<&'static str>> {
        let (_, rest) = self.text.split_once(after).unwrap_or_else(|| panic!("the page lacks {after:?}"));
        let rows = rest.lines().skip_while(|l| !l.starts_with('|')).take_while(|l| l.starts_with('|'));
        let cells = |l: &'static str| l.trim_matches('|').split('|').map(str::trim).collect();
        rows.skip(2).map(cells).collect()
    }

    fn blocks(&self) -> Vec<Block> {
        let (mut blocks, mut above, mut lines) = (Vec::new(), "", self.text.lines());
        while let Some(line) = lines.next() {
            if let Some(language) = line.strip_prefix("```") {
                let inside = lines.by_ref().take_while(|l| *l != "```");
                let text = inside.fold(String::new(), |text, line| text + line + "\n");
                let file = above.strip_prefix("*`").and_then(|a| a.strip_suffix("`:*"));
                blocks.push(Block { language, file, text });
            }
            if !line.is_empty() {
                above = line;
            }
        }
        blocks
    }
}

/// Asserts that a printed number equals a value that is rounded to the printed digits. A unit may follow the number.
pub(crate) fn assert_printed(cell: &str, value: f64) {
    let number = cell.trim_start_matches('−').split([' ', '°', '%']).next().unwrap_or_default();
    let (mantissa, exponent) = number.split_once('e').unwrap_or((number, "0"));
    let exponent: i32 = exponent.replace('−', "-").parse().unwrap();
    let decimals = mantissa.split_once('.').map_or(0, |(_, d)| d.len());
    let unit = 10_f64.powi(exponent - i32::try_from(decimals).unwrap());
    let sign = if cell.starts_with('−') { -1.0 } else { 1.0 };
    let printed = sign * mantissa.parse::<f64>().unwrap() * 10_f64.powi(exponent);
    assert!((printed - value).abs() <= 0.501 * unit, "the page prints {cell}, but the value is {value}");
}

/// Splits a command into words, which may be quoted.
fn shell_words(command: &str) -> Vec<String> {
    let (mut words, mut word, mut quote) = (Vec::new(), String::new(), None);
    for c in command.chars() {
        match quote {
            Some(q) if c == q => quote = None,
            None if c == '\'' || c == '"' => quote = Some(c),
            None if c == ' ' => words.push(std::mem::take(&mut word)),
            _ => word.push(c),
        }
    }
    words.push(word);
    words.retain(|w| !w.is_empty());
    words
}

/// The turns of a trace in degrees about +Z, and the errors after them.
pub(crate) fn planar_turns(csv: &str) -> Vec<(String, f64, f64)> {
    let mut lines = csv.lines();
    let header: Vec<&str> = lines.next().unwrap().split(',').collect();
    let column = |name: &str| header.iter().position(|h| *h == name).unwrap();
    let (joint, axis) = (column("joint"), column("axis_z"));
    let (angle, error) = (column("angle_deg"), column("error_m"));
    let turn = |line: &str| {
        let cells: Vec<&str> = line.split(',').collect();
        let number = |column: usize| cells[column].parse::<f64>().unwrap();
        (cells[joint].to_owned(), number(axis) * number(angle), number(error))
    };
    lines.map(turn).collect()
}
