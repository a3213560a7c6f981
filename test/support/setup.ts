/** What vitest runs anew before each file of tests; what is to happen once in a process is in a module that this one imports. */

import { compareBytesAsWhole } from './equalBytes.ts';

compareBytesAsWhole();
