//! Arithmetic on single numbers and on SIMD lanes, generic over both. The functions use no fused multiply-add, so that the results
//! are bit-identical on every machine.
//!
//! All functions are inlined, and arrays are filled by loops. Without link-time optimisation, the compiler does not optimise across the
//! codegen units of a crate. In development builds, a call of `array::map` for each vector made the solvers ten times slower.

use std::ops::{Add, Mul, Sub};

use glam::{DQuat, DVec3};
use wide::{f64x2, f64x4};

/// A number, or a SIMD register of numbers.
pub(super) trait Lane: Copy + Add<Output = Self> + Sub<Output = Self> + Mul<Output = Self> {
    fn splat(x: f64) -> Self;
    fn sqrt(self) -> Self;
    fn inverse(self) -> Self;
    /// Returns the smaller number in each lane. No number may be NaN.
    fn min(self, b: Self) -> Self;
    /// Returns the greater number in each lane. No number may be NaN.
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
    #[inline]
    fn splat(x: f64) -> Self {
        x
    }
    #[inline]
    fn sqrt(self) -> Self {
        f64::sqrt(self)
    }
    #[inline]
    fn inverse(self) -> Self {
        1.0 / self
    }
    #[inline]
    fn min(self, b: Self) -> Self {
        if self < b { self } else { b }
    }
    #[inline]
    fn max(self, b: Self) -> Self {
        if self > b { self } else { b }
    }
    #[inline]
    fn all_above<const N: usize>(pairs: [(Self, Self); N]) -> bool {
        pairs.iter().all(|(a, b)| a > b)
    }
}

impl Lanes<1> for f64 {
    #[inline]
    fn new([only]: [f64; 1]) -> Self {
        only
    }
    #[inline]
    fn each(self) -> [f64; 1] {
        [self]
    }
}

macro_rules! lanes {
    ($lanes:ty, $count:literal) => {
        impl Lane for $lanes {
            #[inline]
            fn splat(x: f64) -> Self {
                Self::splat(x)
            }
            #[inline]
            fn sqrt(self) -> Self {
                Self::sqrt(self)
            }
            #[inline]
            fn inverse(self) -> Self {
                Self::splat(1.0) / self
            }
            #[inline]
            fn min(self, b: Self) -> Self {
                self.fast_min(b)
            }
            #[inline]
            fn max(self, b: Self) -> Self {
                self.fast_max(b)
            }
            #[inline]
            fn all_above<const N: usize>(pairs: [(Self, Self); N]) -> bool {
                pairs.iter().map(|&(a, b)| a.simd_gt(b)).reduce(|a, b| a & b).is_none_or(Self::all)
            }
        }

        impl Lanes<$count> for $lanes {
            #[inline]
            fn new(each: [f64; $count]) -> Self {
                Self::new(each)
            }
            #[inline]
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
    #[inline]
    pub(super) fn splat(v: DVec3) -> Self {
        Self { x: L::splat(v.x), y: L::splat(v.y), z: L::splat(v.z) }
    }

    /// Collects one vector from each item.
    #[inline(always)]
    pub(super) fn gather<T, const N: usize>(all: &[T; N], get: impl Fn(&T) -> DVec3) -> Self
    where
        L: Lanes<N>,
    {
        let (mut x, mut y, mut z) = ([0.0; N], [0.0; N], [0.0; N]);
        for (i, item) in all.iter().enumerate() {
            DVec3 { x: x[i], y: y[i], z: z[i] } = get(item);
        }
        Self { x: L::new(x), y: L::new(y), z: L::new(z) }
    }

    /// Returns the vector of each lane.
    #[inline(always)]
    pub(super) fn each<const N: usize>(self) -> [DVec3; N]
    where
        L: Lanes<N>,
    {
        let (x, y, z) = (self.x.each(), self.y.each(), self.z.each());
        let mut all = [DVec3::ZERO; N];
        for (i, v) in all.iter_mut().enumerate() {
            *v = DVec3::new(x[i], y[i], z[i]);
        }
        all
    }

    #[inline]
    pub(super) fn dot(self, b: Self) -> L {
        self.x * b.x + self.y * b.y + self.z * b.z
    }
    #[inline]
    pub(super) fn cross(self, b: Self) -> Self {
        Self {
            x: self.y * b.z - self.z * b.y,
            y: self.z * b.x - self.x * b.z,
            z: self.x * b.y - self.y * b.x,
        }
    }
    #[inline]
    pub(super) fn plus(self, b: Self) -> Self {
        Self { x: self.x + b.x, y: self.y + b.y, z: self.z + b.z }
    }
    #[inline]
    pub(super) fn minus(self, b: Self) -> Self {
        Self { x: self.x - b.x, y: self.y - b.y, z: self.z - b.z }
    }
    #[inline]
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
        let (mut x, mut y, mut z, mut w) = ([0.0; N], [0.0; N], [0.0; N], [0.0; N]);
        for (i, q) in q.iter().enumerate() {
            (x[i], y[i], z[i], w[i]) = (q.x, q.y, q.z, q.w);
        }
        Self { x: L::new(x), y: L::new(y), z: L::new(z), w: L::new(w) }
    }

    /// Returns the quaternion of each lane.
    #[inline(always)]
    pub(super) fn each<const N: usize>(self) -> [DQuat; N]
    where
        L: Lanes<N>,
    {
        let (x, y, z, w) = (self.x.each(), self.y.each(), self.z.each(), self.w.each());
        let mut all = [DQuat::IDENTITY; N];
        for (i, q) in all.iter_mut().enumerate() {
            *q = DQuat::from_xyzw(x[i], y[i], z[i], w[i]);
        }
        all
    }

    #[inline]
    pub(super) fn new(v: Vec3<L>, w: L) -> Self {
        Self { x: v.x, y: v.y, z: v.z, w }
    }
    #[inline]
    pub(super) fn axis(self) -> Vec3<L> {
        Vec3 { x: self.x, y: self.y, z: self.z }
    }

    /// Multiplies this quaternion by the pure quaternion of a vector.
    #[inline]
    pub(super) fn after(self, v: Vec3<L>) -> Self {
        let own = self.axis();
        Self::new(v.times(self.w).plus(own.cross(v)), L::splat(0.0) - own.dot(v))
    }
    #[inline]
    pub(super) fn plus(self, b: Self) -> Self {
        Self { x: self.x + b.x, y: self.y + b.y, z: self.z + b.z, w: self.w + b.w }
    }
    #[inline]
    pub(super) fn times(self, s: L) -> Self {
        Self { x: self.x * s, y: self.y * s, z: self.z * s, w: self.w * s }
    }
}
