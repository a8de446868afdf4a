// SPDX-License-Identifier: MIT
// The XDMF twin of the master, in the part of XDMF 3 that XDMF 2 readers understand too.
#include "io/frame_internal.h"

#include "io/text_builder.h"
#include "io/text_file.h"

static void add_number_type(frz_text_builder *xml, frz_dtype type)
{
    static const char *const names[] = {[FRZ_F32] = "Float\" Precision=\"4",
                                        [FRZ_F64] = "Float\" Precision=\"8",
                                        [FRZ_I32] = "Int\" Precision=\"4",
                                        [FRZ_I64] = "Int\" Precision=\"8",
                                        [FRZ_U8] = "UChar\" Precision=\"1"};
    frz_text_add(xml, "NumberType=\"%s\"", names[type]);
}

// A reference to /VTKHDF/<group><name> of a frame.
static void add_item(frz_text_builder *xml, int frame, const frz_frame_entry *entry, const frz_array_desc *array,
                     const char *group)
{
    frz_text_add(xml, "<DataItem Format=\"HDF\" ");
    add_number_type(xml, array->type);
    frz_text_add(xml, " Dimensions=\"%lld", (long long)entry->count);
    if (array->components > 1)
        frz_text_add(xml, " %d", array->components);
    frz_text_add(xml, "\">frames/frame_%06d.vtkhdf:/VTKHDF/%s", frame, group);
    frz_text_add_xml(xml, array->name);
    frz_text_add(xml, "</DataItem>\n");
}

static const char *attribute_type(int components)
{
    switch (components)
    {
    case 1:
        return "Scalar";
    case 3:
        return "Vector";
    case 6:
        return "Tensor6";
    case 9:
        return "Tensor";
    default:
        return "Matrix";
    }
}

static void add_grid(frz_text_builder *xml, int frame, const frz_frame_entry *entry, const frz_array_desc *arrays,
                     int array_count)
{
    const frz_array_desc ids = {.name = "Connectivity", .type = FRZ_I64, .components = 1};
    frz_array_desc points = arrays[0];
    points.name = "Points";
    frz_text_add(xml, "      <Grid Name=\"frame %d\" GridType=\"Uniform\">\n", frame);
    frz_text_add(xml, "        <Time Value=\"%.17g\"/>\n", entry->time);
    frz_text_add(xml, "        <Topology TopologyType=\"Polyvertex\" NumberOfElements=\"%lld\" NodesPerElement=\"1\">",
                 (long long)entry->count);
    add_item(xml, frame, entry, &ids, "Vertices/");
    frz_text_add(xml, "        </Topology>\n        <Geometry GeometryType=\"XYZ\">");
    add_item(xml, frame, entry, &points, "");
    frz_text_add(xml, "        </Geometry>\n");
    for (int k = 1; k < array_count; ++k)
    {
        frz_text_add(xml, "        <Attribute Name=\"");
        frz_text_add_xml(xml, arrays[k].name);
        frz_text_add(xml, "\" AttributeType=\"%s\" Center=\"Node\">", attribute_type(arrays[k].components));
        add_item(xml, frame, entry, &arrays[k], "PointData/");
        frz_text_add(xml, "        </Attribute>\n");
    }
    frz_text_add(xml, "      </Grid>\n");
}

frz_status frz_xdmf_write(const char *directory, const frz_frame_index *index, const frz_array_desc *arrays,
                          int array_count, frz_diag *diag)
{
    char path[FRZ_PATH_SIZE];
    FRZ_TRY(frz_path_format(path, diag, "%s/particles.xmf", directory));
    frz_text_builder xml = {0};
    frz_text_add(&xml, "<?xml version=\"1.0\" encoding=\"utf-8\"?>\n<Xdmf Version=\"3.0\">\n  <Domain>\n"
                       "    <Grid Name=\"particles\" GridType=\"Collection\" CollectionType=\"Temporal\">\n");
    for (int i = 0; i < index->count; ++i)
        if (index->entries[i].count > 0) // readers of either version stumble over arrays without entries
            add_grid(&xml, i, &index->entries[i], arrays, array_count);
    frz_text_add(&xml, "    </Grid>\n  </Domain>\n</Xdmf>\n");
    frz_status status = FRZ_OK;
    if (xml.failed)
        status = frz_fail_memory(diag, path);
    else
        status = frz_text_write(path, xml.text, xml.length, diag);
    frz_text_builder_destroy(&xml);
    return status;
}
