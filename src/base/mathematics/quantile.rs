//! Quantiles.

/// Returns the quantile of the values at `fraction`, from 0 (the smallest value) to 1 (the largest). Returns 0 if there
/// are no values.
pub fn quantile(mut values: Vec<f64>, fraction: f64) -> f64 {
    values.sort_by(f64::total_cmp);
    #[expect(
        clippy::cast_precision_loss,
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "a small index"
    )]
    let index = (fraction.clamp(0.0, 1.0) * values.len().saturating_sub(1) as f64).round() as usize;
    values.get(index).copied().unwrap_or(0.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quantiles_of_values() {
        let values = vec![3.0, 1.0, 2.0];
        assert_eq!(quantile(values.clone(), 0.5), 2.0);
        assert_eq!(quantile(values, 1.0), 3.0);
        assert_eq!(quantile(Vec::new(), 0.5), 0.0);
    }
}
