/** What `--verbose` says of the settings of a config: where each comes from, and which variables do not count. */

import type { Io } from '../../io/io.ts';
import type { RenderInputs } from './settings.ts';

/** Values are not told, as they may be secrets: `--show-settings` masks them. */
export function noteSettings({ inputs, profile, unread }: RenderInputs, { note }: Pick<Io, 'note'>): void {
  if (note === undefined) return;
  note(`the profile is ${profile}`);
  for (const [name, values] of inputs) {
    const places = new Set(
      values.map(({ origin, place }) => (origin === 'environment' ? `the environment: ${place}` : place)),
    );
    if (places.size > 0) note(`${name} comes from ${[...places].join(', ')}`);
  }
  for (const { name, reason } of unread) note(`${name} is set, but ${reason}`);
}
