//! A session's settings in the tables `[view]` and `[solver]` of a project.
//!
//! Reading and writing follow one rule: a setting is stored in `[solver]` under the name of its command with underscores, so the command
//! `auto-key` has the key `auto_key`. [`KEYS`] lists the settings that are stored in another way.

use serde_json::{Map, Value as Json, json};
use toml_edit::{Item, Table, Value};

use crate::ik::Method;
use crate::rig::Rig;
use crate::session::default_options;
use crate::shared;
use crate::text::json;
use crate::text::toml::{SpannedError, check_keys, degrees, exact, flag, radians, short};
use crate::{Command, Settings};

use super::free;

/// The settings tables of a project.
const TABLES: [&str; 2] = ["view", "solver"];
/// Settings that a project does not store by the rule above: solver options belong to rig files, and the scale belongs to the window.
const ELSEWHERE: [&str; 2] = ["solver", "scale"];

/// How the value of a settings command is written in a project.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Form {
    Plain,
    /// Radians, written as degrees.
    Degrees,
    /// The value `"on"` is written as `true`, and a scale factor as a number.
    FileLights,
    /// The number of ghosts. A project contains it only if the ghosts are shown.
    Ghosts,
    /// Whether the eyes follow the camera.
    Eyes,
    /// The point at which the eyes look.
    EyePoint,
}

/// A table and a key of a project, the path of the value in the settings commands, and the form of the value.
type Row = (&'static str, &'static str, &'static str, Form);

const KEYS: [Row; 29] = [
    ("view", "shading", "shading-mode", Form::Plain),
    ("view", "variant", "variant", Form::Plain),
    ("view", "skinning", "skinning", Form::Plain),
    ("view", "framing", "framing", Form::Plain),
    ("view", "skeleton", "display.skeleton", Form::Plain),
    ("view", "names", "display.names", Form::Plain),
    ("view", "ground", "display.ground", Form::Plain),
    ("view", "shadow", "display.shadow", Form::Plain),
    ("view", "follow", "display.follow", Form::Plain),
    ("view", "light", "light.source", Form::Plain),
    ("view", "light_rotation", "light.rotation", Form::Degrees),
    ("view", "exposure", "light.exposure", Form::Plain),
    ("view", "tone_map", "light.tone", Form::Plain),
    ("view", "file_lights", "light.file_lights", Form::FileLights),
    ("view", "springs", "springs", Form::Plain),
    ("view", "props", "props", Form::Plain),
    ("view", "eyes", "look-at", Form::Eyes),
    ("view", "eye_point", "look-at", Form::EyePoint),
    ("view", "speed", "speed", Form::Plain),
    ("view", "looping", "looping", Form::Plain),
    ("view", "ghosts", "onion-skin.count", Form::Ghosts),
    ("view", "ghost_step", "onion-skin.step", Form::Plain),
    ("view", "frame_rate", "timeline.frame_rate", Form::Plain),
    ("view", "frames", "timeline.frames", Form::Plain),
    ("view", "snap", "timeline.snap", Form::Plain),
    ("view", "loop_range", "timeline.range", Form::Plain),
    ("solver", "drag", "drag-scope", Form::Plain),
    ("solver", "rings_alone", "ring-mode.alone", Form::Plain),
    ("solver", "rings_world", "ring-mode.world", Form::Plain),
];

/// Returns all settings values by command name.
fn values(settings: &Settings) -> Map<String, Json> {
    let commands = settings.commands().into_iter().filter_map(|command| json::to_value(&command).ok());
    commands
        .filter_map(|command| if let Json::Object(map) = command { Some(map) } else { None })
        .flatten()
        .collect()
}

/// Returns the rows of [`KEYS`] and of all other settings.
fn rows(values: &Map<String, Json>) -> Vec<(&'static str, String, String, Form)> {
    let own = KEYS.iter().map(|&(table, key, at, form)| (table, key.to_owned(), at.to_owned(), form));
    let is_own = |name: &str| KEYS.iter().any(|row| row.2.split('.').next() == Some(name));
    let others = values.keys().filter(|name| !is_own(name) && !ELSEWHERE.contains(&name.as_str()));
    own.chain(others.map(|name| ("solver", name.replace('-', "_"), name.clone(), Form::Plain))).collect()
}

fn at<'v>(values: &'v Map<String, Json>, path: &str) -> Option<&'v Json> {
    let mut parts = path.split('.');
    let first = values.get(parts.next()?)?;
    parts.try_fold(first, |value, part| value.get(part))
}

