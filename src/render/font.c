// SPDX-License-Identifier: MIT
// A stroke font drawn for this program: printable ASCII, antialiased at any size.
//
// Each glyph is a string of strokes separated by blanks; a stroke is a run of points, two base-36 digits x y each.
// A star before a point makes it the control point of a quadratic curve between its neighbours. Baseline y = 6,
// x-height 20, capitals 26, descenders down to 0.
#include "render/paint.h"

#include <math.h>
#include <string.h>

enum
{
    baseline = 6,
    capital_units = 20, // grid units from the baseline to the top of a capital
    side_gap = 6,       // grid units between glyphs
    curve_pieces = 8    // straight pieces per curve
};

static const float pen_units = 2.5f;          // stroke width, grid units
static const float minimum_pen = 1.15f;       // pixels; thinner strokes turn grey
static const float superscript_scale = 0.68f; // of the normal size
static const float superscript_rise = 0.55f;  // of the capital height

typedef struct glyph
{
    int width; ///< grid units, without the gap
    const char *strokes;
} glyph;

// clang-format off
static const glyph glyphs[] = {
    {4, ""}, {0, "0q0d 0607"}, {4, "0q0l 4q4l"}, {13, "5q36 bq96 0kdk 0cdc"},              // space ! " #
    {12, "cm*bq6q*0q0l*0h6g*cfcb*c666*160a 6s64"},                                          // $
    {16, "3q*6q6m*6i3i*0i0m*0q3q dq36 de*gega*g6d6*a6aa*aede"},                             // %
    {13, "d64h*2k2m*2q6q*aqam*aj6h*0e0a*0656*a6de"},                                        // &
    {0, "0q0l"}, {4, "4t*0o0f*0641"}, {4, "0t*4o4f*4601"}, {8, "4q4g 0n8j 8n0j"},           // ' ( ) *
    {12, "6m6a 0gcg"}, {2, "2802"}, {8, "0f8f"}, {0, "0607"}, {9, "9s03"},                  // + , - . /
    {12, "6q*cqcg*c666*060g*0q6q"}, {12, "2m7q76"}, {12, "0l*0q6q*cqcl*ci8e06c6"},          // 0 1 2
    {12, "0n*1q6q*bqbl*bh5h 5h6h*chcb*c666*160a"}, {12, "969q0cdc"},                        // 3 4
    {12, "bq1q0g*2j6j*cjcc*c666*160a"}, {12, "bn*aq7q*0q0c*0666*c6cc*cj6j*0j0c"},           // 5 6
    {12, "0qcq46"}, {12, "6q*bqbl*bh6h*1h1l*1q6q 6h*chcb*c666*060b*0h6h"},                  // 7 8
    {12, "19*2656*c6ck*cq6q*0q0k*0d6d*cdck"},                                               // 9
    {0, "0607 0j0k"}, {2, "2802 2j2k"}, {11, "bm0gba"}, {12, "0jcj 0dcd"}, {11, "0mbg0a"},  // : ; < = >
    {10, "0m*0q5q*aqal*ai7g*5f5c 5657"},                                                    // ?
    {18, "df*dj9j*5j5f*5b9b*dbdf djde*dbfb*ibig*iq9q*0q0f*0494*d4f6"},                      // @
    {14, "067qe6 2ccc"}, {13, "060q7q*cqcl*ch7h0h 7h*dhdb*d67606"},                         // A B
    {13, "dm*bq7q*0q0g*0676*b6da"}, {13, "060q6q*dqdg*d66606"},                             // C D
    {11, "bq0q06b6 0gag"}, {11, "bq0q06 0gag"}, {13, "dm*bq7q*0q0g*0676*b6d9dg8g"},         // E F G
    {13, "060q d6dq 0gdg"}, {0, "060q"}, {8, "8q8c*8646*060a"}, {13, "060q cq0d 4hd6"},     // H I J K
    {10, "0q06a6"}, {16, "060q8bgqg6"}, {13, "060qd6dq"}, {14, "7q*eqeg*e676*060g*0q7q"},   // L M N O
    {12, "060q7q*cqck*ce7e0e"}, {15, "7q*eqeg*e676*060g*0q7q 9bf5"},                        // P Q
    {13, "060q7q*cqck*ce7e0e 7ed6"}, {12, "cm*bq6q*0q0l*0h6g*cfcb*c666*160a"},              // R S
    {12, "0qcq 6q66"}, {12, "0q0c*0666*c6cccq"}, {14, "0q76eq"}, {20, "0q56aqf6kq"},        // T U V W
    {13, "0qd6 dq06"}, {12, "0q6g cq6g66"}, {12, "0qcq06c6"},                               // X Y Z
    {4, "4s0s0242"}, {9, "0s93"}, {4, "0s4s4202"}, {10, "0h5qah"}, {14, "02e2"},            // [ \ ] ^ _
    {4, "0q4m"}, {10, "1h*2k5k*akafa6 ae5e*0e0a*0646*86aa"},                                // ` a
    {11, "0q06 0d*0k6k*bkbd*b666*060d"}, {10, "ah*9k6k*0k0d*0666*96a9"},                    // b c
    {11, "bqb6 bd*bk5k*0k0d*0656*b6bd"}, {11, "0dbd*bk6k*0k0d*0666*96a9"},                  // d e
    {8, "8q*3q3l36 0k7k"}, {11, "bkb5*b050*2013 bd*bk5k*0k0d*0656*b6bd"},                   // f g
    {10, "0q06 0d*0k6k*akaea6"}, {0, "0k06 0p0q"}, {3, "3k34*3000 3p3q"},                   // h i j
    {10, "0q06 9k0b 3ea6"}, {3, "0q0a*0636"}, {16, "0k06 0e*0k4k*8k8e86 8e*8kck*gkgeg6"},   // k l m
    {10, "0k06 0d*0k6k*akaea6"}, {12, "6k*ckcd*c666*060d*0k6k"},                            // n o
    {11, "0k00 0d*0k6k*bkbd*b666*060d"}, {11, "bkb0 bd*bk5k*0k0d*0656*b6bd"},               // p q
    {6, "0k06 0d*0k6k"}, {10, "9h*8k5k*0k0g*0e5d*aca9*a656*1609"},                          // r s
    {7, "3p3a*3676 0k7k"}, {10, "0k0c*0656*a6ad aka6"}, {10, "0k56ak"},                     // t u v
    {16, "0k468kc6gk"}, {10, "0ka6 ak06"}, {10, "0k56 ak56*4010"}, {10, "0kak06a6"},        // w x y z
    {5, "5s*2s2p2i*2f0f*2f2c25*2252"}, {0, "0s02"}, {5, "0s*3s3p3i*3f5f*3f3c35*3202"},      // { | }
    {14, "0e*1i4i*6i7g*8eae*dedi"},                                                         // ~
};
// clang-format on

