//! The unit in which errors are shown to people.

use crate::view::Bounds;

use super::Puppet;

/// Range of figure heights, in metres, for which errors are shown in millimetres. A file with a larger or a smaller figure probably uses a
/// unit other than metres.
const METRIC_HEIGHTS: std::ops::RangeInclusive<f64> = 0.1..=4.0;
/// Errors of this length or more, in metres, are shown as a fraction of the height of the figure.
const LARGE: f64 = 1.0;
/// A figure whose height is less than this fraction of its length, such as a snake, is measured by its length.
const MIN_HEIGHT: f32 = 0.25;

/// How lengths of a character are shown. The unit is millimetres if the length is below a metre and the file seems to be in metres, and
/// otherwise a percentage of the figure's height.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LengthUnit {
    /// Height of the figure in metres. Zero if it is unknown.
    height: f64,
}

impl LengthUnit {
    /// Returns the unit for a figure with these bounds in the rest pose.
    pub fn for_bounds(bounds: &Bounds) -> Self {
        let size = bounds.hi - bounds.lo;
        let height = if size.y < MIN_HEIGHT * size.max_element() { size.max_element() } else { size.y };
        let is_known = !bounds.is_empty() && height.is_finite() && height > 0.0;
        Self { height: if is_known { f64::from(height) } else { 0.0 } }
    }

    /// Returns whether a length is shown in millimetres.
    pub fn is_metric(&self, metres: f64) -> bool {
        self.height <= 0.0 || (METRIC_HEIGHTS.contains(&self.height) && metres.abs() < LARGE)
    }

    /// Returns the number and the unit of a length in metres: `("0.37", "mm")` or `("12.4", "% of height")`.
    pub fn parts(&self, metres: f64) -> (String, &'static str) {
        if self.is_metric(metres) {
            return (digits(1e3 * metres), "mm");
        }
        (digits(100.0 * metres / self.height), "% of height")
    }

    /// Returns a length in metres as text: `0.37 mm` or `12.4 % of height`.
    pub fn text(&self, metres: f64) -> String {
        let (number, unit) = self.parts(metres);
        format!("{number} {unit}")
    }
}

/// Returns a number with about three digits, and at most two decimals.
fn digits(number: f64) -> String {
    match number.abs() {
        n if n < 9.995 => format!("{number:.2}"),
        n if n < 99.95 => format!("{number:.1}"),
        _ => format!("{number:.0}"),
    }
}

impl Puppet {
    /// Returns the unit in which lengths of this character are shown, based on its bounds in the current pose.
    pub fn length_unit(&self) -> LengthUnit {
        LengthUnit::for_bounds(&self.bounds())
    }
}

#[cfg(test)]
mod tests {
    use glam::Vec3;

    use super::*;

    fn unit(size: Vec3) -> LengthUnit {
        LengthUnit::for_bounds(&Bounds::around([Vec3::ZERO, size]))
    }

    #[test]
    fn errors_are_shown_in_a_sensible_unit() {
        let person = unit(Vec3::new(1.7, 1.75, 0.4));
        assert_eq!(person.text(0.000_37), "0.37 mm");
        assert_eq!(person.text(0.0123), "12.3 mm");
        assert_eq!(person.text(0.5), "500 mm");
        assert_eq!(person.text(3.5), "200 % of height");
        // A fox in centimetres, although the file does not state the unit.
        let fox = unit(Vec3::new(25.0, 78.0, 155.0));
        assert_eq!(fox.text(11.063), "14.2 % of height");
        assert_eq!(fox.text(0.0), "0.00 % of height");
        assert_eq!(unit(Vec3::new(0.01, 0.02, 0.01)).text(0.001), "5.00 % of height");
        // A snake lies on the ground.
        assert_eq!(unit(Vec3::new(0.5, 0.3, 10.0)).text(0.1), "1.00 % of height");
        assert_eq!(LengthUnit::for_bounds(&Bounds::default()).text(0.01), "10.0 mm");
    }
}
