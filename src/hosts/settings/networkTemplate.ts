/**
 * The network that hosts of an inventory share (`networkTemplate`): nmstate or OpenStack network data with placeholders. A text may
 * contain them: `eth0.{vlan}`. In place of a text that is only a placeholder, `"{vlan}"`, the value of the host stays a text or a
 * number. A placeholder without quotes, `{vlan}`, also makes a number of a text with only digits.
 */

import { nearestName } from '../../core/nearestNames.ts';
import { childAt, type DocumentNode, targetOf } from '../../formats/documentTree.ts';
import { asList, asMapping, isMapping, type Mapping } from '../../formats/mapping.ts';
import type { Mistake } from './inventoryMistakes.ts';

export interface NetworkTemplate {
  readonly format: 'nmstate' | 'networkData';
  /** Of the placeholders. */
  readonly names: ReadonlySet<string>;
  /** Returns the network of a host with valid values. */
  readonly fill: (host: Mapping) => unknown;
}

const formats = ['nmstate', 'networkData'] as const;

/**
 * @param value of the key in an inventory that is valid by its schema
 * @param node of the value; without it, placeholders are texts
 */
export function readNetworkTemplate(
  value: unknown,
  node: DocumentNode | undefined,
): NetworkTemplate | undefined {
  const template = asMapping(value);
  const format = formats.find((one) => template[one] !== undefined);
  if (format === undefined) return undefined;
  const network = template[format];
  const unquoted = new Map(unquotedIn(network, node && childAt(targetOf(node), format)));
  return {
    format,
    names: new Set(placeholdersIn(network, unquoted)),
    fill: (host) => fill(network, valuesOf(host), unquoted),
  };
}

/** The mistakes in `network.values` of a host; paths start at the host. */
export function checkNetworkValues(template: NetworkTemplate | undefined, host: Mapping): readonly Mistake[] {
  const { values, ...others } = asMapping(host['network']);
  if (values === undefined) return [];
  const path = ['network', 'values'];
  if (template === undefined) {
    const hint = 'add "networkTemplate: {nmstate: …}" to the inventory';
    return [{ path, message: '"values" requires a network template', hint }];
  }
  const [other] = Object.keys(others);
  if (other !== undefined) {
    const message = `"values" cannot be combined with "${other}"`;
    return [{ path, message, hint: `remove "values" or "${other}"` }];
  }
  const { names } = template;
  const known = valuesOf(host);
  const missing = new Set([...names].filter((name) => known.get(name) === undefined));
  const mistakes = Object.keys(asMapping(values))
    .filter((name) => !names.has(name))
    .map((name) => {
      const meant = nearestName(name, missing);
      if (meant !== undefined) missing.delete(meant); // a misspelled name is one mistake
      const message = `the network template has no placeholder {${name}}`;
      const own = meant === undefined ? `remove "${name}"` : `use "${meant}"`;
      return { path: [...path, name], message, hint: `${own}, or use {${name}} in the template` };
    });
  return [
    ...Array.from(missing, (name) => ({
      path,
      message: `the value "${name}" of the network template is missing`,
      hint: `add "${name}: …"`,
    })),
    ...mistakes,
  ];
}

function valuesOf({ name, mac, architecture, network }: Mapping): Values {
  return new Map(Object.entries({ name, mac, architecture, ...asMapping(asMapping(network)['values']) }));
}

/** By the names of placeholders. */
type Values = ReadonlyMap<string, unknown>;

/** The mappings of placeholders without quotes by themselves, and the names. */
type Unquoted = ReadonlyMap<unknown, string>;

/** YAML reads `{vlan}` as a mapping of a key without a value. In a mapping in block style (`speed:`), the value is only missing. */
function* unquotedIn(
  value: unknown,
  node: DocumentNode | undefined,
): Generator<readonly [mapping: unknown, name: string]> {
  const target = node && targetOf(node);
  if (target?.kind === 'sequence') {
    for (const [index, item] of target.items.entries()) yield* unquotedIn(asList(value)[index], item);
  }
  if (target?.kind !== 'mapping') return;
  const [first, ...others] = target.entries;
  const isAlone = target.style === 'flow' && others.length === 0;
  if (isAlone && first?.value.kind === 'scalar' && first.value.style === 'plain' && first.value.text === '') {
    yield [value, first.key.text];
  }
  for (const { key, value: member } of target.entries) {
    yield* unquotedIn(asMapping(value)[key.text], member);
  }
}

/** The names of the placeholders in a part of the template. */
function* placeholdersIn(part: unknown, unquoted: Unquoted): Generator<string> {
  const name = unquoted.get(part);
  if (name !== undefined) yield name;
  else if (typeof part === 'string') for (const [, own = ''] of part.matchAll(PLACEHOLDER)) yield own;
  else if (typeof part === 'object' && part !== null) {
    for (const member of Object.values(part)) yield* placeholdersIn(member, unquoted);
  }
}

/** A part with the values in place of its placeholders. One whose value is missing stays. */
function fill(part: unknown, values: Values, unquoted: Unquoted): unknown {
  const name = unquoted.get(part);
  if (name !== undefined) return numberIn(values.get(name)) ?? part;
  if (Array.isArray(part)) return part.map((item: unknown) => fill(item, values, unquoted));
  if (isMapping(part)) {
    return Object.fromEntries(
      Object.entries(part).map(([key, member]) => [key, fill(member, values, unquoted)]),
    );
  }
  if (typeof part !== 'string') return part;
  const [, only] = /^\{([A-Za-z][\w-]*)\}$/.exec(part) ?? [];
  if (only !== undefined) return values.get(only) ?? part;
  return part.replaceAll(PLACEHOLDER, (text, own: string) => {
    const value = values.get(own);
    return typeof value === 'string' || typeof value === 'number' ? `${value}` : text;
  });
}

const PLACEHOLDER = /\{([A-Za-z][\w-]*)\}/g;

/** The number that a text is written like, or else the value. A longer number would lose digits. */
function numberIn(value: unknown): unknown {
  if (typeof value !== 'string') return value;
  const number = Number(value);
  return String(number) === value && Number.isSafeInteger(number) ? number : value;
}
