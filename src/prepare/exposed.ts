/** Which URLs would hand out a secret, told once for all hosts of which the same is true. */

import { formatWordList } from '../formats/messageText.ts';
import type { Io } from '../io/io.ts';
import type { PreparedFolder } from './folder/preparedFolder.ts';
import { report } from '../io/report/report.ts';
import type { HostNames } from '../core/diagnostic.ts';
import { addHost } from '../hosts/run/hostRun.ts';
import { formatHosts } from '../io/report/diagnosticText.ts';

/** Where files can be fetched. */
export interface ServedFolder {
  /** Without a final slash. */
  readonly baseUrl: string | undefined;
  /** What of the folder that is, with a slash at its end; empty for all of it. */
  readonly served: string;
}

/** The manifest has all of them. */
export function tellExposed({ files }: PreparedFolder, { baseUrl, served }: ServedFolder, io: Io): void {
  for (const [readers, hint] of hints) {
    const groups = new Map<string, HostNames>();
    const byPath = [...files.values()].toSorted((one, other) => (one.path < other.path ? -1 : 1));
    for (const { path, mode, secrets = [] } of byPath) {
      if (secrets.length === 0 || readersOf(mode) !== readers) continue;
      const url =
        baseUrl !== undefined && path.startsWith(served) ? `${baseUrl}/${path.slice(served.length)}` : path;
      const what = formatWordList(secrets);
      groups.set(what, addHost(groups.get(what), url));
    }
    for (const [what, urls] of groups) {
      const message = `these hand out ${what} to whoever can fetch them: ${formatHosts(urls)}`;
      report(io, { severity: 'warning', message, hint });
    }
  }
}

/** Who can read a file on this machine, its user apart. */
type Readers = 'nobody' | 'group' | 'all';

const hints: readonly (readonly [readers: Readers, hint: string])[] = [
  [
    'nobody',
    'only their owner can read them here, so a web server of another user cannot: --group GROUP lets it',
  ],
  ['group', 'serve them to the provisioning network only, and by https where what loads them can'],
  [
    'all',
    'every user of this machine can read them, too: --group GROUP instead of --mode keeps the others out',
  ],
];

function readersOf(mode: string): Readers {
  const bits = Number.parseInt(mode, 8);
  if ((bits & 0o004) !== 0) return 'all';
  return (bits & 0o040) === 0 ? 'nobody' : 'group';
}
