//! Suites of regression tests. The command lines of their cases are parsed but not executed.

use std::sync::LazyLock;

use sinew::cli;
use sinew::regress::shared::{OptionKey, Suite};

use crate::format::{Format, file};
use crate::mutate;
use crate::random::Random;

pub(crate) const FORMAT: Format = Format { name: "suite", inputs_per_round: 200, make, check };

const SEED: &str = r#"version = 1
goldens = "goldens"

[defaults]
resolution = [48, 64]
compare = ["image", "joints", "report"]
outcome = "reached"
reach = ["leftHand=0.4,1.2,0.3"]

[[case]]
name = "rest"
levels = 3
mean = 0.01
worst = 0.1
distance = 1e-4
angle = 1e-3

[[case]]
name = "session"
replay = "a.session"
frames = [1, 2, 30]
fps = 12

[[matrix]]
name = "walk"
animation = "walk"
animation-time = [0, 0.5]
mode = ["normal", "mask"]
no-limits = [true, false]
"#;

static OPTIONS: LazyLock<Vec<OptionKey>> = LazyLock::new(cli::case_options);

fn make(random: &mut Random) -> Vec<u8> {
    mutate::text(SEED, random).into_bytes()
}

fn check(bytes: &[u8]) -> Result<bool, String> {
    let path = file("suite.toml", bytes)?;
    let Ok(suite) = Suite::read(&path, &OPTIONS) else { return Ok(false) };
    for case in suite.cases.iter().take(2) {
        let own = case.arguments.iter().map(String::as_str);
        std::hint::black_box(cli::check(["sinew", "render", "-o", "a.png"].into_iter().chain(own)).is_ok());
    }
    Ok(true)
}
