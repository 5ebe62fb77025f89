//! The registry covers every field of the options, and the text of each value survives a round trip.

use glam::DVec3;
use proptest::prelude::*;
use serde_json::Value;

use super::*;
use crate::options::{Balance, Swivel};

/// Adds the paths of all leaves of a JSON object.
fn leaves(path: &str, value: &Value, out: &mut Vec<String>) {
    match value {
        Value::Object(fields) => {
            for (name, value) in fields {
                let path = if path.is_empty() { name.clone() } else { format!("{path}.{name}") };
                leaves(&path, value, out);
            }
        }
        _ => out.push(path.to_owned()),
    }
}

fn at<'a>(value: &'a Value, key: &str) -> &'a Value {
    key.split('.').fold(value, |value, name| &value[name])
}

#[test]
fn every_field_of_the_options_has_a_key_and_every_key_has_a_field() {
    let mut fields = Vec::new();
    leaves("", &serde_json::to_value(Options::default()).unwrap(), &mut fields);
    let keys: Vec<&str> = SolverOption::all().iter().map(|o| o.key).collect();
    let missing: Vec<_> = fields.iter().filter(|f| !keys.contains(&f.as_str())).collect();
    assert!(missing.is_empty(), "add these fields to registry/table.rs: {missing:?}");
    let unknown: Vec<_> = keys.iter().filter(|k| !fields.iter().any(|f| f == *k)).collect();
    assert!(unknown.is_empty(), "no field of the options has these keys: {unknown:?}");
}

/// Sets an option to a value and returns the serialised form of the field with the same name.
fn serialised(option: &SolverOption, value: OptionValue) -> Value {
    let mut options = Options::default();
    option.set(&mut options, value).unwrap();
    assert_eq!(option.get(&options), value, "{}", option.key);
    let mut others = options;
    option.set(&mut others, option.default()).unwrap();
    assert_eq!(others, Options::default(), "{} sets another field too", option.key);
    at(&serde_json::to_value(options).unwrap(), option.key).clone()
}

/// A key sets the field of the same name, and a choice accepts the names that its serialised form uses.
#[test]
fn keys_and_names_are_those_of_the_serialised_options() {
    for option in SolverOption::all() {
        match option.kind {
            OptionKind::Flag => {
                let values = [false, true].map(|on| serialised(option, OptionValue::Flag(on)));
                assert_eq!(values, [Value::Bool(false), Value::Bool(true)], "{}", option.key);
            }
            OptionKind::Count { min, max, .. } => {
                for count in [min, max] {
                    assert_eq!(serialised(option, OptionValue::Count(count)), Value::from(count));
                }
            }
            OptionKind::Number(domain) => {
                let [first, last] = domain.common;
                for x in [(first + last) / 2.0, last, domain.initial] {
                    assert_eq!(serialised(option, OptionValue::Number(x)), Value::from(x), "{}", option.key);
                }
                if domain.none.is_some() {
                    assert_eq!(serialised(option, OptionValue::None), Value::Null, "{}", option.key);
                }
            }
            OptionKind::Choice => {
                assert!(option.names().len() > 1);
                for name in option.names() {
                    assert_eq!(serialised(option, OptionValue::Name(name)), Value::from(name));
                }
            }
            OptionKind::Swivel => {
                // The error of serde lists all variants.
                let error = serde_json::from_str::<Swivel>("\"none\"").unwrap_err().to_string();
                let variants = error.split('`').skip(3).step_by(2).collect::<Vec<_>>();
                let others = variants.iter().filter(|name| !option.names().contains(name));
                assert_eq!(others.collect::<Vec<_>>(), [&"angle", &"follow"], "add names to NAMED_SWIVELS");
                for name in option.names() {
                    let OptionValue::Swivel(swivel) = option.parse(name).unwrap() else { panic!("{name}") };
                    assert_eq!(serialised(option, OptionValue::Swivel(swivel)), name);
                }
            }
            OptionKind::Balance => {
                let balance = Balance { support: DVec3::X, weight: 0.5 };
                let value = serialised(option, OptionValue::Balance(balance));
                assert_eq!(value, serde_json::to_value(balance).unwrap());
            }
        }
    }
}

