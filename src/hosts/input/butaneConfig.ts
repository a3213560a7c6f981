/**
 * Butane documents in place of a config. Machines get Ignition JSON, whatever their Ignition reads; findings have the paths and
 * positions of the YAML.
 */

import { type TranslatedButane, translateButane } from '../../butane/translate.ts';
import { examineConfig } from '../../ignition/validate.ts';
import { formatIgnition } from '../../ignition/ignitionText.ts';
import type { Finding } from '../../core/finding.ts';

export async function checkTranslated(translated: TranslatedButane): Promise<{ json: Buffer; findings: readonly Finding[] }> {
  const { config, findings, pathOf, positionOf } = translated;
  if (config === undefined) return { json: Buffer.alloc(0), findings };
  const json = Buffer.from(formatIgnition(config));
  const { report } = examineConfig(json);
  const found = report.findings.map((finding) => {
    const path = pathOf(finding.path);
    return { ...finding, path, position: positionOf(path) };
  });
  return { json, findings: [...findings, ...found] };
}
