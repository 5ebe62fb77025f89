//! Learning of a model from postures.

use glam::DQuat;

use crate::Posture;
use crate::linear::{dot, invert};
use sinew_base::Instant;
use sinew_base::api::with_methods;
use sinew_base::mathematics::{Minimum, eigen, minimise};

use super::StyleError;
use super::model::{FEATURES, MOST_DIMENSIONS, MOST_JOINTS, MOST_POSTURES, Style, features_of, product, rbf};

/// Options of learning.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct Learning {
    /// Dimensions of the latent space, 1 to 3.
    pub dimensions: usize,
    /// Number of postures that the model keeps, at most 200. The kept postures are the ones that are farthest from each
    /// other. Learning time grows with the third power of this number, and solve time with the second.
    pub postures: usize,
    /// Maximum number of search steps.
    pub steps: usize,
    /// Uncertainty of the examples in radians, or in metres for the height. It determines the stiffness of joints
    /// that never turn in the examples.
    pub noise: f64,
}

with_methods!(Learning {
    with_dimensions(dimensions: usize),
    with_postures(postures: usize),
    with_steps(steps: usize),
    with_noise(noise: f64),
});

impl Default for Learning {
    fn default() -> Self {
        Self { dimensions: 3, postures: 60, steps: 150, noise: 0.02 }
    }
}

/// Statistics of learning.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct Learned {
    /// Duration of learning in seconds.
    pub seconds: f64,
    /// Number of examples.
    pub examples: usize,
    /// Number of postures that the model keeps.
    pub postures: usize,
    /// Number of values in the model's file.
    pub numbers: usize,
    /// Number of search steps.
    pub steps: usize,
    /// The negative log likelihood L_GP before the first and after the last step, up to a constant.
    pub likelihood: [f64; 2],
}

