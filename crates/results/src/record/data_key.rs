//! What may be published about the key of stamped data.
//!
//! Never here: the secret.

use serde::{Deserialize, Serialize};

/// What keyed the data, without the secret.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct DataKeyFacts {
    /// SHA-256 of the secret, hexadecimal; empty without a secret.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub sha256: String,
    /// The nonce; empty without one.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub nonce: String,
    /// The number that the stamps show, hexadecimal.
    pub id: String,
}
