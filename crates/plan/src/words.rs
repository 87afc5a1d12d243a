//! Fixed words that are values of plan keys.

/// Defines an enum of the words that a key may have, with all of them as `WORDS`, in order.
macro_rules! words {
    (
        $(#[$meta:meta])*
        $vis:vis enum $name:ident { $($(#[$variant_meta:meta])* $variant:ident = $word:literal,)* }
    ) => {
        $(#[$meta])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Deserialize)]
        $vis enum $name {
            $($(#[$variant_meta])* #[serde(rename = $word)] $variant,)*
        }

        impl $name {
            /// All words, in order.
            pub(crate) const WORDS: &'static [&'static str] = &[$($word),*];

            /// The word as a plan writes it.
            #[allow(dead_code, reason = "some are only read")]
            pub(crate) fn word(self) -> &'static str {
                Self::WORDS[self as usize]
            }
        }
    };
}

pub(crate) use words;
