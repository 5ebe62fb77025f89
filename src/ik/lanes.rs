//! Arithmetic on single numbers and on SIMD lanes, generic over both. It uses no fused multiply-add, so that the
//! results have the same bits on every machine.

use std::ops::{Add, Mul, Sub};

use glam::{DQuat, DVec3};
use wide::{f64x2, f64x4};

/// A number, or a SIMD register of numbers.
pub(super) trait Lane: Copy + Add<Output = Self> + Sub<Output = Self> + Mul<Output = Self> {
    fn splat(x: f64) -> Self;
    fn sqrt(self) -> Self;
    fn inverse(self) -> Self;
    /// Returns the smaller number in each lane. Neither may be NaN.
    fn min(self, b: Self) -> Self;
    /// Returns the greater number in each lane. Neither may be NaN.
    fn max(self, b: Self) -> Self;
    /// Returns whether the first number of each pair is greater than the second in all lanes.
    fn all_above<const N: usize>(pairs: [(Self, Self); N]) -> bool;
}

/// A [`Lane`] type with `N` lanes.
pub(super) trait Lanes<const N: usize>: Lane {
    fn new(each: [f64; N]) -> Self;
    fn each(self) -> [f64; N];
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

impl Lanes<1> for f64 {
    fn new([only]: [f64; 1]) -> Self {
        only
    }
    fn each(self) -> [f64; 1] {
        [self]
    }
}

macro_rules! lanes {
    ($lanes:ty, $count:literal) => {
        impl Lane for $lanes {
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

        impl Lanes<$count> for $lanes {
            fn new(each: [f64; $count]) -> Self {
                Self::new(each)
            }
            fn each(self) -> [f64; $count] {
                self.to_array()
            }
        }
    };
}

lanes!(f64x2, 2);
lanes!(f64x4, 4);

#[derive(Clone, Copy)]
pub(super) struct Vec3<L> {
    pub(super) x: L,
    pub(super) y: L,
    pub(super) z: L,
}

impl<L: Lane> Vec3<L> {
    pub(super) fn splat(v: DVec3) -> Self {
        Self { x: L::splat(v.x), y: L::splat(v.y), z: L::splat(v.z) }
    }

    /// Collects one vector from each item.
    #[inline(always)]
    pub(super) fn gather<T, const N: usize>(all: &[T; N], get: impl Fn(&T) -> DVec3) -> Self
    where
        L: Lanes<N>,
    {
        let v = all.each_ref().map(get);
        Self { x: L::new(v.map(|v| v.x)), y: L::new(v.map(|v| v.y)), z: L::new(v.map(|v| v.z)) }
    }

    /// Returns the vector of each lane.
    #[inline(always)]
    pub(super) fn each<const N: usize>(self) -> [DVec3; N]
    where
        L: Lanes<N>,
    {
        let [x, y, z] = [self.x, self.y, self.z].map(L::each);
        let mut all = [DVec3::ZERO; N];
        for (i, v) in all.iter_mut().enumerate() {
            *v = DVec3::new(x[i], y[i], z[i]);
        }
        all
    }

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

/// A quaternion of any length in each lane.
#[derive(Clone, Copy)]
pub(super) struct Quaternion<L> {
    pub(super) x: L,
    pub(super) y: L,
    pub(super) z: L,
    pub(super) w: L,
}

impl<L: Lane> Quaternion<L> {
    /// Collects one quaternion for each lane.
    #[inline(always)]
    pub(super) fn gather<const N: usize>(q: &[DQuat; N]) -> Self
    where
        L: Lanes<N>,
    {
        let [x, y, z, w] = [q.map(|q| q.x), q.map(|q| q.y), q.map(|q| q.z), q.map(|q| q.w)].map(L::new);
        Self { x, y, z, w }
    }

    /// Returns the quaternion of each lane.
    #[inline(always)]
    pub(super) fn each<const N: usize>(self) -> [DQuat; N]
    where
        L: Lanes<N>,
    {
        let [x, y, z, w] = [self.x, self.y, self.z, self.w].map(L::each);
        let mut all = [DQuat::IDENTITY; N];
        for (i, q) in all.iter_mut().enumerate() {
            *q = DQuat::from_xyzw(x[i], y[i], z[i], w[i]);
        }
        all
    }

    pub(super) fn new(v: Vec3<L>, w: L) -> Self {
        Self { x: v.x, y: v.y, z: v.z, w }
    }
    pub(super) fn axis(self) -> Vec3<L> {
        Vec3 { x: self.x, y: self.y, z: self.z }
    }

    /// Multiplies by the pure quaternion of a vector.
    pub(super) fn after(self, v: Vec3<L>) -> Self {
        let own = self.axis();
        Self::new(v.times(self.w).plus(own.cross(v)), L::splat(0.0) - own.dot(v))
    }
    pub(super) fn plus(self, b: Self) -> Self {
        Self { x: self.x + b.x, y: self.y + b.y, z: self.z + b.z, w: self.w + b.w }
    }
    pub(super) fn times(self, s: L) -> Self {
        Self { x: self.x * s, y: self.y * s, z: self.z * s, w: self.w * s }
    }
}
