//! The tables of `sinew bench --table`, and the ten-joint table of a published paper.

use crate::ik::{FabrikOptions, Method, Options, SolveError};

use super::measure::{self, Row};
use crate::ik::benchmark::cases::{self, Set};

/// A table of `sinew bench --table`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub(super) enum Table {
    /// Table 1 of Li & Peng 2013: three methods on a three-link arm without and with limits
    Paper,
    /// The ten-joint table of Aristidou & Lasenby 2011
    Fabrik,
    /// Jumps, reversals, turns relative to the least turn within the limits, jitter and drift along dragged paths, some of which leave
    /// the reach
    Drag,
    /// Targets beyond the reach of bodies with limits, compared with the best of 200 random starts
    Beyond,
    /// Random poses of the Franka Panda, a robot arm of seven hinges
    Panda,
    /// Random poses of an arm of six hinges with the dimensions of a Universal Robots UR5
    Ur5,
    /// Random poses of the KUKA LBR iiwa 14, a robot arm of seven hinges
    Iiwa,
    /// Random poses of the Franka FR3, a robot arm of seven hinges
    Fr3,
    /// Poses of the Franka Panda and of whole bodies, solved in batches on the GPU and on the CPU
    Batch,
}

impl Table {
    /// Returns the options of `sinew bench` that have an effect on the table.
    pub(super) fn options(self) -> &'static [&'static str] {
        match self {
            Self::Paper | Self::Fabrik => &["--cases", "--seed"],
            Self::Drag => &["--methods"],
            Self::Beyond => &["--methods", "--cases", "--seed", "--iterations"],
            Self::Batch => &["--cases", "--seed", "--adapter"],
            Self::Panda | Self::Ur5 | Self::Iiwa | Self::Fr3 => {
                &["--methods", "--cases", "--seed", "--iterations", "--targets"]
            }
        }
    }
}

/// Recomputes the ten-joint table for comparison with the published iteration counts. The targets are within reach, and
/// the tolerance is a thousandth of the reach.
pub(super) fn fabrik(count: usize, seed: u64) -> Result<Vec<Row>, SolveError> {
    let cases = cases::free(10, Set::Reach, count, seed)?;
    let published = [
        (Method::Fabrik, "15.461 iterations"),
        (Method::Ccd, "26.308 iterations"),
        (Method::JacobianTranspose, "1311.190 iterations"),
        (Method::Dls, "998.648 iterations"),
        (Method::PseudoInverse, "808.797 iterations (by damped singular values)"),
    ];
    let mut rows = Vec::new();
    for (method, published) in published {
        // One sweep per iteration, as in the paper.
        let fabrik = FabrikOptions::default().with_sweeps(1);
        let options = Options::default().with_method(method).with_iterations(2000).with_fabrik(fabrik);
        if let Some(mut row) = measure::row(&cases, &options, 1e-3)? {
            row.published = Some(published.into());
            rows.push(row);
        }
    }
    Ok(rows)
}
