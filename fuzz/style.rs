//! Learned pose styles.

use std::sync::LazyLock;

use serde_json::Value;
use sinew::ik::{Learning, Method, Style};
use sinew::puppet::CharacterPrior;

use crate::character::{figure, solve};
use crate::format::Format;
use crate::mutate;
use crate::random::Random;

pub(crate) const FORMAT: Format = Format { name: "style", inputs_per_round: 40, make, check };

/// A style with four postures, learned from a clip of the built-in character.
static SEED: LazyLock<Value> = LazyLock::new(|| {
    let learning = Learning::default().with_postures(4).with_steps(3);
    let (style, _) = figure().learn(&[0], &learning).expect("the built-in character has clips");
    serde_json::to_value(&style).expect("a style as JSON")
});

fn make(random: &mut Random) -> Vec<u8> {
    let mut document = SEED.clone();
    if random.once_in(2) {
        mutate::json(&mut document, random);
    } else {
        // Most numbers in the document belong to its postures, so choose one of the other keys here.
        let names = ["means", "centre", "scales", "beta", "gamma", "joints", "format"];
        mutate::json(&mut document[random.choose(&names)], random);
    }
    serde_json::to_vec(&document).unwrap_or_default()
}

fn check(bytes: &[u8]) -> Result<bool, String> {
    let Ok(style) = serde_json::from_slice::<Style>(bytes) else { return Ok(false) };
    let written = serde_json::to_vec(&style).map_err(|e| format!("style as JSON: {e}"))?;
    serde_json::from_slice::<Style>(&written).map_err(|e| format!("written style rejected: {e}"))?;
    let mut puppet = figure();
    puppet.style = Some(CharacterPrior::from(style));
    puppet.options.solver.iterations = 10;
    solve(&mut puppet, &[Method::Style])?;
    Ok(true)
}
