//! Walks of real trees, without a command line.
