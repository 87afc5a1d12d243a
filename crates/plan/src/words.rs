//! Fixed words that are values of plan keys.

/// An enum of the words that a key may have.
pub(crate) trait Word: Sized {
    /// All words, in order.
    const WORDS: &'static [&'static str];

    /// The value that a plan writes as `word`.
    fn named(word: &str) -> Option<Self>;
}

/// Defines an enum of words that a key may have.
macro_rules! words {
    ($(#[$meta:meta])* $vis:vis enum $name:ident { $($variants:tt)* }) => {
        units::words! { $(#[$meta])* $vis enum $name { $($variants)* } }

        impl $crate::words::Word for $name {
            const WORDS: &'static [&'static str] = Self::WORDS;

            fn named(word: &str) -> Option<Self> {
                Self::named(word)
            }
        }
    };
}

pub(crate) use words;
