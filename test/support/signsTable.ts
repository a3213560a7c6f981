/** Generates the table of lines on the console in `docs/reasons.md`. */

import { type ConsoleSign, consoleSigns } from '../../src/trial/timeline/consoleSigns.ts';
import { stagePhrase } from '../../src/trial/timeline/stage.ts';
import { sourcesOfLines } from './consoleCorpus.ts';
import { replaceMarked } from './docs/markdown.ts';

/** Replaces the table between the markers of the page. */
export function replaceSignsTable(page: string): string {
  const sources = sourcesOfLines();
  const rows = Array.from(
    consoleSigns().values(),
    (sign) => `| \`${sign.id}\` | ${meaningOf(sign, sources.get(sign.id) ?? '')} | ${actionOf(sign)} |\n`,
  );
  return replaceMarked(page, 'signs', `| line | meaning | action |\n|---|---|---|\n${rows.join('')}`);
}

function meaningOf({ printer, proves, stage, suggests }: ConsoleSign, source: string): string {
  const facts = [
    ...(stage === undefined ? [] : [`shows the stage ${stagePhrase(stage)}`]),
    ...(proves === undefined ? [] : [`proves the cause \`${proves}\``]),
    ...(suggests.length === 0 ? [] : [`makes ${suggests.map((id) => `\`${id}\``).join(', ')} likely`]),
  ];
  const line = `A line of \`${printer}\` (${source})`.replaceAll('|', '\\|');
  return facts.length === 0 ? line : `${line}: it ${facts.join(', and ')}`;
}

function actionOf({ id, proves, suggests }: ConsoleSign): string {
  const [cause] = [proves ?? [], suggests].flat();
  if (cause === id) return 'see the cause of the same name';
  return cause === undefined ? 'nothing' : `run \`ironic-coreos explain ${cause}\``;
}
