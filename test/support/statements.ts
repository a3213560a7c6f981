/** Sentences that say what another program does, in the texts of src and in docs/rules.md. */

import { parseAst } from 'rolldown/parseAst';
import { visit } from './importGraph.ts';

/** A sentence, and where it is: `src/agent/lint/units.ts:44`, or `docs/rules.md, agent-unit-timeout`. */
export interface Statement {
  readonly place: string;
  /** One line; `…` is a value that the program inserts. */
  readonly text: string;
  /** The message or section with the sentence, on one line. */
  readonly whole: string;
}

/** Programs and the parts of a system that they start, as parts of a regular expression. */
const SUBJECTS = [
  '[Ii]ronic',
  'ironic-python-agent',
  '[Tt]he (?:Ironic )?agent',
  "Python(?:’s|'s) (?:library )?requests",
  'Python',
  'oslo\\.config',
  'Ignition',
  'install_coreos',
  '[Tt]he operator(?: of Metal3)?',
  '[Tt]he conductor',
  'ironic-standalone-operator',
  'ironic-image',
  'Metal3',
  'ICC',
  'Bifrost',
  'Ansible',
  'Kubernetes',
  'kubectl',
  'systemd',
  '[Tt]he unit',
  'podman',
  '(?:newer|older|new) releases(?: of \\w+)?',
  'the (?:BMC driver|hardware type|Ironic resource)(?: \\w+)?',
  'spec\\.overrides',
  'Glance',
  '(?:network|UEFI HTTP) boot',
  'registries',
  'sushy',
  'docker',
  'NetworkManager(?: of the initramfs)?',
  'nm-initrd-generator',
  'nmstate(?:ctl)?',
  'cloud-init',
  'Glean',
  'CoreOS(?: \\d+)?',
  '[Aa] live system',
  '[Tt]he live system',
  'coreos-installer',
  'coreos-copy-firstboot-network',
  '[Tt]he installer',
  'dracut',
  '[Tt]he initramfs',
  '[Tt]he boot',
  '[Tt]he (?:Linux )?kernel',
  'Linux',
  'GRUB',
  'i?PXE',
  'PXELINUX',
  'ISOLINUX',
  'Butane',
  'chronyd',
  'sshd',
  'OpenSSH',
  'curl',
  'dnsmasq',
  'QEMU',
];

/** What is not a verb: "the kernel arguments", "Ignition configs". */
const NOUNS =
  'address|arguments|checks|classes|configs|documents|exists|files|hosts|images|its|keys|loaders|names|nodes|objects|options|parameters|programs|releases|requests|services|settings|steps|this|units|variables|versions|volumes';

const STATEMENT = new RegExp(
  `(?<![-/.\\w])(?:${SUBJECTS.join('|')})(?: [\\d.…]+(?: or later)?| before \\S+| in \\S+| for \\S+)?(?:,? which|,| and \\w+)?` +
    ` (?:also |no longer |first |then |itself |still |always |again |already |by default )*` +
    `(?:cannot|can|may|does|did|had|would|will|must|no|only|never|do|require|support|ignore|refuse|know|(?!(?:${NOUNS})\\b)[a-z]+s)\\b`,
);

/** The sentences of a text that say what a program does. */
function statements(text: string): string[] {
  const sentences = text.replaceAll(/(?<!\n)\n *(?!\n|-)/g, ' ').split(/(?<=[.:;])\s|\n/);
  return sentences.map((sentence) => sentence.trim()).filter((sentence) => STATEMENT.test(sentence));
}

/** @param path below src, with slashes */
export function statementsOfSource(path: string, source: string): Statement[] {
  const found: Statement[] = [];
  visit(parseAst(source, { lang: 'ts' }), (node) => {
    const text = textOf(node['type'], node);
    if (text === undefined || !text.includes(' ')) return;
    const line = source.slice(0, node.start).split('\n').length;
    const place = `src/${path}:${line}`;
    found.push(...statements(text).map((sentence) => ({ place, text: sentence, whole: oneLine(text) })));
  });
  return found;
}

/** All strings and templates of a source, each on one line. */
export function textsOf(source: string): string[] {
  const texts: string[] = [];
  visit(parseAst(source, { lang: 'ts' }), (node) => {
    const text = textOf(node['type'], node);
    if (text !== undefined) texts.push(oneLine(text));
  });
  return texts;
}

const oneLine = (text: string): string => text.replaceAll(/\s+/g, ' ');

/** The text of a string or of a template; undefined for other nodes. */
export function textOf(
  type: string,
  { value, quasis }: Readonly<Record<string, unknown>>,
): string | undefined {
  if (type === 'Literal') return typeof value === 'string' ? value : undefined;
  if (type !== 'TemplateLiteral' || !Array.isArray(quasis)) return undefined;
  return quasis.map((quasi) => quasi.value.cooked).join('…');
}

/** The sentences below the headings of rules, without examples. */
export function statementsOfRules(page: string): Statement[] {
  const sections = page
    .replaceAll(/^```[^]*?^```$/gm, '')
    .split(/^### /m)
    .slice(1);
  return sections.flatMap((section) => {
    const [id = '', ...lines] = section.split('\n');
    const prose = lines.filter((line) => !/^(?:- |#|(?:Inv|V)alid:$)/.test(line)).join('\n');
    return statements(prose).map((text) => ({ place: `docs/rules.md, ${id}`, text, whole: oneLine(prose) }));
  });
}
