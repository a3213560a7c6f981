import { describe, expect, it } from 'vitest';
import { checkInstall, renderMetaData } from '../../../../src/commands/deploy/documents/installation.ts';

const rulesOf = (...appendKarg: string[]) => checkInstall({ appendKarg }).map(({ rule }) => rule);

describe('install settings', () => {
  it.each([
    ['nothing', { appendKarg: [] }, undefined],
    ['one argument', { appendKarg: ['a=1'] }, { coreos_append_karg: ['a=1'] }],
    [
      'several arguments as one element',
      { appendKarg: ['ip=dhcp,dhcp6', 'b', 'c=2'] },
      { coreos_append_karg: ['ip=dhcp,dhcp6 b c=2'] },
    ],
    ['copying', { appendKarg: [], copyNetwork: true }, { coreos_copy_network: true }],
    ['not copying', { appendKarg: [], copyNetwork: false }, { coreos_copy_network: false }],
  ])('are rendered: %s', (_title, settings, metaData) => {
    expect(renderMetaData(settings)).toEqual(metaData);
  });

  // The agent joins the list with commas; what results must be what was meant.
  it('survive how the agent joins them', () => {
    const { coreos_append_karg: list = [] } = renderMetaData({ appendKarg: ['a', 'b=c,d'] }) ?? {};
    expect(list.join(',')).toBe('a b=c,d');
  });

  it.each([
    ['an ordinary argument', ['nosmt'], []],
    ['a blank inside', ['a b'], ['install-karg']],
    ['no name', ['=a'], ['install-karg']],
    ['nothing', [''], ['install-karg']],
    ['a quote', ['a="b"'], ['install-karg']],
    ['other than ASCII', ['a=é'], ['install-karg']],
    ['a line break', ['a\n'], ['install-karg']],
    ['a broken console', ['console=tty S0'], ['install-karg']],
    ['a console with a broken speed', ['console=ttyS0,fast'], ['console-options']],
  ])('are checked: %s', (_title, appendKarg, rules) => {
    expect(rulesOf(...appendKarg)).toEqual(rules);
  });
});
