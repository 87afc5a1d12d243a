//! Tests that mostly wait: rate limits and measured rates, devices of known speed, servers of GlusterFS,
//! clusters of Slurm, jobs that hang. They end sooner if more of them run at once than there are processors.
#![allow(clippy::print_stdout)]

#[path = "../common/mod.rs"]
mod common;

mod bundled_plans;
mod campaign_chosen;
mod campaign_course;
mod campaign_hanging;
mod campaign_lying;
mod campaign_slurm;
mod campaign_ssh;
mod campaign_truth;
mod campaign_truth_servers;
mod compare_truth;
mod fault_layer;
mod file_system_faults;
mod file_systems;
mod ior_pace;
mod outcomes;
mod quota_kernel;
mod stragglers;
mod track_nightly;
mod track_truth;
mod two_clients;
mod two_nodes;