impl Style {
    /// Learns a model from postures. `joints` are the names of the joints, the base first. The same input gives
    /// bit-identical results.
    ///
    /// The kept postures are the paper's active set (section 4.2). They are selected greedily: first the posture
    /// nearest to the mean, then repeatedly the posture farthest from the selected postures. The latent positions start
    /// at the principal components. A search over the latent positions, β and γ then minimises the negative log
    /// likelihood of the paper's equation 5, L_GP = D/2 ln|K| + ½ Σ w_k² Y_kᵀK⁻¹Y_k + ½ Σ |x_i|² + ln(αβγ / Π w_k^N).
    /// The scales w are not part of the search. If all other values are fixed, the minimum is w_k² = N / (Y_kᵀK⁻¹Y_k +
    /// N ε²), with the `noise` ε as a prior.
    ///
    /// ```
    /// use std::sync::Arc;
    ///
    /// use sinew_ik::glam::{DAffine3, DQuat, DVec3};
    /// use sinew_ik::{Body, BoundPrior, Goal, Learning, Link, LinkIndex, Method, Options, Posture, Solver, Style};
    ///
    /// // In all examples the elbow bends twice as much as the shoulder.
    /// let links = vec![Link::base(), Link::child(LinkIndex(0), DVec3::X), Link::child(LinkIndex(1), DVec3::X)];
    /// let mut arm = Body::new(links, DAffine3::IDENTITY)?;
    /// let examples: Vec<Posture> = (0..12)
    ///     .map(|example| {
    ///         let angle = 0.1 * f64::from(example);
    ///         arm.set_rotation(LinkIndex(0), DQuat::from_rotation_z(angle));
    ///         arm.set_rotation(LinkIndex(1), DQuat::from_rotation_z(2.0 * angle));
    ///         Posture::of(&arm)
    ///     })
    ///     .collect();
    /// let names = ["shoulder", "elbow", "hand"].map(String::from).to_vec();
    /// let learning = Learning::default().with_dimensions(1);
    /// let (style, learned) = Style::learn(names, &examples, &learning)?;
    /// assert_eq!((learned.examples, style.joints().len()), (12, 3));
    ///
    /// let mut solver = Solver::default();
    /// solver.set_style(Some(BoundPrior::whole(Arc::new(style))));
    /// let goal = Goal::position(LinkIndex(2), DVec3::new(1.1, 1.4, 0.0));
    /// let options = Options::default().with_method(Method::Style);
    /// assert!(solver.solve(&mut arm, &[goal], &options)?.reached());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// [`StyleError`] if there are fewer than three postures or too many joints, if a posture does not have one
    /// rotation per joint, or if a number is not finite.
    pub fn learn(
        joints: Vec<String>,
        examples: &[Posture],
        learning: &Learning,
    ) -> Result<(Self, Learned), StyleError> {
        let started = Instant::now();
        check(&joints, examples)?;
        let means = means(examples, joints.len());
        let features: Vec<Vec<f64>> = examples.iter().map(|p| features_of(p, &means)).collect();
        let count = features.len() as f64;
        let d = FEATURES * joints.len();
        let centre: Vec<f64> = (0..d).map(|k| features.iter().map(|y| y[k]).sum::<f64>() / count).collect();
        let kept = farthest(&features, &centre, learning.postures.clamp(3, MOST_POSTURES));
        let dimensions = learning.dimensions.clamp(1, MOST_DIMENSIONS).min(kept.len() - 1);
        let postures = kept.iter().flat_map(|&i| features[i].iter().zip(&centre).map(|(y, c)| y - c));
        let postures: Vec<f64> = postures.collect();
        let mut search = Likelihood { postures: &postures, n: kept.len(), dimensions, noise: learning.noise };
        let mut unknowns = search.start();
        let mut gradient = vec![0.0; unknowns.len()];
        let before = search.evaluate(&unknowns, &mut gradient);
        let Minimum { value, steps } =
            minimise(&mut unknowns, learning.steps, 1e-7, |x, g| search.evaluate(x, g));
        let (latents, rates) = unknowns.split_at(kept.len() * dimensions);
        let mut style = Self {
            joints,
            means,
            centre,
            scales: Vec::new(),
            latents: latents.to_vec(),
            dimensions,
            postures: Vec::new(),
            beta: rate(rates[0]),
            gamma: rate(rates[1]),
            inverse: Vec::new(),
            pulls: Vec::new(),
        };
        style.scales = search.scales(&unknowns).ok_or(StyleError::Singular)?;
        style.postures = postures;
        if !style.prepare() {
            return Err(StyleError::Singular);
        }
        let learned = Learned {
            seconds: started.elapsed().as_secs_f64(),
            examples: examples.len(),
            postures: kept.len(),
            numbers: style.postures.len() + style.latents.len() + 2 * d + 4 * style.means.len() + 2,
            steps,
            likelihood: [before, value],
        };
        Ok((style, learned))
    }
}

fn check(joints: &[String], examples: &[Posture]) -> Result<(), StyleError> {
    if joints.is_empty() || joints.len() > MOST_JOINTS {
        return Err(StyleError::Joints { count: joints.len(), most: MOST_JOINTS });
    }
    if examples.len() < 3 {
        return Err(StyleError::Few { count: examples.len() });
    }
    let fits = |p: &Posture| {
        p.rotations.len() == joints.len()
            && p.height.is_finite()
            && p.rotations.iter().all(|q| q.is_finite() && (q.length() - 1.0).abs() < 1e-3)
    };
    examples.iter().position(|p| !fits(p)).map_or(Ok(()), |posture| Err(StyleError::Posture { posture }))
}

/// Returns the mean rotation of each joint. It is the normalised sum of the joint's quaternions, with signs chosen to
/// match the first quaternion. The heading of the base is arbitrary, so the entry of the base is the rotation of the
/// first example.
fn means(examples: &[Posture], joints: usize) -> Vec<DQuat> {
    let mean = |joint: usize| {
        let first = examples[0].rotations[joint];
        let near = |p: &Posture| {
            let q = p.rotations[joint];
            glam::DVec4::from(if q.dot(first) < 0.0 { -q } else { q })
        };
        let sum: glam::DVec4 = examples.iter().map(near).sum();
        sum.try_normalize().filter(|_| joint > 0).map_or(first, DQuat::from_vec4)
    };
    (0..joints).map(mean).collect()
}

