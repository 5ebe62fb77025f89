//! Checks the joints of a robot in its XML, because the URDF reader replaces a missing limit with zeros and does not report which joint
//! lacks a link.

use roxmltree::{Document, Node, ParsingOptions};

use crate::asset::error::ObjectError;
use crate::text::printable;

/// Maximum number of nodes in the document, including texts and comments.
const MAX_NODES: u32 = 1_000_000;

/// Checks that each joint has a name, a type, a parent and a child, and a limit if it needs one.
///
/// # Errors
/// [`ObjectError`] for the first joint that lacks any of these, or if the text is not XML.
pub(super) fn check(text: &str) -> Result<(), ObjectError> {
    let document =
        parse(text).map_err(|cause| ObjectError::new("robot", format!("not a valid URDF file ({cause})")))?;
    let joints = document.root_element().children().filter(|node| node.has_tag_name("joint"));
    for (index, joint) in joints.enumerate() {
        let at = match joint.attribute("name") {
            Some(name) => format!("joint \"{name}\""),
            None => return Err(ObjectError::new(format!("joint {index}"), "the name is missing")),
        };
        if let Some(cause) = problem(&joint) {
            return Err(ObjectError::new(at, cause));
        }
    }
    Ok(())
}

/// Parses XML of bounded size.
pub(super) fn parse(text: &str) -> Result<Document<'_>, String> {
    let options = ParsingOptions { allow_dtd: false, nodes_limit: MAX_NODES, ..ParsingOptions::default() };
    Document::parse_with_options(text, options).map_err(|e| printable::cause(&e.to_string()))
}

/// Describes what a joint lacks.
fn problem(joint: &Node<'_, '_>) -> Option<String> {
    let child = |name: &str| joint.children().find(|node| node.has_tag_name(name));
    let Some(kind) = joint.attribute("type") else { return Some("the type is missing".into()) };
    for name in ["parent", "child"] {
        let Some(element) = child(name) else { return Some(format!("<{name} link=…> is missing")) };
        if element.attribute("link").is_none() {
            return Some(format!("<{name}> names no link"));
        }
    }
    if !["revolute", "prismatic"].contains(&kind) {
        return None;
    }
    child("limit").is_none().then(|| {
        let or = if kind == "revolute" { ", or the type continuous" } else { "" };
        format!("a {kind} joint needs <limit lower=… upper=…>{or}")
    })
}
