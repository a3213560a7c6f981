/**
 * Settings that are one text with commas on the command line and may be a list in an inventory. Their readers get the
 * text; each item is tried on its own before, so that a mistake is told with the place of its item.
 */

import { checkCallbackUrl } from '../../agent/ironicUrl.ts';
import type { InputValue } from '../../agent/settingInputs.ts';
import type { KnownSetting, SettingName } from '../../agent/settingTable.ts';
import { inPlace, type Reading } from './reading.ts';

type ListName = Extract<KnownSetting, { readonly kind: 'list' }>['name'];

/** Throw UsageError for an item that would be wrong without the others, too. */
const itemChecks: { readonly [N in ListName]: (item: InputValue, reading: Reading) => unknown } = {
  'ironic.apiUrls': ({ text, place }, { parse }) => parse.apiUrls(text, { flag: place }),
  'ironic.inspectionCallbackUrls': ({ text, place }) => checkCallbackUrl(text, place),
  'ironic.inspectorUrls': ({ text, place }, { parse }) => parse.inspectorUrls(text, { flag: place }),
  'agent.vlanInterfaces': ({ text, place }, { parse }) =>
    inPlace(place, () => parse.vlanInterfaces(text, false)),
  'proxy.none': ({ text, place }, { parse }) => inPlace(place, () => parse.noProxy(text)),
};

/**
 * The same reading, with one value for each of these settings; where it was a list, its place is that of the first item.
 * Throws UsageError for an item that is wrong.
 */
export function joinLists(reading: Reading): Reading {
  return { ...reading, inputs: { get: (name) => joinItems(name, reading) } };
}

function joinItems(name: SettingName, reading: Reading): readonly InputValue[] | undefined {
  const values = reading.inputs.get(name);
  const [first, ...others] = values ?? [];
  if (first === undefined || others.length === 0 || !isListName(name)) return values;
  for (const item of [first, ...others]) itemChecks[name](item, reading);
  return [{ ...first, text: [first, ...others].map(({ text }) => text).join(',') }];
}

function isListName(name: SettingName): name is ListName {
  return Object.hasOwn(itemChecks, name);
}
