/**
 * Hosts as the static server of the image-customization-controller takes them: a folder with a file of nmstate for each,
 * named after the host. An empty file is a host without a network of its own.
 */

import { readdir, stat } from 'node:fs/promises';
import { extname, join, resolve } from 'node:path';
import type { Inventory, InventoryHost } from '../hosts/settings/inventoryDocument.ts';
import type { Inputs } from '../agent/settingInputs.ts';
import { machineNameProblem } from '../formats/hostName.ts';
import { fileError } from '../io/files/fileErrors.ts';
import type { Io } from '../io/io.ts';
import type { Finding } from '../core/finding.ts';

export interface NmstateFolder {
  readonly inventory: Inventory;
  /** Hosts by what the peer calls their images: it takes no ending away but `.yaml`. */
  readonly aliases: ReadonlyMap<string, string>;
}

/** @throws CliError where the folder cannot be read */
export async function readNmstateFolder(folder: string, io: Io): Promise<NmstateFolder> {
  const names = await readdir(resolve(io.cwd, folder)).catch((error: unknown) => {
    throw fileError(error, { path: folder, what: 'Folder of nmstate files (--nmstate-dir)', action: 'read' });
  });
  const hosts: InventoryHost[] = [];
  const aliases = new Map<string, string>();
  for (const file of names.toSorted()) {
    const path = join(folder, file);
    const stats = await stat(resolve(io.cwd, path)).catch(() => undefined);
    if (stats?.isFile() !== true) continue;
    const host = hostOf(path, file, { isEmpty: stats.size === 0, others: hosts });
    hosts.push(host);
    if (host.findings.length === 0) aliases.set(file.replace(/\.yaml$/, ''), host.name);
  }
  return { inventory: { agent: new Map(), hosts, findings: [] }, aliases };
}

interface Surroundings {
  readonly isEmpty: boolean;
  readonly others: readonly InventoryHost[];
}

function hostOf(path: string, file: string, { isEmpty, others }: Surroundings): InventoryHost {
  const name = file.slice(0, file.length - extname(file).length);
  const problem = machineNameProblem(name);
  const isTaken = others.some((other) => other.name === name && other.findings.length === 0);
  return {
    name,
    findings: [
      ...(problem === undefined
        ? []
        : [finding(`${path}: the file is named after its host, and ${name} is no host name: ${problem}`)]),
      ...(isTaken ? [finding(`${path}: another file is for the host ${name}, too`)] : []),
    ],
    readInputs: (): Inputs =>
      isEmpty
        ? new Map()
        : new Map([['host.nmstate', [{ text: path, place: path, origin: 'file', isContent: false }]]]),
  };
}

function finding(message: string): Finding {
  return { severity: 'error', rule: 'host-file', path: [], message, hint: 'rename the file' };
}
