//! A directory in which campaigns run with a test program, a shell script, instead of the measuring program.
#![allow(dead_code, unreachable_pub)]

use std::fs;
use std::path::PathBuf;
use std::process::Command;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use plan::{Choice, Plan};
use results::folder::{Build, Campaign};
use run::CampaignRequest;
use run::Ended;
use run::run;

/// The test program `program`, the directory under test `scratch`, and the campaign folder `campaign`.
pub struct Stage(tempfile::TempDir);

impl Stage {
    /// A stage with this script.
    pub fn of(script: &str) -> Self {
        let stage = Self(tempfile::tempdir().unwrap());
        stage.write_program(script);
        fs::create_dir(stage.path("scratch")).unwrap();
        stage
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    /// Writes the test program, in another process. A child that another thread starts at the same time would
    /// inherit the open file of this process, and then the program cannot be run (ETXTBSY).
    pub fn write_program(&self, script: &str) {
        let line = "printf %s \"$1\" > \"$0\" && chmod 755 \"$0\"";
        let status = Command::new("sh").args(["-c", line]).arg(self.path("program")).arg(script).status();
        assert!(status.unwrap().success(), "no test program at {}", self.path("program").display());
    }

    pub fn write(&self, name: &str, text: &str) {
        fs::write(self.path(name), text).unwrap();
    }

    /// The content of a file; empty if it does not exist.
    pub fn text(&self, name: &str) -> String {
        fs::read_to_string(self.path(name)).unwrap_or_default()
    }

    /// A campaign of this plan.
    pub fn campaign_of(&self, plan: &str) -> CampaignRequest {
        CampaignRequest {
            plan: Plan::recorded(plan, "p.toml", &Choice::default())
                .unwrap_or_else(|rejected| panic!("{rejected}\n{plan}")),
            dir: Some(self.path("scratch")),
            folder: self.path("campaign"),
            extend: None,
            resume: false,
            only: vec![],
            program: self.path("program"),
            tool: "test-program 1".into(),
            build: Build::default(),
            argv: vec!["assay".into(), "run".into()],
            around: Default::default(),
            environment: vec![("PATH".into(), "/usr/bin:/bin".into())],
            stop: Arc::new(AtomicBool::new(false)),
            probe: false,
            accepted: Vec::new(),
            findings: Vec::new(),
            data_key: None,
            witness: None,
            notify: String::new(),
            evaluate: |plan, campaign| {
                let judge::Evaluation { verdicts, summary, .. } = crate::evaluated(plan, campaign);
                (verdicts, summary)
            },
        }
    }
}

/// Runs a campaign to its end.
pub fn run_to_end(asked: &CampaignRequest) -> Campaign {
    match run(asked, &mut |_| {}) {
        Ok(Ended::Judged(campaign)) => *campaign,
        other => panic!("{other:?}"),
    }
}
