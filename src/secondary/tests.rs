//! Tests of secondary motion.
