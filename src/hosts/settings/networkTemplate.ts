/**
 * The network that hosts of an inventory share (`networkTemplate`): nmstate or OpenStack network data with placeholders. A text may
 * contain them: `eth0.{vlan}`. A value that is only a placeholder becomes a number if the value of the host has only digits. Without
 * quotes, YAML reads it as a mapping with a null.
 */

import { nearestName } from '../../core/nearestNames.ts';
import { asMapping, isMapping, type Mapping } from '../../formats/mapping.ts';
import type { Mistake } from './inventoryMistakes.ts';

export interface NetworkTemplate {
  readonly format: 'nmstate' | 'networkData';
  /** Of the placeholders. */
  readonly names: ReadonlySet<string>;
  /** Returns the network of a host with valid values. */
  readonly fill: (host: Mapping) => unknown;
}

const formats = ['nmstate', 'networkData'] as const;

/** @param value of the key in an inventory that is valid by its schema */
export function readNetworkTemplate(value: unknown): NetworkTemplate | undefined {
  const template = asMapping(value);
  const format = formats.find((one) => template[one] !== undefined);
  if (format === undefined) return undefined;
  const network = template[format];
  return {
    format,
    names: new Set(placeholdersIn(network)),
    fill: (host) => fill(network, valuesOf(host)),
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
  const missing = new Set([...names].filter((name) => known[name] === undefined));
  const mistakes = Object.keys(asMapping(values))
    .filter((name) => !names.has(name))
    .map((name) => {
      const meant = nearestName(name, missing);
      if (meant !== undefined) missing.delete(meant); // a misspelled name is one mistake
      const message = `the network template has no placeholder {${name}}`;
      const hint =
        meant === undefined ? `remove "${name}", or use {${name}} in the template` : `use ${meant}`;
      return { path: [...path, name], message, hint };
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

function valuesOf({ name, mac, architecture, network }: Mapping): Mapping {
  return { name, mac, architecture, ...asMapping(asMapping(network)['values']) };
}

/** The names of the placeholders in a part of the template. */
function* placeholdersIn(part: unknown): Generator<string> {
  const only = onlyPlaceholder(part);
  if (only !== undefined) yield only;
  else if (typeof part === 'string') for (const [, name = ''] of part.matchAll(PLACEHOLDER)) yield name;
  else if (typeof part === 'object' && part !== null) {
    for (const member of Object.values(part)) yield* placeholdersIn(member);
  }
}

/** A part with the values in place of its placeholders. One whose value is missing stays. */
function fill(part: unknown, values: Mapping): unknown {
  const only = onlyPlaceholder(part);
  if (only !== undefined) {
    const value = values[only];
    return typeof value === 'string' && /^(?:0|[1-9]\d*)$/.test(value) ? Number(value) : (value ?? part);
  }
  if (Array.isArray(part)) return part.map((item: unknown) => fill(item, values));
  if (isMapping(part)) {
    return Object.fromEntries(Object.entries(part).map(([key, member]) => [key, fill(member, values)]));
  }
  if (typeof part !== 'string') return part;
  return part.replaceAll(PLACEHOLDER, (text, name: string) => {
    const value = values[name];
    return typeof value === 'string' || typeof value === 'number' ? `${value}` : text;
  });
}

const PLACEHOLDER = /\{([A-Za-z][\w-]*)\}/g;

/** The name in a value that is only a placeholder: `"{vlan}"`, or `{vlan}` without quotes. */
function onlyPlaceholder(part: unknown): string | undefined {
  if (typeof part === 'string') return /^\{([A-Za-z][\w-]*)\}$/.exec(part)?.[1];
  const [[key, value] = ['', undefined], ...others] = Object.entries(asMapping(part));
  return others.length === 0 && value === null ? key : undefined;
}
