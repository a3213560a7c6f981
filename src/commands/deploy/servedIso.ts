/** The ISO that `serve` has for a host, as the document of the host names it: by its signed URL. */

import { UsageError } from '../../core/errors.ts';
import { createSigner } from '../../http/server/answer/signedPath.ts';
import { readSigningKey } from '../../hosts/input/signingKey.ts';
import { createLinks } from '../../hosts/plan/links.ts';
import { hostFileName, parseBaseUrl } from '../../hosts/plan/servedPaths.ts';
import { overrideSettings, replacedSettings } from '../../hosts/settings/deployOverrides.ts';
import type { Io } from '../../io/io.ts';
import { flagOf, refuseUnused } from '../../io/report/choices.ts';
import { report } from '../../io/report/report.ts';
import type { HostContext } from './hostContext.ts';
import type { DeployOptions } from './options.ts';

export interface ServedIsos {
  /** The options of the host with the URL of its ISO, in place of what an inventory says, and the context for messages. */
  readonly withIso: (host: DeployOptions, context: HostContext) => readonly [DeployOptions, HostContext];
  /** The YAML document or the commands, with a comment that says how long the URLs are valid. */
  readonly comment: (document: string) => string;
}

/**
 * Undefined without `--serve-url`.
 * @param option the one that gets the URL
 */
export async function servedIsos(
  option: 'bootIso' | 'deployIso',
  options: DeployOptions,
  io: Io,
): Promise<ServedIsos | undefined> {
  const { expires: lifetime, keyFile, serveUrl } = options;
  if (serveUrl === undefined) {
    refuseUnused(options, [['serveUrl', ['keyFile', 'expires']]]);
    return undefined;
  }
  const other = [option, ...replacedSettings[option]].find((name) => Object.hasOwn(options, name));
  if (other !== undefined) {
    throw new UsageError(`--serve-url cannot be combined with ${flagOf(other)}`, {
      hint: `remove ${flagOf(other)}, or remove --serve-url`,
    });
  }
  const publicUrl = parseBaseUrl(serveUrl, '--serve-url');
  if (keyFile === undefined) {
    const withoutKey = `${flagOf(option)} ${publicUrl}/${options.name ?? '{name}'}.iso`;
    throw new UsageError('--serve-url requires --key-file', {
      hint: `pass --key-file FILE, the key of serve; if serve runs with --open, use ${withoutKey}`,
    });
  }
  const now = new Date();
  const signer = createSigner(await readSigningKey(keyFile, io));
  const links = createLinks(publicUrl, signer, lifetime, () => now);
  const validity = `valid until ${lifetime === undefined ? 'the key of serve changes' : formatExpiry(now, lifetime)}`;
  report(io, { severity: 'info', message: `the URLs of the ISOs are ${validity}` });
  return {
    withIso: (host, context) => {
      const { name = '' } = host;
      const url = links.url({ kind: 'host', host: name }, hostFileName(name, 'iso'));
      const named: HostContext = {
        ...context,
        nameOf: (asked) => (asked === option ? '--serve-url' : context.nameOf(asked)),
        locate: (asked, detail) => (asked === option ? undefined : context.locate(asked, detail)),
      };
      return [overrideSettings(host, { [option]: url }), named];
    },
    comment: (document) => `# The URLs of the ISOs are ${validity}.\n${document}`,
  };
}

/** Tokens expire at a full second. */
function formatExpiry(now: Date, lifetime: number): string {
  const expiry = new Date(Math.ceil((now.getTime() + lifetime) / 1000) * 1000);
  return expiry.toISOString().replace('.000', '');
}
