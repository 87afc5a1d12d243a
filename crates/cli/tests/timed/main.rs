//! What is mostly waited for: rates that are kept or measured, devices of known speed, servers of GlusterFS,
//! clusters of Slurm, jobs that hang. More of these tests at once than there are processors end sooner.
#![allow(clippy::print_stdout)]

#[path = "../common/mod.rs"]
mod common;

mod campaign_course;
mod campaign_hanging;
mod campaign_lying;
mod campaign_slurm;
mod campaign_truth;
mod campaign_truth_servers;
mod ior_pace;
mod ready_plans;
mod stragglers;
