"""ReFrame tests that run assay: AssayIor, AssayMdtest and AssayPlan.

A test of a site inherits from one of these classes and sets its variables, see assay_checks.py. All numbers
come from JSON files of assay, never from its text.

    AssayIor, AssayMdtest   a rate of each phase is a performance variable, such as `write.bw`
    AssayPlan               each criterion of a plan is a performance variable

The rates have the names and base units of assay: B/s and operations per second.
"""

import json
import os
import statistics

import reframe as rfm
import reframe.utility.sanity as sn
from reframe.core.backends import getlauncher
from reframe.core.builtins import run_after, run_before, sanity_function, variable

__all__ = ["AssayIor", "AssayMdtest", "AssayPlan"]

# Phases of ior that compare data: their rate is not that of the storage.
CHECKS = ("write_check", "read_check")


class _Assay(rfm.RunOnlyRegressionTest):
    """What all tests have in common."""

    #: The program, by its name on the path or with its directory.
    program = variable(str, value="assay")

    #: The directory on the file system under test. It must exist.
    directory = variable(str)

    #: The exit status of the program is written here, because not every scheduler reports it.
    status_file = "assay-status.txt"

    valid_systems = ["*"]
    valid_prog_environs = ["*"]

    @run_before("run")
    def keep_the_status(self):
        self.postrun_cmds = [f"echo $? > {self.status_file}", *self.postrun_cmds]

    def staged(self, name):
        return os.path.join(self.stagedir, name)

    def exit_status(self):
        """The exit status of the program; None if the job ended before it."""
        try:
            with open(self.staged(self.status_file)) as file:
                return int(file.read())
        except (OSError, ValueError):
            return None


class _AssayWorkload(_Assay):
    """A workload under the launcher of the system."""

    workload = variable(str)

    #: The options of the classic program, without the test file or directory.
    options = variable(str)

    record_file = "records.jsonl"

    @run_after("init")
    def compose_the_command(self):
        self.executable = self.program
        # ReFrame runs tests at the same time, and two with the same files would remove those of the other.
        place = os.path.join(self.directory, f"{self.place}-{self.unique_name}")
        self.executable_opts = [
            self.workload, self.options, self.place_option, place,
            f"--record={self.record_file}",
        ]

    def records(self):
        with open(self.staged(self.record_file)) as file:
            return [json.loads(line) for line in file]

    def rates(self):
        """The mean rate of each phase over the repetitions: name -> (rate, unit)."""
        seen = {}
        for record in self.records():
            if record["record"] != "phase" or record["phase"] in CHECKS:
                continue
            name, amount, unit = self.measured(record)
            seconds = record["spans"]["total_s"]
            if seconds > 0 and amount > 0:
                seen.setdefault((name, unit), []).append(amount / seconds)
        return {name: (statistics.fmean(rates), unit) for (name, unit), rates in seen.items()}

    @sanity_function
    def ended_without_an_error(self):
        status = self.exit_status()
        if status != 0:
            return sn.assert_true(False, msg=f"assay ended with status {status}, see {self.stderr}")
        ends = [record for record in self.records() if record["record"] == "end"]
        return sn.assert_eq(len(ends), 1, msg="the records have no end, so the job was killed")

    @run_before("performance")
    def name_the_rates(self):
        self.perf_variables = {
            name: sn.make_performance_function(sn.defer(rate), unit)
            for name, (rate, unit) in self.rates().items()
        }


class AssayIor(_AssayWorkload):
    """Runs `assay ior`. Performance variables: `write.bw`, `read.bw` in B/s."""

    workload = "ior"
    options = "-w -r -C -F -e -t 1m -b 256m"
    place_option = "-o"
    place = "assay-ior.data"

    def measured(self, record):
        return f"{record['phase']}.bw", record["bytes"], "B/s"


class AssayMdtest(_AssayWorkload):
    """Runs `assay mdtest`. Performance variables: `file_creation.rate` and so on, operations per second."""

    workload = "mdtest"
    options = "-u -F -n 1000"
    place_option = "-d"
    place = "assay-mdtest.data"

    def measured(self, record):
        return f"{record['phase']}.rate", record["ops"], "1/s"


