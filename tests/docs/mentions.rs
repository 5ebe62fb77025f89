//! Checks commands that are not run: commands in prose, and commands of cargo, Python and scripts.

use std::fs;
use std::path::Path;
use std::process::Command;

use crate::page::{Page, pages};
use crate::shell;
use crate::{assert_none, root};

/// Placeholders in commands.
fn is_placeholder(word: &str) -> bool {
    word.contains('…') || word.chars().any(char::is_uppercase) && !word.chars().any(char::is_lowercase)
}

#[test]
fn commands_in_prose_have_existing_options() {
    let mut problems = Vec::new();
    let mut count = 0;
    for page in pages() {
        for code in page.inline_code() {
            let is_command = |program: &str| code.text.starts_with(program);
            let Ok(commands) = shell::commands(&code.text) else { continue };
            for command in commands {
                let place = format!("{}:{}: {}", page.name, code.line, code.text);
                let problem = if is_command("sinew ") && command.words.len() > 1 {
                    check_sinew(&command.words)
                } else if PROGRAMS.iter().any(|program| is_command(program)) {
                    check_other(&command.words)
                } else {
                    continue;
                };
                count += 1;
                problems.extend(problem.err().map(|cause| format!("{place}: {cause}")));
            }
        }
    }
    assert_none("these commands are wrong", &problems);
    assert!(count > 60, "only {count} commands were found");
}

#[test]
fn other_programs_of_blocks_exist() {
    let mut problems = Vec::new();
    for page in pages() {
        for block in page.blocks().iter().filter(|block| block.language == "sh") {
            for command in shell::commands(&block.text).unwrap() {
                if command.words[0] != "sinew" {
                    let place = format!("{}:{}: {}", page.name, block.line, command.words.join(" "));
                    let problem = check_other(&command.words).err();
                    problems.extend(problem.map(|cause| format!("{place}: {cause}")));
                }
            }
        }
        problems.extend(hidden_commands(&page));
    }
    assert_none("these commands are wrong", &problems);
}

/// The steps of CI in `yaml` blocks are not run, but their options exist.
#[test]
fn commands_of_ci_have_existing_options() {
    let mut problems = Vec::new();
    let mut count = 0;
    for page in pages() {
        for block in page.blocks().iter().filter(|block| block.language == "yaml") {
            for (line, text) in (block.line..).zip(block.text.lines()) {
                let text = text.trim().trim_start_matches("- ").trim_start_matches("run: ");
                if text.starts_with("sinew ") {
                    for command in shell::commands(text).unwrap() {
                        let problem = check_sinew(&command.words).err();
                        problems.extend(problem.map(|cause| format!("{}:{line}: {cause}", page.name)));
                        count += 1;
                    }
                }
            }
        }
    }
    assert_none("these commands are wrong", &problems);
    assert!(count >= 2, "only {count} commands were found");
}

/// Returns commands of the program in blocks that are not run: indented ones, and `text` blocks.
fn hidden_commands(page: &Page) -> Vec<String> {
    let mut problems = Vec::new();
    let blocks = page.blocks();
    let of_text = blocks.iter().filter(|block| block.language != "sh").flat_map(|block| block.text.lines());
    let indented = page.text.lines().filter_map(|line| line.strip_prefix("    ")).map(str::trim);
    for line in
        of_text.chain(indented).filter(|line| line.starts_with("sinew ") && !line.starts_with("sinew = "))
    {
        problems.push(format!("{}: {line}: put it into a block of `sh`", page.name));
    }
    problems
}

