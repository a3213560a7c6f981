/** Data URLs as Python's urllib.parse.quote writes them. */

import { expect, it } from 'vitest';
import { renderConfigureScriptConfig } from '../../../src/agent/profiles/configureCoreosIpa.ts';
import { defaultSettings } from '../../../src/agent/settings.ts';

it('escapes what Python escapes, and no slash', () => {
  const callbackUrls = ["http://h/a!b'c(d)e*f~g-h_i.j?k=é"];
  const config = renderConfigureScriptConfig({
    ...defaultSettings,
    agentImage: 'registry.example.com/ironic-agent',
    apiUrls: ['http://h'],
    callbackUrls,
  });
  const source = config.storage?.files?.[0]?.contents?.source ?? '';
  expect(source).toMatch(/^data:,/);
  expect(source).toContain('http%3A//h/a%21b%27c%28d%29e%2Af~g-h_i.j%3Fk%3D%C3%A9%0A');
});