class AssayPlan(_Assay):
    """Runs a plan. Each criterion is a performance variable, with the threshold of the plan as its reference.

    INVALID, INCONCLUSIVE and NOT RUN are no statements about the speed. They fail the sanity of the test.
    FAIL is one: it fails its performance. So does the variable `failed`, the number of criteria that FAIL.
    A criterion may FAIL by its confidence limit while its value is better than the threshold.
    """

    #: The plan: a file, or the name of a bundled plan that `plan init` has written to one.
    plan = variable(str)

    #: More arguments of `assay run`, such as `--set` and `--nodes`.
    options = variable(str, value="")

    #: The campaign folder. With a relative path it is in the stage directory of the test.
    folder = variable(str, value="campaign")

    @run_after("init")
    def compose_the_command(self):
        self.executable = self.program
        self.executable_opts = [
            "run", self.plan, "--dir", self.directory, "--folder", self.folder, "--plain", self.options,
        ]

    @run_before("run")
    def start_one_process(self):
        # The plan has the launcher of its jobs.
        self.job.launcher = getlauncher("local")()

    def verdicts(self):
        with open(os.path.join(self.staged(self.folder), "verdicts.json")) as file:
            return json.load(file)

    def plain_rates(self):
        """The mean rates that the campaign measured: name -> (rate, unit). Not every rate has a criterion."""
        try:
            with open(os.path.join(self.staged(self.folder), "summary.json")) as file:
                rates = json.load(file)["rates"]
        except FileNotFoundError:
            return {}
        return {
            f"{rate['test']}.{rate['metric']}.mean".replace(":", "_"): (rate["mean"], rate["unit"])
            for rate in rates if rate.get("mean") is not None
        }

    @staticmethod
    def name_of(verdict):
        """The name of a criterion. Colons separate system and variable in a reference of ReFrame."""
        return f"{verdict['test']}.{verdict['metric']}.{verdict['statistic']}".replace(":", "_")

    @sanity_function
    def all_criteria_are_decided(self):
        status = self.exit_status()
        if status not in (0, 1, 3):
            return sn.assert_true(False, msg=f"assay ended with status {status}, see {self.stderr}")
        undecided = [
            f"{self.name_of(verdict)}: {verdict['outcome']} ({verdict['reason']['code']})"
            for verdict in self.verdicts()
            if verdict["outcome"] not in ("PASS", "FAIL")
        ]
        return sn.all([
            sn.assert_eq(undecided, [], msg="not decided: {0}"),
            sn.assert_gt(len(self.verdicts()), 0, msg="the campaign has no verdict"),
        ])

    @run_before("performance")
    def name_the_criteria(self):
        # Two criteria of one metric, such as its limits, have the same name.
        values, references, named, failed = self.plain_rates(), {}, set(), 0
        for verdict in self.verdicts():
            failed += verdict["outcome"] == "FAIL"
            if verdict["value"] is None:
                continue
            name, unit, more = self.name_of(verdict), verdict["unit"], 2
            while name in named:
                name, more = f"{self.name_of(verdict)}.{more}", more + 1
            named.add(name)
            values[name] = (verdict["value"], unit)
            limits = self.limits(verdict)
            if limits:
                references[name] = (verdict["threshold"], *limits, unit)
        values["failed"] = (failed, "criteria")
        references["failed"] = (0, 0, 0, "criteria")
        self.perf_variables = {
            name: sn.make_performance_function(sn.defer(value), unit)
            for name, (value, unit) in values.items()
        }
        self.reference = {"*": references}

    @staticmethod
    def limits(verdict):
        """The limits below and above the threshold, as ReFrame counts them; None without a direction."""
        if verdict["threshold"] is None:
            return None
        if ">" in verdict["criterion"]:
            return (0, None)
        if "<" in verdict["criterion"]:
            return (None, 0)
        return (0, 0) if "==" in verdict["criterion"] else None
