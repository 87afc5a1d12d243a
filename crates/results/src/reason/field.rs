//! Fields of reasons: a name, and the kind of its data.
//!
//! A [`Field`] of a kind takes only values of that kind, and reads them back. A datum of another kind, such
//! as one of a hostile file, reads as `None`.
//!
//! Never here: which reasons there are.

use std::marker::PhantomData;

use units::Quantity;

use super::{Datum, Reason};

/// The name of a piece of data, and its kind.
#[derive(Clone, Copy)]
pub struct Field<K> {
    /// The name in files.
    pub name: &'static str,
    kind: PhantomData<K>,
}

impl<K> Field<K> {
    pub(super) const fn new(name: &'static str) -> Self {
        Self { name, kind: PhantomData }
    }
}

/// A value that a field of the kind `K` takes. An `Option` that is `None` sets nothing.
pub trait Value<K> {
    /// The value as it is in files.
    fn datum(self) -> Option<Datum>;
}

impl<K, T: Value<K>> Value<K> for Option<T> {
    fn datum(self) -> Option<Datum> {
        self.and_then(Value::datum)
    }
}

/// A kind of data that can be read.
pub trait Kind {
    /// What is read.
    type Read<'a>;

    /// The value; `None` if the datum is of another kind.
    fn read(datum: &Datum) -> Option<Self::Read<'_>>;
}

/// Makes kinds: what they take, and how it becomes a datum.
macro_rules! kinds {
    ($($(#[doc = $doc:literal])+ $kind:ident: $($($taken:ty),+ => $datum:expr),+;)*) => {
        $(
            $(#[doc = $doc])+
            #[derive(Clone, Copy)]
            pub enum $kind {}
            $($(impl Value<$kind> for $taken {
                fn datum(self) -> Option<Datum> {
                    let datum: fn(Self) -> Datum = $datum;
                    Some(datum(self))
                }
            })+)+
        )*
    };
}

kinds! {
    /// Yes or no.
    Flag: bool => Datum::from;
    /// How many.
    Count: i64, u32, u64, usize => Datum::from, i32 => |count| i64::from(count).into();
    /// A number without a unit.
    Number: f64 => Datum::from;
    /// A name, a path, a metric or a user's input.
    Text: &str, String, &String => Datum::from, &&str => |text| (*text).into(),
        &&String => |text| (*text).into();
    /// A share of a whole, 1.0 for all of it.
    Share: f64 => Datum::share;
    /// An amount of data.
    Bytes: f64 => Datum::bytes, u64 => |bytes| Datum::bytes(bytes as f64);
    /// An amount of data per second.
    Rate: f64 => Datum::rate;
    /// A time.
    Seconds: f64 => Datum::seconds;
    /// A value in the unit of a metric.
    Amount: Quantity => Datum::from, Datum => |datum| datum;
    /// Data of a kind that differs from case to case.
    Any: Datum => |datum| datum;
    /// Another reason.
    Cause: Reason => Datum::from, &Reason => |reason| reason.clone().into();
}

/// Several data.
#[derive(Clone, Copy)]
pub enum List {}

impl<T: Into<Datum>> Value<List> for Vec<T> {
    fn datum(self) -> Option<Datum> {
        Some(self.into())
    }
}

impl Value<List> for Datum {
    fn datum(self) -> Option<Datum> {
        Some(self)
    }
}

/// Kinds that are read as they are in files.
macro_rules! reads {
    ($life:lifetime; $($kind:ident => $read:ty: $datum:pat => $value:expr;)*) => {
        $(impl Kind for $kind {
            type Read<$life> = $read;

            fn read(datum: &Datum) -> Option<Self::Read<'_>> {
                if let $datum = datum { Some($value) } else { None }
            }
        })*
    };
}

reads! { 'a;
    Flag => bool: Datum::Flag(flag) => *flag;
    Text => &'a str: Datum::Text(text) => text;
    Cause => &'a Reason: Datum::Reason(reason) => reason;
    List => &'a [Datum]: Datum::List(items) => items;
}

/// Kinds that are read as a number in their base unit.
macro_rules! numbers {
    ($($kind:ident)*) => {
        $(impl Kind for $kind {
            type Read<'a> = f64;

            fn read(datum: &Datum) -> Option<f64> {
                match datum {
                    Datum::Count(count) => Some(*count as f64),
                    Datum::Number(value) | Datum::Quantity { value, .. } => Some(*value),
                    _ => None,
                }
            }
        })*
    };
}
numbers! { Count Number Share Bytes Rate Seconds Amount }

/// Makes the fields that a reason of any code may have. The rows have the common ones as if they stated them.
macro_rules! any {
    (common { $($(#[doc = $doc:literal])+ $field:ident: $kind:ident;)* }
     added { $($(#[doc = $also_doc:literal])+ $also:ident: $also_kind:ident;)* }) => {
        /// The fields that a reason of any code may have.
        #[expect(non_upper_case_globals, reason = "a field is named like the data")]
        pub mod any {
            use super::*;

            $($(#[doc = $doc])+ pub const $field: Field<$kind> = Field::new(stringify!($field));)*
            $($(#[doc = $also_doc])+ pub const $also: Field<$also_kind> = Field::new(stringify!($also));)*
        }

        /// Their names.
        pub(super) const ANY: &[&str] = &[$(stringify!($field),)* $(stringify!($also)),*];

        /// The common fields, for the type of a row.
        macro_rules! common {
            () => { $(pub const $field: Field<super::super::field::$kind> = any::$field;)* };
        }
    };
}

any! {
    common {
        /// The test or state whose job it is about.
        job: Text;
        /// The repetition, from 1.
        repetition: Count;
        /// The folder of a job.
        folder: Text;
        /// The folders of jobs.
        folders: List;
        /// The phase.
        phase: Text;
        /// The metric, if it is about a single one.
        metric: Text;
        /// The name of the file system in the plan.
        fs: Text;
        /// The reason that caused this one.
        cause: Cause;
    }
    added {
        /// The reason that a verdict would have without this one.
        measured: Cause;
        /// A second reason.
        also: Cause;
        /// The reason about wrong data that was found.
        wrong: Cause;
        /// `as-written` if the value alone decides, without a confidence.
        rule: Text;
        /// The correlation of neighbouring repetitions.
        lag_one: Number;
        /// The p-value of the correlation.
        p: Number;
        /// The limit without what the correlation widens.
        limit_independent: Amount;
        /// How to approve the waiver of the plan.
        approve_with: Text;
    }
}
pub(super) use common;
