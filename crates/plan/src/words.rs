//! Fixed words that are values of plan keys.

/// An enum of the words that a key may have.
pub(crate) trait Word: Sized {
    /// All words, in order.
    const WORDS: &'static [&'static str];

    /// The value that a plan writes as `word`.
    fn named(word: &str) -> Option<Self>;
}

/// Defines an enum of words.
macro_rules! words {
    (
        $(#[$meta:meta])*
        $vis:vis enum $name:ident { $($(#[$variant_meta:meta])* $variant:ident = $word:literal,)* }
    ) => {
        $(#[$meta])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        $vis enum $name {
            $($(#[$variant_meta])* $variant,)*
        }

        impl $crate::words::Word for $name {
            const WORDS: &'static [&'static str] = &[$($word),*];

            fn named(word: &str) -> Option<Self> {
                match word {
                    $($word => Some(Self::$variant),)*
                    _ => None,
                }
            }
        }

        impl $name {
            /// The word as a plan writes it.
            #[allow(dead_code, reason = "some are only read")]
            pub(crate) fn word(self) -> &'static str {
                <Self as $crate::words::Word>::WORDS[self as usize]
            }
        }
    };
}

pub(crate) use words;
