# SPDX-License-Identifier: MIT
"""What tools/fault-trial, tools/power-trial and tools/kill-trial share: tiny scenes, scratch folders, running the
program, and comparing runs byte for byte."""
import os
import select
import shutil
import signal
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
LONGEST = 60  # s; a program that takes longer hangs

LIQUID = """\
title: Liquid
dimension: 2
spacing: 0.1
duration: 0.1
frame_rate: 30
domain: {min: [-0.5, -0.5], max: [1.2, 1.5]}
materials:
  water: {density: 1000, viscosity: {method: xsph, coefficient: 0.05}}
bodies:
  - {name: water, state: liquid, material: water, shape: {box: {min: [0, 0], max: [0.3, 0.6]}}}
  - {name: floor, state: static, shape: {box: {min: [-0.2, -0.2], max: [0.6, 0]}}}
emitters:
  - {name: tap, material: water, position: [0.8, 0.8], direction: [0, -1], width: 0.2, speed: 2}
probes:
  - {name: low, position: [0.1, 0.1], fields: [pressure]}
output: {checkpoint_every: 0}
"""

RIGID = """\
title: Rigid
dimension: 2
spacing: 0.1
duration: 0.1
frame_rate: 30
domain: {min: [-1, -1], max: [2, 2]}
bodies:
  - {name: floor, state: static, shape: {box: {min: [-0.5, -0.2], max: [1.5, 0]}}}
  - {name: lower, state: rigid, density: 2000, shape: {box: {min: [0, 0], max: [0.4, 0.2]}}}
  - {name: upper, state: rigid, density: 1000, shape: {box: {min: [0.1, 0.21], max: [0.3, 0.4]}}}
  - {name: wheel, state: rigid, density: 2000, hinge: [0.8, 0.6], shape: {sphere: {center: [0.8, 0.6], radius: 0.15}}}
joints:
  - {type: rope, bodies: [upper, wheel], point: [0.2, 0.4], to: [0.7, 0.6]}
output: {checkpoint_every: 0}
"""

ELASTIC = """\
title: Elastic
dimension: 2
spacing: 0.1
duration: 0.1
frame_rate: 30
domain: {min: [-1, -1], max: [2, 2]}
materials:
  chalk: {density: 1200, elastic: {method: tlsph, young: 1e5, poisson: 0.2}, fracture: {method: stretch, limit: 0.02}}
bodies:
  - {name: floor, state: static, shape: {box: {min: [-0.5, -0.2], max: [1.5, 0]}}}
  - {name: bar, state: elastic, material: chalk, velocity: [0, -2], shape: {box: {min: [0, 0.1], max: [0.8, 0.4]}}}
output: {checkpoint_every: 0}
"""

EVENTS = """\
title: Events
dimension: 2
spacing: 0.1
duration: 0.1
frame_rate: 30
domain: {min: [-1, -1], max: [2, 2]}
materials:
  water: {density: 1000}
  ice: {density: 920, elastic: {method: tlsph, young: 1e5, poisson: 0.2}}
bodies:
  - {name: floor, state: static, shape: {box: {min: [-0.5, -0.2], max: [1.5, 0]}}}
  - {name: ice, state: rigid, fill: particles, material: ice, shape: {box: {min: [0, 0], max: [0.5, 0.4]}}}
  - {name: bar, state: elastic, material: ice, shape: {box: {min: [0.8, 0.1], max: [1.2, 0.4]}}}
  - {name: brick, state: rigid, density: 2000, shape: {box: {min: [0.1, 0.5], max: [0.3, 0.7]}}}
events:
  - {at: 20 ms, do: melt, of: ice, in: {sphere: {center: [0.1, 0.2], radius: 0.15}}}
  - {at: 60 ms, do: melt, of: bar}
output: {checkpoint_every: 0}
"""

MIXED = """\
title: Mixed
dimension: 2
spacing: 0.1
duration: 0.04
frame_rate: 50
domain: {min: [-1, -1], max: [2, 2]}
materials:
  water: {density: 1000, viscosity: {method: xsph, coefficient: 0.05}}
  jelly: {density: 1000, elastic: {young: 1e5, poisson: 0.3}}
bodies:
  - {name: tank, state: static, shape: {shell: {of: {box: {min: [0, 0], max: [0.8, 0.6]}}, thickness: 0.2, open: [+y]}}}
  - {name: water, state: liquid, material: water, shape: {box: {min: [0, 0], max: [0.3, 0.3]}}}
  - {name: bar, state: elastic, material: jelly, shape: {box: {min: [0.4, 0.3], max: [0.7, 0.5]}}}
  - {name: brick, state: rigid, density: 2000, shape: {box: {min: [0.5, 0], max: [0.7, 0.2]}}}
emitters:
  - {name: tap, material: water, position: [0.2, 0.8], direction: [0, -1], width: 0.2, speed: 2}
probes:
  - {name: low, position: [0.1, 0.1], fields: [pressure]}
output: {checkpoint_every: 0}
"""

# The same in four steps and two frames: there are as many trials as calls.
SHORT = MIXED.replace("duration: 0.04", "duration: 0.02").replace("speed: 2", "speed: 8")

