/** What the compiled schema of the inventory has to complain of, in sentences with a hint. */

import { nearestName } from '../formats/editDistance.ts';
import type { Finding, Path } from '../report.ts';
import { settingTable } from './settingTable.ts';

/** As ajv gives it. */
export interface SchemaError {
  readonly instancePath: string;
  readonly schemaPath: string;
  readonly keyword: string;
  readonly params: Readonly<Record<string, unknown>>;
}

/** `value` is what was checked; the path of the finding starts there. Values are not shown: they may be secrets. */
export function schemaFinding(error: SchemaError, value: unknown): Finding {
  const path = parsePointer(error.instancePath, value);
  switch (error.keyword) {
    case 'additionalProperties':
      return unknownKey(path, String(error.params['additionalProperty']));
    case 'required':
      return mistake(path, `"${String(error.params['missingProperty'])}" is missing`);
    case 'enum':
      return mistake(
        path,
        `${nameOf(path)} is not known`,
        `use one of ${wordsOf(error.params['allowedValues'])}`,
      );
    default:
      return mistake(path, `${nameOf(path)} has to be ${typeNames(error.params['type'])}`);
  }
}

function mistake(path: Path, message: string, hint?: string): Finding {
  const finding = { severity: 'error', rule: 'inventory-schema', path, message } as const;
  return hint === undefined ? finding : { ...finding, hint };
}

function parsePointer(pointer: string, root: unknown): Path {
  let value = root;
  return pointer
    .split('/')
    .slice(1)
    .map((step) => step.replaceAll('~1', '/').replaceAll('~0', '~'))
    .map((step) => {
      const key = Array.isArray(value) ? Number(step) : step;
      value = typeof value === 'object' && value !== null ? Reflect.get(value, key) : undefined;
      return key;
    });
}

const ofInventory = ['profile', 'ignore', 'agent', 'deploy', 'hosts'];
const ofHost = ['name', 'mac', 'architecture', 'network', 'overrides', 'ignore', 'deploy'];
/** By the key of the mapping; those of `deploy` are not known here. */
const ofOthers: Readonly<Record<string, readonly string[]>> = {
  network: ['nmstate', 'keyfiles'],
  deploy: [],
};

/** Of a key, which may be any text. */
const shownLength = 60;

function unknownKey(path: Path, key: string): Finding {
  const hint = unknownKeyHint(key, path.at(-1));
  return mistake([...path, key], `the key ${JSON.stringify(key.slice(0, shownLength))} is not known`, hint);
}

/** `parent` is the key of the mapping; hosts are checked without what is around them, and so is the whole. */
function unknownKeyHint(key: string, parent: string | number | undefined): string {
  const isSetting = parent === 'agent' || parent === 'overrides';
  const settings = settingTable.map(({ name }) => name);
  const names = isSetting ? settings : (ofOthers[String(parent)] ?? [...ofInventory, ...ofHost]);
  const near =
    nearestInAnyCase(key, names) ??
    (isSetting ? settings.find((name) => name.endsWith(`.${key}`)) : undefined);
  if (near !== undefined) return `did you mean ${JSON.stringify(near)}?`;
  if (settings.some((name) => name === key))
    return 'settings are below "agent", or below "overrides" of a host';
  if (parent === 'deploy') return 'they have the names of the flags of deploy, like bmcAddress';
  return isSetting ? 'settings have the names that --show-settings prints' : `there are ${names.join(', ')}`;
}

function nearestInAnyCase(key: string, names: readonly string[]): string | undefined {
  const byLowerCase = new Map(names.map((name) => [name.toLowerCase(), name]));
  return byLowerCase.get(nearestName(key.toLowerCase(), byLowerCase.keys()) ?? '');
}

function nameOf(path: Path): string {
  const key = path.findLast((step) => typeof step === 'string');
  return key === undefined ? 'this' : JSON.stringify(key);
}

const typeWords: Readonly<Record<string, string>> = {
  string: 'a text',
  integer: 'a whole number',
  boolean: 'true or false',
  array: 'a list',
  object: 'a mapping',
  null: 'null',
};

function typeNames(type: unknown): string {
  const types: readonly unknown[] = Array.isArray(type) ? type : String(type).split(',');
  return types.map((name) => typeWords[String(name)] ?? String(name)).join(' or ');
}

function wordsOf(values: unknown): string {
  const list: readonly unknown[] = Array.isArray(values) ? values : [];
  return list.map(String).join(', ');
}
