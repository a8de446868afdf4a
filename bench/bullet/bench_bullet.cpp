// SPDX-License-Identifier: MIT
// The nut and bolt and the funnel of `frazil bench rigid` in Bullet, for docs/benchmarks.md. Not part of any other build.
//
//     bench_bullet bolt|convex|funnel [step in ms] [iterations] [seconds] [bodies]
//
// bolt: nut and bolt are triangle meshes with the edges of the thread in them, mesh against mesh by GImpact. convex: the
// same of convex parts, as Gissler et al. 2019 have them (sec. 4.3.2): a core and a ridge of one hull per facet for the
// bolt, ridges and a ring for the nut. The funnel is a static
// mesh and the bodies are compounds of convex parts, which is what users of Bullet do. Lengths are in centimetres: Bullet is
// made for bodies of about a unit. One line per run, or a table over steps and iterations if none are given. Times are of the
// processor.
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <memory>
#include <vector>

#include <BulletCollision/CollisionDispatch/btInternalEdgeUtility.h>
#include <BulletCollision/Gimpact/btGImpactCollisionAlgorithm.h>
#include <BulletCollision/Gimpact/btGImpactShape.h>
#include <btBulletDynamicsCommon.h>

namespace
{
const double pi = 3.14159265358979323846;
const double unit = 100.0; // per metre

// of `frazil bench rigid`, m
const double radius = 0.012, pitch = 0.006, depth = 0.003, clearance = 0.0003;
const int sides = 36; // facets per turn: they are 0.05 mm off the circle, a sixth of the clearance

double processor_seconds()
{
    timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

struct mesh
{
    std::vector<btVector3> vertices;
    std::vector<int> triangles;

    int add(double x, double y, double z)
    {
        vertices.emplace_back(unit * x, unit * y, unit * z);
        return static_cast<int>(vertices.size()) - 1;
    }
    void quad(int a, int b, int c, int d)
    {
        for (int v : {a, b, c, a, c, d})
            triangles.push_back(v);
    }
    std::unique_ptr<btTriangleIndexVertexArray> view()
    {
        return std::make_unique<btTriangleIndexVertexArray>(static_cast<int>(triangles.size() / 3), triangles.data(),
                                                            static_cast<int>(3 * sizeof(int)),
                                                            static_cast<int>(vertices.size()), vertices[0].m_floats,
                                                            static_cast<int>(sizeof(btVector3)));
    }
};

// The thread between two heights, its corners along the helix; cut off at the ends.
void add_thread(mesh &m, double grow, double from, double to)
{
    const double major = radius + grow, minor = major - depth;
    const double crest = pitch / 16.0 + grow * std::tan(pi / 6.0), root = crest + depth * std::tan(pi / 6.0);
    const double corner[4][2] = {{-root, minor}, {-crest, major}, {crest, major}, {root, minor}};
    const int first = static_cast<int>(std::floor(from / pitch)) - 2, last = static_cast<int>(std::ceil(to / pitch)) + 1;
    std::vector<std::vector<int>> columns;
    for (int i = 0; i <= sides; ++i)
    {
        const double angle = 2.0 * pi * i / sides;
        std::vector<int> column;
        for (int turn = first; turn <= last; ++turn)
            for (const auto &c : corner)
            {
                const double y = (turn + static_cast<double>(i) / sides) * pitch + c[0];
                // the angle runs from z to x, so that the thread is right-handed about y
                column.push_back(m.add(c[1] * std::sin(angle), std::fmin(std::fmax(y, from), to), c[1] * std::cos(angle)));
            }
        columns.push_back(column);
    }
    for (int i = 0; i < sides; ++i)
        for (size_t k = 0; k + 1 < columns[0].size(); ++k)
        {
            const double low = m.vertices[static_cast<size_t>(columns[static_cast<size_t>(i)][k])].y(),
                         high = m.vertices[static_cast<size_t>(columns[static_cast<size_t>(i) + 1][k + 1])].y();
            if (high - low > 1e-6 * unit * pitch)
                m.quad(columns[static_cast<size_t>(i)][k], columns[static_cast<size_t>(i) + 1][k],
                       columns[static_cast<size_t>(i) + 1][k + 1], columns[static_cast<size_t>(i)][k + 1]);
        }
}

// A surface of revolution about y through points (r, y).
void add_turned(mesh &m, const std::vector<std::pair<double, double>> &profile)
{
    const int start = static_cast<int>(m.vertices.size()), rows = static_cast<int>(profile.size());
    for (int i = 0; i < sides; ++i)
        for (const auto &p : profile)
            m.add(p.first * std::sin(2.0 * pi * i / sides), p.second, p.first * std::cos(2.0 * pi * i / sides));
    for (int i = 0; i < sides; ++i)
        for (int k = 0; k + 1 < rows; ++k)
        {
            const int a = start + i * rows + k, b = start + (i + 1) % sides * rows + k;
            m.quad(a, b, b + 1, a + 1);
        }
}

struct world
{
    btDefaultCollisionConfiguration configuration;
    btCollisionDispatcher dispatcher{&configuration};
    btDbvtBroadphase broadphase;
    btSequentialImpulseConstraintSolver solver;
    btDiscreteDynamicsWorld dynamics{&dispatcher, &broadphase, &solver, &configuration};
    std::vector<std::unique_ptr<btCollisionShape>> shapes;
    std::vector<std::unique_ptr<btRigidBody>> bodies;
    std::vector<std::unique_ptr<btDefaultMotionState>> states;
    std::vector<std::unique_ptr<mesh>> meshes;
    std::vector<std::unique_ptr<btTriangleIndexVertexArray>> views;

    world()
    {
        btGImpactCollisionAlgorithm::registerAlgorithm(&dispatcher);
        dynamics.setGravity(btVector3(0, static_cast<btScalar>(-9.81 * unit), 0));
    }
    ~world()
    {
        for (auto &b : bodies)
            dynamics.removeRigidBody(b.get());
    }
    btRigidBody *add(btCollisionShape *shape, double mass, const btTransform &pose, double friction)
    {
        btVector3 inertia(0, 0, 0);
        if (mass > 0.0)
            shape->calculateLocalInertia(mass, inertia);
        states.push_back(std::make_unique<btDefaultMotionState>(pose));
        btRigidBody::btRigidBodyConstructionInfo info(mass, states.back().get(), shape, inertia);
        info.m_friction = std::sqrt(friction); // Bullet takes the product of both, we the geometric mean
        bodies.push_back(std::make_unique<btRigidBody>(info));
        bodies.back()->setActivationState(DISABLE_DEACTIVATION);
        dynamics.addRigidBody(bodies.back().get());
        return bodies.back().get();
    }
    template <class T> T *keep(std::unique_ptr<T> shape)
    {
        T *raw = shape.get();
        shapes.push_back(std::move(shape));
        return raw;
    }
    void count(int *contacts, double *deepest)
    {
        *contacts = 0;
        *deepest = 0.0;
        for (int k = 0; k < dispatcher.getNumManifolds(); ++k)
        {
            const btPersistentManifold *m = dispatcher.getManifoldByIndexInternal(k);
            *contacts += m->getNumContacts();
            for (int p = 0; p < m->getNumContacts(); ++p)
                *deepest = std::fmax(*deepest, -m->getContactPoint(p).getDistance() / unit);
        }
    }
};

btGImpactMeshShape *add_gimpact(world &w, std::unique_ptr<mesh> m, double margin)
{
    w.views.push_back(m->view());
    w.meshes.push_back(std::move(m));
    auto *shape = w.keep(std::make_unique<btGImpactMeshShape>(w.views.back().get()));
    shape->setMargin(margin);
    shape->updateBound();
    return shape;
}

// One hull per facet and turn between two radii, whose half widths along the axis are given: the ridge of a thread. The
// ridge is cut off where it leaves from..to.
void add_ridge(world &w, btCompoundShape &whole, double inner, double inner_half, double outer, double outer_half,
               double shift, double from, double to, double below, double margin)
{
    const int first = static_cast<int>(std::floor(from / pitch)) - 1, last = static_cast<int>(std::ceil(to / pitch)) + 1;
    for (int turn = first; turn <= last; ++turn)
        for (int i = 0; i < sides; ++i)
        {
            auto hull = std::make_unique<btConvexHullShape>();
            bool inside = false;
            for (int end = 0; end < 2; ++end)
            {
                const double angle = 2.0 * pi * (i + end) / sides;
                const double y = (turn + static_cast<double>(i + end) / sides + shift) * pitch;
                inside = inside || (y > from && y < to);
                for (int corner = 0; corner < 4; ++corner)
                {
                    const double r = corner < 2 ? inner : outer, half = corner < 2 ? inner_half : outer_half;
                    const double at = std::fmin(std::fmax(y + (corner % 2 == 0 ? -half : half), from), to) - below;
                    hull->addPoint(unit * btVector3(r * std::sin(angle), at, r * std::cos(angle)), corner == 3 && end == 1);
                }
            }
            if (!inside)
                continue;
            hull->setMargin(margin);
            whole.addChildShape(btTransform::getIdentity(), w.keep(std::move(hull)));
        }
}

struct outcome
{
    double seconds, fall, tilt, drift, deepest, last_depth, contacts;
    int through, lost, steps;
};

// Nut and bolt as meshes; returns the bolt.
btRigidBody *add_meshes(world &w, double center, double mass, double margin)
{
    auto nut = std::make_unique<mesh>();
    add_thread(*nut, clearance, -0.01, 0.01);
    for (size_t t = 0; t < nut->triangles.size(); t += 3)
        std::swap(nut->triangles[t + 1], nut->triangles[t + 2]); // seen from the axis: GImpact's triangles have an inside
    btTransform pose = btTransform::getIdentity();
    w.add(add_gimpact(w, std::move(nut), margin), 0.0, pose, 0.3);
    auto bolt = std::make_unique<mesh>();
    add_thread(*bolt, 0.0, -0.018, 0.03);
    add_turned(*bolt, {{radius - depth, 0.03}, {0.02, 0.03}, {0.02, 0.04}, {0.0, 0.04}});
    for (auto &v : bolt->vertices)
        v -= btVector3(0, unit * center, 0);
    pose.setOrigin(btVector3(0, unit * center, 0));
    return w.add(add_gimpact(w, std::move(bolt), margin), mass, pose, 0.3);
}

// The same of convex parts.
btRigidBody *add_convex(world &w, double center, double mass, double margin)
{
    const double slope = std::tan(pi / 6.0), hole = radius + clearance;
    const double crest = pitch / 16.0, wide = crest + clearance * slope;
    auto *nut = w.keep(std::make_unique<btCompoundShape>());
    add_ridge(w, *nut, hole - depth, 0.5 * pitch - (wide + depth * slope), hole + 0.001, 0.5 * pitch - wide, 0.5, -0.01, 0.01,
              0.0, margin);
    btTransform pose = btTransform::getIdentity();
    w.add(nut, 0.0, pose, 0.3);
    auto *bolt = w.keep(std::make_unique<btCompoundShape>());
    add_ridge(w, *bolt, radius - depth - 0.001, crest + (depth + 0.001) * slope, radius, crest, 0.0, -0.018, 0.03, center,
              margin);
    auto put = [&](double r, double from, double to) {
        auto part = std::make_unique<btCylinderShape>(unit * btVector3(r, 0.5 * (to - from), r));
        part->setMargin(margin);
        pose.setOrigin(btVector3(0, unit * (0.5 * (from + to) - center), 0));
        bolt->addChildShape(pose, w.keep(std::move(part)));
    };
    put(radius - depth, -0.018, 0.03);
    put(0.02, 0.03, 0.04);
    pose.setOrigin(btVector3(0, unit * center, 0));
    return w.add(bolt, mass, pose, 0.3);
}

// The bolt's origin is its centre of mass, as Bullet wants it: 18.83 mm above the middle of the nut.
outcome run_bolt(bool convex, double step, int iterations, double duration)
{
    const double center = 0.0188297, mass = 0.2214; // as `frazil check` and bodies.csv tell them, m and kg
    const double margin = 0.005;                    // cm: a twentieth of a millimetre, small against the clearance
    world w;
    btRigidBody *body = convex ? add_convex(w, center, mass, margin) : add_meshes(w, center, mass, margin);
    w.dynamics.getSolverInfo().m_numIterations = iterations;
    outcome o = {};
    const double start = processor_seconds();
    double half = 0.0;
    const int steps = static_cast<int>(std::lround(duration / step));
    for (int n = 0; n < steps; ++n)
    {
        w.dynamics.stepSimulation(step, 0, step);
        int contacts;
        w.count(&contacts, &o.last_depth);
        o.contacts += static_cast<double>(contacts) / steps;
        o.deepest = std::fmax(o.deepest, o.last_depth);
        o.fall = center - body->getWorldTransform().getOrigin().y() / unit;
        if (2 * n <= steps)
            half = o.fall;
        ++o.steps;
        if (o.fall > 0.06)
            break; // it has left the nut
    }
    o.seconds = processor_seconds() - start;
    o.drift = o.fall - half;
    o.tilt = std::acos(std::fmin(1.0, body->getWorldTransform().getBasis().getColumn(1).y())) * 180.0 / pi;
    return o;
}

// Rings of twelve rods, crosses of two boxes, cups of a disc and twelve blocks.
btCollisionShape *make_part(world &w, int kind)
{
    auto *whole = w.keep(std::make_unique<btCompoundShape>());
    auto put = [&](btCollisionShape *shape, double x, double y, double z, double angle) {
        shape->setMargin(0.1); // cm
        whole->addChildShape(btTransform(btQuaternion(btVector3(0, 1, 0), angle), unit * btVector3(x, y, z)), shape);
    };
    const int parts = 12;
    for (int k = 0; k < parts && kind != 1; ++k)
    {
        const double angle = 2.0 * pi * k / parts, r = kind == 0 ? 0.05 : 0.0425;
        if (kind == 0)
            put(w.keep(std::make_unique<btCapsuleShapeX>(unit * 0.02, unit * 2.0 * r * std::sin(pi / parts))),
                r * std::sin(angle), 0.0, r * std::cos(angle), angle);
        else
            put(w.keep(std::make_unique<btBoxShape>(unit * btVector3(0.055 * std::tan(pi / parts), 0.05, 0.0125))),
                r * std::sin(angle), 0.0, r * std::cos(angle), angle);
    }
    if (kind == 2)
        put(w.keep(std::make_unique<btCylinderShape>(unit * btVector3(0.031, 0.02, 0.031))), 0.0, -0.03, 0.0, 0.0);
    if (kind == 1)
    {
        put(w.keep(std::make_unique<btBoxShape>(unit * btVector3(0.065, 0.02, 0.02))), 0.0, 0.0, 0.0, 0.0);
        put(w.keep(std::make_unique<btBoxShape>(unit * btVector3(0.02, 0.065, 0.02))), 0.0, 0.0, 0.0, 0.0);
    }
    return whole;
}

outcome run_funnel(double step, int iterations, double duration, int count)
{
    const double mass[3] = {0.592, 0.528, 1.17}; // of 1500 kg/m^3, kg
    world w;
    auto funnel = std::make_unique<mesh>();
    add_turned(*funnel, {{0.22, 0.6}, {0.22, 0.75}, {0.54, 1.2}, {0.54, 1.6}, {0.6, 1.6}, {0.6, 1.2}, {0.27, 0.75}, {0.27, 0.6}, {0.22, 0.6}});
    w.views.push_back(funnel->view());
    w.meshes.push_back(std::move(funnel));
    w.add(w.keep(std::make_unique<btBvhTriangleMeshShape>(w.views.back().get(), true)), 0.0, btTransform::getIdentity(), 0.1);
    w.add(w.keep(std::make_unique<btStaticPlaneShape>(btVector3(0, 1, 0), 0)), 0.0, btTransform::getIdentity(), 0.4);
    for (int side = 0; side < 4; ++side) // the crate's walls: 4 cm thick, 1.2 m apart, 0.5 m high
    {
        const double sign = side % 2 == 0 ? -1.0 : 1.0, along_x = side < 2 ? 1.0 : 0.0, along_z = 1.0 - along_x;
        const btVector3 half(0.02 * along_x + 0.64 * along_z, 0.25, 0.02 * along_z + 0.64 * along_x);
        const btVector3 middle(sign * 0.62 * along_x, 0.25, sign * 0.62 * along_z);
        w.add(w.keep(std::make_unique<btBoxShape>(unit * half)), 0.0,
              btTransform(btQuaternion::getIdentity(), unit * middle), 0.4);
    }
    btCollisionShape *shapes[3] = {make_part(w, 0), make_part(w, 1), make_part(w, 2)};
    std::vector<btRigidBody *> moving;
    for (int n = 0; n < count; ++n)
    {
        const int layer = n / 16, x = n % 4, z = n / 4 % 4;
        const double shift = layer % 2 == 0 ? -0.02 : 0.02, degree = pi / 180.0;
        btQuaternion turn;
        turn.setEulerZYX(71 * n % 90 * degree, 53 * n % 90 * degree, 37 * n % 90 * degree);
        const btVector3 place(0.17 * (x - 1.5) + shift, 1.15 + 0.16 * layer, 0.17 * (z - 1.5) - shift);
        moving.push_back(w.add(shapes[n % 3], mass[n % 3], btTransform(turn, unit * place), 0.1));
    }
    w.dynamics.getSolverInfo().m_numIterations = iterations;
    outcome o = {};
    const double start = processor_seconds();
    const int steps = static_cast<int>(std::lround(duration / step));
    for (int n = 0; n < steps; ++n)
    {
        w.dynamics.stepSimulation(step, 0, step);
        int contacts;
        w.count(&contacts, &o.last_depth);
        o.contacts += static_cast<double>(contacts) / steps;
        o.deepest = std::fmax(o.deepest, o.last_depth);
        ++o.steps;
    }
    o.seconds = processor_seconds() - start;
    for (const btRigidBody *body : moving)
    {
        const btVector3 p = body->getWorldTransform().getOrigin() / unit;
        o.through += p.y() < 0.6;
        o.lost += p.y() < -0.1 || (p.y() > 0.62 && p.y() < 1.6 && std::hypot(p.x(), p.z()) > 0.6);
    }
    return o;
}

void tell(const char *scene, double step, int iterations, double duration, int bodies)
{
    const bool bolt = std::strcmp(scene, "funnel") != 0, convex = std::strcmp(scene, "convex") == 0;
    const outcome o =
        bolt ? run_bolt(convex, step, iterations, duration) : run_funnel(step, iterations, duration, bodies);
    std::printf("%-6s  step %6.3f ms  iterations %4d  CPU %8.3f s for %.2f s  %7.3f ms/step  contacts %6.1f  penetration "
                "%.3f mm, last %.3f mm",
                scene, 1e3 * step, iterations, o.seconds, o.steps * step, 1e3 * o.seconds / o.steps,
                o.contacts, 1e3 * o.deepest, 1e3 * o.last_depth);
    if (bolt)
        std::printf("  fell %.3f mm, %.4f mm in the second half, leans by %.2f degrees\n", 1e3 * o.fall, 1e3 * o.drift, o.tilt);
    else
        std::printf("  through %d of %d, through walls %d\n", o.through, bodies, o.lost);
    std::fflush(stdout);
}
} // namespace

int main(int argc, char **argv)
{
    const char *scene = argc > 1 ? argv[1] : "";
    const bool funnel = std::strcmp(scene, "funnel") == 0;
    if (!funnel && std::strcmp(scene, "bolt") != 0 && std::strcmp(scene, "convex") != 0)
    {
        std::fprintf(stderr, "usage: bench_bullet bolt|convex|funnel [step in ms] [iterations] [seconds] [bodies]\n");
        return 2;
    }
    const double duration = argc > 4 ? std::atof(argv[4]) : funnel ? 2.0 : 4.0;
    const int bodies = argc > 5 ? std::atoi(argv[5]) : 300;
    if (argc > 3)
    {
        tell(scene, 1e-3 * std::atof(argv[2]), std::atoi(argv[3]), duration, bodies);
        return 0;
    }
    const std::vector<double> steps =
        funnel ? std::vector<double>{5.0, 2.5, 1.25, 0.625} : std::vector<double>{10.0, 5.0, 2.5, 1.0, 0.3, 0.1, 0.03};
    for (double step : steps)
        tell(scene, 1e-3 * step, 10, duration, bodies);
    return 0;
}
