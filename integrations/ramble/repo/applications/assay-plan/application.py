"""Campaigns of assay for Ramble: the verdicts of a plan."""

from ramble.appkit import *


class AssayPlan(ExecutableApplication):
    """Runs the plan of a contract. Its figures of merit are the criteria, from `assay report --csv`."""

    name = "assay-plan"

    tags("synthetic-benchmarks", "IO")

    # The plan has its own launcher. Status 1 or 3 is a verdict. Without a campaign, `report` fails. Ramble does
    # not check the status, so search for 4 and 5 in the log: the campaign is then not complete.
    executable(
        "campaign",
        "assay run {plan} --dir {directory} --folder {experiment_run_dir}/campaign --plain {options}",
        use_mpi=False,
    )
    executable(
        "verdicts",
        "assay report --csv {experiment_run_dir}/campaign",
        use_mpi=False,
        redirect="{experiment_run_dir}/verdicts.csv",
    )

    workload("plan", executables=["campaign", "verdicts"])

    workload_variable(
        "directory",
        default="/scratch/you",
        description="Directory on the file system under test",
        workloads=["plan"],
    )
    workload_variable(
        "plan", default="try", description="File of a plan, or name of a bundled plan", workloads=["plan"]
    )
    workload_variable(
        "options", default="", description="More options of assay run, such as --set", workloads=["plan"]
    )

    # One line for each criterion. Ramble reads braces in a pattern as a variable, so nothing is counted.
    csv = "{experiment_run_dir}/verdicts.csv"
    judged = (
        r"^(?P<test>[^,]+),.*,contract,(?P<metric>[^,]+),[^,]*,judged,(?P<stat>[^,]*),(?P<value>[^,]*),"
        r"(?P<unit>[^,]*),[^,]*,[^,]*,[^,]*,[^,]*,[^,]*,[^,]*,[^,]*,(?P<threshold>[^,]*),(?P<outcome>[^,]+),"
    )
    figure_of_merit_context("criterion", regex=judged, output_format="{test} {metric} {stat}")
    for name in ("outcome", "value", "threshold"):
        figure_of_merit(
            name, log_file=csv, fom_regex=judged, group_name=name, units="", contexts=["criterion"]
        )

    success_criteria("a line for each criterion", mode="string", match=r"^[^,]+,.*,judged,.*", file=csv)
