/**
 * The network that hosts of an inventory share (`networkTemplate`): nmstate or OpenStack network data with placeholders. A text may
 * contain them: `eth0.{vlan}`. A value that is only a placeholder becomes a number if the value of the host has only digits. Without
 * quotes, YAML reads it as a mapping with a null.
 */

import { asMapping, isMapping, type Mapping } from '../../formats/mapping.ts';
import type { Mistake } from './inventoryMistakes.ts';

export interface NetworkTemplate {
  readonly format: 'nmstate' | 'networkData';
  readonly network: unknown;
  /** Of the placeholders. */
  readonly names: ReadonlySet<string>;
}

const formats = ['nmstate', 'networkData'] as const;

/** @param value of the key in an inventory that is valid by its schema */
export function readNetworkTemplate(value: unknown): NetworkTemplate | undefined {
  const template = asMapping(value);
  const format = formats.find((one) => template[one] !== undefined);
  if (format === undefined) return undefined;
  const names = new Set<string>();
  replacePlaceholders(template[format], (name) => void names.add(name));
  return { format, network: template[format], names };
}

/** The network of a host with valid values. */
export function fillNetwork({ network }: NetworkTemplate, host: Mapping): unknown {
  const values = valuesOf(host);
  return replacePlaceholders(network, (name) => values[name]);
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
  const missing = [...names].filter((name) => known[name] === undefined);
  const unknown = Object.keys(asMapping(values)).filter((name) => !names.has(name));
  return [
    ...missing.map((name) => ({
      path,
      message: `the value "${name}" of the network template is missing`,
      hint: `add "${name}: …"`,
    })),
    ...unknown.map((name) => ({
      path: [...path, name],
      message: `the network template has no placeholder {${name}}`,
      hint: `use one of ${[...names].join(', ')}`,
    })),
  ];
}

function valuesOf({ name, mac, architecture, network }: Mapping): Mapping {
  return { name, mac, architecture, ...asMapping(asMapping(network)['values']) };
}

/** @param valueOf undefined leaves the placeholder */
function replacePlaceholders(part: unknown, valueOf: (name: string) => unknown): unknown {
  if (Array.isArray(part)) return part.map((item) => replacePlaceholders(item, valueOf));
  if (isMapping(part)) {
    const entries = Object.entries(part);
    const [key, value] = entries[0] ?? [];
    if (entries.length === 1 && key !== undefined && value === null) return whole(valueOf(key), part);
    return Object.fromEntries(entries.map(([name, inner]) => [name, replacePlaceholders(inner, valueOf)]));
  }
  if (typeof part !== 'string') return part;
  const [, only] = /^\{([A-Za-z][\w-]*)\}$/.exec(part) ?? [];
  if (only !== undefined) return whole(valueOf(only), part);
  return part.replaceAll(/\{([A-Za-z][\w-]*)\}/g, (text, name: string) => {
    const value = valueOf(name);
    return typeof value === 'string' || typeof value === 'number' ? `${value}` : text;
  });
}

function whole(value: unknown, part: unknown): unknown {
  if (typeof value === 'string' && /^(?:0|[1-9]\d*)$/.test(value)) return Number(value);
  return value ?? part;
}
