//! Tests of the resolver on real trees.
