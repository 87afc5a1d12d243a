//! Scores that cannot be computed.

use super::rejection;

fn of(score: &str) -> String {
    let tests = "[[test]]\nid = \"A\"\nior = \"-w -e\"\nrole = \"reported\"\n\
                 [[test]]\nid = \"B\"\nior = \"-w -e\"\nrepetitions = 2\nrole = \"reported\"\n\
                 [[test]]\nid = \"M\"\nmdtest = \"-F -C -n 5\"\nrole = \"reported\"\n";
    rejection(&format!("{tests}[[score]]\n{score}\n"))
}

#[test]
fn a_score_needs_rates_with_as_many_repetitions_and_units_that_fit() {
    for (score, wanted) in [
        ("id = \"S\"\nof = [\"A.write.bw\"]", "score S: it needs at least two parts"),
        ("id = \"A\"\nof = [\"A.write.bw\", \"A.write.iops\"]", "score A: test A already has this id"),
        ("id = \"S\"\nof = [\"A.write.bw\", \"C.write.bw\"]", "`C.write.bw` does not name a test above"),
        ("id = \"S\"\nof = [\"A.write.bw\", \"A.write.latency.p99\"]", "is not a rate"),
        ("id = \"S\"\nof = [\"A.write.bw\", \"B.write.bw\"]", "A has 1 repetitions and B has 2"),
        ("id = \"S\"\nof = [\"A.write.bw\", \"M.file_creation.rate\"]", "have different units"),
        (
            "id = \"S\"\nof = [\"A.write.bw\", \"M.file_creation.rate\"]\npoints = [\"GiB/s\"]",
            "points has 1 units for 2 parts",
        ),
        (
            "id = \"S\"\nof = [\"A.write.bw\", \"M.file_creation.rate\"]\npoints = [\"GiB/s\", \"GiB\"]",
            "points: `GiB` is not a unit of this part",
        ),
        (
            "id = \"S\"\nof = [\"A.write.bw\", \"A.write.iops\"]\npoints = [\"GiB/s\", \"k/s\"]\n\
             criterion = { op = \">=\", value = \"3 GiB/s\" }",
            "has a unit of another kind. Write for example `10 points`",
        ),
        (
            "id = \"S\"\nof = [\"A.write.bw\", \"A.write.bw\"]\n\
             criterion = { op = \"<=\", value = \"3 GiB/s\" }",
            "`<=` does not fit. More is better",
        ),
        (
            "id = \"S\"\nof = [\"A.write.bw\", \"A.write.bw\"]\n\
             criterion = { op = \">=\", value = \"50% of A.write.bw\" }",
            "a score is compared with a number",
        ),
    ] {
        let found = of(score);
        assert!(found.contains(wanted), "{score}\n{found}");
    }
}
