//! Numbers, or several abreast, and what is made of them.

use std::ops::{Add, Mul, Sub};

use glam::DVec3;
#[cfg(not(target_feature = "avx"))]
pub(super) use wide::f64x2 as Lanes;
#[cfg(target_feature = "avx")]
pub(super) use wide::f64x4 as Lanes;

/// Limbs abreast: what the machine's registers hold.
pub(super) const ABREAST: usize = if cfg!(target_feature = "avx") { 4 } else { 2 };

/// A vector of each of several things.
pub(super) fn gather<T>(all: &[T; ABREAST], get: impl Fn(&T) -> DVec3) -> Vec3<Lanes> {
    let v = all.each_ref().map(get);
    Vec3 { x: Lanes::new(v.map(|v| v.x)), y: Lanes::new(v.map(|v| v.y)), z: Lanes::new(v.map(|v| v.z)) }
}

/// A number, or several abreast.
pub(super) trait Lane: Copy + Add<Output = Self> + Sub<Output = Self> + Mul<Output = Self> {
    fn splat(x: f64) -> Self;
    fn sqrt(self) -> Self;
    fn inverse(self) -> Self;
    /// The smaller and the greater of two that are numbers.
    fn min(self, b: Self) -> Self;
    fn max(self, b: Self) -> Self;
    /// Whether in each pair, and all lanes, the first is greater than the second.
    fn all_above<const N: usize>(pairs: [(Self, Self); N]) -> bool;
}

impl Lane for f64 {
    fn splat(x: f64) -> Self {
        x
    }
    fn sqrt(self) -> Self {
        f64::sqrt(self)
    }
    fn inverse(self) -> Self {
        1.0 / self
    }
    fn min(self, b: Self) -> Self {
        if self < b { self } else { b }
    }
    fn max(self, b: Self) -> Self {
        if self > b { self } else { b }
    }
    fn all_above<const N: usize>(pairs: [(Self, Self); N]) -> bool {
        pairs.into_iter().all(|(a, b)| a > b)
    }
}

impl Lane for Lanes {
    fn splat(x: f64) -> Self {
        Self::splat(x)
    }
    fn sqrt(self) -> Self {
        Self::sqrt(self)
    }
    fn inverse(self) -> Self {
        Self::splat(1.0) / self
    }
    fn min(self, b: Self) -> Self {
        self.fast_min(b)
    }
    fn max(self, b: Self) -> Self {
        self.fast_max(b)
    }
    fn all_above<const N: usize>(pairs: [(Self, Self); N]) -> bool {
        pairs.map(|(a, b)| a.simd_gt(b)).into_iter().reduce(|a, b| a & b).is_none_or(Self::all)
    }
}

#[derive(Clone, Copy)]
pub(super) struct Vec3<L> {
    pub(super) x: L,
    pub(super) y: L,
    pub(super) z: L,
}

impl<L: Lane> Vec3<L> {
    pub(super) fn dot(self, b: Self) -> L {
        self.x * b.x + self.y * b.y + self.z * b.z
    }
    pub(super) fn cross(self, b: Self) -> Self {
        Self {
            x: self.y * b.z - self.z * b.y,
            y: self.z * b.x - self.x * b.z,
            z: self.x * b.y - self.y * b.x,
        }
    }
    pub(super) fn plus(self, b: Self) -> Self {
        Self { x: self.x + b.x, y: self.y + b.y, z: self.z + b.z }
    }
    pub(super) fn minus(self, b: Self) -> Self {
        Self { x: self.x - b.x, y: self.y - b.y, z: self.z - b.z }
    }
    pub(super) fn times(self, s: L) -> Self {
        Self { x: self.x * s, y: self.y * s, z: self.z * s }
    }
}

/// A quaternion, of any length.
#[derive(Clone, Copy)]
pub(super) struct Turn<L> {
    pub(super) x: L,
    pub(super) y: L,
    pub(super) z: L,
    pub(super) w: L,
}

impl<L: Lane> Turn<L> {
    pub(super) fn new(v: Vec3<L>, w: L) -> Self {
        Self { x: v.x, y: v.y, z: v.z, w }
    }
    /// The product with a vector's quaternion.
    pub(super) fn after(self, v: Vec3<L>) -> Self {
        let own = Vec3 { x: self.x, y: self.y, z: self.z };
        Self::new(v.times(self.w).plus(own.cross(v)), L::splat(0.0) - own.dot(v))
    }
    pub(super) fn plus(self, b: Self) -> Self {
        Self { x: self.x + b.x, y: self.y + b.y, z: self.z + b.z, w: self.w + b.w }
    }
    pub(super) fn times(self, s: L) -> Self {
        Self { x: self.x * s, y: self.y * s, z: self.z * s, w: self.w * s }
    }
}
