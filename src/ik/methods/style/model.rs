//! The style model and its predictions.

use glam::{DQuat, DVec2, DVec3};

use crate::linear::{dot, invert};
use crate::rotation::rotation_vector;
use crate::{Posture, swing_twist};

/// Maximum number of postures that a model keeps.
pub(super) const MOST_POSTURES: usize = 200;
/// Maximum number of joints.
pub(super) const MOST_JOINTS: usize = 512;
/// Maximum number of latent dimensions.
pub(super) const MOST_DIMENSIONS: usize = 3;
/// Number of features per joint. The features of the base are its height and the x and z components of the rotation
/// vector of its tilt, relative to `means`. The features of any other joint are the rotation vector from its mean
/// rotation.
pub(super) const FEATURES: usize = 3;

/// A style that was learned from example postures. It poses bodies in the same style.
///
/// Postures are y (D features, three per joint), and latent positions are x. The kernel is the paper's equation 2,
/// k(x, x') = α exp(−γ/2 |x − x'|²) + δ β⁻¹. α is fixed at 1, because the likelihood does not determine a common
/// factor of α, β and the scales w.
#[derive(Clone, Debug, PartialEq)]
pub struct Style {
    /// Names of the joints, the base first.
    pub(super) joints: Vec<String>,
    /// Mean rotation of each joint. The entry of the base is the rotation of one example.
    pub(super) means: Vec<DQuat>,
    /// Mean features of the examples, D values.
    pub(super) centre: Vec<f64>,
    /// Scales w of the features, D values.
    pub(super) scales: Vec<f64>,
    /// Latent positions of the kept postures, N rows of d.
    pub(super) latents: Vec<f64>,
    /// Dimensions d of the latent space.
    pub(super) dimensions: usize,
    /// Features of the kept postures minus `centre`, N rows of D.
    pub(super) postures: Vec<f64>,
    /// Precision β of the examples.
    pub(super) beta: f64,
    /// Inverse squared width γ of the kernel.
    pub(super) gamma: f64,
    /// K⁻¹, N rows of N.
    pub(super) inverse: Vec<f64>,
    /// K⁻¹ Y, N rows of D.
    pub(super) pulls: Vec<f64>,
}

/// The prediction of a model at a latent position. Later predictions reuse its buffers.
#[derive(Clone, Debug, Default)]
pub(super) struct Prediction {
    /// The predicted posture f(x), D features.
    pub(super) features: Vec<f64>,
    /// The variance σ²(x).
    pub(super) variance: f64,
    /// Gradient of the variance.
    pub(super) variance_slope: [f64; MOST_DIMENSIONS],
    /// Kernel values k(x, xₙ) of the kept postures, N values.
    kernel: Vec<f64>,
    /// Gradients of the kernel values, N rows of d.
    slopes: Vec<f64>,
    /// K⁻¹ k(x), N values.
    weights: Vec<f64>,
}

impl Style {
    /// Returns the names of the joints, the base first.
    pub fn joints(&self) -> &[String] {
        &self.joints
    }

    /// Returns the number of postures that the model keeps.
    pub fn postures(&self) -> usize {
        self.latents.len() / self.dimensions.max(1)
    }

    /// Returns the number of dimensions of the latent space.
    pub fn dimensions(&self) -> usize {
        self.dimensions
    }

    pub(super) fn features(&self) -> usize {
        FEATURES * self.joints.len()
    }

    pub(super) fn latent(&self, posture: usize) -> &[f64] {
        &self.latents[posture * self.dimensions..(posture + 1) * self.dimensions]
    }

    /// Computes K⁻¹ and K⁻¹ Y from the latent positions, the postures, β and γ. Returns false if K cannot be
    /// inverted.
    pub(super) fn prepare(&mut self) -> bool {
        let (n, d) = (self.postures(), self.features());
        let mut kernel = vec![0.0; n * n];
        for i in 0..n {
            for j in 0..n {
                let near = rbf(self.latent(i), self.latent(j), self.gamma);
                kernel[i * n + j] = near + if i == j { 1.0 / self.beta } else { 0.0 };
            }
        }
        self.inverse = vec![0.0; n * n];
        if invert(&mut kernel, &mut self.inverse, n).is_none() {
            return false;
        }
        self.pulls = product(&self.inverse, &self.postures, n, d);
        self.inverse.iter().chain(&self.pulls).all(|x| x.is_finite())
    }

