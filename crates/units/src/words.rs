//! Enums whose values each have a fixed word in files.

/// Defines an enum whose values each have a word.
#[macro_export]
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

        #[allow(dead_code, reason = "some are only read, some only written")]
        impl $name {
            /// All values, in the order of tables.
            $vis const ALL: [Self; Self::WORDS.len()] = [$(Self::$variant),*];
            /// Their words.
            $vis const WORDS: &'static [&'static str] = &[$($word),*];

            /// Its word in files.
            $vis fn word(self) -> &'static str {
                Self::WORDS[self as usize]
            }

            /// The value with this word.
            $vis fn named(word: &str) -> Option<Self> {
                Self::ALL.into_iter().find(|value| value.word() == word)
            }
        }
    };
}
