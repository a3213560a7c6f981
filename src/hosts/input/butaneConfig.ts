/**
 * Butane documents in place of a config. They are always translated, because older versions of Ignition read only JSON;
 * findings have the paths and positions of the YAML.
 */

import { butaneHint } from '../../butane/hints.ts';
import type { LocalFiles } from '../../butane/localFiles.ts';
import { translateButane } from '../../butane/translate.ts';
import { ifWellFormed } from '../../core/errors.ts';
import { hasErrors } from '../../core/finding.ts';
import { formatIgnition } from '../../ignition/ignitionText.ts';
import { readVersion } from '../../ignition/validate.ts';
import { makeLocateInText } from '../../formats/yaml/innerPlaces.ts';
import { readJsonTree } from '../../formats/json/tree.ts';
import { decodeUtf8, type YamlConfig } from './yamlConfig.ts';

/**
 * Undefined for Ignition JSON that contains the word `variant`.
 * @param openFiles is only called for Butane; undefined: local files are refused
 * @throws FormatError if it is not YAML
 */
export function readButaneConfig(
  document: Buffer,
  openFiles: () => LocalFiles | undefined,
): YamlConfig | undefined {
  if (isIgnition(document)) return undefined;
  const source = decodeUtf8(document);
  const { config, findings, pathOf, positionOf, root } = translateButane(source, openFiles());
  return {
    json: config === undefined ? Buffer.alloc(0) : Buffer.from(formatIgnition(config)),
    text: document,
    source,
    root,
    locate: positionOf,
    locateInText: makeLocateInText(source, root),
    pathOf,
    hintOf: butaneHint,
    own: findings,
    isRefused: hasErrors(findings),
  };
}

/** Ignition reads a document as JSON first. */
function isIgnition(document: Buffer): boolean {
  const json = ifWellFormed(() => readJsonTree(document));
  if (json === undefined) return false;
  const version = readVersion(json.root);
  return 'text' in version ? version.text !== '' : version.status === 'supported';
}
