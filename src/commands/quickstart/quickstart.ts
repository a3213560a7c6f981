/**
 * `quickstart`: runs the whole workflow once with sample data. It renders a config for a documentation address, validates
 * it, creates a sample ISO, embeds the config, reads it from the ISO and writes the files for network boot. Nothing is fetched, and no
 * file outside the output folder is changed.
 */

import { readdir } from 'node:fs/promises';
import { join, relative, resolve } from 'node:path';
import { renderAgentConfig } from '../../agent/agentConfig.ts';
import { defaultSettings } from '../../agent/settings.ts';
import { CliError } from '../../core/errors.ts';
import { readIgnition } from '../../image/embeddedIgnition.ts';
import { formatIgnition } from '../../ignition/ignitionText.ts';
import { requireValid } from '../../hosts/input/configFiles.ts';
import { readSourceConfig } from '../../hosts/input/sourceConfig.ts';
import { writeSampleIso } from '../../image/sampleIso.ts';
import { fileError } from '../../io/files/fileErrors.ts';
import { makeFolder, writeFileAtomically } from '../../io/files/newFile.ts';
import { removeTemp, targetOfTemp } from '../../io/files/tempFile.ts';
import { writeStdout } from '../../io/stdout.ts';
import type { ExitCode, Io } from '../../io/io.ts';
import { readLiveIso } from '../../imagefile/rewriteImage.ts';
import { programCommand } from '../../io/programs.ts';
import { embed } from '../iso/ignition.ts';
import { kargs } from '../pxe/kargs.ts';
import type { QuickstartOptions } from './options.ts';

/** Addresses reserved for documentation (RFC 5737 and RFC 2606). No machine has them. */
const example = {
  apiUrl: 'https://192.0.2.10:6385',
  agentImage: 'registry.example.com/ironic-agent',
  /** GRUB supports only http. */
  imagesUrl: 'http://boot.example.com/images',
  /** https, because a config may contain secrets. */
  ignitionUrl: 'https://boot.example.com/ironic-agent.ign',
};

const sample = { label: 'fedora-coreos-44.20261101.3.0', date: new Date(Date.UTC(2026, 10, 1)) };

const names = {
  config: 'ironic-agent.ign',
  iso: 'sample-live.iso',
  ipxe: 'boot.ipxe',
  grub: 'grub.cfg',
  kernelArguments: 'kernel-arguments.txt',
  ironicConf: 'ironic.conf',
} as const;

export async function quickstart(options: QuickstartOptions, io: Io): Promise<ExitCode> {
  const folder = resolve(io.cwd, options.directory);
  await prepareFolder(folder, options.directory);
  const say = (text: string): Promise<void> => writeStdout(io, [Buffer.from(`${text}\n`)]);
  const shown = (name: string): string => relative(io.cwd, join(folder, name)) || name;

  const config = await renderExample(join(folder, names.config));
  await say(
    `1. render    ${shown(names.config)}: Ignition config that runs ironic-python-agent for ${example.apiUrl}`,
  );
  const source = await readSourceConfig(shown(names.config), config);
  const findings = await requireValid(source, 'live', io);
  await say(`2. validate  valid Ignition config, ${findings.length} warnings`);
  const iso = join(folder, names.iso);
  await writeFileAtomically(iso, await writeSampleIso(sample));
  await say(`3. sample    ${shown(names.iso)}: sample ISO with the layout of a live ISO; it does not boot`);
  await embed({ iso, ignitionFile: join(folder, names.config) }, io);
  await say(`4. embed     config embedded in the reserved area of the ISO`);
  const embedded = await readLiveIso(iso, io, readIgnition);
  await say(`5. show      config read from the ISO: the same ${embedded?.length} bytes`);
  await writeBootFiles(folder, io);
  await say(`6. pxe       ${shown(names.ipxe)}, ${shown(names.grub)}: boot scripts for network boot`);
  await say(`             ${shown(names.kernelArguments)}: the kernel arguments as one line`);
  await say(`             ${shown(names.ironicConf)}: the kernel arguments for the boot scripts of Ironic`);
  await say(nextSteps(shown(names.iso), await programCommand(io)));
  return 0;
}

/** Files of an earlier run are replaced, also if it was killed. A folder with other files is not changed. */
async function prepareFolder(folder: string, shownFolder: string): Promise<void> {
  try {
    await makeFolder(folder, shownFolder);
    const own = new Set<string>([...Object.values(names), `.${names.iso}.lock`]);
    const present = await readdir(folder);
    if (present.every((name) => own.has(targetOfTemp(name) ?? name))) {
      for (const name of present) if (targetOfTemp(name) !== undefined) removeTemp(join(folder, name));
      return;
    }
  } catch (error) {
    throw fileError(error, { path: shownFolder, what: 'Folder', action: 'write' });
  }
  throw new CliError(`${shownFolder} contains other files; quickstart requires a folder of its own`, {
    code: 'ERR_FILE_EXISTS',
    hint: 'use --directory with a new or an empty folder',
  });
}

async function renderExample(path: string): Promise<Uint8Array> {
  const config = renderAgentConfig({
    ...defaultSettings,
    apiUrls: [example.apiUrl],
    agentImage: example.agentImage,
  });
  const text = formatIgnition(config, 2);
  await writeFileAtomically(path, text);
  return new TextEncoder().encode(text);
}

async function writeBootFiles(folder: string, io: Io): Promise<void> {
  const urls = { baseUrl: example.imagesUrl, ignitionUrl: example.ignitionUrl };
  for (const [format, name] of [
    ['ipxe', names.ipxe],
    ['grub', names.grub],
    ['plain', names.kernelArguments],
    ['ironic', names.ironicConf],
  ] as const) {
    await kargs({ ...urls, console: ['ttyS0'], format, output: join(folder, name) }, io);
  }
}

function nextSteps(iso: string, program: string): string {
  return `
Next, with your own Ironic, an image of the agent (docs/agent-image.md) and a live ISO of Fedora CoreOS or RHCOS:
  ${program} render --api-url https://IRONIC:6385 --agent-image ${example.agentImage} --ssh-key ~/.ssh/id_ed25519.pub -o ironic-agent.ign
  ${program} validate ironic-agent.ign
  ${program} iso ignition embed -i ironic-agent.ign -o ipa.iso coreos-live.iso
Print the config of the sample ISO: ${program} iso ignition show ${iso}`;
}
