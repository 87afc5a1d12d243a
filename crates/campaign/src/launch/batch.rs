//! batch placeholder
