// SPDX-License-Identifier: MIT
// Shared by the files that build the Embree scene.
#pragma once

#include "render/trace.h"

static const float frz_trace_hidden = -2.0f; ///< radius of spheres that are not drawn, but tell where liquid is

/// The device is made once and kept until the process ends; making one takes longer than a small picture.
RTCDevice frz_trace_device(void);
/// Errors of Embree, as a status.
FRZ_NODISCARD frz_status frz_trace_check(frz_diag *diag);
/// A geometry of a mesh, which must outlive it.
RTCGeometry frz_trace_triangles(const frz_trace_mesh *mesh);

/// Keep only the faces of a see-through mesh that do not stand between the camera and its inside. Triangles that are
/// partly kept are cut to about a pixel (its width at distance 1, or as such if orthographic). Needs normals.
FRZ_NODISCARD frz_status frz_trace_mesh_cut(frz_trace_mesh *mesh, const frz_trace *trace, int64_t sphere_count,
                                            float pixel, const frz_view *view, frz_diag *diag);