#[test]
fn defaults_are_accepted_and_survive_a_round_trip() {
    for option in SolverOption::all() {
        let text = option.print(&option.default());
        assert_eq!(option.parse(&text), Ok(option.default()), "{}={text}", option.key);
        assert!(!option.help.is_empty() && !option.help.ends_with('.'), "{}", option.key);
    }
    let shown = |key: &str| {
        let option = SolverOption::find(key).unwrap();
        option.print(&option.default())
    };
    let keys = ["iterations", "tolerance", "angle_tolerance", "ccd.step", "limb.swivel", "optimize.balance"];
    assert_eq!(keys.map(shown), ["100", "auto", "0.001rad", "none", "keep", "none"]);
}

/// Parses `KEY=VALUE` and prints the value again.
fn echo(text: &str) -> String {
    match SolverOption::parse_assignment(text) {
        Ok((option, value)) => option.print(&value),
        Err(error) => error.to_string(),
    }
}

#[test]
fn values_are_parsed_in_their_units() {
    for (text, shown) in [
        ("ccd.step=5deg", "5deg"),
        ("ccd.step = 5 deg", "5deg"),
        ("ccd.step=5°", "5deg"),
        ("ccd.step=0.1", "0.1rad"),
        ("ccd.step=1e-3rad", "0.001rad"),
        ("ccd.step=none", "none"),
        ("ccd.step=inf", "none"),
        ("tolerance=2mm", "2mm"),
        ("tolerance=0.002", "2mm"),
        ("tolerance=2cm", "20mm"),
        ("tolerance=1.5m", "1.5m"),
        ("tolerance=auto", "auto"),
        ("tolerance=none", "auto"),
        ("particle.stiffness=3%", "0.03"),
        ("limits=off", "false"),
        ("method=dls", "dls"),
        ("limb.swivel=follow:0.1,0,0,0.4", "follow:0.1rad,0,0,0.4"),
        ("limb.swivel=angle:-20deg", "angle:-20deg"),
        ("optimize.balance=0,0,0.1,2", "0,0,0.1,2"),
        ("optimize.balance=none", "none"),
        ("jacobian.damping=0.1", "0.1"),
    ] {
        assert_eq!(echo(text), shown, "{text}");
    }
}

#[test]
fn errors_name_the_key_and_what_would_be_valid() {
    for (text, error) in [
        ("ccd.stp=5deg", "unknown solver option \"ccd.stp\"; did you mean ccd.step?"),
        ("step=5deg", "unknown solver option \"step\"; did you mean ccd.step or jacobian.step?"),
        ("ccd.step", "\"ccd.step\" must be KEY=VALUE, for example ccd.step=5deg"),
        ("ccd.step=5", "ccd.step: 5rad must be more than 0deg, at most 180deg, or none"),
        ("ccd.step=0", "ccd.step: 0deg must be more than 0deg, at most 180deg, or none"),
        ("ccd.budget=-5deg", "ccd.budget: -5deg must be more than 0deg, or none"),
        ("ccd.step=2mm", "ccd.step: unit \"mm\" of \"2mm\" does not fit; use deg or rad"),
        ("ccd.step=fast", "ccd.step: \"fast\" is not a number; use deg or rad"),
        ("ccd.step=1e999", "ccd.step: \"1e999\" is not a number; use deg or rad"),
        ("tolerance=2deg", "tolerance: unit \"deg\" of \"2deg\" does not fit; use m, cm or mm"),
        ("particle.stiffness=1.5", "particle.stiffness: 1.5 must be 0 to 1"),
        ("particle.stiffness=none", "particle.stiffness: \"none\" is not a number; use a plain number or %"),
        ("iterations=-1", "iterations: \"-1\" must be a whole number, 0 to 1000000000"),
        ("iterations=9999999999", "iterations: 9999999999 must be 0 to 1000000000"),
        ("limits=maybe", "limits: \"maybe\" must be true or false"),
        ("start=there", "start: \"there\" must be one of current, rest, continue"),
        (
            "limb.swivel=angle",
            "limb.swivel: \"angle\" must be keep, standard, arm, leg, angle:A, or follow:A,X,Y,Z",
        ),
        ("limb.swivel=follow:1,2", "limb.swivel: expected 4 numbers separated by commas, found 2"),
        ("optimize.balance=0,0,0,-1", "optimize.balance: 0,0,0,-1 must be X,Y,Z,WEIGHT, or none"),
    ] {
        assert_eq!(echo(text), error, "{text}");
    }
}

