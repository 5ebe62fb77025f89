//! Checks the pages of the methods in `docs/solvers`: files, options and images that a page names must exist, its source files must cite
//! the works that it names, and its numbers must agree with `docs/solvers.md`.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use sinew::ik::{Method, Options, SolverOption};

/// Maximum total size of the images in `docs/solvers`, in bytes.
const MAX_IMAGES: u64 = 1_500_000;
/// The header of a page's table of options.
const OPTION_HEADER: &str = "| option | default | effect |";

/// A page with the data that its checks need.
struct Page {
    method: Method,
    text: String,
}

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

fn folder() -> PathBuf {
    root().join("docs/solvers")
}

/// Returns the page of each method except `auto`, which selects one of the others.
fn pages() -> Vec<Page> {
    let read = |method: Method| {
        let path = folder().join(format!("{method}.md"));
        let text = fs::read_to_string(&path).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
        Page { method, text }
    };
    Method::all().filter(|m| *m != Method::Auto).map(read).collect()
}

fn overview() -> String {
    fs::read_to_string(root().join("docs/solvers.md")).unwrap()
}

/// Returns the targets of the links in a text, including images.
fn links(text: &str) -> Vec<&str> {
    text.split("](").skip(1).filter_map(|rest| rest.split(')').next()).collect()
}

/// Returns the first table with the given header: its rows without the header and the line below it.
fn rows<'a>(text: &'a str, header: &str) -> Option<Vec<&'a str>> {
    let mut lines = text.lines().skip_while(|line| *line != header);
    lines.next()?;
    Some(lines.skip(1).take_while(|line| line.starts_with('|')).collect())
}

fn headers(text: &str) -> Vec<&str> {
    let lines: Vec<&str> = text.lines().collect();
    let starts = |i: usize| lines[i].starts_with('|') && (i == 0 || !lines[i - 1].starts_with('|'));
    (0..lines.len()).filter(|i| starts(*i)).map(|i| lines[i]).collect()
}

/// Returns a text as a single line without the markers of comments.
fn flat(source: &str) -> String {
    let plain = source.lines().map(|l| l.trim().trim_start_matches(['/', '!']));
    plain.flat_map(str::split_whitespace).collect::<Vec<_>>().join(" ")
}

impl Page {
    /// Returns the source files that the page names.
    fn sources(&self) -> Vec<PathBuf> {
        let line = self.text.lines().find(|l| l.starts_with("Source: ")).unwrap_or_default();
        links(line).iter().map(|link| folder().join(link)).collect()
    }

    /// Returns the keys and defaults of the page's table of options.
    fn options<'a>(&'a self) -> Vec<(&'a str, &'a str)> {
        let cells = |row: &'a str| {
            let cells: Vec<&'a str> = row.split('|').map(str::trim).collect();
            (cells[1].trim_matches('`'), cells[2])
        };
        rows(&self.text, OPTION_HEADER).unwrap_or_default().into_iter().map(cells).collect()
    }

    /// Returns the problems with the page's title, sources and citations.
    fn source_problems(&self) -> Vec<String> {
        let mut problems = Vec::new();
        if !self.text.starts_with(&format!("# `{}`: ", self.method)) {
            problems.push("the title must be the method and its name".to_owned());
        }
        let sources = self.sources();
        let texts: Vec<_> = sources.iter().map(fs::read_to_string).collect();
        if sources.is_empty() || texts.iter().any(Result::is_err) {
            problems.push(format!("a source file is missing: {sources:?}"));
        }
        let comments = flat(&texts.into_iter().flatten().collect::<String>());
        let literature = self.text.split("## Literature").nth(1).unwrap_or_default();
        let works: Vec<&str> =
            literature.lines().filter_map(|l| l.strip_prefix("- ")?.split_once(": ")).map(|w| w.0).collect();
        if works.is_empty() {
            problems.push("no work is cited".to_owned());
        }
        let unknown = works.iter().filter(|work| !comments.contains(**work));
        problems.extend(unknown.map(|work| format!("the source files do not cite {work}")));
        problems
    }

    fn option_problems(&self) -> Vec<String> {
        let fields = serde_json::to_value(Options::default()).unwrap();
        let listed = self.options();
        let mut problems = Vec::new();
        for (key, default) in &listed {
            let known = SolverOption::all().iter().find(|option| option.key == *key);
            let is_field = fields.pointer(&format!("/{}", key.replace('.', "/"))).is_some();
            if known.is_none() && !is_field {
                problems.push(format!("the option {key} does not exist"));
            }
            if let Some(option) = known.filter(|o| o.print(&o.default()) != *default) {
                problems.push(format!("the default of {key} is {}", option.print(&option.default())));
            }
        }
        let own = SolverOption::all().iter().filter(|option| option.methods.contains(&self.method));
        let missing = own.filter(|option| listed.iter().all(|(key, _)| *key != option.key));
        problems.extend(missing.map(|option| format!("the option {} is missing", option.key)));
        problems
    }

    /// Returns the problems with the page's images and other links.
    fn link_problems(&self) -> Vec<String> {
        let links = links(&self.text);
        let mut problems = Vec::new();
        for iteration in 1..=3 {
            let image = format!("{}-{iteration}.png", self.method);
            if !links.contains(&&*image) {
                problems.push(format!("the image {image} is not shown"));
            }
        }
        let file = |link: &str| folder().join(link.split('#').next().unwrap_or_default());
        let broken = links.iter().filter(|link| !file(link).is_file());
        problems.extend(broken.map(|link| format!("{link} does not exist")));
        problems
    }

    /// Returns the tables of numbers in which the page's rows for the method differ from `docs/solvers.md`.
    fn figure_problems(&self, overview: &str) -> Vec<String> {
        let start = format!("| `{}` |", self.method);
        let mut problems = Vec::new();
        for header in headers(&self.text).into_iter().filter(|h| h.starts_with("| method |")) {
            let found = rows(&self.text, header).unwrap_or_default();
            let expected = rows(overview, header).unwrap_or_default();
            let of_method: Vec<&str> = expected.into_iter().filter(|r| r.starts_with(&start)).collect();
            if of_method.is_empty() || found != of_method {
                problems.push(format!("docs/solvers.md has other figures: {header}"));
            }
        }
        problems
    }
}

