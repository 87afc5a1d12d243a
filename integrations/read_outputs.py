"""Reads outputs of assay with the patterns of the examples in this directory. Prints what they find as JSON.

    python read_outputs.py DIR

DIR has ior.txt, mdtest.txt, records.jsonl and verdicts.csv, which a test makes with the program. So the test
finds a pattern that no longer fits the output. It needs PyYAML. The frameworks themselves are not needed.
"""

import json
import os
import re
import sys
import types

import yaml

HERE = os.path.dirname(os.path.abspath(__file__))


def read(directory, name):
    with open(os.path.join(directory, name)) as file:
        return file.read()


def load(*path):
    return yaml.safe_load(read(HERE, os.path.join(*path)))


def jube(outputs):
    """Each pattern of assay.yaml over the file that its analyser names, as JUBE applies it."""
    example = load("jube", "assay.yaml")
    sets = {one["name"]: one["pattern"] for one in example["patternset"]}
    found = {}
    for analyser in example["analyser"]:
        file = analyser["analyse"]["file"]
        for pattern in sets[file["use"]]:
            # What JUBE writes for its parameter.
            regex = pattern["_"].replace("$jube_pat_fp", r"([+-]?\d*\.?\d+(?:[eE][-+]?\d+)?)")
            found[pattern["name"]] = re.findall(regex, read(outputs, file["_"]), re.MULTILINE)
    return found


def iops(outputs):
    """The parser of assay.yaml over the records."""
    parser = load("iops", "assay.yaml")["scripts"][0]["parser"]
    names = {}
    exec(parser["parser_script"], names)
    found = names["parse"](os.path.join(outputs, "records.jsonl"))
    assert sorted(found) == sorted(metric["name"] for metric in parser["metrics"])
    return found


def pavilion2(outputs):
    """Each pattern of assay.yaml, line by line, as Pavilion2 applies it."""
    found = {}
    for test, default in (("ior", "ior.txt"), ("plan", None)):
        for name, parser in load("pavilion2", "tests", "assay.yaml")[test]["result_parse"]["regex"].items():
            lines = read(outputs, parser.get("files", default)).splitlines()
            matches = [re.search(parser["regex"], line) for line in lines]
            found[name] = [match.groups() for match in matches if match]
    return found


def ramble(outputs):
    """Each figure of merit of both applications, line by line, as Ramble applies it."""
    found = {}

    def figure_of_merit(name, fom_regex, group_name, log_file=None, **other):
        for file in ["verdicts.csv"] if log_file else ["ior.txt", "mdtest.txt"]:
            matches = [re.search(fom_regex, line) for line in read(outputs, file).splitlines()]
            found.setdefault(name, []).extend(match.group(group_name) for match in matches if match)

    kit = types.ModuleType("ramble.appkit")
    for name in ("tags", "executable", "workload", "workload_variable", "figure_of_merit_context",
                 "success_criteria"):
        setattr(kit, name, lambda *words, **other: None)
    kit.figure_of_merit = figure_of_merit
    kit.ExecutableApplication = object
    sys.modules["ramble"], sys.modules["ramble.appkit"] = types.ModuleType("ramble"), kit
    for application in ("assay", "assay-plan"):
        exec(read(HERE, os.path.join("ramble", "repo", "applications", application, "application.py")), {})
    return found


if __name__ == "__main__":
    readers = (jube, iops, pavilion2, ramble)
    print(json.dumps({reader.__name__: reader(sys.argv[1]) for reader in readers}))