#[test]
fn overrides_survive_a_round_trip() {
    let mut overrides = OptionOverrides::default();
    for text in ["tolerance=0.3mm", "ccd.step=5deg", "limb.swivel=follow:0.1,0,0,0.4", "method=ccd"] {
        let (option, value) = SolverOption::parse_assignment(text).unwrap();
        overrides.set(option, value).unwrap();
    }
    let json = serde_json::to_string(&overrides).unwrap();
    assert_eq!(
        json,
        r#"{"method":"ccd","tolerance":"0.3mm","ccd.step":"5deg","limb.swivel":"follow:0.1rad,0,0,0.4"}"#
    );
    assert_eq!(serde_json::from_str::<OptionOverrides>(&json).unwrap(), overrides);
    let error = serde_json::from_str::<OptionOverrides>(r#"{"ccd.stp":"1"}"#).unwrap_err().to_string();
    assert!(error.starts_with("unknown solver option \"ccd.stp\""), "{error}");
}

#[test]
fn invalid_values_are_replaced_by_the_defaults() {
    let mut options = Options { iterations: usize::MAX, tolerance: Some(f64::NAN), ..Options::default() };
    (options.ccd.step, options.ccd.budget, options.particle.stiffness) = (-1.0, f64::INFINITY, 2.0);
    options.limb.swivel = Swivel::Follow { at_base: 0.0, slope: DVec3::NAN };
    options.optimize.rest = 0.25;
    let defaults = Options { iterations: 7, ..Options::default() };
    options.replace_invalid(&defaults);
    let mut expected = defaults;
    expected.optimize.rest = 0.25;
    assert_eq!(options, expected);
}

/// A finite number of any size.
fn any_number() -> impl Strategy<Value = f64> {
    prop_oneof![-10.0..10.0_f64, any::<f64>().prop_filter("finite", |x| x.is_finite()), Just(0.0), Just(-0.0)]
}

proptest! {
    #[test]
    fn values_survive_a_round_trip(
        index in 0..SolverOption::all().len(), x in any_number(), count in 0..2_000_000_usize,
        vector in prop::array::uniform3(any_number()), choice in 0..64_usize,
    ) {
        let option = &SolverOption::all()[index];
        let names = option.names();
        let slope = DVec3::from_array(vector);
        let swivels =
            [Swivel::Keep, Swivel::Standard, Swivel::Angle(x), Swivel::Follow { at_base: x, slope }];
        let value = match option.kind {
            OptionKind::Flag => OptionValue::Flag(choice % 2 == 0),
            OptionKind::Count { .. } => OptionValue::Count(count),
            OptionKind::Number(_) | OptionKind::Balance if choice % 8 == 0 => OptionValue::None,
            OptionKind::Number(_) => OptionValue::Number(x),
            OptionKind::Choice => OptionValue::Name(names[choice % names.len()]),
            OptionKind::Swivel => OptionValue::Swivel(swivels[choice % 4]),
            OptionKind::Balance => OptionValue::Balance(Balance { support: slope, weight: x }),
        };
        let text = option.print(&value);
        let parsed = option.parse(&text);
        match option.check(&value) {
            Ok(()) => prop_assert_eq!(parsed.map(|v| format!("{v:?}")), Ok(format!("{value:?}")), "{}", text),
            Err(_) => prop_assert!(parsed.is_err(), "{}={}", option.key, text),
        }
    }

    #[test]
    fn any_text_is_parsed_or_refused(text in "\\PC{0,20}", index in 0..SolverOption::all().len()) {
        let option = &SolverOption::all()[index];
        if let Ok(value) = option.parse(&text) {
            let mut options = Options::default();
            prop_assert!(option.set(&mut options, value).is_ok());
        }
        let _ = SolverOption::parse_assignment(&text);
    }
}
