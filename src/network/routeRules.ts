/** The `route-rules` of a document. NetworkManager stores rules per interface, so nmstate selects an interface. */

import { groupBy } from '../core/lists.ts';
import { isMapping } from '../formats/mapping.ts';
import { MAIN_TABLE } from './connection.ts';
import type { ConvertedEntry } from './convertedKeyfile.ts';
import { type DocumentPlace, refuse, step } from './documentPlace.ts';
import { ipSettingsOf } from './interface.ts';
import { type Family, formatSubnet, type Subnet } from './ipAddress.ts';
import * as reader from './readers.ts';
import type { RoutesByInterface } from './routes.ts';
import type { InterfaceLinks } from './stacking.ts';

export interface RouteRule {
  readonly family: Family;
  /** The name of the interface that has the rule. */
  readonly interfaceName: string;
  /** The value of `routing-ruleN` in NetworkManager. */
  readonly value: ConvertedEntry;
}

const ruleShape = {
  family: reader.oneOf(['ipv4', 'ipv6']),
  'ip-from': ruleNetwork,
  'ip-to': ruleNetwork,
  /** -1 is the default. */
  priority: reader.integer(-1, 2 ** 32 - 1),
  /** 0 is the default. */
  'route-table': reader.uint32,
  action: reader.oneOf(['blackhole', 'unreachable', 'prohibit']),
  iif: reader.linkName,
};

interface Rule {
  readonly place: DocumentPlace;
  readonly family: Family;
  /** Those that the document sets. */
  readonly fields: reader.Shaped<typeof ruleShape>;
}

const readRuleFields = reader.object({ ...ruleShape, state: reader.oneOf(['absent']) });
const readRulesFields = reader.object({ config: reader.list(readRule) });

/** An empty text is no network. */
function ruleNetwork(value: unknown, place: DocumentPlace): Subnet | undefined {
  return value === '' ? undefined : reader.network(value, place);
}

/** Rules to remove have no effect on keyfiles. */
function readRule(value: unknown, place: DocumentPlace): Rule | undefined {
  if (isMapping(value) && value['state'] === 'absent') {
    readRuleFields(value, place);
    return undefined;
  }
  const fields = readRuleFields(value, place);
  if (fields === undefined) return undefined;
  const { 'ip-from': from, 'ip-to': to, family: written } = fields;
  const family = written === undefined ? (from ?? to)?.address.family : written === 'ipv4' ? 4 : 6;
  if (family === undefined) return refuse(place, 'one of ip-from, ip-to and family is required');
  for (const [key, network] of [
    ['ip-from', from],
    ['ip-to', to],
  ] as const) {
    if (network === undefined || network.address.family === family) continue;
    refuse(step(place, key), `expected an IPv${family} network, like the rest of the rule`);
  }
  return { place, family, fields };
}

/** The priority of the first rule without one, unless another rule has a greater one. */
const FIRST_PRIORITY = 30_000;

export function readRouteRules(
  value: unknown,
  links: InterfaceLinks,
  routes: RoutesByInterface,
  place: DocumentPlace,
): readonly RouteRule[] {
  const rules = readRulesFields(value, place)?.config ?? [];
  let last = FIRST_PRIORITY - 1;
  for (const { fields } of rules) last = Math.max(last, fields.priority ?? -1);
  const written = rules.flatMap((rule): RouteRule[] => {
    const { family, place: at } = rule;
    const { priority = -1 } = rule.fields;
    if (priority === -1) last += 1;
    const interfaceName = findTarget(rule, links, routes);
    const target = links.interfaces.get(interfaceName);
    if (target?.isUp !== true || ipSettingsOf(target, family)?.enabled !== true) {
      const message = `nmstate stores the rule with ${interfaceName}, which has no IPv${family}`;
      refuse(at, message, `set iif to an interface whose ipv${family}.enabled is true`);
      return [];
    }
    const text = formatRule(rule, priority === -1 ? last : priority);
    return [{ family, interfaceName, value: { value: text, from: at.path } }];
  });
  // nmstate keeps one of several equal rules.
  const byText = groupBy(written, ({ interfaceName, value: { value: text } }) => `${interfaceName} ${text}`);
  return [...byText.values()].flatMap(([first]) => first ?? []);
}

/** The interface of the packets, else the first with a route in the table of the rule, else the first with the IP version. */
function findTarget(
  { family, fields: { iif, 'route-table': table = 0 } }: Rule,
  { interfaces }: InterfaceLinks,
  routes: RoutesByInterface,
): string {
  if (iif !== undefined) return iif;
  const isTable = (own = 0): boolean => (own || MAIN_TABLE) === (table || MAIN_TABLE);
  const capable = [...interfaces.values()].filter((link) => ipSettingsOf(link, family)?.enabled === true);
  const found = capable.find(
    (link) =>
      (routes.get(link.name) ?? []).some((route) => route.family === family && isTable(route.table)) ||
      isTable(ipSettingsOf(link, family)?.autoTable),
  );
  return (found ?? capable[0])?.name ?? 'lo';
}

/** In the order of nmstate. */
function formatRule({ family, fields }: Rule, priority: number): string {
  const { 'ip-from': from, 'ip-to': to, action } = fields;
  const everything = family === 4 ? '0.0.0.0/0' : '::/0';
  return reader.formatOptions(
    [
      ['priority', priority],
      ['to', to && formatSubnet(to)],
      ['from', from ? formatSubnet(from) : to === undefined ? everything : undefined],
      ['iif', fields.iif],
      ['type', action],
      ['table', fields['route-table'] || MAIN_TABLE],
    ],
    ' ',
    ' ',
  );
}
