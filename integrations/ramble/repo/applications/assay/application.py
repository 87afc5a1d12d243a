"""The classic workloads of assay for Ramble."""

from ramble.appkit import *


class Assay(ExecutableApplication):
    """`ior` and `mdtest` as workloads of assay. The figures of merit come from their classic tables."""

    name = "assay"

    tags("synthetic-benchmarks", "IO")

    executable("ior", "assay ior {options} -o {directory}/ramble-ior.data", use_mpi=True)
    executable("mdtest", "assay mdtest {options} -d {directory}/ramble-mdtest.data", use_mpi=True)
    workload("ior", executable="ior")
    workload("mdtest", executable="mdtest")

    workload_variable(
        "directory",
        default="/scratch/you",
        description="Directory on the file system under test",
        workloads=["ior", "mdtest"],
    )
    workload_variable(
        "options",
        default="-w -r -C -F -e -t 1m -b 256m",
        description="Options of ior",
        workloads=["ior"],
    )
    workload_variable(
        "options",
        default="-F -n 1000",
        description="Options of mdtest",
        workloads=["mdtest"],
    )

    # The table of ior: access, MiB/s, operations per second, ...
    for phase in ("write", "read"):
        figure_of_merit(
            f"{phase} bandwidth",
            fom_regex=rf"^{phase}\s+(?P<rate>[0-9.]+)\s+[0-9.]+\s+[0-9.]+\s+[0-9]",
            group_name="rate",
            units="MiB/s",
        )

    # The table of mdtest: operation, maximum, minimum, mean, standard deviation. Ramble reads braces in a
    # pattern as a variable, so nothing is counted.
    for operation in ("File creation", "File stat", "File read", "File removal"):
        figure_of_merit(
            operation,
            fom_regex=rf"^\s*{operation}\s+[0-9.]+\s+[0-9.]+\s+(?P<rate>[0-9.]+)\s+[0-9.]+\s*$",
            group_name="rate",
            units="1/s",
        )
