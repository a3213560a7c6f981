/**
 * The config drive in its JSON form, which Ironic hands on to the agent as it is. The pre-rendered forms (an ISO image,
 * gzipped and in base64) are not offered: `install_coreos` refuses them. Nor is network_data: CoreOS does not read it.
 */

import type { Issue, Rule } from '../../ignition/rule.ts';
import type { PlainConfig } from './installedConfig.ts';
import { type InstallMetaData, type InstallSettings, renderMetaData } from './installSettings.ts';

/** The names are Ironic's. Empty where there is nothing to say. */
export interface ConfigDrive {
  readonly user_data?: PlainConfig;
  readonly meta_data?: InstallMetaData;
}

const requestTooLarge: Rule = {
  id: 'config-drive-size',
  severity: 'error',
  message: 'Ironic refuses a request to deploy of more than 64 MiB',
  hint: 'serve the large files of the config over https and refer to them by URL and hash',
};

/** Of the body of a request that changes the provision state: `[api]max_json_body_size_provision`. */
const maxRequestBytes = 64 * 1024 * 1024;

export function renderConfigDrive(config: PlainConfig | undefined, install: InstallSettings): ConfigDrive {
  const metaData = renderMetaData(install);
  return {
    ...(config !== undefined && { user_data: config }),
    ...(metaData !== undefined && { meta_data: metaData }),
  };
}

/** What is sent is the same JSON within a few more bytes. */
export function checkRequestSize(parts: readonly unknown[]): readonly Issue[] {
  const bytes = parts.reduce<number>((sum, part) => sum + Buffer.byteLength(JSON.stringify(part)), 0);
  return bytes <= maxRequestBytes
    ? []
    : [{ rule: requestTooLarge, path: [], message: `${requestTooLarge.message}: this is ${bytes} bytes` }];
}
