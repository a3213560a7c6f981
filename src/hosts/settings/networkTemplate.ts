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
  const names = new Set<string>();
  const network = template[format];
  const fill = compile(network, names);
  return { format, names, fill: (host) => fill?.(valuesOf(host)) ?? network };
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
      return { path: [...path, name], message, hint: `use ${meant ?? `one of ${[...names].join(', ')}`}` };
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

/** Replaces the placeholders of a part of the template. A value that is missing leaves the placeholder. */
type Fill = (values: Mapping) => unknown;

/** Undefined for a part without placeholders, which all hosts share. @param names gets those of the placeholders */
function compile(part: unknown, names: Set<string>): Fill | undefined {
  if (Array.isArray(part)) {
    const items = part.map((item): readonly [unknown, Fill | undefined] => [item, compile(item, names)]);
    if (items.every(([, fill]) => fill === undefined)) return undefined;
    return (values) => items.map(([item, fill]) => (fill === undefined ? item : fill(values)));
  }
  if (isMapping(part)) {
    const [[key, value] = ['', undefined], ...others] = Object.entries(part);
    if (others.length === 0 && value === null) return whole(key, part, names);
    const members = Object.entries(part).map(
      ([name, member]) => [name, member, compile(member, names)] as const,
    );
    if (members.every(([, , fill]) => fill === undefined)) return undefined;
    return (values) =>
      Object.fromEntries(
        members.map(([name, member, fill]) => [name, fill === undefined ? member : fill(values)]),
      );
  }
  if (typeof part !== 'string') return undefined;
  const [, only] = /^\{([A-Za-z][\w-]*)\}$/.exec(part) ?? [];
  if (only !== undefined) return whole(only, part, names);
  const found = Array.from(part.matchAll(PLACEHOLDER), ([, name = '']) => name);
  if (found.length === 0) return undefined;
  for (const name of found) names.add(name);
  return (values) =>
    part.replaceAll(PLACEHOLDER, (text, name: string) => {
      const value = values[name];
      return typeof value === 'string' || typeof value === 'number' ? `${value}` : text;
    });
}

const PLACEHOLDER = /\{([A-Za-z][\w-]*)\}/g;

/** A value that is only a placeholder. */
function whole(name: string, part: unknown, names: Set<string>): Fill {
  names.add(name);
  return (values) => {
    const value = values[name];
    if (typeof value === 'string' && /^(?:0|[1-9]\d*)$/.test(value)) return Number(value);
    return value ?? part;
  };
}
