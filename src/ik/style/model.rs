//! The model, and what it predicts.

use glam::{DQuat, DVec2, DVec3};

use super::super::linear::invert;
use super::super::rotation::rotation_vector;
use super::super::{Posture, swing_twist};

/// Postures that a model keeps, at most.
pub(super) const MOST_POSTURES: usize = 200;
/// Joints that it has, at most.
pub(super) const MOST_JOINTS: usize = 512;
/// Dimensions of its latent space, at most.
pub(super) const MOST_DIMENSIONS: usize = 3;
/// Features of a joint: of the base its height and the x and z of its tilt from `means` as a rotation vector; of any
/// other the rotation vector from its mean.
pub(super) const FEATURES: usize = 3;

/// What has been learned of postures: with it, a body is posed in their style.
///
/// Postures are y (D features, three a joint), latent places x. The kernel is the paper's equation 2,
/// k(x, x') = α exp(−γ/2 |x − x'|²) + δ β⁻¹, with α = 1: α, β and the scales w have one common factor that the
/// likelihood does not tell.
#[derive(Clone, Debug, PartialEq)]
pub struct Style {
    /// Names, the base's first.
    pub(super) joints: Vec<String>,
    /// The examples' mean rotation of each joint; of the base that of one of them.
    pub(super) means: Vec<DQuat>,
    /// The examples' mean features, D.
    pub(super) centre: Vec<f64>,
    /// Scales w of the features, D.
    pub(super) scales: Vec<f64>,
    /// Latent places of the kept postures, N rows of d.
    pub(super) latents: Vec<f64>,
    /// Dimensions d of the latent space.
    pub(super) dimensions: usize,
    /// The kept postures' features less their mean, N rows of D.
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

/// What a model says of a place in latent space. All buffers are kept.
#[derive(Clone, Debug, Default)]
pub(super) struct Prediction {
    /// The posture f(x), D.
    pub(super) features: Vec<f64>,
    /// σ²(x).
    pub(super) variance: f64,
    /// Its gradient.
    pub(super) variance_slope: [f64; MOST_DIMENSIONS],
    /// How near each kept posture is: k(x, xₙ), N.
    kernel: Vec<f64>,
    /// The gradient of each, N rows of d.
    slopes: Vec<f64>,
    /// K⁻¹ k(x), N.
    shares: Vec<f64>,
}

impl Style {
    /// The names of its joints, the base's first.
    pub fn joints(&self) -> &[String] {
        &self.joints
    }

    /// How many postures it keeps.
    pub fn postures(&self) -> usize {
        self.latents.len() / self.dimensions.max(1)
    }

    /// Dimensions of its latent space.
    pub fn dimensions(&self) -> usize {
        self.dimensions
    }

    pub(super) fn features(&self) -> usize {
        FEATURES * self.joints.len()
    }

    pub(super) fn latent(&self, posture: usize) -> &[f64] {
        &self.latents[posture * self.dimensions..(posture + 1) * self.dimensions]
    }

    /// What follows from latents, postures and β, γ: K⁻¹ and K⁻¹ Y. False if K cannot be inverted.
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

    /// f(x) = μ + Yᵀ K⁻¹ k(x) and σ²(x) = k(x, x) − k(x)ᵀ K⁻¹ k(x): the paper's equations 7 and 8.
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
        out.shares.clear();
        out.shares.extend(self.inverse.chunks_exact(n).map(|row| dot(row, &out.kernel)));
        // Beside the examples it is 1 + β⁻¹, and rounding must not take it below what they are uncertain by.
        let noise = 1.0 / self.beta;
        out.variance = (1.0 + noise - dot(&out.shares, &out.kernel)).max(0.5 * noise);
        out.variance_slope = [0.0; MOST_DIMENSIONS];
        for (share, slopes) in out.shares.iter().zip(out.slopes.chunks_exact(d)) {
            out.variance_slope.iter_mut().zip(slopes).for_each(|(v, s)| *v -= 2.0 * share * s);
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

    /// The features of one of the kept postures.
    pub(super) fn kept(&self, posture: usize) -> Vec<f64> {
        let d = self.features();
        let row = &self.postures[posture * d..(posture + 1) * d];
        row.iter().zip(&self.centre).map(|(y, c)| y + c).collect()
    }

    /// The posture that features tell.
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

/// A posture's features about mean rotations, [`FEATURES`] a joint.
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

/// exp(−γ/2 |x − x'|²).
pub(super) fn rbf(x: &[f64], other: &[f64], gamma: f64) -> f64 {
    let squared: f64 = x.iter().zip(other).map(|(a, b)| (a - b) * (a - b)).sum();
    (-0.5 * gamma * squared).exp()
}

pub(super) fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

/// A square matrix of `n` rows times one of `n` rows of `d`.
pub(super) fn product(square: &[f64], rows: &[f64], n: usize, d: usize) -> Vec<f64> {
    let mut out = vec![0.0; n * d];
    for (row, out) in square.chunks_exact(n).zip(out.chunks_exact_mut(d)) {
        for (share, other) in row.iter().zip(rows.chunks_exact(d)) {
            out.iter_mut().zip(other).for_each(|(o, y)| *o += share * y);
        }
    }
    out
}
