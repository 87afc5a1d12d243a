//! Values with nothing to state, whose files lack most fields, and files of a later version.

use std::fmt::Debug;

use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::json;

use crate::Verdict;
use crate::folder::{
    AcceptedValues, BackingLayer, CampaignInfo, CampaignKey, CampaignProcess, DatasetReuse, DeadProcess,
    DeviceWrites, EarlierCampaign, Extension, Fill, Head, JobInfo, LayerKind, Layout, Machine, Manifest,
    WitnessLine,
};
use crate::record::{
    BadRange, BadRank, Case, CaseOutcome, Check, Clients, ClockPace, DataKeyFacts, EachRank, End, Failed,
    FailedCall, FailedOperation, Failure, FailureReason, KernelCount, Latency, Moments, Notice, OpenedFiles,
    Phase, ReachedState, Reported, ReportedPhase, Run, SampledData, Stonewall, SyncTime, Timeline, Value,
    WaitingCall, Window,
};
use crate::summary::{CampaignCourse, Summary};

/// Reads the default of a type back from what is stored of it, with a field that this version does not know.
fn reads_back<T: Default + PartialEq + Debug + Serialize + DeserializeOwned>() {
    let mut stored = serde_json::to_value(T::default()).unwrap();
    stored["of_a_later_version"] = 1.into();
    let name = std::any::type_name::<T>();
    let read = serde_json::from_value::<T>(stored).unwrap_or_else(|error| panic!("{name}: {error}"));
    assert_eq!(read, T::default(), "{name}");
}

macro_rules! read_back {
    ($($stored:ty)*) => { $(reads_back::<$stored>();)* };
}

#[test]
fn what_is_left_out_because_there_is_nothing_to_state_reads_back_also_with_fields_of_a_later_version() {
    read_back! {
        Run Phase ReachedState Case Value Reported Failure Notice End
        Check BadRank BadRange SampledData Clients DataKeyFacts EachRank Moments Failed FailureReason
        FailedOperation FailedCall KernelCount ClockPace OpenedFiles ReportedPhase SyncTime
        WaitingCall Window Latency Timeline Stonewall
        CampaignInfo AcceptedValues CampaignKey JobInfo Extension Head Manifest DatasetReuse DeadProcess
        EarlierCampaign Machine BackingLayer Fill DeviceWrites Layout CampaignProcess WitnessLine
        Summary CampaignCourse Verdict
    }
}

#[test]
fn enums_are_stored_as_their_words() {
    assert_eq!(json!(CaseOutcome::ALL), json!(CaseOutcome::WORDS));
    assert_eq!(json!(LayerKind::ALL), json!(LayerKind::WORDS));
}