/// Selects the examples to keep: first the example nearest to the mean, then repeatedly the example farthest from the
/// selected examples. Duplicates are selected only until there are three examples.
fn farthest(features: &[Vec<f64>], centre: &[f64], most: usize) -> Vec<usize> {
    let squared = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| (a - b) * (a - b)).sum::<f64>();
    let nearest = |x: &f64, y: &f64| x.total_cmp(y);
    let from_mean: Vec<f64> = features.iter().map(|y| squared(y, centre)).collect();
    let first = (0..features.len()).min_by(|&a, &b| nearest(&from_mean[a], &from_mean[b])).unwrap_or(0);
    let mut kept = vec![first];
    let mut away: Vec<f64> = features.iter().map(|y| squared(y, &features[first])).collect();
    while kept.len() < most.min(features.len()) {
        let next = (0..away.len()).max_by(|&a, &b| nearest(&away[a], &away[b]).then(b.cmp(&a))).unwrap_or(0);
        if away[next] < 1e-12 && kept.len() >= 3 {
            break;
        }
        kept.push(next);
        away.iter_mut().zip(features).for_each(|(away, y)| *away = away.min(squared(y, &features[next])));
        away[next] = -1.0;
    }
    kept
}

/// Bound on the absolute value of the logarithms of β and γ. If there were no bound, the kernel of examples without
/// noise could not be inverted in double precision.
const MAX_LOG_RATE: f64 = 10.0;

/// Returns β or γ from its logarithm.
fn rate(logarithm: f64) -> f64 {
    logarithm.clamp(-MAX_LOG_RATE, MAX_LOG_RATE).exp()
}

/// The objective of learning. The unknowns are the latent positions (N rows of d), ln β and ln γ.
pub(super) struct Likelihood<'a> {
    /// The features of the postures, as N rows of D values.
    pub(super) postures: &'a [f64],
    pub(super) n: usize,
    pub(super) dimensions: usize,
    pub(super) noise: f64,
}

