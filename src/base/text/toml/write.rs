//! Numbers as they are written into TOML files.

use super::radians;

/// Returns a single-precision number, written with as few digits as possible.
pub fn short(number: f32) -> toml_edit::Value {
    exact(format!("{number}").parse::<f64>().unwrap_or(f64::from(number)))
}

/// Returns a number. A tiny number is written with an exponent.
pub fn exact(number: f64) -> toml_edit::Value {
    if number != 0.0 && number.abs() < 1e-5 {
        format!("{number:e}").parse().unwrap_or_else(|_| number.into())
    } else {
        number.into()
    }
}

/// Returns an angle in degrees, with as few decimals as [`radians`] needs to restore the same angle.
pub fn degrees(angle: f32) -> toml_edit::Value {
    let exact = f64::from(angle).to_degrees();
    let rounded = |decimals: i32| {
        let factor = 10_f64.powi(decimals);
        (exact * factor).round() / factor
    };
    let is_same = |degrees: &f64| radians(*degrees).to_bits() == angle.to_bits();
    (0..12).map(rounded).find(is_same).unwrap_or(exact).into()
}

#[cfg(test)]
mod tests {
    use super::super::single;
    use super::*;

    #[test]
    fn numbers_of_single_precision_are_short_and_exact() {
        assert_eq!([short(0.1), short(-2.5e-12)].map(|v| v.to_string()), ["0.1", "-2.5e-12"]);
        assert_eq!(degrees(radians(22.5)).to_string(), "22.5");
        for bits in (0..0x7f00_0000_u32).step_by(0x0012_3457) {
            let number = f32::from_bits(bits);
            assert_eq!(single(short(number).as_float().unwrap()).to_bits(), bits);
            let angle = number.min(1e4);
            assert_eq!(radians(degrees(angle).as_float().unwrap()).to_bits(), angle.to_bits());
        }
    }
}
