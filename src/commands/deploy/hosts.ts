/**
 * Writes the documents of a `deploy` command for one host or many: all in the order of the inventory, or one file per host.
 * Invalid hosts are reported with their names and places, and skipped. Unchanged files are not written, and files with secrets
 * are readable only by their owner.
 */

import { listEmbeddedSecrets } from '../../agent/embeddedSecrets.ts';
import { CliError } from '../../core/errors.ts';
import { jsonText } from '../../formats/mapping.ts';
import { formatYaml } from '../../formats/yamlText.ts';
import {
  formatInvalid,
  keepRemarks,
  makeHosts,
  reportGroups,
  startRun,
  writeHostFiles,
} from '../../hosts/hostRun.ts';
import { readMachines } from '../../hosts/settings/hardwareCheck.ts';
import { writeOutput } from '../../io/files/newFile.ts';
import type { ExitCode, Io } from '../../io/io.ts';
import { flagOf, refuseUnused } from '../../io/report/choices.ts';
import { writeStdout } from '../../io/stdout.ts';
import { createContexts, type HostContext } from './hostContext.ts';
import { optionsOf, readSelectedHosts, type SelectedHost, sourcesOf } from './inventoryHosts.ts';
import type { DeployOptions } from './options.ts';
import type { ServedIsos } from './servedIso.ts';

export interface DeployCommand<Document> {
  readonly options: DeployOptions;
  /** File name extension, with a leading dot, for one file per host. */
  readonly extension: string;
  /**
   * Returns undefined for an invalid host, after reporting its errors.
   * @param host the options, with the settings of the host
   */
  readonly make: (host: DeployOptions, context: HostContext) => Promise<Document | undefined>;
  readonly write: (hosts: readonly HostDocument<Document>[]) => string;
  /** Whether only the owner may read the file. Text that seems to contain a secret has the same mode. */
  readonly isSecret?: (document: Document) => boolean;
  /** The ISOs of serve that documents name; their URLs are secret. */
  readonly served?: ServedIsos | undefined;
}

export interface HostDocument<Document> {
  /** Undefined if the host has a document of its own. */
  readonly host: string | undefined;
  readonly document: Document;
}

/** The document of a host, or a mapping from names of hosts to their documents. */
export function byHost<Document>(hosts: readonly HostDocument<Document>[]): unknown {
  const [first] = hosts;
  return first?.host === undefined
    ? first?.document
    : Object.fromEntries(hosts.map(({ host = '', document }) => [host, document]));
}

export function formatValue(value: unknown, format: 'json' | 'yaml'): string {
  return format === 'json' ? jsonText(value) : formatYaml([value]);
}

/**
 * Writes the document of the host that the options describe, or of the hosts of an inventory. Invalid hosts are reported
 * and skipped; the exit code is then 1.
 */
export async function writeDeployed<Document>(
  { extension, isSecret: hasSecret, make: makeDocument, options, served, write }: DeployCommand<Document>,
  io: Io,
): Promise<ExitCode> {
  const { hardware, inventory, output = '-' } = options;
  const contextOf = createContexts(hardware === undefined ? undefined : await readMachines(hardware, io));
  const make = (given: DeployOptions, context: HostContext): Promise<Document | undefined> => {
    const [own, named] = served?.withIso(given, context) ?? ([given, context] as const);
    return makeDocument(own, named);
  };
  const isSecret = (document: Document): boolean => served !== undefined || hasSecret?.(document) === true;
  if (inventory === undefined) {
    refuseUnused(options, [['inventory', ['host', 'failFast']]]);
    const flags = { nameOf: flagOf, locate: () => undefined, readRamdiskNetwork: async () => undefined };
    const document = await make(options, contextOf(flags, io));
    if (document === undefined) return 1;
    await writeText(write([{ host: undefined, document }]), output, isSecret(document), io);
    return 0;
  }
  const hosts = await readSelectedHosts(inventory, options, io);
  const run = startRun({ io, done: 'written', failFast: options.failFast }, hosts.length);
  const makeOne = async (host: SelectedHost, hostIo: Io): Promise<Document | undefined> => {
    const sources = sourcesOf(host);
    if (host.sameBmc === undefined) return make(optionsOf(host, sources), contextOf(sources, hostIo));
    throw new CliError(`${sources.nameOf('bmcAddress')}: host ${host.sameBmc.name} has the same BMC`, {
      code: 'ERR_INVENTORY',
      at: sources.locate('bmcAddress'),
      hint: 'fix one of the addresses; both hosts are skipped',
    });
  };
  const made = makeHosts(hosts, makeOne, run);
  if (output !== '-') {
    const fileOf = (document: Document) => {
      const text = write([{ host: undefined, document }]);
      return { data: Buffer.from(text), ...modeOf(text, isSecret(document)) };
    };
    return writeHostFiles(made, output, extension, fileOf, run);
  }
  const documents: HostDocument<Document>[] = [];
  for await (const { host: named, made: document, remarks } of made) {
    keepRemarks(remarks, named.name, run);
    documents.push({ host: named.name, document });
  }
  if (documents.length > 0) await writeStdout(io, [Buffer.from(write(documents))]);
  reportGroups(run);
  if (run.counts.invalid === 0) return 0;
  io.stderr.write(`${documents.length} written, ${formatInvalid(run)}\n`);
  return 1;
}

/** @param output a file, or `-` for standard output */
export async function writeText(text: string, output: string, isSecret: boolean, io: Io): Promise<void> {
  if (output === '-') return writeStdout(io, [Buffer.from(text)]);
  return writeOutput(output, text, io, modeOf(text, isSecret).mode);
}

/** Without secrets, the umask decides. */
function modeOf(text: string, isSecret: boolean): { readonly mode?: number } {
  const found = isSecret || listEmbeddedSecrets(new Map([['', Buffer.from(text)]])).length > 0;
  return found ? { mode: 0o600 } : {};
}
