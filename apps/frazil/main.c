// SPDX-License-Identifier: MIT
// Nothing but main, so that tests can call the rest.
#include "command.h"

int main(int argc, char **argv)
{
    return frz_program_main(argc, argv);
}
