/** Turns errors of the compiled inventory schema into messages with hints. */

import { quoteText } from '../../core/foreignText.ts';
import { nearestName } from '../../formats/messageText.ts';
import { isMapping, valueAt } from '../../formats/mapping.ts';
import type { Path } from '../../core/finding.ts';
import { type Setting, settingTable } from '../../agent/settingTable.ts';

/** An error as ajv reports it. */
export interface SchemaError {
  readonly instancePath: string;
  readonly schemaPath: string;
  readonly keyword: string;
  readonly params: Readonly<Record<string, unknown>>;
}

/** The checked mapping: the whole inventory or one host, which have different keys. */
export type Checked = 'inventory' | 'host';

/** A mistake of the user in an inventory. */
export interface Mistake {
  /** Starts at the checked value. */
  readonly path: Path;
  readonly message: string;
  readonly hint: string | undefined;
}

/** Messages never quote values: they may be secret. @param value the checked value */
export function findMistake(error: SchemaError, value: unknown, checked: Checked): Mistake {
  const path = parsePointer(error.instancePath, value);
  switch (error.keyword) {
    case 'additionalProperties':
      return unknownKey([...path, String(error.params['additionalProperty'])], value, checked);
    case 'required':
      return missingKey(path, String(error.params['missingProperty']));
    case 'enum': {
      const hint = `use one of ${wordsOf(error.params['allowedValues'])}`;
      return { path, message: `invalid value for ${settingName(path, checked)}`, hint };
    }
    default:
      return otherType(path, settingName(path, checked), typesOf(error.params['type']));
  }
}

function parsePointer(pointer: string, root: unknown): Path {
  let value = root;
  return pointer
    .split('/')
    .slice(1)
    .map((step) => step.replaceAll('~1', '/').replaceAll('~0', '~'))
    .map((step) => {
      const key = Array.isArray(value) ? Number(step) : step;
      value = valueAt(value, [key]);
      return key;
    });
}

const topKeys: Readonly<Record<Checked, readonly string[]>> = {
  inventory: ['profile', 'ignore', 'agent', 'deploy', 'bmc', 'hosts'],
  host: ['name', 'mac', 'architecture', 'network', 'overrides', 'ignore', 'deploy', 'bmc'],
};
/** The key of the settings. */
const settingsKey: Readonly<Record<Checked, string>> = { inventory: 'agent', host: 'overrides' };
const networkKeys = ['nmstate', 'networkData', 'keyfiles'];
/** The keys of other mappings, by their key. The keys of `deploy` are not listed here. */
const innerKeys: Readonly<Record<string, readonly string[]>> = {
  network: networkKeys,
  deploy: [],
  bmc: ['address', 'credentialsFile', 'caFile', 'disableCertificateVerification'],
  raid: ['hardwareRAIDVolumes', 'softwareRAIDVolumes'],
  hardwareRAIDVolumes:
    'name level sizeGibibytes rotational numberOfPhysicalDisks controller physicalDisks'.split(' '),
  softwareRAIDVolumes: ['rootVolume', 'level', 'sizeGibibytes', 'physicalDisks'],
};

function unknownKey(path: Path, value: unknown, checked: Checked): Mistake {
  const key = String(path.at(-1));
  const hint = unknownKeyHint(path, value, checked);
  return { path, message: `unknown key ${quoteText(key)}`, hint };
}

