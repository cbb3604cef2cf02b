#include "tree.h"
int tree_ensure(char *const *dirs, unsigned int nr, int argc, char **argv){(void)dirs;(void)nr;(void)argc;(void)argv;return -1;}
