/**
 * Reports for services that show findings next to the source.
 *
 * GitHub Actions: one workflow command per finding, which the runner reads from the output of a step. Values are
 * escaped as in GitHub's toolkit, so that no text of a document becomes a command or a property.
 *
 * SARIF 2.1.0, for code scanning: one run for all files, written while they are checked, so that what has been written
 * need not be kept; the rules that it refers to come last.
 *
 * Left out in both: where findings end, which is not known. Left out in SARIF: fixes, and the contents of the files, which
 * may contain secrets.
 */

import type { Severity } from '../../core/finding.ts';
import { utf16Columns } from './codeFrame.ts';
import { printable } from '../../core/foreignText.ts';
import {
  type CheckedFile,
  type FileFinding,
  innerDocument,
  placeInMember,
  type Reporter,
  shownTexts,
  uncheckedFinding,
  type UncheckedFile,
} from './reporter.ts';
import { programVersion, repositoryAddress } from '../../core/programVersion.ts';
import { ruleBook, type RuleEntry, type RuleExample } from './ruleBook.ts';

export const githubReporter: Reporter = {
  add: (file) => ({ stdout: mapFindings(file, formatCommand).join(''), stderr: '' }),
};

const commands: Readonly<Record<Severity, string>> = { error: 'error', warning: 'warning', info: 'notice' };

/** Converts each finding; findings with a position in the file itself get a column in UTF-16 code units. */
function mapFindings<T>(
  checked: CheckedFile | UncheckedFile,
  make: (finding: FileFinding, file: string, column?: number) => T,
): readonly T[] {
  if ('error' in checked) return [make(uncheckedFinding(checked.error), checked.file)];
  const { file, report, bytes } = checked;
  const placed = report.findings.filter((finding) => innerDocument(finding) === undefined);
  const positions = placed.flatMap(({ position }) => position ?? []);
  const columns = utf16Columns(bytes, positions).values();
  return report.findings.map((finding) => {
    const isPlaced = innerDocument(finding) === undefined && finding.position !== undefined;
    return make(finding, file, isPlaced ? columns.next().value : undefined);
  });
}

/** A position in an inner document cannot be annotated, so it is part of the message. */
function formatCommand(finding: FileFinding, file: string, column?: number): string {
  const { severity, rule, position } = finding;
  const { path, message, hint } = shownTexts(finding);
  const inMember = placeInMember(finding);
  const properties = [
    ...(file === '-' ? [] : [`file=${escapeProperty(file)}`]),
    ...(position === undefined || inMember !== undefined ? [] : [`line=${position.line}`]),
    ...(column === undefined ? [] : [`col=${column}`]),
    `title=${escapeProperty(rule)}`,
  ];
  const place = finding.path.length > 0 ? ` [${path}]` : '';
  const lines = withDetails(`${message}${place}`, inMember, hint);
  return `::${commands[severity]} ${properties.join(',')}::${lines.map(escapeData).join('%0A')}\n`;
}

function withDetails(message: string, inMember: string | undefined, hint: string | undefined): string[] {
  const lines = [message];
  if (inMember !== undefined) lines.push(`in ${inMember}`);
  if (hint !== undefined) lines.push(`hint: ${hint}`);
  return lines;
}

/** Line breaks would end the command, so they are escaped like all control characters. */
function escapeData(text: string): string {
  return printable(text).replaceAll('%', '%25');
}

function escapeProperty(text: string): string {
  return escapeData(text).replaceAll(':', '%3A').replaceAll(',', '%2C');
}

/** Create one per run: it numbers the rules in order of appearance. */
export function createSarifReporter(): Reporter {
  const ruleIndexes = new Map<string, number>();
  const formatResult = (result: SarifResult): string => {
    const separator = ruleIndexes.size === 0 ? '' : ',\n';
    const ruleIndex = ruleIndexes.get(result.ruleId) ?? ruleIndexes.size;
    ruleIndexes.set(result.ruleId, ruleIndex);
    return separator + JSON.stringify({ ...result, ruleIndex });
  };
  return {
    start: `{"$schema":"${SCHEMA}","version":"2.1.0","runs":[{"columnKind":"utf16CodeUnits","results":[\n`,
    add: (file) => ({ stdout: mapFindings(file, sarifResult).map(formatResult).join(''), stderr: '' }),
    end: () => formatEnd([...ruleIndexes.keys()]),
  };
}