impl Likelihood<'_> {
    fn features(&self) -> usize {
        self.postures.len() / self.n
    }

    /// Returns the start of the search: the principal components of the postures, scaled to the width of the latent
    /// prior, with β = 100 and γ = 1.
    pub(super) fn start(&self) -> Vec<f64> {
        let (n, d) = (self.n, self.dimensions);
        let rows: Vec<&[f64]> = self.postures.chunks_exact(self.features()).collect();
        // If there are fewer postures than features, the eigenvectors of Y Yᵀ give the components up to a factor.
        let mut gram: Vec<f64> = rows.iter().flat_map(|a| rows.iter().map(|b| dot(a, b))).collect();
        let mut vectors = vec![0.0; n * n];
        eigen(&mut gram, &mut vectors, n);
        let mut order: Vec<usize> = (0..n).collect();
        order.sort_by(|&a, &b| gram[b * n + b].total_cmp(&gram[a * n + a]).then(a.cmp(&b)));
        let size = (n as f64).sqrt();
        let largest = gram[order[0] * n + order[0]].max(f64::MIN_POSITIVE);
        let mut unknowns = vec![0.0; n * d + 2];
        for (axis, &component) in order.iter().take(d).enumerate() {
            let vector = &vectors[component * n..(component + 1) * n];
            let fraction = (gram[component * n + component].max(0.0) / largest).sqrt();
            (0..n).for_each(|i| unknowns[i * d + axis] = size * fraction * vector[i]);
        }
        unknowns[n * d] = 100.0_f64.ln();
        unknowns
    }

    /// Returns K without β⁻¹ on its diagonal, β and γ.
    fn kernel(&self, unknowns: &[f64]) -> (Vec<f64>, f64, f64) {
        let (latents, rates) = unknowns.split_at(self.n * self.dimensions);
        let (beta, gamma) = (rate(rates[0]), rate(rates[1]));
        let rows = || latents.chunks_exact(self.dimensions);
        (rows().flat_map(|a| rows().map(move |b| rbf(a, b, gamma))).collect(), beta, gamma)
    }

    /// Returns K⁻¹ and ln|K|.
    fn inverse(&self, kernel: &[f64], beta: f64) -> Option<(Vec<f64>, f64)> {
        let n = self.n;
        let (mut matrix, mut inverse) = (kernel.to_vec(), vec![0.0; n * n]);
        (0..n).for_each(|i| matrix[i * n + i] += 1.0 / beta);
        let log = invert(&mut matrix, &mut inverse, n)?;
        Some((inverse, log))
    }

    /// Returns the best scales for given latent positions and rates.
    fn scales(&self, unknowns: &[f64]) -> Option<Vec<f64>> {
        let (kernel, beta, _) = self.kernel(unknowns);
        let (inverse, _) = self.inverse(&kernel, beta)?;
        let pulls = product(&inverse, self.postures, self.n, self.features());
        Some(self.squares(&pulls).iter().map(|q| (self.n as f64 / q).sqrt()).collect())
    }

    /// Returns Y_kᵀ K⁻¹ Y_k + N ε², computed from K⁻¹ Y.
    fn squares(&self, pulls: &[f64]) -> Vec<f64> {
        let d = self.features();
        let mut squares = vec![self.n as f64 * self.noise * self.noise; d];
        for (row, pull) in self.postures.chunks_exact(d).zip(pulls.chunks_exact(d)) {
            squares.iter_mut().zip(row.iter().zip(pull)).for_each(|(q, (y, p))| *q += y * p);
        }
        squares
    }

    /// Returns L_GP with the best scales and computes its gradient.
    pub(super) fn evaluate(&mut self, unknowns: &[f64], gradient: &mut [f64]) -> f64 {
        let (n, dims, d) = (self.n, self.dimensions, self.features());
        let (kernel, beta, gamma) = self.kernel(unknowns);
        let Some((inverse, log)) = self.inverse(&kernel, beta) else { return f64::INFINITY };
        let pulls = product(&inverse, self.postures, n, d);
        let squares = self.squares(&pulls);
        let latents = &unknowns[..n * dims];
        let fit: f64 = squares.iter().map(|q| q.ln()).sum();
        let value = 0.5 * d as f64 * log
            + 0.5 * n as f64 * fit
            + 0.5 * dot(latents, latents)
            + beta.ln()
            + gamma.ln();
        // ∂L/∂K = D/2 K⁻¹ − ½ Σ w_k² K⁻¹ Y_k Y_kᵀ K⁻¹.
        let mut weighted = pulls.clone();
        for row in weighted.chunks_exact_mut(d) {
            row.iter_mut().zip(&squares).for_each(|(p, q)| *p *= n as f64 / q);
        }
        gradient[..n * dims].copy_from_slice(latents);
        let (mut by_noise, mut by_gamma) = (0.0, 0.0);
        for i in 0..n {
            for j in 0..=i {
                let common = dot(&weighted[i * d..(i + 1) * d], &pulls[j * d..(j + 1) * d]);
                let slope = 0.5 * (d as f64 * inverse[i * n + j] - common);
                if i == j {
                    by_noise += slope;
                    continue;
                }
                // Both triangles of the matrix.
                let push = 2.0 * slope * kernel[i * n + j];
                let mut squared = 0.0;
                for axis in 0..dims {
                    let apart = latents[i * dims + axis] - latents[j * dims + axis];
                    squared += apart * apart;
                    gradient[i * dims + axis] -= push * gamma * apart;
                    gradient[j * dims + axis] += push * gamma * apart;
                }
                by_gamma -= 0.5 * push * squared;
            }
        }
        // Derivatives with respect to the logarithms of β and γ.
        let slopes = [1.0 - by_noise / beta, 1.0 + by_gamma * gamma];
        for ((out, at), slope) in gradient[n * dims..].iter_mut().zip(&unknowns[n * dims..]).zip(slopes) {
            *out = if at.abs() < MAX_LOG_RATE { slope } else { 0.0 };
        }
        value
    }
}