_Static_assert(sizeof glyphs / sizeof glyphs[0] == '~' - ' ' + 1, "one glyph for each printable ASCII character");

typedef struct pen
{
    frz_image *image;
    frz_paint paint;
    float origin_x, baseline_y; ///< pixels
    float scale;                ///< pixels per grid unit
    float half_width;           ///< pixels
} pen;

/// The characters of a text one by one, with their size and place; shared by measuring and drawing.
typedef struct text_cursor
{
    const unsigned char *next;
    float x; ///< pixels from the start
    bool superscript;
    const glyph *now;
    float now_x;
    bool now_raised;
} text_cursor;

static bool starts_superscript(const unsigned char *text)
{
    return text[0] == '^' &&
           ((text[1] >= '0' && text[1] <= '9') || (text[1] == '-' && text[2] >= '0' && text[2] <= '9'));
}

/// Step to the next character; false at the end. Bytes beyond ASCII show as one question mark per character.
static bool advance_cursor(text_cursor *cursor, float scale)
{
    if (starts_superscript(cursor->next))
    {
        cursor->superscript = true;
        ++cursor->next;
    }
    else if (cursor->superscript && cursor->next[0] != '-' && (cursor->next[0] < '0' || cursor->next[0] > '9'))
        cursor->superscript = false;
    unsigned char character = *cursor->next;
    if (character == '\0')
        return false;
    ++cursor->next;
    while ((*cursor->next & 0xc0) == 0x80) // continuation bytes of UTF-8
        ++cursor->next;
    if (character == '\t' || character == '\n')
        character = ' ';
    if (character < ' ' || character > '~')
        character = '?';
    cursor->now = &glyphs[character - ' '];
    cursor->now_x = cursor->x;
    cursor->now_raised = cursor->superscript;
    const float size = cursor->superscript ? superscript_scale * scale : scale;
    cursor->x += size * (float)(cursor->now->width + side_gap);
    return true;
}

float frz_text_width(float cap_height, const char *text)
{
    const float scale = cap_height / (float)capital_units;
    text_cursor cursor = {.next = (const unsigned char *)text};
    while (advance_cursor(&cursor, scale))
    {
    }
    return fmaxf(cursor.x - scale * (float)side_gap, 0.0f);
}

enum
{
    point_capacity = 160 // straight pieces of one glyph, at most
};

typedef struct segment
{
    float ax, ay, bx, by; ///< pixels
} segment;

static int digit_of(char character)
{
    return character <= '9' ? character - '0' : character - 'a' + 10;
}

