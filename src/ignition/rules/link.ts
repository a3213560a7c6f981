/** Links: what each of them says by itself. What it has to do with other nodes is in `storage.ts`. */

import type { Link } from '../config.ts';
import type { Check } from '../rule.ts';
import { found } from './declare.ts';
import { pathIssue } from './path.ts';

export const checkLink: Check<Link> = ({ path }) => found(pathIssue(path, ['path']));
