/** What vitest runs before each file of tests. */

import { compareBytesAsWhole } from './equalBytes.ts';

compareBytesAsWhole();