/// Checks a command of the program. Parts of the command may be omitted.
fn check_sinew(words: &[String]) -> Result<(), String> {
    let has_placeholders = words.iter().any(|word| is_placeholder(word));
    let Err(cause) = sinew::cli::check(words.iter().map(String::as_str)) else { return Ok(()) };
    let asks_for_options = words.windows(2).any(|pair| pair == ["--option", "help"]);
    let is_part = words.last().is_some_and(|word| word.starts_with('-'))
        || cause.contains("required arguments were not provided");
    if !has_placeholders && !is_part && !asks_for_options {
        return Err(cause);
    }
    let help = Command::new(env!("CARGO_BIN_EXE_sinew")).args([&words[1], "--help"]).output().unwrap();
    let help = String::from_utf8_lossy(&help.stdout).into_owned();
    let is_known = |option: &str| help.split([' ', ',', '\n', '[', '=']).any(|known| known == option);
    let options =
        words.iter().filter(|word| word.starts_with("--") || word.len() == 2 && word.starts_with('-'));
    match options.map(|o| o.split('=').next().unwrap_or_default()).find(|option| !is_known(option)) {
        Some(option) => Err(format!("sinew {} has no option {option}", words[1])),
        None => Ok(()),
    }
}

/// The beginnings of commands of other programs in prose.
const PROGRAMS: [&str; 6] = ["cargo ", "python3 ", "node ", "scripts/", "./scripts/", "benches/"];

/// Checks that everything named by a command of another program exists in the repository.
fn check_other(words: &[String]) -> Result<(), String> {
    let is_setting = |word: &&String| word.contains('=') && !word.starts_with('-');
    let words: Vec<&str> = words.iter().skip_while(is_setting).map(String::as_str).collect();
    match words[..] {
        ["cargo", subcommand, ref arguments @ ..] => check_cargo(subcommand, arguments),
        ["cp", source, _] if root().join(source).exists() => Ok(()),
        ["pip", "install", folder] if root().join(folder).join("pyproject.toml").exists() => Ok(()),
        // `bindings/c/check.sh` compiles the program of the page.
        ["cc", "-std=c99", "-Ibindings/c/include", ..] => Ok(()),
        ["python3" | "node", script, ref arguments @ ..] | [script, ref arguments @ ..] => {
            check_script(script, arguments)
        }
        [] => Ok(()),
    }
}

/// Checks that a script exists and that its text contains the options.
fn check_script(script: &str, arguments: &[&str]) -> Result<(), String> {
    let text = fs::read_to_string(root().join(script)).map_err(|e| format!("{script}: {e}"))?;
    let options = arguments.iter().filter(|a| a.starts_with('-') && a.len() > 1);
    let known = |option: &str| {
        let short = option.trim_start_matches('-');
        text.contains(option)
            || option.len() == 2 && text.contains(&format!("{short})"))
            || passes_on(script, option)
    };
    match options.map(|o| o.split('=').next().unwrap_or_default()).find(|option| !known(option)) {
        Some(option) => Err(format!("{script} has no option {option}")),
        None => Ok(()),
    }
}

/// Some scripts pass their options to a program of `tools/programs`.
fn passes_on(script: &str, option: &str) -> bool {
    let programs = [("gestures.sh", "gestures.rs"), ("body-checks.sh", "body_checks.rs")];
    let contains = |name: &str| {
        fs::read_to_string(root().join("tools/programs").join(name)).is_ok_and(|text| text.contains(option))
    };
    programs.iter().any(|(own, program)| script.ends_with(own) && contains(program))
}

/// Checks the targets, packages, features and test names of a cargo command.
fn check_cargo(subcommand: &str, arguments: &[&str]) -> Result<(), String> {
    let (mut folders, mut is_benchmark) = (vec!["src".to_owned(), "tests".to_owned()], subcommand == "bench");
    let mut rest = arguments.iter().copied().take_while(|argument| *argument != "--");
    while let Some(argument) = rest.next() {
        let is_named = ["-p", "--bin", "--test", "--example", "--bench", "--features"].contains(&argument);
        let value = if is_named { rest.next().ok_or(format!("{argument} needs a value"))? } else { "" };
        match argument {
            _ if is_placeholder(value) => {}
            "-p" => is_benchmark = value == "sinew-benches",
            "--test" => folders = vec![tests_folder(value)],
            "--lib" => folders = vec!["src".to_owned()],
            _ => {}
        }
        let is_filter = !argument.starts_with('-') && subcommand == "test" && !is_benchmark;
        let name = argument.trim_end_matches(':').rsplit("::").next().unwrap_or_default();
        let exists = match argument {
            _ if is_named => is_placeholder(value) || is_target(argument, value),
            _ if is_filter => folders.iter().any(|folder| mentions(&root().join(folder), name)),
            option => !option.starts_with('-') || CARGO_OPTIONS.contains(&option),
        };
        if !exists {
            return Err(format!("{argument} {value} does not exist").replace("  ", " "));
        }
    }
    Ok(())
}

