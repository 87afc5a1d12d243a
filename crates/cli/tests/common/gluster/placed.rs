//! The placement of files on bricks, from the records of a job.

use std::fs;
use std::path::Path;

use serde_json::Value;

use super::Gluster;

impl Gluster {
    /// The ranks whose files were on a brick (from 1) in the only phase that the job in this folder recorded.
    pub fn ranks_on(&self, brick: usize, job: &Path) -> Vec<u64> {
        let records = fs::read_to_string(job.join("records.jsonl")).unwrap();
        let phase = records.lines().find(|line| line.contains(r#""record":"phase""#)).unwrap();
        let each = &serde_json::from_str::<Value>(phase).unwrap()["each_rank"];
        let layout = each["layout"].as_array().unwrap_or_else(|| panic!("{}: {each}", job.display()));
        let number = |value: &Value| value.as_u64().unwrap() as usize;
        let target = |rank: usize| {
            let layout = number(&layout[if layout.len() == 1 { 0 } else { rank }]);
            let target = &each["layouts"][layout][0];
            target.as_u64().and_then(|target| each["targets"][target as usize].as_str()).unwrap_or_default()
        };
        let ranks = number(&each["ranks"]);
        (0..ranks).filter(|rank| target(*rank) == self.name(brick)).map(|rank| rank as u64).collect()
    }
}