#[test]
fn each_method_has_a_page_with_correct_facts() {
    let overview = overview();
    let mut problems = Vec::new();
    for page in pages() {
        let found = [
            page.source_problems(),
            page.option_problems(),
            page.link_problems(),
            page.figure_problems(&overview),
        ];
        problems.extend(found.concat().into_iter().map(|p| format!("docs/solvers/{}.md: {p}", page.method)));
        if !links(&overview).contains(&&*format!("solvers/{}.md", page.method)) {
            problems.push(format!("docs/solvers.md does not link to the page of {}", page.method));
        }
    }
    assert!(
        problems.is_empty(),
        "scripts/solver-passes.sh updates images and figures:\n{}",
        problems.join("\n")
    );
}

#[test]
fn images_of_methods_are_used_and_small() {
    let pages: String = pages().into_iter().map(|page| page.text).collect();
    let overview = overview();
    let mut used: BTreeSet<&str> = links(&pages).into_iter().collect();
    used.extend(links(&overview).into_iter().filter_map(|link| link.strip_prefix("solvers/")));
    let mut total = 0;
    for entry in fs::read_dir(folder()).unwrap().map(Result::unwrap) {
        let name = entry.file_name().into_string().unwrap();
        assert!(used.contains(&*name), "docs/solvers/{name} is not linked from any page of a method");
        if Path::new(&name).extension().is_some_and(|e| e == "png") {
            total += entry.metadata().unwrap().len();
        }
    }
    assert!(total <= MAX_IMAGES, "the images in docs/solvers have {total} bytes");
}

/// A page with a mistake of each kind.
#[test]
fn mistakes_in_a_page_are_found() {
    let of = |text: &str| Page { method: Method::Ccd, text: text.to_owned() };
    let right = pages().into_iter().find(|p| p.method == Method::Ccd).unwrap().text;
    assert_eq!(of(&right).option_problems(), [""; 0]);
    let with = |from: &str, to: &str| {
        assert!(right.contains(from), "{from}");
        of(&right.replace(from, to))
    };
    assert_eq!(with("`ccd.step`", "`ccd.stp`").option_problems().len(), 2);
    assert_eq!(
        with("| `ccd.growing` | false |", "| `ccd.growing` | true |").option_problems(),
        ["the default of ccd.growing is false"]
    );
    assert_eq!(
        with("- Welman 1993:", "- Welman 1994:").source_problems(),
        ["the source files do not cite Welman 1994"]
    );
    let moved = with("../../src/ik/methods/ccd.rs", "../../src/ik/ccd.rs").source_problems();
    assert!(moved[0].starts_with("a source file is missing") && moved.len() > 1, "{moved:?}");
    assert_eq!(with("](ccd-2.png)", "](ccd-4.png)").link_problems().len(), 2);
    let overview = overview();
    assert_eq!(of(&right).figure_problems(&overview), [""; 0]);
    assert_eq!(with("| `ccd` | 9", "| `ccd` | 8").figure_problems(&overview).len(), 1);
}
