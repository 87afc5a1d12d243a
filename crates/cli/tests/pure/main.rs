//! The program on local ranks and plain files, without MPI launchers, throttled devices and daemons. Some
//! tests mount small file systems in memory, which needs root.
#![allow(clippy::print_stdout)]

#[path = "../common/mod.rs"]
mod common;

mod age;
mod age_resumed;
mod any_input;
mod attacks;
mod attacks_records;
mod campaign;
mod campaign_datasets;
mod campaign_datasets_kept;
mod campaign_datasets_killed;
mod campaign_evidence;
mod campaign_extended;
mod campaign_fdtree;
mod campaign_keyed;
mod campaign_mdtest;
mod campaign_rejected;
mod campaign_repeated;
mod campaign_states;
mod campaign_stopped;
mod campaign_stopped_anywhere;
mod campaign_submitted;
mod campaign_viewed;
mod campaign_watched;
mod campaign_witnessed;
mod command_pages;
mod compare;
mod fdtree;
mod fdtree_faults;
mod fdtree_found;
mod hostile_archives;
mod index;
mod ior_controls;
mod ior_faults;
mod ior_options;
mod ior_outputs;
mod ior_own_files;
mod ior_regressions;
mod ior_scripts;
mod ior_text;
mod keyed_data;
mod lint;
mod ls_lr;
mod ls_lr_calls;
mod ls_lr_left;
mod mdtest_calls;
mod mdtest_faults;
mod mdtest_options;
mod mdtest_outputs;
mod mdtest_regressions;
mod mdtest_text;
mod plan_add;
mod plan_check;
mod plan_errors;
mod plan_init;
mod report_pdf;
mod signatures;
mod track;
mod track_accepted;
mod track_killed;
mod track_places;
mod track_report;
