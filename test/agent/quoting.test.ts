/** Whatever value is accepted arrives where it is meant to: in the environment of the unit, or in the agent's conf. */

import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { renderAgentConfig } from '../../src/agent/agentConfig.ts';
import { parseNoProxy, parseProxyUrl } from '../../src/agent/proxy.ts';
import { type AgentSettings, defaultSettings } from '../../src/agent/settings.ts';
import { FormatError } from '../../src/core/errors.ts';
import { formatOsloValue, parseOsloConfig } from '../../src/formats/osloConfig.ts';
import { splitEnvironmentLine, splitExecLine } from '../../src/formats/systemdQuoting.ts';
import { readUnit } from '../support/readUnit.ts';
import { renderedConf } from '../support/renderedConf.ts';

/** The others take no values that need quoting. */
const quotingProfiles = ['default', 'buildpy'] as const;

const base: AgentSettings = {
  ...defaultSettings,
  agentImage: 'registry.example.com/ironic-agent',
  apiUrls: ['https://192.0.2.1:6385', 'https://[2001:db8::1]:6385'],
  callbackUrls: ['https://inspector.example.com/v1/continue'],
};

/** Printable text, with what is special somewhere more often than by chance. */
const printable = fc.string({
  unit: fc.oneof(
    fc.constantFrom('%', '$', '"', "'", '\\', '{', '}', '#', ';', '=', ' ', 'n'),
    fc.string({ unit: 'grapheme', minLength: 1, maxLength: 1 }),
  ),
});

function valuesOf(settings: AgentSettings, name: string): string[] {
  const unit = readUnit(renderAgentConfig(settings).systemd?.units?.[0]?.contents ?? '');
  if ('error' in unit) throw new Error(unit.error);
  const options = unit.sections.flatMap((section) => section.options);
  return options.filter((option) => option.name === name).map((option) => option.value);
}

function environmentOf(settings: AgentSettings): string[] {
  return valuesOf(settings, 'Environment').flatMap((value) =>
    splitEnvironmentLine(value).map(({ text }) => text),
  );
}

/** Of the last command; systemd joins continued lines with a blank. */
function argumentsOf(settings: AgentSettings, name: string): string[] {
  const [command = []] = splitExecLine((valuesOf(settings, name).at(-1) ?? '').replaceAll('\\\n', ' '));
  return command.map(({ text }) => text);
}

function tryParse<T>(parse: () => T): T | undefined {
  try {
    return parse();
  } catch (error) {
    if (error instanceof FormatError) return undefined;
    throw error;
  }
}

const check = (property: fc.IRawProperty<unknown>): void => expect(() => fc.assert(property)).not.toThrow();

describe.each(quotingProfiles)('profile %s', (profile) => {
  it('gives proxies to the unit as they are', () => {
    const url = printable.map((text) => `http://user:${text}@proxy.example.com:3128/${text}`);
    check(
      fc.property(
        fc.oneof(
          url,
          url.map((text) => encodeURI(text)),
          printable,
        ),
        (text) => {
          const http = tryParse(() => parseProxyUrl(text));
          if (http === undefined) return;
          const settings = { ...base, profile, proxy: { http, noProxy: [] } };
          expect(environmentOf(settings)).toContain(`HTTP_PROXY=${text}`);
        },
      ),
    );
  });

  it('never lets a proxy come between the agent and Ironic', () => {
    check(
      fc.property(fc.oneof(printable, fc.constant('*')), (text) => {
        const noProxy = tryParse(() => parseNoProxy(text)) ?? [];
        const settings = { ...base, profile, proxy: { https: 'http://proxy', noProxy } };
        const servers = ['192.0.2.1', '2001:db8::1', 'inspector.example.com'];
        // A single asterisk means all servers.
        const list = noProxy.join() === '*' ? noProxy : [...noProxy, ...servers];
        expect(environmentOf(settings)).toContain(`NO_PROXY=${[...new Set(list)].join(',')}`);
      }),
    );
  });

  it('keeps the value of an option line', () => {
    check(
      fc.property(printable, (value) => {
        const written = tryParse(() => formatOsloValue(value));
        if (written === undefined) return;
        const conf = renderedConf({ ...base, profile, optionLines: [`log_file = ${written}`] });
        const { entries, problems } = parseOsloConfig(conf);
        const option = entries.findLast((entry) => entry.kind === 'option');
        expect(problems).toEqual([]);
        expect(option).toMatchObject({ section: 'DEFAULT', name: 'log_file', value });
      }),
    );
  });

  it("gives the user's arguments to podman as they are", () => {
    check(
      fc.property(printable, printable, (one, other) => {
        const podmanArgs = [
          `--mount=type=bind,src=/${one},dst=/${other}`,
          `--env=NAME=${one}`,
          `--label=${one}=${other}`,
        ];
        const settings = {
          ...base,
          profile,
          podmanArgs,
          installIpOptions: one,
          pullArgs: [`--creds=${other}`],
        };
        const words = argumentsOf(settings, 'ExecStart');
        expect(words).toContain(`IPA_COREOS_IP_OPTIONS=${one}`);
        expect(words.slice(-6, -1)).toEqual([...podmanArgs, '--name', 'ironic-agent']);
        expect(argumentsOf(settings, 'ExecStartPre')).toContain(`--creds=${other}`);
      }),
    );
  });

  it('starts one podman with one image', () => {
    const settings = {
      ...base,
      profile,
      hostname: 'worker-0',
      pullSecret: '{"auths":{}}',
      caCertificates: 'x',
    };
    const [command = [], ...others] = valuesOf(settings, 'ExecStart').flatMap((line) => splitExecLine(line));
    const words = command.map(({ text }) => text);
    expect(others).toEqual([]);
    expect(words).toContain('IPA_DEFAULT_HOSTNAME=worker-0');
    expect(words.slice(-3, -1)).toEqual(['--name', 'ironic-agent']);
  });
});
