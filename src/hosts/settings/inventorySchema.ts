/** What the compiled schema of the inventory has to complain of, in sentences with a hint. */

import { nearestName } from '../../formats/messageText.ts';
import { isMapping } from '../../formats/mapping.ts';
import type { Finding, Path } from '../../core/finding.ts';
import { settingTable } from '../../agent/settingTable.ts';

/** As ajv gives it. */
export interface SchemaError {
  readonly instancePath: string;
  readonly schemaPath: string;
  readonly keyword: string;
  readonly params: Readonly<Record<string, unknown>>;
}

/** What a schema is of: its keys are different, and where its settings stand. */
export type Checked = 'inventory' | 'host';

/** `value` is what was checked; the path of the finding starts there. Values are not shown: they may be secrets. */
export function schemaFinding(error: SchemaError, value: unknown, checked: Checked): Finding {
  const path = parsePointer(error.instancePath, value);
  switch (error.keyword) {
    case 'additionalProperties':
      return unknownKey(path, String(error.params['additionalProperty']), { value, checked });
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

const topKeys: Readonly<Record<Checked, readonly string[]>> = {
  inventory: ['profile', 'ignore', 'agent', 'deploy', 'hosts'],
  host: ['name', 'mac', 'architecture', 'network', 'overrides', 'ignore', 'deploy'],
};
/** Where settings stand. */
const settingsKey: Readonly<Record<Checked, string>> = { inventory: 'agent', host: 'overrides' };
/** By the key of the mapping; those of `deploy` are not known here. */
const ofOthers: Readonly<Record<string, readonly string[]>> = {
  network: ['nmstate', 'keyfiles'],
  deploy: [],
};

/** Of a key, which may be any text. */
const shownLength = 60;

/** What was checked as a whole. */
interface Whole {
  readonly value: unknown;
  readonly checked: Checked;
}

function unknownKey(path: Path, key: string, whole: Whole): Finding {
  const hint = unknownKeyHint([...path, key], whole);
  return mistake([...path, key], `the key ${JSON.stringify(key.slice(0, shownLength))} is not known`, hint);
}

function unknownKeyHint(path: Path, { value, checked }: Whole): string {
  const [key, parent] = [String(path.at(-1)), path.at(-2)];
  const isSetting = parent === 'agent' || parent === 'overrides';
  const place = isSetting ? '' : ` below "${settingsKey[checked]}"`;
  const isPlace = parent === undefined && (key === 'agent' || settingNames.includes(key));
  if (isPlace) return `write settings of ${checked === 'host' ? 'one host' : 'all hosts'}${place}`;
  const full = fullNames(key, valueAt(value, path));
  if (full.length > 0) return `write the settings without nesting${place}: ${full.join(', ')}`;
  const names = isSetting ? settingNames : (ofOthers[String(parent)] ?? topKeys[checked]);
  const near =
    nearestInAnyCase(key, names) ??
    (isSetting ? settingNames.find((name) => name.endsWith(`.${key}`)) : undefined);
  if (near !== undefined) return `did you mean ${JSON.stringify(near)}?`;
  if (parent === 'deploy') return 'they have the names of the flags of deploy, like bmcAddress';
  return isSetting ? 'settings have the names that --show-settings prints' : `use one of ${names.join(', ')}`;
}

const settingNames: readonly string[] = settingTable.map(({ name }) => name);

/** The settings that are meant by a section with keys of its own: `ironic: {apiUrls: …}` is `ironic.apiUrls`. */
function fullNames(section: string, value: unknown): readonly string[] {
  if (!isMapping(value)) return [];
  const names = settingNames.filter((name) => name.startsWith(`${section}.`));
  const meant = names.filter((name) => Object.hasOwn(value, name.slice(section.length + 1)));
  return meant.length > 0 ? meant : names;
}

function valueAt(value: unknown, path: Path): unknown {
  return path.reduce<unknown>(
    (inner, step) => (typeof inner === 'object' && inner !== null ? Reflect.get(inner, step) : undefined),
    value,
  );
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
