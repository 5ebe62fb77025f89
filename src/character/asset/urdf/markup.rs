//! Checks XML before it is parsed: it must contain no xacro elements, and no elements nested so deeply that the parser would overflow the
//! stack. Also removes elements that the parser would reject.

use std::borrow::Cow;

/// Maximum depth of elements. URDF needs at most six levels.
const MAX_DEPTH: usize = 100;
/// The error for the macro language of ROS.
const XACRO: &str = "a xacro file must be expanded first: xacro FILE > ROBOT.urdf";

/// Checks that elements are not nested too deeply and that there are no macros. Comments and CDATA sections do not count.
pub(super) fn check(text: &str) -> Result<(), &'static str> {
    let (mut rest, mut depth) = (text, 0_usize);
    while let Some(start) = rest.find('<') {
        rest = rest.get(start..).unwrap_or_default();
        let skipped = [("<!--", "-->"), ("<![CDATA[", "]]>"), ("<?", "?>")];
        if let Some((_, end)) = skipped.into_iter().find(|(begin, _)| rest.starts_with(begin)) {
            let after = rest.find(end).and_then(|at| rest.get(at + end.len()..));
            rest = after.unwrap_or_default();
            continue;
        }
        let end = rest.find('>').unwrap_or(rest.len());
        let tag = rest.get(..end).unwrap_or_default();
        if tag.starts_with("<xacro:") {
            return Err(XACRO);
        }
        if tag.starts_with("</") {
            depth = depth.saturating_sub(1);
        } else if !tag.ends_with('/') && !tag.starts_with("<!") {
            depth += 1;
        }
        if depth > MAX_DEPTH {
            return Err("elements are nested too deeply");
        }
        rest = rest.get(end..).unwrap_or_default();
    }
    Ok(())
}

/// Removes `<texture/>` elements without attributes, which exporters write for materials without an image. URDF requires a file name, and
/// the parser rejects them.
pub(super) fn without_empty_textures(text: &str) -> Cow<'_, str> {
    const ELEMENT: &str = "<texture";
    let mut kept = String::new();
    let mut rest = text;
    let mut from = 0;
    while let Some(start) = rest.get(from..).and_then(|after| after.find(ELEMENT)).map(|at| from + at) {
        let after = start + ELEMENT.len();
        let tag = rest.get(after..).and_then(|tag| tag.split_once('>'));
        match tag {
            Some((attributes, following)) if attributes.trim() == "/" => {
                kept.push_str(rest.get(..start).unwrap_or_default());
                (rest, from) = (following, 0);
            }
            _ => from = after,
        }
    }
    if kept.is_empty() { Cow::Borrowed(text) } else { Cow::Owned(kept + rest) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_empty_textures_are_removed() {
        let kept = "<robot><material><texture filename='a.png'/></material><textures/></robot>";
        assert!(matches!(without_empty_textures(kept), Cow::Borrowed(text) if text == kept));
        let empty = "<material name='m'><color rgba='1 0 0 1'/><texture/></material><texture />é<texture\n/>";
        let expected = "<material name='m'><color rgba='1 0 0 1'/></material>é";
        assert_eq!(without_empty_textures(empty), expected);
        assert_eq!(without_empty_textures("<texture"), "<texture");
    }

    #[test]
    fn only_nested_elements_count() {
        let flat = "<a b='1'/><!-- <x> --><c></c><![CDATA[<y>]]>".repeat(1000);
        assert_eq!(check(&format!("<?xml?><robot>{flat}</robot>")), Ok(()));
        assert!(check(&"<a>".repeat(101)).is_err());
        assert!(check(&"<a b='>'>".repeat(101)).is_err());
        assert_eq!(check("<a"), Ok(()));
        assert_eq!(check("<robot><xacro:include filename='arm'/></robot>"), Err(XACRO));
        assert_eq!(check("<robot><!-- <xacro:include/> --></robot>"), Ok(()));
        assert_eq!(check("<!-- <a>"), Ok(()));
    }
}
