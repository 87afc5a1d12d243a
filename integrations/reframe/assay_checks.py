"""Checks of one site. Copy this file and change it.

    reframe -C settings.py -c assay_checks.py -r -S directory=/scratch/you
"""

import os
import sys

import reframe as rfm

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

from assay_reframe import AssayIor, AssayMdtest, AssayPlan  # noqa: E402


@rfm.simple_test
class FilePerProcess(AssayIor):
    """Each rank writes and reads a file of its own."""

    options = "-w -r -C -F -e -t 1m -b 256m"
    num_tasks = 2


@rfm.simple_test
class FilesOfOneDirectory(AssayMdtest):
    """All ranks create, stat and remove files in one directory."""

    options = "-F -n 1000"
    num_tasks = 2


@rfm.simple_test
class Nightly(AssayPlan):
    """The bundled plan of each night. Its thresholds are those of the file, so copy it first."""

    plan = "nightly"
