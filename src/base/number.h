// SPDX-License-Identifier: MIT
// Numbers as text and back, independent of the locale.
#pragma once

enum
{
    FRZ_NUMBER_SIZE = 32 ///< bytes of the longest text of a number
};

/// Decimal number at the start of text: sign, digits, point, exponent; no hex, no nan, no inf. end (may be null) is set
/// behind it, or to text if there is none. HUGE_VAL on overflow.
double frz_number_read(const char *text, const char **end);

/// The shortest text that reads back to the same value; "inf", "-inf" or "nan" otherwise. Returns text.
char *frz_number_text(double value, char text[FRZ_NUMBER_SIZE]);
