/**
 * Compares the hosts of an inventory with their machines (`--hardware`): a file, or a folder of files, such as that of `try --save`.
 */

import { checkHardware, type ExpectedHardware, hardwareRules } from '../../agent/hardwareChecks.ts';
import { CliError, FormatError } from '../../core/errors.ts';
import { diagnosticAt, type Finding, hasErrors } from '../../core/finding.ts';
import { basename, extname } from 'node:path';
import { parseIfJson } from '../../formats/mapping.ts';
import { readUserFile } from '../../io/files/files.ts';
import { expandInputs, type Interest } from '../../io/files/inputFiles.ts';
import type { Io } from '../../io/io.ts';
import { type MachineHardware, readHardware } from '../../ipa/machineHardware.ts';
import { report } from '../../io/report/report.ts';
import { readRootDevice } from '../../ipa/rootDeviceHints.ts';
import type { InventoryHost } from './inventoryDocument.ts';

/** What the entry of the inventory does not say: that of the rendered config, and of the images. */
export type BootedHardware = Pick<ExpectedHardware, 'architecture' | 'connections' | 'memory'>;

/** Reports what differs between a host and its machine. False if the host would not boot or not be installed. */
export type HardwareCheck = (host: InventoryHost, booted: BootedHardware, io: Io) => boolean;

/** @throws CliError if a file cannot be read, or describes no machine */
export async function createHardwareCheck(path: string, io: Io): Promise<HardwareCheck> {
  const machines = await readHardwareFiles(path, io);
  return (host, booted, hostIo) => {
    const machine = machineOf(machines, host);
    const missing = `${path} contains no machine with the name or the MAC address of the host`;
    const findings: readonly Finding[] =
      machine === undefined
        ? [{ ...hardwareRules.noMachine, path: [], message: missing }]
        : checkHardware(expectedHardware(host, booted), machine);
    const reported = report(
      hostIo,
      findings.map((finding) => diagnosticAt(finding, finding.path.length > 0 ? host.at : undefined)),
    );
    return !hasErrors(reported);
  };
}

export function expectedHardware(host: InventoryHost, booted: BootedHardware): ExpectedHardware {
  const { rootDevice, issues } = readRootDevice(Object.entries(host.rootDeviceHints ?? {}));
  return {
    ...booted,
    architecture: booted.architecture ?? host.architecture,
    // The commands "deploy" report invalid hints.
    rootDevice: host.rootDeviceHints === undefined || issues.length > 0 ? undefined : rootDevice,
    bootMac: host.mac,
  };
}

const interest: Interest = {
  isWanted: (file) => /\.(?:json|ya?ml)$/.test(file),
  description: '*.json, *.yaml',
};

/** Agents send several MiB with their logs; a cluster has hundreds of hosts. */
const EXPECTED = { what: 'Hardware (--hardware)', maxBytes: 64 * 1024 * 1024 };

/**
 * The machines, with the names of their Kubernetes objects or files.
 * @throws CliError if a file cannot be read, or describes no machine
 */
export async function readHardwareFiles(path: string, io: Io): Promise<readonly MachineHardware[]> {
  const machines: MachineHardware[] = [];
  for (const input of expandInputs([path], interest, io)) {
    if (input.kind === 'error') throw input.error;
    const own = readHardware(await readDocument(input.path, io));
    if (own.length === 0) {
      throw new CliError(`${input.path} contains no hardware data`, {
        code: 'ERR_FORMAT',
        hint: 'pass a file of "baremetal node inventory save", "try --save" or "kubectl get baremetalhosts -o yaml"',
      });
    }
    const stem = basename(input.path, extname(input.path));
    for (const machine of own) machines.push({ ...machine, name: machine.name ?? stem });
  }
  return machines;
}

/** The machine with the name of a host, or else with its MAC address. */
export function machineOf(
  machines: readonly MachineHardware[],
  { name, mac }: { readonly name: string; readonly mac?: string | undefined },
): MachineHardware | undefined {
  return (
    machines.find((machine) => machine.name === name) ??
    machines.find(({ interfaces }) => interfaces.some((one) => one.mac === mac))
  );
}

async function readDocument(path: string, io: Io): Promise<unknown> {
  const text = Buffer.from(await readUserFile(path, io, EXPECTED)).toString('utf8');
  const json = parseIfJson(text);
  if (json !== undefined) return json;
  const { parseYaml } = await import('../../formats/yaml.ts');
  try {
    return parseYaml(text).value;
  } catch (error) {
    if (!(error instanceof FormatError)) throw error;
    const { hint = `fix ${path}`, position } = error;
    throw new CliError(error.sentence, {
      code: 'ERR_FORMAT',
      at: { file: path, ...position },
      hint,
      cause: error,
    });
  }
}
