//! Reads SRDF, the file in which ROS lists the pairs of links that need no collision check.

use super::{MAX_BYTES, markup, structure};
use crate::text::printable;

/// Reads the pairs of links between which collisions are disabled: `<disable_collisions link1="A" link2="B"/>`.
///
/// # Errors
/// A one-line message with the line of the invalid element, if the text is not XML, if it is not a robot, or if an element lacks a link.
pub(crate) fn disabled_collisions(text: &str) -> Result<Vec<[String; 2]>, String> {
    if text.len() > MAX_BYTES {
        return Err(format!("the text is larger than {} MiB", MAX_BYTES >> 20));
    }
    markup::check(text)?;
    let document = structure::parse(text).map_err(|cause| format!("not valid XML ({cause})"))?;
    let robot = document.root_element();
    if !robot.has_tag_name("robot") {
        let name = printable::cause(robot.tag_name().name());
        return Err(format!("the root element must be <robot>, but is <{name}>"));
    }
    let elements = robot.children().filter(|node| node.has_tag_name("disable_collisions"));
    let pair = |element: roxmltree::Node<'_, '_>| {
        let link = |attribute: &str| {
            let line = document.text_pos_at(element.range().start).row;
            let name = element.attribute(attribute).map(str::to_owned);
            name.ok_or_else(|| format!("line {line}: <disable_collisions> lacks {attribute}"))
        };
        Ok([link("link1")?, link("link2")?])
    };
    elements.map(pair).collect()
}

#[cfg(test)]
mod tests {
    use super::disabled_collisions;

    #[test]
    fn pairs_are_read_and_faults_name_their_line() {
        let text = "<?xml version='1.0'?>\n<robot name='arm'><group name='g'><chain base_link='a' tip_link='b'/></group>\n\
            <disable_collisions link1='a' link2='b' reason='Adjacent'/>\n<disable_collisions link1='c'/></robot>";
        assert_eq!(disabled_collisions(text).unwrap_err(), "line 4: <disable_collisions> lacks link2");
        let text = text.replace("<disable_collisions link1='c'/>", "");
        assert_eq!(disabled_collisions(&text), Ok(vec![["a".to_owned(), "b".to_owned()]]));
        assert!(disabled_collisions("<sdf/>").unwrap_err().contains("<sdf>"));
        assert!(disabled_collisions("<robot").unwrap_err().contains("not valid XML"));
        assert!(disabled_collisions(&"<a>".repeat(200)).unwrap_err().contains("nested"));
        assert!(disabled_collisions("<robot><xacro:macro/></robot>").unwrap_err().contains("xacro"));
        assert_eq!(disabled_collisions("<robot/>"), Ok(Vec::new()));
    }
}
