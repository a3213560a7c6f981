/** Reads what machines have (`--hardware`): a file, or a folder of them, such as that of `try --save`. */

import { basename, extname } from 'node:path';
import { CliError, FormatError } from '../../core/errors.ts';
import { parseIfJson } from '../../formats/mapping.ts';
import { readUserFile } from '../../io/files/files.ts';
import { expandInputs, type Interest } from '../../io/files/inputFiles.ts';
import type { Io } from '../../io/io.ts';
import { type MachineHardware, readHardware } from '../../ipa/machineHardware.ts';

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