SCENES = {"liquid": LIQUID, "rigid": RIGID, "elastic": ELASTIC, "events": EVENTS, "mixed": MIXED}
# Files of a run that hold no wall-clock time: equal runs give equal bytes.
RESULTS = ("frames/frame_*.vtkhdf", "*.csv", "particles.vtkhdf", "particles.xmf", "checkpoint.h5", "scene.yaml")


def program():
    """The program under test: $FRZ_PROGRAM, or build/frazil."""
    return os.environ.get("FRZ_PROGRAM", str(ROOT / "build" / "frazil"))


def build(*targets):
    """Build the release program and targets, unless a test names what was built already."""
    if "FRZ_PROGRAM" not in os.environ:
        done = subprocess.run([str(ROOT / "tools" / "build"), "release", "frazil_app", *targets], capture_output=True,
                              text=True, check=False)
        if done.returncode != 0:
            sys.exit(done.stdout[-3000:] + done.stderr[-3000:])


def layer(name):
    """The preloaded library of that name: $FRZ_LAYERS, or where tools/build puts it."""
    return str(Path(os.environ.get("FRZ_LAYERS", ROOT / "build" / "release" / "tests")) / f"lib{name}.so")


def scratch():
    """A folder that is removed at the end; in memory where that is possible, because flushing to a disk is slow."""
    place = "/dev/shm" if os.access("/dev/shm", os.W_OK) else None
    return tempfile.TemporaryDirectory(prefix="frazil-trial-", dir=place)


def start(words, environment=None, **options):
    """Start the program."""
    settings = dict(os.environ, OMP_WAIT_POLICY="passive", **(environment or {}))
    settings.pop("OMP_NUM_THREADS", None)
    return subprocess.Popen([program(), *map(str, words)], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                            stderr=subprocess.PIPE, env=settings, **options)


def call(words, environment=None, **options):
    """Run the program: (exit code, negative for a signal; output; messages)."""
    process = start(words, environment, **options)
    try:
        out, err = process.communicate(timeout=LONGEST)
    except subprocess.TimeoutExpired:
        process.kill()
        process.communicate()
        return -999, "", "it hangs"
    return process.returncode, out.decode(errors="replace"), err.decode(errors="replace")


class Server:
    """One command line of the program under tests/fault/fault_layer.c, loaded once and run again and again."""

    def __init__(self, words, base):
        self.files = {name: Path(base) / f"server.{name}" for name in ("report", "out", "err")}
        self.words, self.process = words, None

    def start(self):
        """Load the program."""
        settings = {"LD_PRELOAD": layer("fault_layer"), "FRZ_FAULT": "server",
                    "FRZ_FAULT_REPORT": str(self.files["report"]), "FRZ_FAULT_OUT": str(self.files["out"]),
                    "FRZ_FAULT_ERR": str(self.files["err"]), "OMP_WAIT_POLICY": "passive"}
        environment = {name: value for name, value in os.environ.items() if name != "OMP_NUM_THREADS"}
        self.process = subprocess.Popen([program(), *map(str, self.words)], stdin=subprocess.PIPE,
                                        stdout=subprocess.PIPE, env=environment | settings, bufsize=0)

    def call(self, fault="file:0"):
        """Run it with a fault ("memory:17"): (exit code, negative for a signal; output; messages; report)."""
        if self.process is None:
            self.start()
        self.files["report"].write_bytes(b"")
        self.process.stdin.write(fault.encode() + b"\n")
        child = int(self.process.stdout.readline())
        hangs = not select.select([self.process.stdout], [], [], LONGEST)[0]
        if hangs:
            os.kill(child, signal.SIGKILL)
        state = int(self.process.stdout.readline())
        code = -999 if hangs else os.waitstatus_to_exitcode(state)
        return (code, *(self.files[name].read_text(errors="replace") for name in ("out", "err", "report")))

    def stop(self):
        """Unload it."""
        if self.process is not None:
            self.process.communicate()
            self.process = None


def must(words, **options):
    """Run the program, which must succeed."""
    code, out, err = call(words, **options)
    if code != 0:
        sys.exit(f"frazil {' '.join(map(str, words))}: exit code {code}\n{err}")
    return out


def contents(folder, patterns=RESULTS):
    """{name: bytes} of the files that match."""
    return {str(path.relative_to(folder)): path.read_bytes()
            for pattern in patterns for path in sorted(Path(folder).glob(pattern))}


def difference(expected, folder, patterns=RESULTS):
    """What differs between the expected contents and a folder, or None."""
    found = contents(folder, patterns)
    for name in sorted(expected.keys() | found.keys()):
        if name not in found:
            return f"{name} is missing"
        if name not in expected:
            return f"{name} is too much"
        if expected[name] != found[name]:
            return f"{name} differs"
    return None


def frames_differ(expected, folder):
    """A frame with its final name that is not what it must be, or None."""
    for name, data in contents(folder, ("frames/frame_*.vtkhdf",)).items():
        if expected.get(name) != data:
            return f"{name} is there, and differs"
    return None


def copy(source, target):
    """Put a copy of a folder in the place of another."""
    shutil.rmtree(target, ignore_errors=True)
    shutil.copytree(source, target)
