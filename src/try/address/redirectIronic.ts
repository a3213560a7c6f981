/** Configs of an inventory that name another Ironic than the inventory does: the one that is played here. */

import type { Inventory } from '../../hosts/settings/inventoryDocument.ts';
import type { Inputs, InputValue } from '../../agent/settingInputs.ts';
import type { SettingName } from '../../agent/settingTable.ts';
import type { RenderOptions } from '../../hosts/settings/options.ts';
import { readInputs, type RenderSource } from '../../hosts/settings/settings.ts';
import type { ServeSource } from '../../serve/source.ts';

export interface OtherIronic {
  /** Base URL. */
  readonly url: string;
  /** Absolute path of the authority that its certificate needs; undefined for plain HTTP. */
  readonly caFile: string | undefined;
}

/** Where inspection data go is derived from the URL again, and certificates that are trusted already stay so. */
export function redirectIronic(read: ServeSource, other: OtherIronic): ServeSource {
  const inventory = redirectInventory(read.inventory, other);
  return {
    ...read,
    inventory,
    source: {
      ...read.source,
      options: redirectOptions(read.source, other),
      files: [inventory.agent],
      ...(inventory.hosts !== undefined && { hosts: inventory.hosts }),
    },
  };
}

/** A flag counts more than a file and the environment do. */
function redirectOptions(source: RenderSource, { caFile, url }: OtherIronic): RenderOptions {
  const options = { ...source.options, apiUrl: url };
  const trusted = readInputs(source).inputs.get('ironic.caFiles') ?? [];
  // Certificates that the environment names would take the place of those in files, this one among them.
  const isOfFiles = trusted.every(({ origin }) => origin === 'file');
  if (caFile === undefined || isOfFiles) return options;
  return { ...options, caFile: [...trusted.map(({ text }) => text), caFile] };
}

function redirectInventory({ agent, hosts, ...rest }: Inventory, other: OtherIronic): Inventory {
  return {
    ...rest,
    agent: redirectInputs(agent, other, []),
    ...(hosts !== undefined && {
      hosts: hosts.map((host) => ({
        ...host,
        readInputs: () => redirectInputs(host.readInputs(), other, undefined),
      })),
    }),
  };
}

/** Settings that would lead to the other Ironic still. */
const beside: readonly SettingName[] = ['ironic.inspectionCallbackUrls', 'ironic.inspectorUrls'];

/** @param noCa certificates where the layer names none; undefined where those of the layer below count then */
function redirectInputs(
  inputs: Inputs,
  { caFile }: OtherIronic,
  noCa: readonly InputValue[] | undefined,
): Inputs {
  const kept = new Map(inputs);
  for (const name of beside) kept.delete(name);
  const trusted = kept.get('ironic.caFiles') ?? noCa;
  if (caFile === undefined || trusted === undefined) return kept;
  return kept.set('ironic.caFiles', [...trusted, ownAuthority(caFile)]);
}

function ownAuthority(caFile: string): InputValue {
  return { text: caFile, place: '--tls', origin: 'file', isContent: false };
}
