/** How settings below `deploy` of an inventory override each other: those of a host override those of all hosts, and options both. */

import type { OptionValues } from 'commander';
import { isMapping } from '../../formats/mapping.ts';

/** The other settings that a setting overrides: those of another ramdisk, or of what is deployed. */
export const replacedSettings = {
  deployIso: ['deployKernel', 'deployRamdisk', 'kernelAppendParams'],
  deployKernel: ['deployIso'],
  deployRamdisk: ['deployIso'],
  imageSource: ['imageChecksum', 'imageFormat', 'bootIso'],
  bootIso: ['imageChecksum', 'imageFormat', 'imageSource'],
} as const;

/** Fields of mappings override each other one by one. */
export function overrideSettings(lower: OptionValues, higher: OptionValues): OptionValues {
  const replaced = new Set<string>(
    Object.entries(replacedSettings).flatMap(([name, others]) =>
      typeof higher[name] === 'string' ? others : [],
    ),
  );
  const merged = { ...lower, ...higher };
  for (const name of Object.keys(merged)) {
    const [below, above]: readonly unknown[] = [lower[name], higher[name]];
    if (isMapping(below) && isMapping(above)) merged[name] = { ...below, ...above };
    if (above === undefined && replaced.has(name)) delete merged[name];
  }
  return merged;
}
