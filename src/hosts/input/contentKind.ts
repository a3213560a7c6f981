/** Detects the type of a file by its content, for messages about files of an unexpected type. */

import { asMapping, type Mapping } from '../../formats/mapping.ts';
import { detectImageKind } from '../../image/imageKind.ts';
import { bytesAccess } from '../../image/overlay.ts';

export interface ContentKind {
  /** With its article, e.g. `an inventory`. */
  readonly noun: string;
  /** What to do with the file, in the imperative. */
  readonly use: string;
}

/** Larger texts are not parsed for a message. */
const MAX_TEXT = 4 * 1024 * 1024;

/** Undefined for an Ignition config, and for unknown content. */
export async function detectContent(file: string, bytes: Uint8Array): Promise<ContentKind | undefined> {
  const image = await detectImageKind(bytesAccess(bytes));
  if (image === 'iso')
    return { noun: 'an ISO image', use: `inspect it with "ironic-coreos inspect ${file}"` };
  if (image === 'initramfs') return undefined;
  const text = bytes.length > MAX_TEXT ? '' : Buffer.from(bytes).toString('utf8');
  const kind = detectLines(file, text) ?? detectMapping(file, await parseMapping(text));
  if (kind !== undefined || !/\.(?:iso|img)$/i.test(file)) return kind;
  return { noun: 'an incomplete or damaged image', use: 'download or create it again' };
}

function detectLines(file: string, text: string): ContentKind | undefined {
  const start = text.trimStart().slice(0, 200);
  if (/^<(?:!doctype|html)\b/i.test(start))
    return { noun: 'an HTML page', use: 'download the file again, and check the URL in a browser' };
  if (start.startsWith('-----BEGIN CERTIFICATE'))
    return { noun: 'a PEM certificate', use: `pass it to render with --ca-file ${file}` };
  if (/^(?:ssh|ecdsa|sk)-\S+ AAAA/.test(start))
    return { noun: 'an SSH public key', use: `pass it to render with --ssh-key ${file}` };
  if (/^-----BEGIN [A-Z ]*PRIVATE KEY/.test(start))
    return { noun: 'a private key', use: 'keep it secret, and pass only the public key or certificate' };
  const [, section = ''] = /^\[([\w-]+)\]$/m.exec(text) ?? [];
  if (/^(?:connection|ipv4|ethernet)$/.test(section))
    return {
      noun: 'a NetworkManager keyfile',
      use: `embed it with "ironic-coreos iso network embed -k ${file} ISO"`,
    };
  if (/^(?:Unit|Service|Timer|Mount|Install)$/.test(section))
    return { noun: 'a systemd unit', use: `pass it to render with --unit ${file}` };
  if (section === 'DEFAULT')
    return {
      noun: 'a configuration file of ironic-python-agent',
      use: 'rename it to a name that ends in .conf',
    };
  return undefined;
}

async function parseMapping(text: string): Promise<Mapping> {
  const { parseYaml } = await import('../../formats/yaml.ts');
  try {
    return asMapping(parseYaml(text).value);
  } catch {
    return {};
  }
}

/** By top-level keys; the first match counts. */
const MAPPINGS: readonly {
  readonly keys: readonly string[];
  readonly noun: string;
  readonly use: (file: string) => string;
}[] = [
  {
    keys: ['variant'],
    noun: 'a Butane config',
    use: (file) => `translate it with butane first: butane ${file} | ironic-coreos validate -`,
  },
  {
    keys: ['auths', 'credHelpers', 'credsStore'],
    noun: 'a pull secret',
    use: (file) => `pass it to render with --pull-secret ${file}`,
  },
  {
    keys: ['apiVersion'],
    noun: 'a Kubernetes object',
    use: () => 'apply it with kubectl',
  },
  {
    keys: ['agent', 'hosts', 'profile', 'deploy'],
    noun: 'an inventory',
    use: (file) => `check it with "ironic-coreos render --inventory ${file} -o FOLDER"`,
  },
  {
    keys: ['interfaces', 'routes', 'dns-resolver'],
    noun: 'an nmstate file',
    use: (file) => `pass it to render with --nmstate ${file}`,
  },
  {
    keys: ['links', 'networks'],
    noun: 'OpenStack network data',
    use: (file) => `pass it to render with --network-data ${file}`,
  },
  {
    keys: ['architectures'],
    noun: 'stream metadata',
    use: (file) => `list it with "ironic-coreos list-stream --stream-base-url ${file}"`,
  },
];

function detectMapping(file: string, mapping: Mapping): ContentKind | undefined {
  if (Object.hasOwn(mapping, 'ignition')) return undefined;
  const kind = MAPPINGS.find(({ keys }) => keys.some((key) => Object.hasOwn(mapping, key)));
  return kind && { noun: kind.noun, use: kind.use(file) };
}