static int add_segment(segment *list, int count, float ax, float ay, float bx, float by)
{
    FRZ_ASSERT(count < point_capacity);
    list[count] = (segment){ax, ay, bx, by};
    return count + 1;
}

/// Turn the strokes of a glyph into straight pieces in pixels.
static int trace_glyph(const pen *nib, const char *strokes, segment *list)
{
    int count = 0;
    bool started = false, curved = false;
    float last_x = 0.0f, last_y = 0.0f, control_x = 0.0f, control_y = 0.0f;
    for (const char *at = strokes; *at != '\0';)
    {
        if (*at == ' ')
        {
            started = curved = false;
            ++at;
            continue;
        }
        const bool control = *at == '*';
        at += control ? 1 : 0;
        const float x = nib->origin_x + nib->scale * (float)digit_of(at[0]);
        const float y = nib->baseline_y - nib->scale * (float)(digit_of(at[1]) - baseline);
        at += 2;
        if (control)
        {
            control_x = x;
            control_y = y;
            curved = true;
            continue;
        }
        const int pieces = curved ? curve_pieces : 1;
        const float start_x = last_x, start_y = last_y;
        for (int piece = 1; started && piece <= pieces; ++piece)
        {
            const float t = (float)piece / (float)pieces, s = 1.0f - t;
            const float next_x = curved ? s * s * start_x + 2.0f * s * t * control_x + t * t * x : x;
            const float next_y = curved ? s * s * start_y + 2.0f * s * t * control_y + t * t * y : y;
            count = add_segment(list, count, last_x, last_y, next_x, next_y);
            last_x = next_x;
            last_y = next_y;
        }
        last_x = x;
        last_y = y;
        started = true;
        curved = false;
    }
    return count;
}

static float distance_to(const segment *line, float x, float y)
{
    const float dx = line->bx - line->ax, dy = line->by - line->ay;
    const float squared = dx * dx + dy * dy;
    const float along = squared > 0.0f ? ((x - line->ax) * dx + (y - line->ay) * dy) / squared : 0.0f;
    const float t = fminf(fmaxf(along, 0.0f), 1.0f);
    return hypotf(x - line->ax - t * dx, y - line->ay - t * dy);
}

/// Coverage of every pixel by the union of the strokes, painted once per pixel so that crossings do not darken.
static void paint_segments(const pen *nib, const segment *list, int count)
{
    float min_x = HUGE_VALF, min_y = HUGE_VALF, max_x = -HUGE_VALF, max_y = -HUGE_VALF;
    for (int i = 0; i < count; ++i)
    {
        min_x = fminf(min_x, fminf(list[i].ax, list[i].bx));
        max_x = fmaxf(max_x, fmaxf(list[i].ax, list[i].bx));
        min_y = fminf(min_y, fminf(list[i].ay, list[i].by));
        max_y = fmaxf(max_y, fmaxf(list[i].ay, list[i].by));
    }
    const float reach = nib->half_width + 1.0f;
    const int first_x = (int)fmaxf(min_x - reach, 0.0f), first_y = (int)fmaxf(min_y - reach, 0.0f);
    const int last_x = (int)fminf(max_x + reach + 1.0f, (float)nib->image->width);
    const int last_y = (int)fminf(max_y + reach + 1.0f, (float)nib->image->height);
    for (int y = first_y; y < last_y; ++y)
    {
        for (int x = first_x; x < last_x; ++x)
        {
            float nearest = HUGE_VALF;
            for (int i = 0; i < count; ++i)
                nearest = fminf(nearest, distance_to(&list[i], (float)x + 0.5f, (float)y + 0.5f));
            const float coverage = fminf(nib->half_width + 0.5f - nearest, 1.0f);
            if (coverage > 0.0f)
                frz_paint_pixel(nib->image, x, y, nib->paint, coverage);
        }
    }
}

void frz_paint_text(frz_image *image, float x, float y, float cap_height, float bold, frz_paint paint, const char *text)
{
    const float scale = cap_height / (float)capital_units;
    text_cursor cursor = {.next = (const unsigned char *)text};
    segment list[point_capacity];
    while (advance_cursor(&cursor, scale))
    {
        const float size = cursor.now_raised ? superscript_scale * scale : scale;
        const float rise = cursor.now_raised ? superscript_rise * cap_height : 0.0f;
        const float width = fmaxf(bold * pen_units * size, minimum_pen);
        const pen nib = {.image = image,
                         .paint = paint,
                         .origin_x = roundf(x + cursor.now_x),
                         .baseline_y = roundf(y - rise),
                         .scale = size,
                         .half_width = 0.5f * width};
        const int count = trace_glyph(&nib, cursor.now->strokes, list);
        if (count > 0)
            paint_segments(&nib, list, count);
    }
}