/// Writes the settings of a project's table that differ from the settings of a new session.
pub(super) fn write(settings: &Settings, table: &str, to: &mut Table) {
    let (now, initial) = (values(settings), values(&Settings::default()));
    for (_, key, path, form) in rows(&now).into_iter().filter(|row| row.0 == table) {
        let Some(value) = at(&now, &path) else { continue };
        let is_shown = at(&now, "onion-skin.shown") == Some(&Json::Bool(true));
        if form == Form::Ghosts && is_shown || form != Form::Ghosts && at(&initial, &path) != Some(value) {
            to.extend(to_toml(value, form).map(|value| (key, value)));
        }
    }
}

fn to_toml(value: &Json, form: Form) -> Option<Value> {
    let single = |number: &Json| number.as_f64().map(crate::text::toml::single);
    match (form, value) {
        (Form::Degrees, number) => single(number).map(degrees),
        (Form::FileLights, Json::String(_)) => Some(true.into()),
        (Form::FileLights, scale) => single(scale.get("scale")?).map(short),
        (Form::Eyes, value) => (value == "camera").then_some(true.into()),
        (Form::EyePoint, value) => {
            let point = value.get("point")?.as_array()?;
            Some(point.iter().filter_map(Json::as_f64).map(exact).collect::<toml_edit::Array>().into())
        }
        (_, Json::Number(number)) => number.as_i64().map(Value::from).or_else(|| single(value).map(short)),
        _ => Some(free::to_toml(value)),
    }
}

/// Returns the settings commands of a project.
///
/// # Errors
/// [`SpannedError`] for an unknown key or an invalid value. `others` are keys of `[view]` that are not settings.
pub(super) fn read(root: &Table, rig: &Rig, others: &[&str]) -> Result<Vec<Command>, SpannedError> {
    let mut settings = Settings::default();
    let mut options = default_options(Method::Auto);
    if !root.contains_key("solver") {
        rig.options.apply(&mut options);
    }
    let mut now = values(&settings);
    for name in TABLES {
        let Some(table) = super::table(root, name)? else { continue };
        let rows = rows(&now);
        let rows: Vec<_> = rows.iter().filter(|row| row.0 == name).collect();
        let mut known: Vec<&str> = rows.iter().map(|row| row.1.as_str()).collect();
        known.extend(if name == "view" { others } else { &["options"] });
        check_keys(table, &known)?;
        for (_, key, path, form) in rows {
            let Some(item) = table.get(key) else { continue };
            let command = read_value(&mut now, key, path, *form, item)?;
            settings.set(command);
        }
        if let Some(item) = table.get("options").filter(|_| name == "solver") {
            shared::read_options(item)?.apply(&mut options);
        }
    }
    *settings.solver = options;
    Ok(settings.commands().into_iter().filter(|command| !matches!(command, Command::Scale(_))).collect())
}

/// Inserts a value of a project into the settings command that sets it, and returns that command.
fn read_value(
    values: &mut Map<String, Json>,
    key: &str,
    path: &str,
    form: Form,
    item: &Item,
) -> Result<Command, SpannedError> {
    let error = |cause: String| SpannedError::at(item, cause);
    let (name, field) = path.split_once('.').unwrap_or((path, ""));
    let before = at(values, path);
    let json = item.as_value().map(free::to_json).unwrap_or_default();
    let json = match form {
        Form::Degrees => match json.as_f64() {
            Some(angle) => radians(angle).into(),
            None => return Err(error(format!("{key} must be a number"))),
        },
        Form::FileLights if json.is_number() => json!({ "scale": json }),
        Form::FileLights => if json == true { "on" } else { "off" }.into(),
        Form::Eyes => if json == true { "camera" } else { "nothing" }.into(),
        Form::EyePoint => json!({ "point": json }),
        Form::Plain if before.is_some_and(Json::is_boolean) => flag(item, key)?.into(),
        Form::Plain | Form::Ghosts => json,
    };
    let Some(value) = values.get_mut(name) else { return Err(error(format!("unknown key \"{key}\""))) };
    match value {
        _ if field.is_empty() => *value = json,
        Json::Object(fields) => {
            fields.insert(field.to_owned(), json);
            if form == Form::Ghosts {
                fields.insert("shown".to_owned(), true.into());
            }
        }
        _ => {}
    }
    let command: Command =
        json::from_value(&json!({ name: value })).map_err(|cause| error(format!("{key}: {cause}")))?;
    command.validate().map_err(|cause| error(format!("{key}: {cause}")))?;
    Ok(command)
}
