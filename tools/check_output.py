#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Check the particle output of a run directory: every frame, the master particles.vtkhdf and particles.xmf.

Structure is checked against the VTKHDF specification (version 2.0, PolyData) as its reader uses it; the virtual
datasets of the master must give the numbers of the frames. If VTK for Python has an XDMF reader, particles.xmf is
loaded too; if its HDF reader knows PolyData (VTK 9.3 or later), so is particles.vtkhdf.

usage: check_output.py RUN_DIRECTORY
Prints "output ok: N frames ..." and returns 0, or the reasons and returns 1.
"""
import os
import re
import sys
import xml.etree.ElementTree as ElementTree

import h5py
import numpy as np

TOPOLOGIES = ("Vertices", "Lines", "Polygons", "Strips")
FRAME_NAME = "frame_%06d.vtkhdf"
FRAME_PATTERN = re.compile(r"^frame_(\d{6,})\.vtkhdf$")
XDMF_TYPES = {"Float": "f", "Int": "i", "UChar": "u"}


class Report:
    """Collects what is wrong."""

    def __init__(self):
        self.reasons = []

    def expect(self, condition, reason):
        if not condition:
            self.reasons.append(reason)
        return bool(condition)


def check_head(report, root, name):
    """Version and Type of the group /VTKHDF, in the form that old readers accept."""
    report.expect(list(root.attrs.get("Version", [])) == [2, 0], f"{name}: Version is not [2, 0]")
    if not report.expect("Type" in root.attrs, f"{name}: no attribute Type"):
        return
    kind = h5py.h5a.open(root.id, b"Type").get_type()
    fixed_ascii = isinstance(kind, h5py.h5t.TypeStringID) and not kind.is_variable_str()
    report.expect(fixed_ascii and kind.get_cset() == h5py.h5t.CSET_ASCII, f"{name}: Type is not fixed-length ASCII")
    report.expect(bytes(root.attrs["Type"]) == b"PolyData", f"{name}: Type is not PolyData")


def check_topologies(report, root, name, counts):
    """All four topologies, their sizes, and the cells of each part."""
    for topology in TOPOLOGIES:
        group = root.get(topology)
        parts = ("NumberOfCells", "NumberOfConnectivityIds", "Offsets", "Connectivity")
        if not report.expect(group is not None and all(p in group for p in parts), f"{name}: {topology} incomplete"):
            continue
        cells, ids, offsets, links = (group[p][...] for p in parts)
        whole = len(cells) == len(counts) == len(ids)
        whole = whole and len(offsets) == int((cells + 1).sum()) and len(links) == int(ids.sum())
        if not report.expect(whole, f"{name}: {topology}: sizes do not add up"):
            continue
        if topology != "Vertices":
            report.expect(cells.sum() == 0 and ids.sum() == 0 and not offsets.any(), f"{name}: {topology} not empty")
            continue
        # VTK's reader finds its place in Offsets by counting the cells before it
        report.expect((cells > 0).all(), f"{name}: a part of Vertices has no cell")
        report.expect((ids == counts).all(), f"{name}: Vertices does not hold every point")
        check_vertices(report, name, counts, cells, offsets, links)


def check_vertices(report, name, counts, cells, offsets, links):
    """Offsets and point numbers start at 0 in every part."""
    first_offset = first_link = 0
    for part, (count, cell_count) in enumerate(zip(counts, cells)):
        own = offsets[first_offset : first_offset + cell_count + 1]
        good = own[0] == 0 and own[-1] == count and (np.diff(own) >= 0).all()
        good = good and (links[first_link : first_link + count] == np.arange(count)).all()
        report.expect(good, f"{name}: Vertices of part {part} are wrong")
        first_offset += cell_count + 1
        first_link += count


def check_data(report, root, name, total):
    """Points and fields: shapes, types, names, units."""
    points = root.get("Points")
    if report.expect(points is not None, f"{name}: no Points"):
        report.expect(points.shape == (total, 3), f"{name}: Points is {points.shape}, not ({total}, 3)")
        report.expect(points.dtype.kind == "f" and points.dtype.itemsize in (4, 8), f"{name}: Points not real")
        report.expect(np.isfinite(points[...]).all(), f"{name}: Points holds a number that is not finite")
    for field, data in root.get("PointData", {}).items():
        report.expect("." not in field, f"{name}: field name {field} holds a dot")
        report.expect(data.shape[0] == total, f"{name}: field {field} has {data.shape[0]} rows, not {total}")
        report.expect("unit" in data.attrs, f"{name}: field {field} has no unit")


def check_frame(report, path, number):
    """One frame file; returns what the master must show, or None."""
    name = os.path.basename(path)
    try:
        with h5py.File(path, "r") as file:
            root = file["VTKHDF"]
            check_head(report, root, name)
            counts = root["NumberOfPoints"][...]
            report.expect(counts.shape == (1,), f"{name}: NumberOfPoints has not one entry")
            check_topologies(report, root, name, counts)
            check_data(report, root, name, int(counts[0]))
            report.expect("Steps" not in root, f"{name}: a frame must not have Steps")
            notes = file["frazil"].attrs
            report.expect(int(notes["frame"]) == number, f"{name}: is marked as frame {notes['frame']}")
            arrays = {field: data[...] for field, data in root["PointData"].items()}
            arrays["/Points"] = root["Points"][...]
            return {"time": float(notes["time"]), "step": int(notes["step"]), "count": int(counts[0]), "arrays": arrays}
    except (OSError, KeyError, ValueError) as error:
        report.expect(False, f"{name}: {error}")
        return None


def check_steps(report, root, counts, frames):
    """The group Steps: one entry per frame, offsets that are running sums."""
    steps = root["Steps"]
    number = len(frames)
    starts = np.concatenate(([0], np.cumsum(counts)[:-1]))
    cells = root["Vertices/NumberOfCells"][...]
    cell_starts = np.concatenate(([0], np.cumsum(cells)[:-1]))
    report.expect(int(steps.attrs["NSteps"]) == number, "master: NSteps is not the number of frames")
    report.expect(list(steps["Values"][...]) == [f["time"] for f in frames], "master: times differ from the frames'")
    report.expect((steps["PartOffsets"][...] == np.arange(number)).all(), "master: PartOffsets wrong")
    report.expect((steps["NumberOfParts"][...] == 1).all(), "master: NumberOfParts wrong")
    report.expect((steps["PointOffsets"][...] == starts).all(), "master: PointOffsets wrong")
    for name, expected in (("CellOffsets", cell_starts), ("ConnectivityIdOffsets", starts)):
        table = steps[name][...]
        good = table.shape == (number, len(TOPOLOGIES)) and (table[:, 0] == expected).all() and not table[:, 1:].any()
        report.expect(good, f"master: {name} wrong")
    fields = set(root["PointData"])
    report.expect(set(steps["PointDataOffsets"]) == fields, "master: PointDataOffsets does not cover all fields")
    for field, offsets in steps["PointDataOffsets"].items():
        report.expect((offsets[...] == starts).all(), f"master: PointDataOffsets/{field} wrong")


def check_master_data(report, root, frames):
    """Virtual datasets resolve to the numbers of the frames; common fields are all there."""
    common = set.intersection(*(set(f["arrays"]) for f in frames)) - {"/Points"}
    first = frames[0]["arrays"]
    form = {n: (first[n].dtype, first[n].shape[1:]) for n in common}
    alike = {n for n in common if all((f["arrays"][n].dtype, f["arrays"][n].shape[1:]) == form[n] for f in frames)}
    report.expect(set(root["PointData"]) == alike, "master: does not show exactly the fields all frames share")
    for name in ["/Points"] + sorted(set(root["PointData"]) & common):
        data = root["Points"] if name == "/Points" else root["PointData"][name]
        expected = np.concatenate([f["arrays"][name] for f in frames])
        same = data.shape == expected.shape and data[...].tobytes() == expected.astype(data.dtype).tobytes()
        report.expect(same, f"master: {name.strip('/')} does not give the numbers of the frames")
        report.expect(data.is_virtual or data.size == 0, f"master: {name.strip('/')} is a copy, not virtual")


def check_master(report, path, frames):
    try:
        with h5py.File(path, "r") as file:
            root = file["VTKHDF"]
            check_head(report, root, "master")
            counts = root["NumberOfPoints"][...]
            if not report.expect(list(counts) == [f["count"] for f in frames], "master: NumberOfPoints differs"):
                return
            check_topologies(report, root, "master", counts)
            check_data(report, root, "master", int(counts.sum()))
            check_steps(report, root, counts, frames)
            check_master_data(report, root, frames)
    except (OSError, KeyError, ValueError) as error:
        report.expect(False, f"master: {error}")


def check_xdmf_item(report, directory, item, name):
    """A reference names an existing dataset of the size and type stated."""
    file_name, _, inner = item.text.strip().partition(":")
    with h5py.File(os.path.join(directory, file_name), "r") as file:
        data = file[inner]
        shape = tuple(int(n) for n in item.get("Dimensions").split())
        report.expect(data.shape == shape, f"xmf: {name}: {inner} is {data.shape}, not {shape}")
        kind = XDMF_TYPES.get(item.get("NumberType"), "?")
        right = data.dtype.kind == kind and data.dtype.itemsize == int(item.get("Precision"))
        report.expect(right, f"xmf: {name}: {inner} is {data.dtype}")


def check_xdmf(report, directory, frames):
    """Grids, times and references of particles.xmf; frames without particles are left out there."""
    try:
        tree = ElementTree.parse(os.path.join(directory, "particles.xmf"))
        grids = tree.findall(".//Grid[@GridType='Uniform']")
        shown = [f for f in frames if f["count"] > 0]
        if not report.expect(len(grids) == len(shown), f"xmf: {len(grids)} grids for {len(shown)} frames"):
            return
        for grid, frame in zip(grids, shown):
            name = grid.get("Name")
            report.expect(float(grid.find("Time").get("Value")) == frame["time"], f"xmf: {name}: wrong time")
            elements = int(grid.find("Topology").get("NumberOfElements"))
            report.expect(elements == frame["count"], f"xmf: {name}: {elements} points, not {frame['count']}")
            for item in grid.iter("DataItem"):
                check_xdmf_item(report, directory, item, name)
    except (OSError, KeyError, ValueError, ElementTree.ParseError) as error:
        report.expect(False, f"xmf: {error}")


def vtk_class(names):
    """The first of module.class that this VTK has, or None (Debian 12's VTK has no XDMF reader)."""
    for module, name in names:
        try:
            return getattr(__import__(f"vtkmodules.{module}", fromlist=[name]), name)
        except (ImportError, AttributeError):
            continue
    return None


def vtk_steps(reader):
    """Times, and number of points at each, as a VTK reader sees them."""
    from vtkmodules.vtkCommonDataModel import vtkCompositeDataSet, vtkDataSet  # noqa: F401 (registers the types)
    from vtkmodules.vtkCommonExecutionModel import vtkStreamingDemandDrivenPipeline

    reader.UpdateInformation()
    key = vtkStreamingDemandDrivenPipeline.TIME_STEPS()
    times = reader.GetOutputInformation(0).Get(key) or ()
    seen = []
    for time in times:
        reader.UpdateTimeStep(time)
        seen.append(reader.GetOutputDataObject(0).GetNumberOfPoints())
    return list(times), seen


def check_with_vtk(report, directory, frames):
    """Load the files as ParaView would. Returns a note on what was done."""
    notes = []
    shown = [f for f in frames if f["count"] > 0]
    xdmf = vtk_class([("vtkIOXdmf2", "vtkXdmfReader"), ("vtkIOXdmf3", "vtkXdmf3Reader")])
    if xdmf is not None:
        reader = xdmf()
        reader.SetFileName(os.path.join(directory, "particles.xmf"))
        times, points = vtk_steps(reader)
        report.expect(times == [f["time"] for f in shown], f"{xdmf.__name__}: sees {len(times)} time steps")
        report.expect(points == [f["count"] for f in shown], f"{xdmf.__name__}: sees {points} points")
        notes.append(f"loaded by {xdmf.__name__}")
    hdf = vtk_class([("vtkIOHDF", "vtkHDFReader")])
    version = vtk_class([("vtkCommonCore", "vtkVersion")])
    if hdf is not None and (version.GetVTKMajorVersion(), version.GetVTKMinorVersion()) >= (9, 3):
        reader = hdf()
        reader.SetFileName(os.path.join(directory, "particles.vtkhdf"))
        times, points = vtk_steps(reader)
        if len(frames) > 1:  # a single step counts as static
            report.expect(times == [f["time"] for f in frames], f"vtkHDFReader: sees {len(times)} time steps")
            report.expect(points == [f["count"] for f in frames], f"vtkHDFReader: sees {points} points")
        notes.append("loaded by vtkHDFReader")
    return ", ".join(notes) if notes else "no VTK reader for these formats here"


def main():
    if len(sys.argv) != 2:
        print(__doc__.strip(), file=sys.stderr)
        return 2
    directory = sys.argv[1]
    report = Report()
    folder = os.path.join(directory, "frames")
    numbers = []
    if report.expect(os.path.isdir(folder), f"{folder} does not exist"):
        numbers = sorted(int(m.group(1)) for m in map(FRAME_PATTERN.match, os.listdir(folder)) if m)
    report.expect(numbers, f"{folder} holds no frame")
    report.expect(numbers == list(range(len(numbers))), f"{folder}: the numbers of the frames have gaps")
    frames = [check_frame(report, os.path.join(folder, FRAME_NAME % n), n) for n in numbers]
    note = ""
    if frames and None not in frames:
        check_master(report, os.path.join(directory, "particles.vtkhdf"), frames)
        check_xdmf(report, directory, frames)
        if not report.reasons:
            note = check_with_vtk(report, directory, frames)
    for reason in report.reasons:
        print(reason)
    if report.reasons:
        return 1
    total = sum(f["count"] for f in frames)
    print(f"output ok: {len(frames)} frames, {total} particles in all, times {frames[0]['time']:g} to "
          f"{frames[-1]['time']:g} s; {note}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
