//! The pages of the manual, and the parts of their Markdown that the checks need.

use std::fs;
use std::path::{Path, PathBuf};

use crate::root;

pub(crate) struct Page {
    /// Its path in the repository, for example `docs/motion.md`.
    pub(crate) name: String,
    pub(crate) text: String,
}

/// A fenced block. The words after its fence are a language and, if the block is a complete file, a name: `toml suite.toml`.
pub(crate) struct Block {
    pub(crate) language: String,
    pub(crate) file: Option<String>,
    /// Number of its first line in the page.
    pub(crate) line: usize,
    pub(crate) text: String,
}

/// A piece of a page outside blocks, with the number of the line on which its paragraph starts.
pub(crate) struct Piece {
    pub(crate) line: usize,
    pub(crate) text: String,
}

/// Returns README.md, CONTRIBUTING.md and all pages under `docs/`, sorted by name.
pub(crate) fn pages() -> Vec<Page> {
    let mut paths =
        ["README.md", "CONTRIBUTING.md", "ARCHITECTURE.md"].map(|name| root().join(name)).to_vec();
    add_pages(&root().join("docs"), &mut paths);
    paths.sort();
    let read = |path: PathBuf| Page {
        name: path.strip_prefix(root()).unwrap().to_string_lossy().replace('\\', "/"),
        text: fs::read_to_string(&path).unwrap(),
    };
    paths.into_iter().map(read).collect()
}

fn add_pages(folder: &Path, paths: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            add_pages(&path, paths);
        } else if path.extension().is_some_and(|e| e == "md") {
            paths.push(path);
        }
    }
}

impl Page {
    /// Returns whether the page is an exercise. `tests/exercises` writes the files of such a page, runs its commands and compiles its
    /// Rust, because several of these pages have files of the same name.
    pub(crate) fn is_exercise(&self) -> bool {
        self.name.starts_with("docs/exercises/")
    }

    /// Returns the folder to which the links of the page are relative.
    pub(crate) fn folder(&self) -> PathBuf {
        root().join(&self.name).parent().unwrap().to_owned()
    }

    pub(crate) fn blocks(&self) -> Vec<Block> {
        let mut blocks = Vec::new();
        let mut open: Option<Block> = None;
        for (index, line) in self.text.lines().enumerate() {
            match (line.strip_prefix("```"), &mut open) {
                (Some(_), Some(_)) => blocks.extend(open.take()),
                (Some(words), None) => {
                    let (language, file) = words.split_once(' ').map_or((words, None), |(a, b)| (a, Some(b)));
                    let (language, file) = (language.to_owned(), file.map(str::to_owned));
                    open = Some(Block { language, file, line: index + 2, text: String::new() });
                }
                (None, Some(block)) => {
                    block.text += line;
                    block.text.push('\n');
                }
                (None, None) => {}
            }
        }
        assert!(open.is_none(), "{}: a block is not closed", self.name);
        blocks
    }

    /// Returns the paragraphs outside blocks, each as one line. A row of a table is a paragraph of its own.
    fn paragraphs(&self) -> Vec<Piece> {
        let mut paragraphs: Vec<Piece> = Vec::new();
        let (mut in_block, mut continues) = (false, false);
        for (index, line) in self.text.lines().enumerate() {
            if line.starts_with("```") {
                in_block = !in_block;
                continues = false;
            } else if !in_block && !line.trim().is_empty() {
                let starts = line.starts_with(['|', '#', '-', '!']);
                match paragraphs.last_mut().filter(|_| continues && !starts) {
                    Some(last) => last.text = format!("{} {}", last.text, line.trim()),
                    None => paragraphs.push(Piece { line: index + 1, text: line.to_owned() }),
                }
                continues = !line.starts_with(['|', '#']);
            } else {
                continues = false;
            }
        }
        paragraphs
    }

    pub(crate) fn inline_code(&self) -> Vec<Piece> {
        let code = |paragraph: Piece| {
            let codes = paragraph.text.split('`').skip(1).step_by(2);
            codes.map(|text| Piece { line: paragraph.line, text: text.to_owned() }).collect::<Vec<_>>()
        };
        self.paragraphs().into_iter().flat_map(code).collect()
    }

    /// Returns the targets of links and images.
    pub(crate) fn links(&self) -> Vec<Piece> {
        let links = |paragraph: Piece| {
            // Inline code may contain text that looks like a link.
            let text: String = paragraph.text.split('`').step_by(2).collect();
            let targets = text.split("](").skip(1).filter_map(|rest| rest.split(')').next());
            targets.map(|text| Piece { line: paragraph.line, text: text.to_owned() }).collect::<Vec<_>>()
        };
        self.paragraphs().into_iter().flat_map(links).collect()
    }

    /// Returns the anchors of the headings, as forges and mdBook derive them.
    pub(crate) fn anchors(&self) -> Vec<String> {
        let headings = self.paragraphs().into_iter().filter(|p| p.text.starts_with('#'));
        let anchor = |heading: Piece| {
            let text = heading.text.trim_start_matches('#').trim().to_lowercase();
            let kept = text.chars().filter(|c| c.is_alphanumeric() || "-_ ".contains(*c));
            kept.map(|c| if c == ' ' { '-' } else { c }).collect()
        };
        headings.map(anchor).collect()
    }
}
