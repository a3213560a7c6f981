/** `deploy steps` for the hosts of an inventory, each with a config drive of its own. */

import { mkdir } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import type { DeployStep } from './documents/deploySteps.ts';
import { differsByHost } from '../core/placeholders.ts';
import { UsageError } from '../core/errors.ts';
import { fileError } from '../io/files/fileErrors.ts';
import type { ExitCode, Io } from '../io/io.ts';
import { formatValue } from './deployDocument.ts';
import { formatMember, type HostFrame, jsonMapping, plainFrame } from './hostFrames.ts';
import { isFolder, writeHosts } from './hosts.ts';
import {
  formatStepCommands,
  makeSteps,
  needsConfigDrive,
  type StepsFormat,
  type StepsOptions,
} from './stepsDocument.ts';

interface Form {
  /** Of the file of one host. */
  readonly extension: string;
  readonly frame: HostFrame;
}

const forms: Readonly<Record<StepsFormat, Form>> = {
  command: { extension: '.sh', frame: plainFrame },
  json: { extension: '.json', frame: jsonMapping },
  yaml: { extension: '.yaml', frame: plainFrame },
};

/** Ends with 1 where a host is wrong; the others are written. */
export async function hostSteps(
  options: StepsOptions & { readonly inventory: string },
  format: StepsFormat,
  io: Io,
): Promise<ExitCode> {
  refuseSharedDrive(options);
  const makeFolder = folderMaker(io);
  return writeHosts(
    {
      options,
      ...forms[format],
      make: async (host, context) => {
        const adapted = adaptToHost(host, format);
        if (adapted.configDrive !== undefined) await makeFolder(dirname(adapted.configDrive));
        const made = await makeSteps(adapted, format, context);
        if (made === undefined) return undefined;
        const { deploySteps, content } = made;
        if (format === 'command') return { text: formatStepCommands(deploySteps, adapted), content };
        const text = isFolder(options)
          ? await formatValue(deploySteps, format)
          : await formatPart(host.name, deploySteps, format);
        return { text, content };
      },
    },
    io,
  );
}

function refuseSharedDrive({ configDrive, node }: StepsOptions): void {
  if (node !== undefined) {
    throw new UsageError('--node is for one host; with an inventory the names of the hosts are used', {
      hint: 'choose hosts with --host NAME',
    });
  }
  if (configDrive === undefined || configDrive === '-' || differsByHost(configDrive)) return;
  throw new UsageError('--config-drive would be the same file for every host', {
    hint: 'put {name} into it: --config-drive drives/{name}.json',
  });
}

/** The method of the inventory is the step; a host that needs no config drive gets none. */
function adaptToHost(
  host: StepsOptions & { readonly name: string; readonly method?: string },
  format: StepsFormat,
): StepsOptions {
  const { name, method, configDrive, step = method, ...others } = host;
  return {
    ...others,
    ...(step !== undefined && { step }),
    ...(format === 'command' && { node: name }),
    ...(configDrive !== undefined && (configDrive === '-' || needsConfigDrive(host)) && { configDrive }),
  };
}

/** Makes the folder of config drives, once. */
function folderMaker(io: Io): (folder: string) => Promise<void> {
  const made = new Set<string>();
  return async (folder) => {
    if (made.has(folder)) return;
    made.add(folder);
    await mkdir(resolve(io.cwd, folder), { recursive: true }).catch((error: unknown) => {
      throw fileError(error, { path: folder, what: 'Folder for config drives', action: 'create' });
    });
  };
}

/** A member of a mapping from the name of the host to its steps. */
async function formatPart(
  name: string,
  steps: readonly DeployStep[],
  format: 'json' | 'yaml',
): Promise<string> {
  if (format === 'json') return formatMember(name, steps);
  return formatValue({ [name]: steps }, 'yaml');
}