const SCHEMA = 'https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json';

function formatEnd(ruleIds: readonly string[]): string {
  const version = programVersion();
  const address = repositoryAddress();
  const pages = address === undefined ? undefined : `${address}/blob/v${version}/docs`; // also on GitLab, which redirects
  const rules = ruleIds.map((id) => sarifRule(id, pages));
  const informationUri = address === undefined ? {} : { informationUri: address };
  const driver = { name: 'ironic-coreos', version, semanticVersion: version, ...informationUri, rules };
  const tool = { driver };
  return `\n],"tool":${JSON.stringify(tool)}}]}\n`;
}

interface SarifResult {
  readonly ruleId: string;
  readonly level: string;
  readonly message: { readonly text: string };
  readonly locations: readonly unknown[];
}

const levels: Readonly<Record<Severity, string>> = { error: 'error', warning: 'warning', info: 'note' };

/** The artifact is the file on disk; a position in an inner document is part of the message. */
function sarifResult(finding: FileFinding, file: string, column?: number): SarifResult {
  const { severity, rule, position } = finding;
  const { path, message, hint } = shownTexts(finding);
  const member = innerDocument(finding);
  const isPlaced = position !== undefined && member === undefined;
  const region = isPlaced ? { region: { startLine: position.line, startColumn: column } } : {};
  const steps = [...(member === undefined ? [] : [member]), ...(finding.path.length === 0 ? [] : [path])];
  const place = steps.length === 0 ? {} : { logicalLocations: [{ fullyQualifiedName: steps.join(': ') }] };
  const text = withDetails(message, placeInMember(finding), hint).join('\n');
  return {
    ruleId: rule,
    level: levels[severity],
    message: { text: escapeLinks(text) },
    locations: [{ physicalLocation: { artifactLocation: artifactLocation(file), ...region }, ...place }],
  };
}

/** A message must not become a link because a document has brackets in it (section 3.11.6). */
function escapeLinks(text: string): string {
  return text.includes('](') ? text.replaceAll(/[[\]\\]/g, '\\$&') : text;
}

function artifactLocation(file: string): object {
  if (file === '-') return { description: { text: 'standard input' } };
  const path = file.split('/').map(encodeStep).join('/');
  return { uri: file.startsWith('/') ? `file://${path}` : path };
}

/** A part of a file name; bytes that are not Unicode were already lost when the name was read. */
function encodeStep(step: string): string {
  return encodeURIComponent(Buffer.from(step).toString());
}

/** @param pages URL of the folder of the documentation */
function sarifRule(id: string, pages: string | undefined): object {
  const entry = ruleBook().get(id);
  if (entry === undefined) return { id };
  return {
    id,
    shortDescription: { text: escapeLinks(entry.message) },
    fullDescription: { text: escapeLinks(entry.meaning.join('\n\n')) },
    defaultConfiguration: { level: entry.severity === 'info' ? 'note' : entry.severity },
    ...(pages !== undefined && { helpUri: `${pages}/rules.md#${id}` }),
    help: { text: escapeLinks(entry.meaning.join('\n\n')), markdown: formatMarkdown(entry) },
  };
}

function formatMarkdown({ meaning, invalid, valid }: RuleEntry): string {
  return [...meaning, ...formatExample('Invalid', invalid), ...formatExample('Valid', valid)].join('\n\n');
}

function formatExample(label: string, example: RuleExample | undefined): readonly string[] {
  if (example === undefined) return [];
  return [`${label}:`, `\`\`\`${example.language}\n${example.text}\n\`\`\``];
}
