/** Files that Ignition writes as they are and that do not work on the host. */

import { posix } from 'node:path';
import type { Issue } from '../../ignition/rule.ts';
import { broken, note, warning } from './lintRule.ts';
import { type LintedFile, type LintSubject, readContents } from './subject.ts';

export const hostFileRules = {
  mode: warning(
    'agent-mode-decimal',
    'the mode looks like octal digits, but JSON has decimal numbers',
    'write the mode as a decimal number: 420 is 0644, 384 is 0600, 493 is 0755',
  ),
  shebang: note(
    'agent-script-shebang',
    'the script does not say what runs it',
    'start it with #!/bin/bash: some programs run only scripts that do',
  ),
  timeServer: warning(
    'agent-ntp-server',
    'a time server has no name; chronyd does not start then',
    'remove the line, or give the server between "server" and its options',
  ),
};

export function checkHostFiles({ config, files }: LintSubject): Issue[] {
  const directories = (config.storage?.directories ?? []).map(({ mode }, index) => ({
    mode,
    path: ['storage', 'directories', index],
  }));
  const nodes = [...files.map(({ file, path }) => ({ mode: file.mode, path })), ...directories];
  return [
    ...nodes.flatMap(({ mode, path }) => {
      const octal = octalDigits(Number(mode ?? 0));
      if (octal === undefined) return [];
      const hint = `write ${Number.parseInt(octal, 8)}, which is 0${octal}`;
      return [broken(hostFileRules.mode, [...path, 'mode'], { hint })];
    }),
    ...files.flatMap((file) => checkScript(file)),
    ...files.flatMap((file) => checkTimeServers(file)),
  ];
}

/** The modes that people write in octal, and that nobody would want as decimal numbers. */
function octalDigits(mode: number): string | undefined {
  const isUsual = /^(?:400|440|444|500|550|555|600|640|644|660|664|666|700|740|744|750|755|770|775|777)$/;
  return isUsual.test(String(mode)) ? String(mode) : undefined;
}

const execute = 0o111;

function checkScript({ name, file, path }: LintedFile): Issue[] {
  if ((Number(file.mode ?? 0) & execute) === 0) return [];
  const bytes = readContents(file.contents ?? {});
  if (bytes === undefined || !isText(bytes) || (bytes[0] === 0x23 && bytes[1] === 0x21)) return [];
  const message = `${posix.basename(name)}: ${hostFileRules.shebang.message}`;
  return [broken(hostFileRules.shebang, [...path, 'contents', 'source'], { message })];
}

/** Programs have zero bytes near their start. */
function isText(bytes: Uint8Array): boolean {
  return bytes.length > 0 && !bytes.subarray(0, 512).includes(0);
}

/** Options of a server that stand where its name belongs. */
const nameless =
  /^[ \t]*(?:server|peer|pool)[ \t]*(?:$|[ \t](?:iburst|prefer|burst|auto_offline|offline|nts|trust)(?:[ \t]|$))/m;

function checkTimeServers({ name, file, path }: LintedFile): Issue[] {
  if (!/^\/etc\/chrony(?:\.conf$|\.d\/)/.test(name)) return [];
  const { append = [], contents } = file;
  const resources = [
    ...(contents === undefined ? [] : [{ resource: contents, at: [...path, 'contents'] }]),
    ...append.map((resource, index) => ({ resource, at: [...path, 'append', index] })),
  ];
  return resources.flatMap(({ resource, at }) => {
    const bytes = readContents(resource);
    const isNameless = bytes !== undefined && nameless.test(Buffer.from(bytes).toString());
    return isNameless ? [broken(hostFileRules.timeServer, [...at, 'source'])] : [];
  });
}
