/** Writes the output of `deploy` commands as JSON, YAML or text. Files with secrets are readable only by their owner. */

import { resolve } from 'node:path';
import { listEmbeddedSecrets } from '../../agent/embeddedSecrets.ts';
import type { Io } from '../../io/io.ts';
import type { HostContext } from './hostContext.ts';
import { type DeployOptions, isFolder } from './options.ts';
import { UsageError } from '../../core/errors.ts';
import { writeOutput } from '../../io/files/newFile.ts';
import { isSameFile } from '../../io/files/shareFile.ts';
import { writeStdout } from '../../io/stdout.ts';
import { formatYaml } from '../../formats/yamlText.ts';

/** Mode of files with secrets. */
const PRIVATE_MODE = 0o600;

/** Formats a value, with a final line break. */
export function formatValue(value: unknown, format: 'json' | 'yaml'): string {
  if (format === 'json') return `${JSON.stringify(value, undefined, 2)}\n`;
  return formatYaml([value]);
}

/** The output for one host. */
export interface HostOutput {
  /** The part of the host in the frame. */
  readonly text: string;
  readonly content: 'secret' | 'public';
}

/** The parts that differ between the commands. */
export interface DeployCommand {
  readonly options: DeployOptions;
  /** File name extension, with a leading dot, for one file per host. */
  readonly extension: string;
  /** The frame of a document, around one or several hosts. */
  readonly frame: HostFrame;
  /**
   * Returns undefined for an invalid host, after reporting its errors.
   * @param host the options, with the settings of the host
   */
  readonly make: (host: DeployOptions, context: HostContext) => Promise<HostOutput | undefined>;
}

/** Whether each host has its own document: there is only one host, or one file per host. */
export function isAlone(options: DeployOptions): boolean {
  return options.inventory === undefined || isFolder(options);
}

const inputFiles = ['inventory', 'ignition', 'nmstate', 'networkData'] as const;
const outputFiles = ['configDrive', 'output'] as const;

/** @throws UsageError if an output would replace an input or another output */
export async function refuseSameFile(files: DeployOptions, { io, nameOf }: HostContext): Promise<void> {
  const known: { readonly name: string; readonly path: string }[] = [];
  for (const option of [...inputFiles, ...outputFiles]) {
    const file = files[option] ?? '-';
    if (file === '-') continue;
    const path = resolve(io.cwd, file);
    const name = nameOf(option);
    for (const other of outputFiles.some((output) => output === option) ? known : []) {
      if (path !== other.path && !(await isSameFile(path, other.path))) continue;
      throw new UsageError(`${other.name} and ${name} are the same file: ${file}`, {
        hint: `use another file for ${name}`,
      });
    }
    known.push({ name, path });
  }
}

/**
 * Writes text, with mode 0600 if `content` is `secret` or if the text seems to contain a secret.
 * @param output a file; `-` is standard output (default: standard output)
 */
export async function writeDocument(
  text: string,
  output: string | undefined,
  content: HostOutput['content'],
  io: Io,
): Promise<void> {
  if (output === undefined || output === '-') return writeStdout(io, [Buffer.from(text)]);
  return writeOutput(output, text, io, permissionsFor(text, content).mode);
}

/** The mode of a file with this text, if it contains secrets; otherwise the umask decides. */
export function permissionsFor(text: string, content: 'secret' | 'public'): { readonly mode?: number } {
  const isSecret = content === 'secret' || listEmbeddedSecrets(new Map([['', Buffer.from(text)]])).length > 0;
  return isSecret ? { mode: PRIVATE_MODE } : {};
}

/**
 * Text before, between and after hosts. If `between` ends a line, the text of a host has no final line break. The frames
 * around one host are the same as `formatValue` writes.
 */
export interface HostFrame {
  readonly start: string;
  readonly between: string;
  readonly end: string;
}

/** For texts that follow each other without separator: commands, YAML documents, entries of one YAML mapping. */
export const plainFrame: HostFrame = { start: '', between: '', end: '' };

/** A mapping from host names to values, formatted by {@link formatMember}; or a single value. */
export function jsonMapping(options: DeployOptions): HostFrame {
  return isAlone(options) ? plainFrame : { start: '{\n', between: ',\n', end: '\n}\n' };
}

/** Formats the value of a host for {@link jsonMapping}. */
export function formatMember(host: DeployOptions, value: unknown): string {
  const json = JSON.stringify(value, undefined, 2);
  return isAlone(host) ? `${json}\n` : `  ${JSON.stringify(host.name)}: ${indent(json, '  ')}`;
}

/** Lists for `kubectl` and `baremetal create`, with items formatted by {@link formatItem}. */
export const manifestList: HostFrame = {
  start: '{\n  "apiVersion": "v1",\n  "kind": "List",\n  "items": [\n',
  between: ',\n',
  end: '\n  ]\n}\n',
};
export const nodeList: HostFrame = { start: '{\n  "nodes": [\n', between: ',\n', end: '\n  ]\n}\n' };

export function formatItem(value: unknown): string {
  return `    ${indent(JSON.stringify(value, undefined, 2), '    ')}`;
}

/** Safe for JSON: its strings contain no line breaks. */
function indent(json: string, by: string): string {
  return json.replaceAll('\n', `\n${by}`);
}
