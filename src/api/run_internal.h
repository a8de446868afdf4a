// SPDX-License-Identifier: MIT
// Internals of a run, shared by the files run*.c only.
#pragma once

#include "frazil/run.h"
#include "api/sim_internal.h"
#include "base/timers.h"
#include "io/file_replace.h"
#include "io/frame_file.h"
#include "io/text_file.h"
#include "particles/store.h"
#include "scene/scene.h"
#include "scene/text_buffer.h"

enum
{
    FRZ_RUN_NAME_SIZE = 48, ///< bytes of a stage's name
    FRZ_RUN_DATE_SIZE = 32  ///< bytes of an ISO 8601 date
};

typedef enum frz_run_state
{
    FRZ_RUN_RUNNING,
    FRZ_RUN_STOPPED,
    FRZ_RUN_FINISHED,
    FRZ_RUN_FAILED
} frz_run_state;

/// Time of a stage in earlier sessions.
typedef struct frz_run_timing
{
    char name[FRZ_RUN_NAME_SIZE];
    double seconds;
    int64_t calls;
} frz_run_timing;

struct frz_run
{
    char directory[FRZ_PATH_SIZE];
    frz_run_def def; ///< as given; its directory is the one above
    int lock;        ///< the folder, opened and locked while the run exists
    frz_sim *sim;

    // from the scene
    char *title;
    char *scene_folder; ///< its relative paths start here
    uint64_t scene_hash;
    double duration, frame_rate;
    double checkpoint_every; ///< s of wall-clock time; 0: none
    int stats_every;         ///< steps; 0: by the time of a frame
    int frame_total;         ///< frames of the whole run
    int field_count;
    int fields[FRZ_FIELD_MAX]; ///< fields of the particle store that frames hold besides the position

    // how far it is
    frz_run_state state;
    char message[sizeof((frz_diag *)NULL)->message]; ///< why it failed
    int frame;                                       ///< frames written; the number of the next one
    frz_frame_index *frames;                         ///< index of the frames
    bool table_gap;                                  ///< a table was removed while it was being written
    int frame_gap;                                   ///< number of the first missing frame, or -1
    int64_t checkpoint_step;                         ///< of the newest checkpoint, -1: none
    double checkpoint_time;                          ///< s, of the same

    // time in the real world
    char started[FRZ_RUN_DATE_SIZE]; ///< first session
    double earlier_seconds;          ///< of all sessions before this one
    int earlier_count;
    frz_run_timing earlier[FRZ_TIMER_MAX];
    double opened;            ///< start of this session, by frz_now
    double last_checkpoint;   ///< by frz_now
    frz_run_timing output;    ///< frames, tables and checkpoints of this session
    double recent_simulated;  ///< s of simulated time, with decaying weight
    double recent_wall_clock; ///< wall-clock time of these, s

    // tables being written
    frz_csv *stats, *probes, *sources, *bodies; ///< probes, sources: null if the scene has none
    frz_text_buffer row;
};

/// Send a message to the user's log function.
void frz_run_log(const frz_run *run, frz_log_level level, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

// run_folder.c: the folder and the files of a run in it

/// Fail if frames, images or surface in the folder is a link.
FRZ_NODISCARD frz_status frz_run_folder_refuse_links(const char *directory, frz_diag *diag);
/// Fails unless the folder can take a new run of the scene: it is missing, holds neither a run nor files that one would
/// replace (but the scene itself, as the run would write it), or overwrite is set.
FRZ_NODISCARD frz_status frz_run_folder_check(const char *directory, const char *scene, bool overwrite, frz_diag *diag);

/// Open and lock the folder, so that no second program writes into it; the lock ends with the process at the latest.
FRZ_NODISCARD frz_status frz_run_folder_lock(const char *directory, int *lock, frz_diag *diag);

/// Whether a run is being written into the folder at this moment.
bool frz_run_folder_busy(const char *directory);

/// Remove every file that an earlier run left there, and nothing else.
FRZ_NODISCARD frz_status frz_run_folder_clear(const char *directory, frz_diag *diag);

/// Remove partly written files of a killed run.
FRZ_NODISCARD frz_status frz_run_folder_tidy(const char *directory, frz_diag *diag);

/// Remove frames number first and later ones; removed (may be null) gets their number.
FRZ_NODISCARD frz_status frz_run_folder_drop_frames(const char *directory, int first, int *removed, frz_diag *diag);

/// directory/name exists.
bool frz_run_folder_has(const char *directory, const char *name);

// run_tables.c: stats.csv, probes.csv, sources.csv, bodies.csv

/// Open the tables; resumed: keep the rows up to the simulation's present step, else start empty.
FRZ_NODISCARD frz_status frz_run_tables_open(frz_run *run, bool resumed, frz_diag *diag);
void frz_run_tables_close(frz_run *run);

/// Rows of stats.csv and probes.csv for the last step.
FRZ_NODISCARD frz_status frz_run_tables_step(frz_run *run, frz_diag *diag);
/// Rows of bodies.csv, one per body.
FRZ_NODISCARD frz_status frz_run_tables_bodies(frz_run *run, frz_diag *diag);
/// Write out the buffers; durable: wait until the rows are on the disk.
FRZ_NODISCARD frz_status frz_run_tables_flush(frz_run *run, bool durable, frz_diag *diag);

// run_info.c: run.json

/// Write run.json with the present state.
FRZ_NODISCARD frz_status frz_run_info_write(const frz_run *run, frz_diag *diag);
/// Read the data of a resumed run from run.json: state, scene folder and hash, start, times.
FRZ_NODISCARD frz_status frz_run_info_load(frz_run *run, frz_diag *diag);
/// The present time, UTC.
void frz_run_date(char text[FRZ_RUN_DATE_SIZE]);

// run.c

/// Fields that frames hold besides the position; fields holds up to FRZ_FIELD_MAX. Returns their number.
int frz_run_fields(const frz_scene *scene, const frz_particles *particles, int *fields);

// run_execute.c: frames, checkpoints and the loop

/// Number of frames at or before the given time.
int frz_run_frames_until(const frz_run *run, double time);
/// Write frame number run->frame, its rows of bodies.csv, the master if it is due, and run.json.
FRZ_NODISCARD frz_status frz_run_write_frame(frz_run *run, frz_diag *diag);
/// Rebuild the master over all frames. A frame that cannot be read at the moment is a failure only the last time.
FRZ_NODISCARD frz_status frz_run_write_master(frz_run *run, bool last, frz_diag *diag);
/// Record that a frame is missing, and warn.
void frz_run_note_gap(frz_run *run, int frame);
