// SPDX-License-Identifier: MIT
// Everything of the public interface.
#pragma once

#include "frazil/base.h"
#include "frazil/law.h"
#include "frazil/plot.h"
#include "frazil/render.h"
#include "frazil/run.h"
#include "frazil/scene.h"
#include "frazil/sim.h"
#include "frazil/surface.h"
