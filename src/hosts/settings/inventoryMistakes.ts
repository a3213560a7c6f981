/** Turns errors of the compiled schema of inventories into messages with hints. Messages never quote values: they may be secret. */

import type { Path } from '../../core/finding.ts';
import { quoteText } from '../../core/foreignText.ts';
import { nearestName } from '../../core/nearestNames.ts';
import { asList, isMapping, type Mapping, valueAt } from '../../formats/mapping.ts';
import { keysOfNetworks } from '../input/networkDescription.ts';
import { isSettingKey, nearestSetting } from '../../agent/settingSpelling.ts';
import { settingTable } from '../../agent/settingTable.ts';

/** An error as ajv reports it with `verbose`. */
export interface SchemaError {
  readonly instancePath: string;
  readonly keyword: string;
  /** A clause in English: `must be >= 0`. */
  readonly message?: string;
  readonly params: Readonly<Record<string, unknown>>;
  readonly parentSchema?: { readonly properties?: Mapping };
}

export interface Mistake {
  /** Starts at the checked value. */
  readonly path: Path;
  readonly message: string;
  readonly hint: string | undefined;
}

export function findMistake(
  { instancePath, keyword, message = 'is invalid', params, parentSchema }: SchemaError,
  value: unknown,
): Mistake {
  const path = parsePointer(instancePath, value);
  const key = path.findLast((step) => typeof step === 'string');
  const name = key === undefined ? 'the document' : quoteText(key);
  switch (keyword) {
    case 'additionalProperties': {
      const unknown = String(params['additionalProperty']);
      const hint = unknownKeyHint(unknown, Object.keys(parentSchema?.properties ?? {}), path);
      return { path: [...path, unknown], message: `unknown key ${quoteText(unknown)}`, hint };
    }
    case 'required': {
      const missing = String(params['missingProperty']);
      return { path, message: `${quoteText(missing)} is missing`, hint: `add "${missing}: …"` };
    }
    case 'enum':
      return {
        path,
        message: `invalid value for ${name}`,
        hint: `use one of ${asList(params['allowedValues']).join(', ')}`,
      };
    case 'type':
      return otherType(name, [params['type']].flat().map(String), path, valueAt(value, path));
    default:
      return { path, message: `${name} ${message}`, hint: undefined };
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

/** @param names the known keys @param path of the mapping with the unknown key */
function unknownKeyHint(key: string, names: readonly string[], path: Path): string {
  const parent = path.findLast((step) => typeof step === 'string');
  if (parent === 'agent' || parent === 'overrides') {
    const setting = nearestSetting(key);
    return setting === undefined
      ? 'use a setting that "ironic-coreos render --help-all" lists'
      : `use ${quoteText(setting)}`;
  }
  const format = (['nmstate', 'networkData'] as const).find((name) => keysOfNetworks[name].includes(key));
  if (parent === 'network' && format !== undefined)
    return `indent the description of the network below "${format}:"`;
  const near = nearestName(key, names);
  if (near !== undefined) return `use ${quoteText(near)}`;
  const settings = ['agent', 'overrides'].find((name) => names.includes(name));
  if (settings !== undefined && isSettingKey(key)) return `write settings below "${settings}"`;
  const related = names.find((name) => hasSameWord(key, name));
  return related === undefined ? `use one of ${names.join(', ')}` : `use ${quoteText(related)}`;
}

/** One contains the other: `macAddress` and `mac`, `iso` and `deployIso`. */
function hasSameWord(key: string, name: string): boolean {
  const [shorter = '', longer = ''] = [key.toLowerCase(), name.toLowerCase()].toSorted(
    (one, other) => one.length - other.length,
  );
  return shorter.length > 2 && longer.includes(shorter);
}

export function noMapping(value: unknown): Mistake {
  if (value !== null && value !== undefined) return otherType('the inventory', ['object'], [], value);
  const hint = 'write settings below "agent:" or entries below "hosts:"';
  return { path: [], message: 'the inventory is empty', hint };
}

function otherType(name: string, types: readonly string[], path: Path, value: unknown): Mistake {
  const words = types.map((type) => typeWords[type] ?? type).join(' or ');
  const setting = settingTable.find((it) => it.name === path.at(-1));
  const isFile = setting?.kind === 'file' && isMapping(value);
  const hint = isFile
    ? `write the value to a file, and set its path: "${setting.name}: FILE"`
    : formHints[types[0] ?? ''];
  return { path, message: `${name} must be ${words}`, hint };
}

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
