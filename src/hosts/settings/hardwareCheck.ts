/** Compares hosts with what their machines have (`--hardware`): a file, or a folder of them, such as that of `try --save`. */

import { basename, extname } from 'node:path';
import {
  bootModeOf,
  checkHardware,
  type ExpectedHardware,
  hardwareRules,
} from '../../agent/hardwareChecks.ts';
import { CliError, located } from '../../core/errors.ts';
import { diagnosticAt, type Finding, hasErrors } from '../../core/finding.ts';
import { parseIfJson } from '../../formats/mapping.ts';
import { readUserFile } from '../../io/files/files.ts';
import { expandInputs, type Interest } from '../../io/files/inputFiles.ts';
import type { Io } from '../../io/io.ts';
import { report } from '../../io/report/report.ts';
import { type MachineHardware, readHardware } from '../../ipa/machineHardware.ts';
import { readRootDevice } from '../../ipa/rootDeviceHints.ts';
import type { InventoryHost } from './inventoryDocument.ts';

const interest: Interest = {
  isWanted: (file) => /\.(?:json|ya?ml)$/.test(file),
  description: '*.json, *.yaml',
};

/** Agents send several MiB with their logs; a cluster has hundreds of hosts. */
const EXPECTED = { what: 'Hardware (--hardware)', maxBytes: 64 * 1024 * 1024 };

/** What differs between a host and its machine, which has its name, or else its boot MAC address. */
export type HardwareComparison = (name: string, expected: ExpectedHardware) => readonly Finding[];

/** @throws CliError if a file cannot be read, or describes no machine */
export async function readMachines(path: string, io: Io): Promise<HardwareComparison> {
  const machines: MachineHardware[] = [];
  for (const input of expandInputs([path], interest, io)) {
    if (input.kind === 'error') throw input.error;
    const text = Buffer.from(await readUserFile(input.path, io, EXPECTED)).toString('utf8');
    const { parseYaml } = await import('../../formats/yaml.ts');
    const context = { file: input.path, hint: `fix ${input.path}` };
    const document = parseIfJson(text) ?? located(context, () => parseYaml(text).value);
    const own = readHardware(document);
    if (own.length === 0) {
      throw new CliError(`${input.path} contains no hardware data`, {
        code: 'ERR_FORMAT',
        hint: 'pass a file of "baremetal node inventory save", "try --save" or "kubectl get baremetalhosts -o yaml"',
      });
    }
    const stem = basename(input.path, extname(input.path));
    for (const machine of own) machines.push({ ...machine, name: machine.name ?? stem });
  }
  return (name, expected) => {
    const machine =
      machines.find((one) => one.name === name) ??
      machines.find(({ interfaces }) => interfaces.some(({ mac }) => mac === expected.bootMac));
    if (machine !== undefined) return checkHardware(expected, machine);
    const message = `${path} contains no machine with the name or the MAC address of the host`;
    return [{ ...hardwareRules.noMachine, path: [], message }];
  };
}

/** What the entry of the inventory does not say: that of the rendered config, and of the images. */
export type BootedHardware = Pick<ExpectedHardware, 'architecture' | 'connections' | 'memory'>;

/** Reports what differs between a host and its machine. False if the host would not boot or not be installed. */
export type HardwareCheck = (host: InventoryHost, booted: BootedHardware, io: Io) => boolean;

/** Undefined without a path. @throws CliError if a file cannot be read, or describes no machine */
export async function createHardwareCheck(
  path: string | undefined,
  io: Io,
): Promise<HardwareCheck | undefined> {
  if (path === undefined) return undefined;
  const compare = await readMachines(path, io);
  return (host, booted, hostIo) => {
    const diagnostics = compare(host.name, expectedHardware(host, booted)).map((finding) =>
      diagnosticAt(finding, finding.path.length > 0 ? host.at : undefined),
    );
    return !hasErrors(report(hostIo, diagnostics));
  };
}

export function expectedHardware(host: InventoryHost, booted: BootedHardware): ExpectedHardware {
  const { rootDeviceHints, spec } = host.deployment ?? {};
  const { rootDevice, issues } = readRootDevice(Object.entries(rootDeviceHints ?? {}));
  return {
    ...booted,
    architecture: booted.architecture ?? host.architecture,
    // The commands "deploy" report invalid hints.
    rootDevice: rootDeviceHints === undefined || issues.length > 0 ? undefined : rootDevice,
    bootMac: host.mac,
    bootMode: bootModeOf(spec),
  };
}