/// Options of cargo without a value.
const CARGO_OPTIONS: [&str; 7] =
    ["--all-targets", "--lib", "--no-default-features", "--open", "--quiet", "--release", "--workspace"];

/// Returns the folder of a test target. The tests of the solvers belong to their crate.
fn tests_folder(target: &str) -> String {
    if target == "ik" { "src/ik/tests".to_owned() } else { format!("tests/{target}") }
}

/// Returns the manifests of the other packages of the workspace.
fn packages() -> impl Iterator<Item = String> {
    let folders = [
        "benches",
        "bindings/c",
        "bindings/python",
        "src/base",
        "src/character",
        "src/ik",
        "src/regress",
        "src/render",
        "src/viewer",
        "tools/programs",
    ];
    folders.into_iter().map(|folder| fs::read_to_string(root().join(folder).join("Cargo.toml")).unwrap())
}

/// Returns whether the package, target or feature that a cargo option names exists.
fn is_target(option: &str, name: &str) -> bool {
    let manifest = fs::read_to_string(root().join("Cargo.toml")).unwrap();
    let benches = fs::read_to_string(root().join("benches/Cargo.toml")).unwrap();
    let is_file = |folder: &str| {
        let paths = [format!("{folder}/{name}.rs"), format!("{folder}/{name}/main.rs")];
        paths.iter().any(|path| root().join(path).exists())
    };
    let is_listed = |manifest: &str| manifest.contains(&format!("name = \"{name}\""));
    match option {
        "-p" => packages().any(|manifest| is_listed(&manifest)),
        "--bench" => is_listed(&benches),
        "--test" => root().join(tests_folder(name)).is_dir() || is_file("tests") || is_listed(&manifest),
        "--bin" => is_file("tools/programs"),
        "--example" => is_file("examples"),
        _ => name.split(',').all(|feature| manifest.contains(&format!("\n{feature} = ["))),
    }
}

/// Returns whether `name` is part of the name of a file under a folder, or of a function in such a file.
fn mentions(folder: &Path, name: &str) -> bool {
    let Ok(entries) = fs::read_dir(folder) else { return false };
    entries.map(|entry| entry.unwrap().path()).any(|path| {
        let is_named = path.file_stem().is_some_and(|stem| stem.to_string_lossy().contains(name));
        let has_test = || {
            let text = fs::read_to_string(&path).unwrap_or_default();
            text.split("fn ").skip(1).any(|f| f.split('(').next().unwrap_or_default().contains(name))
        };
        is_named || if path.is_dir() { mentions(&path, name) } else { has_test() }
    })
}

#[test]
fn wrong_commands_are_found() {
    let words = |line: &str| shell::commands(line).unwrap().remove(0).words;
    for right in [
        "sinew render --frames 0..9 -o a.png --animation 0",
        "sinew view --record",
        "sinew test SUITE.toml --junit OUT.xml",
    ] {
        assert_eq!(check_sinew(&words(right)), Ok(()), "{right}");
    }
    for wrong in
        ["sinew render --frame 0..9 -o OUT.png", "sinew pose --method newton", "sinew view FILE --recorded"]
    {
        assert!(check_sinew(&words(wrong)).is_err(), "{wrong}");
    }
    for right in
        ["cargo test -p sinew-ik --test ik remedies -- --nocapture", "A=b scripts/gestures.sh -v models/"]
    {
        assert_eq!(check_other(&words(right)), Ok(()), "{right}");
    }
    for wrong in [
        "cargo test --test no",
        "cargo bench -p sinew-benches --bench no",
        "cargo test --test ik no_such_test",
        "scripts/no.sh",
        "scripts/pictures.sh --no",
    ] {
        assert!(check_other(&words(wrong)).is_err(), "{wrong}");
    }
}
