/** A live ISO that contains the config of an agent. */

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { isoPair } from './minimalIso.ts';
import { runCli } from './runCli.ts';

/** @param apiUrl of the Ironic that the agent calls */
export async function writeAgentIso(folder: string, name: string, apiUrl: string): Promise<void> {
  const config = await runCli([
    'render',
    '--api-url',
    apiUrl,
    '--agent-image',
    'registry.example.com/ironic-agent',
    '--no-ssh-key',
    '-o',
    '-',
  ]);
  await writeIsoWith(folder, name, config.stdout);
}

/** @param config Ignition JSON, valid or not */
export async function writeIsoWith(folder: string, name: string, config: string): Promise<void> {
  writeFileSync(join(folder, name), isoPair().full);
  const embed = ['iso', 'ignition', 'embed', '--force', '--grow', '--no-validate', name];
  const { code, stderr } = await runCli(embed, { cwd: folder, stdin: config });
  if (code !== 0) throw new Error(stderr);
}
