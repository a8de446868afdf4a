// SPDX-License-Identifier: MIT
// From nodes to canonical YAML text: block style, lists of plain values on one line, quotes only where they are needed.
#include "scene/yaml_tree.h"

#include <ctype.h>
#include <string.h>

#include "base/number.h"
#include "scene/text_buffer.h"
#include "scene/yaml_tree_private.h"

enum
{
    indent_step = 2,    // blanks
    longest_plain = 120 // bytes; longer texts are quoted
};

/// A text that would mean something else without its quotes.
static bool quotes_matter(const char *text)
{
    const char *rest = text;
    (void)frz_number_read(text, &rest);
    return rest != text || text[0] == '.' || strcmp(text, "true") == 0 || strcmp(text, "false") == 0 ||
           strcmp(text, "null") == 0;
}

/// A text that YAML reads back as itself without quotes, in any place.
static bool plain_is_safe(const char *text)
{
    const unsigned char first = (unsigned char)text[0], second = first != '\0' ? (unsigned char)text[1] : '\0';
    const bool starts_well = isalnum(first) || first == '_' || first == '.' ||
                             ((first == '-' || first == '+') && (isalnum(second) || second == '.'));
    const size_t length = strlen(text);
    const bool long_text = length > longest_plain && !quotes_matter(text); // a number must stay one, however long
    if (!starts_well || long_text || text[length - 1] == ' ' || strncmp(text, "...", 3) == 0)
        return false;
    for (const char *c = text; *c != '\0'; ++c)
        if (!isascii((unsigned char)*c) || (!isalnum((unsigned char)*c) && strchr("_ .+-*/^%()", *c) == NULL))
            return false;
    return true;
}

static unsigned long code_point(const char **at)
{
    const unsigned char *c = (const unsigned char *)*at;
    const int extra = c[0] < 0x80 ? 0 : c[0] < 0xe0 ? 1 : c[0] < 0xf0 ? 2 : 3;
    static const unsigned char first_mask[] = {0x7f, 0x1f, 0x0f, 0x07};
    unsigned long code = c[0] & first_mask[extra];
    for (int i = 1; i <= extra; ++i)
        code = code << 6 | (c[i] & 0x3f);
    *at += extra + 1;
    return code;
}

/// Characters that libyaml writes unescaped and that break no line.
static bool is_printable(unsigned long code)
{
    return (code >= 0x20 && code < 0x7f) || (code > 0xa0 && code < 0xd800 && code != 0x2028 && code != 0x2029) ||
           (code >= 0xe000 && code <= 0xfffd && code != 0xfeff) || (code >= 0x10000 && code <= 0x10ffff);
}

static void emit_quoted(frz_text_buffer *out, const char *text)
{
    frz_buffer_put(out, "\"");
    for (const char *c = text; *c != '\0';)
    {
        const char *start = c;
        const unsigned long code = code_point(&c);
        if (code == '"' || code == '\\')
            frz_buffer_format(out, "\\%c", (char)code);
        else if (code == '\n')
            frz_buffer_put(out, "\\n");
        else if (is_printable(code))
            frz_buffer_add(out, start, (size_t)(c - start));
        else
            frz_buffer_format(out, "\\U%08lX", code);
    }
    frz_buffer_put(out, "\"");
}

static void emit_text(frz_text_buffer *out, const char *text, bool quoted)
{
    if (plain_is_safe(text) && !(quoted && quotes_matter(text)))
        frz_buffer_put(out, text);
    else
        emit_quoted(out, text);
}

/// Scalars, and lists that hold scalars (or short lists of scalars) only, go on one line.
static bool fits_line(const frz_node *node, int levels)
{
    if (node->kind == FRZ_NODE_SCALAR)
        return true;
    if (node->kind == FRZ_NODE_MAP || levels == 0)
        return node->count == 0;
    for (const frz_node *child = node->first; child != NULL; child = child->next)
        if (!fits_line(child, levels - 1))
            return false;
    return true;
}

static void emit_line(frz_text_buffer *out, const frz_node *node)
{
    if (node->kind == FRZ_NODE_SCALAR)
    {
        if (frz_node_is_nothing(node))
            frz_buffer_put(out, "null");
        else
            emit_text(out, node->text, node->quoted);
        return;
    }
    frz_buffer_put(out, node->kind == FRZ_NODE_MAP ? "{" : "[");
    for (const frz_node *child = node->first; child != NULL; child = child->next)
    {
        frz_buffer_put(out, child == node->first ? "" : ", ");
        emit_line(out, child);
    }
    frz_buffer_put(out, node->kind == FRZ_NODE_MAP ? "}" : "]");
}

/// indent is the column of the node's own entries; the first entry continues the current line.
static void emit_block(frz_text_buffer *out, const frz_node *node, int indent)
{
    for (const frz_node *child = node->first; child != NULL; child = child->next)
    {
        if (child != node->first)
            frz_buffer_format(out, "%*s", indent, "");
        if (node->kind == FRZ_NODE_LIST)
            frz_buffer_put(out, "- ");
        else
        {
            emit_text(out, child->key, true);
            frz_buffer_put(out, ":");
        }
        if (fits_line(child, 1))
        {
            frz_buffer_put(out, node->kind == FRZ_NODE_MAP ? " " : "");
            emit_line(out, child);
            frz_buffer_put(out, "\n");
        }
        else
        {
            if (node->kind == FRZ_NODE_MAP)
                frz_buffer_format(out, "\n%*s", indent + indent_step, "");
            emit_block(out, child, indent + indent_step);
        }
    }
}

char *frz_tree_emit(const frz_tree *tree)
{
    frz_text_buffer out = {0};
    if (fits_line(tree->root, 1))
    {
        emit_line(&out, tree->root);
        frz_buffer_put(&out, "\n");
    }
    else
        emit_block(&out, tree->root, 0);
    return frz_buffer_take(&out);
}
