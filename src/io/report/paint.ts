/** Words of diagnostics have colors on terminals; `colors.ts` decides where. Nothing is imported here: the library has no terminal. */

import type { Severity } from '../../core/finding.ts';

/** Parts of the text with their own color. */
type Role = Severity | 'note' | 'hint';

/** Colors a text by its role. */
export type Paint = (role: Role, text: string) => string;

export const withoutColors: Paint = (_role, text) => text;
