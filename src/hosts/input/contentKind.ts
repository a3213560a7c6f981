/** What a file is that some reader refused, as far as another reader of this program or a magic number shows it. */

import { isIronicConf } from '../../agent/ironicConf.ts';
import { isSettingKey } from '../../agent/settingSpelling.ts';
import { CliError, FormatError, ifWellFormed, only } from '../../core/errors.ts';
import { quoteText } from '../../core/foreignText.ts';
import { nearestName } from '../../core/nearestNames.ts';
import type { ByteSource } from '../../formats/byteReader.ts';
import { ISO_MARK_END } from '../../formats/iso9660/fields.ts';
import { asMapping } from '../../formats/mapping.ts';
import { parseOsloConfig } from '../../formats/osloConfig.ts';
import { quoteShellWord } from '../../formats/shell.ts';
import { readStart } from '../../image/fileStart.ts';
import { detectKind } from '../../image/imageKind.ts';
import { sourceOfImage } from '../../image/initrd.ts';
import { bytesAccess, type RandomAccess } from '../../image/overlay.ts';
import type { OpenImage } from '../../imagefile/openImage.ts';
import { inputName } from '../../io/files/files.ts';

/** With its article, and what to do with the file `FILE`, in the imperative. */
type Content = readonly [noun: string, use: string];

const ISO: Content = ['an ISO image', 'inspect it with "ironic-coreos inspect FILE"'];
const KERNEL: Content = ['a kernel or another EFI program', 'pass a kernel with --kernel FILE'];
const HTML: Content = ['an HTML page', 'download the file again, and check the URL in a browser'];
const IRONIC_CONF: Content = ['an ironic.conf', 'check it with "ironic-coreos validate FILE"'];
const CONF: Content = ['a configuration file of ironic-python-agent', 'pass it to render with --conf FILE'];

const IGNITION: Content = [
  'an Ignition config',
  'embed it with "ironic-coreos iso ignition embed -i FILE ISO"',
];
const BUTANE: Content = ['a Butane config', IGNITION[1]];
const INVENTORY: Content = ['an inventory of ironic-coreos', 'check it with "ironic-coreos validate FILE"'];
const INVENTORY_KEYS = '$schema profile ignore agent deploy bmc networkTemplate hosts'.split(' ');

const FOREIGN_KEYS = ['ignition', 'variant', 'apiVersion'];

/** Whether a document is an inventory, perhaps with mistakes: at least half of its keys are those of inventories, or similar. */
export function isInventory(value: unknown): boolean {
  const keys = Object.keys(asMapping(value));
  if (FOREIGN_KEYS.some((key) => keys.includes(key))) return false;
  const known = keys.filter((key) => nearestName(key, INVENTORY_KEYS) !== undefined || isSettingKey(key));
  return known.length > 0 && known.length * 2 >= keys.length;
}

/**
 * @param noun what was expected, with its article
 * @throws CliError for known content of another type
 */
export async function refuseOther(noun: string, file: string, bytes: Uint8Array): Promise<void> {
  const found = await detectContent(bytes);
  if (found === undefined || found[0] === noun) return;
  const [other, use] = found;
  throw new CliError(`${file} is ${other}, not ${noun}`, { code: 'ERR_FORMAT', hint: inCommand(use, file) });
}

/**
 * The result of `read`, for a file that may be too large to be kept in memory.
 * @throws the error of `read`; in place of a FormatError, a CliError for known content of another type
 */
export async function readAs<T>(
  noun: string,
  image: OpenImage,
  read: (bytes: ByteSource) => Promise<T>,
): Promise<T> {
  return read(sourceOfImage(image)).catch(
    only(FormatError, async (error) => {
      await refuseOther(noun, image.name, await image.read(0, Math.min(ISO_MARK_END, image.size)));
      throw error;
    }),
  );
}

/** The hint for a file that is no Ignition config. Undefined for an Ignition config, and for unknown content. */
export async function hintContent(file: string, bytes: Uint8Array): Promise<string | undefined> {
  const found = await detectContent(bytes);
  if (found === undefined || found === IGNITION || found === BUTANE) return undefined;
  const [noun, use] = found;
  return `this is ${noun}, not an Ignition config: ${inCommand(use, file)}`;
}

/** @throws FormatError for compressed data that are no image: an Ignition config, or an image that has to be unpacked first */
export async function refuseCompressed(image: RandomAccess): Promise<void> {
  const { format, head } = await readStart(image);
  if (format === 'none') return;
  const what = /^\s*\{/.test(head.toString('latin1')) ? 'Ignition config' : 'file';
  throw new FormatError(`the ${what} is compressed with ${format}`, {
    hint: `decompress it first: ${format} -d FILE`,
  });
}

/** @throws CliError for known content of another type than a keyfile */
export async function refuseOtherKeyfile(file: string, bytes: Uint8Array): Promise<void> {
  const isKeyfile = /^\[connection\]/m.test(Buffer.from(bytes).toString('latin1'));
  if (!isKeyfile) await refuseOther('a NetworkManager keyfile', file, bytes);
}

function inCommand(use: string, file: string): string {
  return file === inputName('-') ? use : use.replace('FILE', () => quoteShellWord(file));
}

/** Larger texts are not parsed for a message. */
const MAX_TEXT = 4 * 1024 * 1024;

async function detectContent(bytes: Uint8Array): Promise<Content | undefined> {
  const image = await detectKind(bytesAccess(bytes));
  if (image === 'iso') return ISO;
  if (image === 'initramfs' || image === 'rootfs') return undefined;
  if (image === 'kernel' || (bytes[0] === 0x4d && bytes[1] === 0x5a)) return KERNEL;
  const text = bytes.length > MAX_TEXT ? '' : Buffer.from(bytes).toString('utf8');
  if (/^\s*<(?:!doctype|html)\b/i.test(text)) return HTML;
  const [, section] = /^\[([\w-]+)\]$/m.exec(text) ?? [];
  if (section !== undefined && isIronicConf('', parseOsloConfig(text))) return IRONIC_CONF;
  if (section === 'DEFAULT') return CONF;
  // Several objects are no single YAML document.
  const [, ofText] = (/^apiVersion:/m.test(text) && /^kind: *["']?(\w+)/m.exec(text)) || [];
  if (ofText !== undefined) return describeObject(ofText);
  const { parseYaml } = await import('../../formats/yaml.ts');
  const mapping = asMapping(ifWellFormed(() => parseYaml(text).value));
  const keys = Object.keys(mapping);
  const { apiVersion, kind } = mapping;
  if (apiVersion !== undefined && typeof kind === 'string') return describeObject(kind);
  if (keys.includes('ignition')) return IGNITION;
  if (keys.includes('variant')) return BUTANE;
  return isInventory(mapping) ? INVENTORY : undefined;
}

function describeObject(kind: string): Content {
  const use =
    'write an inventory from it with "ironic-coreos import FILE" (objects of Metal3 and OpenShift), or write the part that is required to a file';
  return [`a Kubernetes object of kind ${quoteText(kind)}`, use];
}
