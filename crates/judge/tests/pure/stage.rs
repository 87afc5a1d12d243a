//! A place in which campaigns run over a stand-in for the program that measures, which is a script of the
//! shell.
#![allow(dead_code, unreachable_pub)]

use std::fs;
use std::path::PathBuf;
use std::process::Command;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use plan::Plan;
use results::folder::{Build, Campaign};
use run::CampaignRequest;
use run::Ended;
use run::run;

/// The stand-in `program`, the directory under test `scratch`, and what campaigns leave in `campaign`.
pub struct Stage(tempfile::TempDir);

impl Stage {
    /// With this script.
    pub fn of(script: &str) -> Self {
        let stage = Self(tempfile::tempdir().unwrap());
        stage.write_program(script);
        fs::create_dir(stage.path("scratch")).unwrap();
        stage
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    /// Writes the stand-in. A process of its own does that: what this one has open to write, a child that
    /// another thread just starts has open too, and then it cannot be run (ETXTBSY).
    pub fn write_program(&self, script: &str) {
        let line = "printf %s \"$1\" > \"$0\" && chmod 755 \"$0\"";
        let status = Command::new("sh").args(["-c", line]).arg(self.path("program")).arg(script).status();
        assert!(status.unwrap().success(), "no stand-in at {}", self.path("program").display());
    }

    pub fn write(&self, name: &str, text: &str) {
        fs::write(self.path(name), text).unwrap();
    }

    /// What a file holds; nothing where there is none.
    pub fn text(&self, name: &str) -> String {
        fs::read_to_string(self.path(name)).unwrap_or_default()
    }

    /// A campaign of this plan.
    pub fn campaigning(&self, plan: &str) -> CampaignRequest {
        CampaignRequest {
            plan: Plan::parse(plan, "p.toml").unwrap_or_else(|rejected| panic!("{rejected}\n{plan}")),
            dir: Some(self.path("scratch")),
            folder: self.path("campaign"),
            resume: false,
            only: vec![],
            program: self.path("program"),
            tool: "stand-in 1".into(),
            build: Build::default(),
            argv: vec!["assay".into(), "run".into()],
            around: Default::default(),
            environment: vec![("PATH".into(), "/usr/bin:/bin".into())],
            stop: Arc::new(AtomicBool::new(false)),
            findings: Vec::new(),
            evaluate: |plan, campaign| {
                let judge::Evaluation { verdicts, summary } = crate::said(plan, campaign);
                (verdicts, summary)
            },
        }
    }
}

/// What a campaign that comes to its end is judged.
pub fn judged(asked: &CampaignRequest) -> Campaign {
    match run(asked, &mut |_| {}) {
        Ok(Ended::Judged(campaign)) => *campaign,
        other => panic!("{other:?}"),
    }
}
