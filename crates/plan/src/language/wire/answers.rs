//! The keys of answer sheets: the tables of a document that results fill.

use toml::Spanned;

use super::keys;
use crate::words::words;

keys! {
    AnswerKeys, "answer", "[[answer]]",
        "A table of the document, which `assay report --answers` fills with the results of campaigns";
    needs {
        id: Spanned<String> = Id, "\"bandwidth\"", "the id, by which `--sheet` chooses one of several";
        title: String, "\"IOR: maximum of one run\"", "the title, in one line";
        labels: Spanned<Vec<String>>, "[\"Load\", \"Pattern\"]",
            "the headings of its first columns. They identify a row";
        columns: Spanned<Vec<AnswerColumnKeys>>,
            "[{ title = \"Max Write\", metric = \"write.bw\", unit = \"MB/s\" }]",
            "its further columns: facts and values of the tests of a row";
        rows: Spanned<Vec<AnswerRowKeys>>, "[{ labels = [\"1.a\", \"N-N\"], of = [\"L1.node\"] }]",
            "its rows";
    }
    may {
        source: String, "\"README.ior, Reporting\"", "its place in the document";
        runs: RunsWord, "\"maxima\"",
            "the lines of a row. `reported` (default): one, with the repetition of `best_of`, or the \
             statistic that is compared. `all`: one for each repetition. `maxima`: one for each repetition \
             that has the highest value of a column";
    }
}

keys! {
    AnswerColumnKeys, "answer-column", "columns = [{ … }]", "A column of an answer sheet";
    needs {
        title: String, "\"Max Write\"", "the heading. The unit is added";
    }
    may {
        metric: Option<Spanned<String>>, "\"write.bw\"",
            "the metric, `PHASE.NAME`. Exactly one test, group or score of each row must have it. Default: \
             the metric of the row";
        unit: Option<Spanned<String>>, "\"MB/s\"",
            "the unit of its values, as the document wants it. Default: the unit of the row";
        fact: Option<FactWord>, "\"nodes\"",
            "instead of a metric, a fact of the first test of the row. `ppn`: ranks per node. `command`: its \
             arguments. `unit`: the unit of the row";
    }
}

keys! {
    AnswerRowKeys, "answer-row", "rows = [{ … }]", "A row of an answer sheet";
    needs {
        labels: Spanned<Vec<String>>, "[\"1.a\", \"N-N\"]",
            "the texts that identify it, one for each heading in `labels` of the sheet";
        of: Spanned<Vec<Spanned<String>>>, "[\"L1.node\"]",
            "the ids of the tests, groups or scores that give its values";
    }
    may {
        metric: Option<Spanned<String>>, "\"write.bw\"",
            "the metric of columns without one. `score` for a score";
        unit: Option<Spanned<String>>, "\"GiB/s\"", "the unit of columns without one";
        system: Option<Spanned<String>>, "\"B\"",
            "the letter of a system: the values are those of `[[projection]]` to this system, and are marked";
    }
}

words! {
    /// The lines of a row.
    #[derive(Default)]
    pub(crate) enum RunsWord {
        #[default]
        Reported = "reported",
        Maxima = "maxima",
        All = "all",
    }
}

words! {
    /// A fact of a test.
    pub(crate) enum FactWord {
        Nodes = "nodes",
        Ranks = "ranks",
        RanksPerNode = "ppn",
        Command = "command",
        Unit = "unit",
    }
}
