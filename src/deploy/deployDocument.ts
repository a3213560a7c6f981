/** Writing what a `deploy` command makes: as JSON, YAML or text; what holds secrets to files that only the user may read. */

import { resolve } from 'node:path';
import { listEmbeddedSecrets } from '../agent/embeddedSecrets.ts';
import type { ExitCode, Io } from '../io/io.ts';
import { contextOfFlags, type HostContext } from './hostContext.ts';
import type { InventoryOptions } from './inventoryHost.ts';
import { type InventoryFlags, isFolder } from './options.ts';
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
  readonly output?: string | undefined;
}

/** What a command makes of one host. */
export interface HostOutput {
  /** The whole of a document if it is one of its own; else, what goes between the parts of the frame. */
  readonly text: string;
  readonly content: 'secret' | 'public';
}

/** What is different between the commands. */
export interface DeployJob<O> {
  readonly options: O;
  /** Of the files of several hosts, with its dot. */
  readonly extension: string;
  /** Around the hosts, where several make one document. */
  readonly frame: HostFrame;
  /** Undefined where the host is wrong, after reporting why. */
  readonly make: (
    options: O & { readonly name?: string },
    context: HostContext,
  ) => Promise<HostOutput | undefined>;
}

/** Whether each host gets a document of its own: there is only one, or each gets a file in a folder. */
export function isAlone({ inventory, output }: InventoryFlags & OutputOptions): boolean {
  return inventory === undefined || isFolder({ output });
}

/**
 * Writes the document of the host that the options describe, or those of the hosts of an inventory. Ends with 1 where a
 * host is wrong; the others are written.
 */
export async function writeDeployed<O extends InventoryOptions>(
  job: DeployJob<O>,
  io: Io,
): Promise<ExitCode> {
  const { options, make } = job;
  const { inventory } = options;
  if (inventory !== undefined) {
    const { writeHosts } = await import('./hosts.ts');
    return writeHosts(inventory, job, io);
  }
  const made = await make(options, contextOfFlags(io));
  if (made === undefined) return 1;
  await writeDocument(made.text, { output: options.output, content: made.content }, io);
  return 0;
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

/** Texts around hosts and between them; hosts have no line break at their end where `between` begins with one. */
export interface HostFrame {
  readonly start: string;
  readonly between: string;
  readonly end: string;
}

/** Texts that can follow each other: commands, YAML documents, members of one YAML mapping. */
export const plainFrame: HostFrame = { start: '', between: '', end: '' };

/** A mapping with the name of the host before each value: see `formatMember`. */
export const jsonMapping: HostFrame = { start: '{\n', between: ',\n', end: '\n}\n' };

export function formatMember(name: string, value: unknown): string {
  return `  ${JSON.stringify(name)}: ${indent(JSON.stringify(value, undefined, 2), '  ')}`;
}

/** What `kubectl` takes for many objects, and what `baremetal create` takes for many nodes: see `formatItem`. */
export const manifestList: HostFrame = {
  start: '{\n  "apiVersion": "v1",\n  "kind": "List",\n  "items": [\n',
  between: ',\n',
  end: '\n  ]\n}\n',
};
export const nodeList: HostFrame = { start: '{\n  "nodes": [\n', between: ',\n', end: '\n  ]\n}\n' };

export function formatItem(value: unknown): string {
  return `    ${indent(JSON.stringify(value, undefined, 2), '    ')}`;
}

/** JSON has line breaks between values only. */
function indent(json: string, by: string): string {
  return json.replaceAll('\n', `\n${by}`);
}