function unknownKeyHint(path: Path, value: unknown, checked: Checked): string {
  const key = String(path.at(-1));
  const parent = path.slice(0, -1).findLast((step) => typeof step === 'string');
  if (checked === 'host' && parent === undefined && networkKeys.includes(key))
    return 'write it below "network"';
  const settingNames: readonly string[] = settingTable.map(({ name }) => name);
  const isSetting = parent === 'agent' || parent === 'overrides';
  const place = isSetting ? '' : ` below "${settingsKey[checked]}"`;
  const isPlace = parent === undefined && (key === 'agent' || settingNames.includes(key));
  if (isPlace) return `write settings of ${checked === 'host' ? 'one host' : 'all hosts'}${place}`;
  const full = fullNames(key, valueAt(value, path), settingNames);
  if (full.length > 0) return `write the settings without nesting${place}: ${full.join(', ')}`;
  const names = isSetting ? settingNames : (innerKeys[String(parent)] ?? topKeys[checked]);
  const near = nearestInAnyCase(key, names);
  if (near !== undefined) return `use ${quoteText(near)}`;
  const setting = isSetting || parent === undefined ? meantSetting(key) : undefined;
  if (setting !== undefined) return `use ${quoteText(setting)}${place}`;
  if (parent === 'deploy') return 'use the name of an option of deploy in camel case, such as bmcAddress';
  return isSetting ? 'use a name that --show-settings prints' : `use one of ${names.join(', ')}`;
}

/** A setting without its section, or with the name of its option: `apiUrls`, `api-url`, `apiUrl`, `api_url`. */
function meantSetting(key: string): string | undefined {
  const words = wordsIn(key);
  return settingTable.find(
    ({ name, ...setting }: Setting) =>
      wordsIn(name.slice(name.indexOf('.') + 1)) === words ||
      [setting.flag, setting.alias].some((flag) => flag !== undefined && optionName(flag) === words),
  )?.name;
}

function wordsIn(key: string): string {
  return key.replaceAll(/[A-Z]/g, '-$&').replaceAll('_', '-').toLowerCase();
}

/** `api-url` of `--api-url <urls>`. */
function optionName(flag: string): string | undefined {
  return /--([a-z0-9-]+)/.exec(flag)?.[1];
}

/** The settings of a nested section: `ironic: {apiUrls: …}` means `ironic.apiUrls`. */
function fullNames(section: string, value: unknown, settingNames: readonly string[]): readonly string[] {
  if (!isMapping(value)) return [];
  const names = settingNames.filter((name) => name.startsWith(`${section}.`));
  const meant = names.filter((name) => Object.hasOwn(value, name.slice(section.length + 1)));
  return meant.length > 0 ? meant : names;
}

function nearestInAnyCase(key: string, names: readonly string[]): string | undefined {
  const byLowerCase = new Map(names.map((name) => [name.toLowerCase(), name]));
  return byLowerCase.get(nearestName(key.toLowerCase(), byLowerCase.keys()) ?? '');
}

function settingName(path: Path, checked: Checked): string {
  const key = path.findLast((step) => typeof step === 'string');
  return key === undefined ? `the ${checked}` : quoteText(key);
}

function missingKey(path: Path, key: string): Mistake {
  return { path, message: `${quoteText(key)} is missing`, hint: `add "${key}: …"` };
}

function otherType(path: Path, name: string, types: readonly string[]): Mistake {
  const words = types.map((type) => typeWords[type] ?? type).join(' or ');
  const isNetwork = networkKeys.some((key) => path.at(-1) === `host.${key}`);
  const hint = isNetwork ? networkHint : formHints[types[0] ?? ''];
  return { path, message: `${name} must be ${words}`, hint };
}

const networkHint = 'set the path of a file; the key "network" of a host may contain the network itself';

/** The YAML for a value of a type. */
const formHints: Readonly<Record<string, string>> = {
  string: 'put the value in quotes',
  integer: 'write digits without quotes',
  boolean: 'write true or false without quotes',
  array: 'write each item as a line that starts with "- "',
  object: 'write each entry as an indented line "KEY: VALUE"',
};

const typeWords: Readonly<Record<string, string>> = {
  string: 'a text',
  integer: 'a whole number',
  boolean: 'true or false',
  array: 'a list',
  object: 'a mapping',
  null: 'null',
};

function typesOf(type: unknown): readonly string[] {
  return Array.isArray(type) ? type.map(String) : String(type).split(',');
}

function wordsOf(values: unknown): string {
  const list: readonly unknown[] = Array.isArray(values) ? values : [];
  return list.map(String).join(', ');
}
