/** `deploy steps`: writes deploy steps, and the config drive that they read, for `baremetal node deploy`. */

import { stepNames } from './documents/deploySteps.ts';
import type { ExitCode, Io } from '../io/io.ts';
import { formatValue, writeDocument } from './deployDocument.ts';
import { contextOfFlags } from './hostContext.ts';
import { refuseWithoutInventory } from './inventoryFlags.ts';
import { formatStepCommands, makeSteps, type StepsFormat, type StepsOptions } from './stepsDocument.ts';
import { parseChoice, parseFormat } from '../io/report/choices.ts';

/**
 * Shows everything that is wrong with the options, and then ends with 1; warnings alone do not stop it. With an inventory
 * those of each of its hosts are written.
 */
export async function steps(options: StepsOptions, io: Io): Promise<ExitCode> {
  const format = parseFormat<StepsFormat>(options.format, ['json', 'yaml', 'command']);
  refuseWithoutInventory(options);
  const { inventory } = options;
  if (inventory !== undefined) {
    parseChoice('--step', options.step, stepNames);
    const { hostSteps } = await import('./hostSteps.ts');
    return hostSteps({ ...options, inventory }, format, io);
  }
  const made = await makeSteps(options, format, contextOfFlags(io));
  if (made === undefined) return 1;
  const { deploySteps, content } = made;
  const text =
    format === 'command' ? formatStepCommands(deploySteps, options) : await formatValue(deploySteps, format);
  await writeDocument(text, { ...options, content }, io);
  return 0;
}