    /// Computes f(x) = μ + Yᵀ K⁻¹ k(x) and σ²(x) = k(x, x) − k(x)ᵀ K⁻¹ k(x), the paper's equations 7 and 8.
    pub(super) fn predict(&self, x: &[f64], out: &mut Prediction) {
        let (n, d) = (self.postures(), self.dimensions);
        out.kernel.clear();
        out.kernel.extend((0..n).map(|i| rbf(x, self.latent(i), self.gamma)));
        out.slopes.clear();
        for (i, k) in out.kernel.iter().enumerate() {
            out.slopes.extend(x.iter().zip(self.latent(i)).map(|(x, l)| -self.gamma * (x - l) * k));
        }
        out.features.clone_from(&self.centre);
        for (k, row) in out.kernel.iter().zip(self.pulls.chunks_exact(self.features())) {
            out.features.iter_mut().zip(row).for_each(|(f, p)| *f += k * p);
        }
        out.weights.clear();
        out.weights.extend(self.inverse.chunks_exact(n).map(|row| dot(row, &out.kernel)));
        // Far from the examples the variance is 1 + β⁻¹. Near the examples, rounding must not make the variance smaller
        // than half of the examples' noise.
        let noise = 1.0 / self.beta;
        out.variance = (1.0 + noise - dot(&out.weights, &out.kernel)).max(0.5 * noise);
        out.variance_slope = [0.0; MOST_DIMENSIONS];
        for (weight, slopes) in out.weights.iter().zip(out.slopes.chunks_exact(d)) {
            out.variance_slope.iter_mut().zip(slopes).for_each(|(v, s)| *v -= 2.0 * weight * s);
        }
    }

    /// Adds Jᵀ g to a gradient, where J is the derivative of the predicted features.
    pub(super) fn pull_back(&self, prediction: &Prediction, g: &[f64], gradient: &mut [f64]) {
        let rows = self.pulls.chunks_exact(self.features());
        for (row, slopes) in rows.zip(prediction.slopes.chunks_exact(self.dimensions)) {
            let along = dot(row, g);
            gradient.iter_mut().zip(slopes).for_each(|(x, s)| *x += along * s);
        }
    }

    /// Returns the features of a kept posture.
    pub(super) fn kept_posture(&self, posture: usize) -> Vec<f64> {
        let d = self.features();
        let row = &self.postures[posture * d..(posture + 1) * d];
        row.iter().zip(&self.centre).map(|(y, c)| y + c).collect()
    }

    /// Returns the posture with the given features.
    pub(super) fn posture(&self, features: &[f64]) -> Posture {
        let mut triples = features.chunks_exact(FEATURES);
        let base = triples.next().unwrap_or(&[0.0; FEATURES]);
        let tilt = DQuat::from_scaled_axis(DVec3::new(base[1], 0.0, base[2]));
        let turned = |(y, mean): (&[f64], &DQuat)| *mean * DQuat::from_scaled_axis(DVec3::from_slice(y));
        let tilt = tilt * self.means.first().copied().unwrap_or(DQuat::IDENTITY);
        let others = triples.zip(self.means.iter().skip(1)).map(turned);
        Posture { height: base[0], rotations: std::iter::once(tilt).chain(others).collect() }
    }
}

/// Returns the features of a posture relative to mean rotations, [`FEATURES`] per joint.
pub(super) fn features_of(posture: &Posture, means: &[DQuat]) -> Vec<f64> {
    let tilt = posture.rotations.first().zip(means.first()).map_or(DVec2::ZERO, |(q, mean)| {
        // q · mean⁻¹ = heading · tilt.
        let (swing, _) = swing_twist(*mean * q.conjugate(), DVec3::Y);
        let vector = -rotation_vector(swing);
        DVec2::new(vector.x, vector.z)
    });
    let mut features = vec![posture.height, tilt.x, tilt.y];
    for (rotation, mean) in posture.rotations.iter().zip(means).skip(1) {
        features.extend(rotation_vector(mean.conjugate() * *rotation).to_array());
    }
    features
}

/// Returns exp(−γ/2 |x − x'|²).
pub(super) fn rbf(x: &[f64], other: &[f64], gamma: f64) -> f64 {
    let squared: f64 = x.iter().zip(other).map(|(a, b)| (a - b) * (a - b)).sum();
    (-0.5 * gamma * squared).exp()
}

/// Returns the product of a square matrix of `n` rows and a matrix of `n` rows of `d` numbers.
pub(super) fn product(square: &[f64], rows: &[f64], n: usize, d: usize) -> Vec<f64> {
    let mut out = vec![0.0; n * d];
    for (row, out) in square.chunks_exact(n).zip(out.chunks_exact_mut(d)) {
        for (factor, other) in row.iter().zip(rows.chunks_exact(d)) {
            out.iter_mut().zip(other).for_each(|(o, y)| *o += factor * y);
        }
    }
    out
}
