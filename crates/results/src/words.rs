//! Enums of fixed words in files.

/// Defines an enum whose values each have a word.
macro_rules! words {
    (
        $(#[$meta:meta])*
        pub enum $name:ident { $($(#[$of_variant:meta])* $variant:ident = $word:literal,)* }
    ) => {
        $(#[$meta])*
        pub enum $name {
            $($(#[$of_variant])* $variant,)*
        }

        impl $name {
            /// All values, in the order of tables.
            pub const ALL: [Self; [$($word),*].len()] = [$(Self::$variant),*];

            /// Its word in files.
            pub fn word(self) -> &'static str {
                match self {
                    $(Self::$variant => $word,)*
                }
            }

            /// The value with this word.
            pub fn named(word: &str) -> Option<Self> {
                Self::ALL.into_iter().find(|value| value.word() == word)
            }
        }
    };
}

pub(crate) use words;
