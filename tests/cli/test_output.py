#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""A run's files, read by other programs than ours: h5py for every dataset, ParaView's reader for particles.xmf.

usage: test_output.py PROGRAM CHECKER
"""

import os
import subprocess
import sys
import tempfile

SCENE = """
title: files for other programs
dimension: 2
spacing: 20 mm
duration: 0.2 s
frame_rate: 20
materials: {water: {density: 1000 kg/m3}}
bodies:
  - {name: drop, state: liquid, material: water, shape: {box: {min: [0.4, 0.3], max: [0.6, 0.5]}}}
  - name: basin
    state: static
    shape: {shell: {of: {box: {min: [0, 0], max: [1, 0.8]}}, thickness: 40 mm, open: [+y]}}
probes:
  - {name: middle, position: [0.5, 0.1], fields: [pressure, velocity]}
"""


def main():
    program, checker = sys.argv[1:]
    with tempfile.TemporaryDirectory() as folder:
        scene = os.path.join(folder, "scene.yaml")
        with open(scene, "w", encoding="utf-8") as file:
            file.write(SCENE)
        run = os.path.join(folder, "out")
        subprocess.run([program, "run", scene, "-o", run, "--quiet"], check=True)
        checked = subprocess.run([sys.executable, checker, run], capture_output=True, text=True, check=False)
        print(checked.stdout + checked.stderr)
        if checked.returncode != 0:
            return 1
        if "loaded by vtkXdmf" not in checked.stdout:
            print("no ParaView reader could be used; tools/setup installs it")
            return 1
        with open(os.path.join(run, "stats.csv"), encoding="utf-8") as file:
            rows = file.read().splitlines()
        if len(rows) < 5 or len({row.count(",") for row in rows}) != 1:
            print("stats.csv is not a table")
            return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
