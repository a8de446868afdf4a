#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""A method is one file and one line: tools/new_method makes both in a copy of the tree; then only that file and the table
are compiled, linked before the library (objects win over archive members), and the program knows the method."""
import argparse
import json
import os
import shlex
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

SLOT, NAME = "viscosity", "plugin_trial"
SCENE = """
dimension: 2
spacing: 50 mm
duration: 0.05 s
frame_rate: 20
materials:
  syrup: {density: 1400, %s: {method: %s, rate: 12.5 1/s}}
bodies:
  - {name: syrup, state: liquid, material: syrup, shape: {box: {min: [0, 0], max: [0.5, 0.3]}}, velocity: [1, 0]}
  - {name: floor, state: static, shape: {box: {min: [-1, -0.1], max: [2, 0]}}}
""" % (SLOT, NAME)
BAD = [
    ("viscosity", "Capital"), ("viscosity", "1st"), ("viscosity", "with-dash"), ("viscosity", "../escape"),
    ("viscosity", ""), ("viscosity", "none"), ("viscosity", "double"), ("viscosity", "xsph"), ("flavour", "fine_name"),
]


def run(command, expect=0):
    environment = dict(os.environ, OMP_WAIT_POLICY="passive", OMP_NUM_THREADS="2")
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True, env=environment)
    if done.returncode != expect:
        sys.exit(f"{shlex.join(map(str, command))}\nexit status {done.returncode}, expected {expect}\n"
                 f"{done.stdout}{done.stderr}")
    return done.stdout


def snapshot(root):
    return {path: path.read_bytes() for path in sorted(root.rglob("*")) if path.is_file()}


def check_refusals(tool, root):
    before = snapshot(root)
    for slot, name in BAD:
        run([tool, slot, name, "--root", root], expect=2)
    assert snapshot(root) == before, "a refusal changed the tree"


def compile_flags(build, source):
    """The words that compile registry.c in this build, without its own names; paths lead to the copy later."""
    registry = str(source / "src/physics/registry.c")
    for entry in json.loads((build / "compile_commands.json").read_text()):
        if entry["file"] == registry:
            words = shlex.split(entry["command"])
            place = words.index("-o")
            del words[place:place + 2]
            return [word for word in words if word not in (registry, "-c")]
    sys.exit(f"{registry} is not in {build}/compile_commands.json")


def build_program(arguments, root):
    words = [word.replace(f"{arguments.source}/", f"{root}/") for word in compile_flags(arguments.build, arguments.source)]
    objects = []
    for name in (f"{SLOT}/{SLOT}_{NAME}.c", "registry.c"):
        objects.append(root / (Path(name).stem + ".o"))
        run(words + ["-Werror", "-c", root / "src/physics" / name, "-o", objects[-1]])
    program = root / "frazil"
    sanitize = [f"-fsanitize={arguments.sanitize}"] if arguments.sanitize else []
    run([words[0], *sanitize, *objects, *arguments.objects.split(";"), arguments.library,
         *arguments.libraries.split(";"), "-o", program])
    return program


def check_program(program, root):
    methods = json.loads(run([program, "info", "methods", "--json"]))["methods"]
    mine = [method for method in methods if (method["slot"], method["key"]) == (SLOT, NAME)]
    assert len(mine) == 1 and mine[0]["params"][0]["key"] == "rate" and not mine[0]["default"], methods
    assert NAME in run([program, "info", "methods"]), "the reference page does not have the method"
    schema = run([program, "info", "schema"])
    json.loads(schema)
    assert NAME in schema, "the schema does not have the method"

    scene = root / "scene.yaml"
    scene.write_text(SCENE)
    run([program, "check", scene])
    run([program, "run", scene, "-o", root / "out"])
    rows = (root / "out/stats.csv").read_text().splitlines()
    assert len(rows) > 3, rows
    scene.write_text(SCENE.replace("rate", "rat"))
    message = subprocess.run([program, "check", scene], capture_output=True, text=True).stderr
    assert "did you mean" in message and "rate" in message, message


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    for name in ("source", "build", "library"):
        parser.add_argument(f"--{name}", type=Path, required=True)
    parser.add_argument("--objects", required=True, help="objects of the program, separated by ;")
    parser.add_argument("--libraries", required=True, help="what the library needs, separated by ;")
    parser.add_argument("--sanitize", default="")
    arguments = parser.parse_args()
    tool = arguments.source / "tools/new_method"
    with tempfile.TemporaryDirectory(prefix="frazil_plugin_") as folder:
        root = Path(folder)
        for part in ("src", "include"):
            shutil.copytree(arguments.source / part, root / part)
        check_refusals(tool, root)
        run([tool, SLOT, NAME, "--root", root])
        line = f"FRZ_METHOD({SLOT}, {NAME})"
        assert (root / "src/physics/methods.def").read_text().splitlines().count(line) == 1
        run([tool, SLOT, NAME, "--root", root], expect=2)
        check_program(build_program(arguments, root), root)
    print("one file and one line: the program knows the method")


if __name__ == "__main__":
    main()
