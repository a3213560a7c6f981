/** Writing what a `deploy` command makes: as JSON, YAML or text; what holds secrets to files that only the user may read. */

import { resolve } from 'node:path';
import { listEmbeddedSecrets } from '../agent/embeddedSecrets.ts';
import type { Io } from '../io/io.ts';
import { writeFileAtomically } from '../io/files/newFile.ts';
import { writeStdout } from '../io/stdout.ts';

/** Who may read a file that is written. */
export const privateMode = 0o600;

/** A value in the format that was asked for, with a final line break. */
export async function formatValue(value: unknown, format: 'json' | 'yaml'): Promise<string> {
  if (format === 'json') return `${JSON.stringify(value, undefined, 2)}\n`;
  const { formatYaml } = await import('../formats/yamlText.ts');
  return formatYaml([value]);
}

/** Manifests as `kubectl apply -f` takes them: YAML documents, or a list in JSON. */
export async function formatManifests(
  manifests: readonly object[],
  format: 'json' | 'yaml',
): Promise<string> {
  if (format === 'json') return formatValue({ apiVersion: 'v1', kind: 'List', items: manifests }, 'json');
  const { formatYaml } = await import('../formats/yamlText.ts');
  return formatYaml(manifests);
}

interface OutputOptions {
  /** A file; without, or with `-`, standard output. */
  readonly output?: string;
}

/** Writes text; to a file of mode 0600 if `content` is `secret`, or if the text contains what looks like a secret. */
export async function writeDocument(
  text: string,
  { output, content }: OutputOptions & { readonly content: 'secret' | 'public' },
  io: Io,
): Promise<void> {
  if (output === undefined || output === '-') return writeStdout(io, [Buffer.from(text)]);
  return writeFileAtomically(resolve(io.cwd, output), text, {
    ...permissionsFor(text, content),
    shownPath: output,
  });
}

/** The mode of a file with this text, where the umask is not to decide. */
export function permissionsFor(text: string, content: 'secret' | 'public'): { readonly mode?: number } {
  const isSecret = content === 'secret' || listEmbeddedSecrets(new Map([['', Buffer.from(text)]])).length > 0;
  return isSecret ? { mode: privateMode } : {};
}
