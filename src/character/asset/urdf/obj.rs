//! Reads Wavefront OBJ files, and the colours and images of their MTL files.

use glam::{Vec2, Vec3, Vec4};

use super::surface::{Corner, Corners, MeshFile, Paint, Surface, Values};

/// Reads a file. `library` returns the text of a referenced material file.
///
/// # Errors
/// A message with the line number.
pub(super) fn read(
    text: &str,
    library: &mut dyn FnMut(&str) -> Result<String, String>,
) -> Result<MeshFile, String> {
    let mut file = MeshFile::default();
    let (mut positions, mut normals, mut uvs) = (Vec::new(), Vec::new(), Vec::new());
    let (mut surfaces, mut current, mut corners) =
        (Vec::<(Surface, Option<usize>)>::new(), None, Corners::default());
    for (number, line) in (1..).zip(text.lines()) {
        let at = |cause: String| format!("line {number}: {cause}");
        let mut words = line.split_ascii_whitespace();
        match words.next() {
            Some("v") => positions.push(vector(words).map_err(at)?),
            Some("vn") => normals.push(vector(words).map_err(at)?),
            Some("vt") => uvs.push(texture_coordinates(words).map_err(at)?),
            Some("f") => {
                let counts = [positions.len(), uvs.len(), normals.len()];
                let polygon =
                    words.map(|word| corner(word, counts)).collect::<Result<Vec<_>, _>>().map_err(at)?;
                corners.count(3 * polygon.len().saturating_sub(2)).map_err(at)?;
                let index = match surfaces.iter().position(|(_, paint)| *paint == current) {
                    Some(index) => index,
                    None => {
                        surfaces.push((Surface::default(), current));
                        surfaces.len() - 1
                    }
                };
                let values = Values { positions: &positions, normals: &normals, uvs: &uvs };
                if let Some((surface, _)) = surfaces.get_mut(index) {
                    surface.add(&polygon, values).map_err(at)?;
                }
            }
            Some("usemtl") => {
                let name = line.split_once("usemtl").map_or("", |(_, name)| name.trim());
                current = file.materials.iter().position(|paint| paint.name == name);
            }
            Some("mtllib") => {
                let name = line.split_once("mtllib").map_or("", |(_, name)| name.trim());
                match library(name) {
                    Ok(text) => file.materials.extend(paints(&text)),
                    Err(cause) => file.warnings.push(cause),
                }
            }
            _ => {}
        }
    }
    let shapes = surfaces.into_iter().filter_map(|(surface, paint)| Some((surface.finish()?, paint)));
    file.shapes = shapes.collect();
    if file.shapes.is_empty() { Err("the file has no triangles".into()) } else { Ok(file) }
}

fn vector<'a>(mut words: impl Iterator<Item = &'a str>) -> Result<Vec3, String> {
    let mut number = || words.next()?.parse::<f32>().ok().filter(|v| v.is_finite());
    let vector = number().zip(number()).zip(number());
    vector.map(|((x, y), z)| Vec3::new(x, y, z)).ok_or_else(|| "expected three finite numbers".into())
}

/// Returns texture coordinates. The second coordinate may be missing.
fn texture_coordinates<'a>(mut words: impl Iterator<Item = &'a str>) -> Result<Vec2, String> {
    let mut number = || words.next().map(str::parse::<f32>);
    match (number(), number()) {
        (Some(Ok(u)), Some(Ok(v))) => Ok(Vec2::new(u, v)),
        (Some(Ok(u)), None) => Ok(Vec2::new(u, 0.0)),
        _ => Err("expected one or two numbers".into()),
    }
}

/// Parses a corner: `position`, `position/uv`, `position//normal` or `position/uv/normal`. Indices count from 1. Negative indices count
/// backwards from the last value so far.
fn corner(word: &str, [positions, uvs, normals]: [usize; 3]) -> Result<Corner, String> {
    let mut parts = word.split('/');
    let mut index = |count: usize| -> Result<Option<usize>, String> {
        let Some(text) = parts.next().filter(|text| !text.is_empty()) else { return Ok(None) };
        let number: i64 = text.parse().map_err(|_| format!("\"{word}\" is not a corner of a polygon"))?;
        let from = if number < 0 { i64::try_from(count).unwrap_or(i64::MAX) } else { -1 };
        let index = number.checked_add(from).and_then(|i| usize::try_from(i).ok()).filter(|i| *i < count);
        index.map(Some).ok_or_else(|| format!("index {number} of \"{word}\" does not exist"))
    };
    let position = index(positions)?.ok_or_else(|| format!("\"{word}\" is not a corner of a polygon"))?;
    let uv = index(uvs)?;
    Ok(Corner { position, uv, normal: index(normals)? })
}

/// Returns the materials of an MTL file. Unknown lines are ignored.
fn paints(text: &str) -> Vec<Paint> {
    let mut paints: Vec<Paint> = Vec::new();
    for line in text.lines() {
        let Some((key, value)) = line.trim().split_once(char::is_whitespace) else { continue };
        let value = value.trim();
        if key == "newmtl" {
            paints.push(Paint { name: value.into(), color: Vec4::ONE, texture: None });
        }
        let Some(paint) = paints.last_mut() else { continue };
        match key {
            "Kd" => {
                if let Ok(color) = vector(value.split_ascii_whitespace()) {
                    paint.color = color.clamp(Vec3::ZERO, Vec3::ONE).extend(paint.color.w);
                }
            }
            // Options precede the name and start with a minus sign.
            "map_Kd" if value.starts_with('-') => {
                paint.texture = value.split_ascii_whitespace().last().map(Into::into);
            }
            "map_Kd" => paint.texture = Some(value.into()),
            _ => {}
        }
    }
    paints
}
