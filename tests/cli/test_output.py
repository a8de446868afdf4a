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

# nothing at first, then more and more, then less
TAP = """
title: particles that come and go
dimension: 2
spacing: 20 mm
duration: 0.5 s
frame_rate: 20
materials: {water: {density: 1000 kg/m3}}
emitters:
  - {name: tap, material: water, position: [0, 0.4], direction: [0, -1], width: 0.1, speed: 1 m/s,
     schedule: [{start: 0.1 s, stop: 0.3 s}]}
regions:
  - {name: drain, action: kill, shape: {box: {min: [-1, -1], max: [1, 0.2]}}}
probes:
  - {name: gate, position: [0, 0.3], normal: [0, -1], width: 1}
"""


def check(program, checker, text):
    with tempfile.TemporaryDirectory() as folder:
        scene = os.path.join(folder, "scene.yaml")
        with open(scene, "w", encoding="utf-8") as file:
            file.write(text)
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
        images = subprocess.run([program, "render", run, "--frames", "0:10:5", "--quiet"], check=False)
        return images.returncode


def main():
    program, checker = sys.argv[1:]
    return max(check(program, checker, text) for text in (SCENE, TAP))


if __name__ == "__main__":
    sys.exit(main())
