/** The tables that are made from docs/proof.json: in README.md, docs/proof.md and docs/kubernetes.md. */

import { all } from '../oracles/find.js';
import type { Bench, Figures, Proof, Verdict } from '../oracles/proof.js';

type Oracle = (typeof all)[number];

const HEADER = '| what | compared with | result | date |\n|---|---|---|---|\n';

/** For README.md. */
export function formatHighlights(proof: Proof): string {
  const rows = all.filter(({ isInReadme }) => isInReadme === true);
  return HEADER + rows.map((oracle) => formatVerdict(oracle, proof.oracles[oracle.name])).join('');
}

/** For docs/proof.md: each oracle. */
export function formatSummary({ oracles }: Proof): string {
  return HEADER + all.map((oracle) => formatVerdict(oracle, oracles[oracle.name])).join('');
}

function formatVerdict({ asks, name }: Oracle, verdict: Verdict | undefined): string {
  if (verdict === undefined) return `| ${asks} | ${name} | not asked | |\n`;
  const { date, failed, passed, version } = verdict;
  const result =
    failed === 0 ? `${tests(passed)} pass` : `FAILED: ${amount(failed)} of ${tests(passed + failed)}`;
  return `| ${asks} | ${[name, version].filter((text) => text !== '').join(' ')} | ${result} | ${date} |\n`;
}

/** For docs/proof.md: each boot of the real chain with what it has shown. */
export function formatChain({ oracles }: Proof): string {
  const shown = (oracles['chain']?.shows ?? []).map(
    (title) => /^(.*): (.*)$/.exec(title) ?? ['', title, title],
  );
  const boots = [...new Set(shown.map(([, boot = '']) => boot))];
  const lines = boots.map((boot) => {
    const shows = shown.filter(([, other]) => other === boot).map(([, , what]) => what);
    return `| ${boot} | ${shows.join('; ')} |\n`;
  });
  return lines.length === 0 ? 'Not run.\n' : `| boot | what it shows |\n|---|---|\n${lines.join('')}`;
}

/** For docs/proof.md: benchmarks with the upstream tools in the same run. */
export function formatRatios({ benches }: Proof): string {
  const lines = Object.entries(benches).flatMap(([name, { date, figures }]) =>
    (figures.ratios ?? []).map(
      ({ name: title, ours, theirs }) =>
        `| ${name} | ${title} | ${ours} ${figures.unit} | ${theirs} ${figures.unit} | ${(ours / theirs).toFixed(2)} | ${date} |\n`,
    ),
  );
  if (lines.length === 0) return 'Not measured.\n';
  const machines = new Set(Object.values(benches).map(describeBench));
  return (
    '| benchmark | case | ironic-coreos | upstream tool | ratio | date |\n|---|---|---|---|---|---|\n' +
    `${lines.join('')}\n${[...machines].map((text) => `- ${text}\n`).join('')}`
  );
}

function describeBench({ figures, machine }: Bench): string {
  const peers = (figures.peers ?? []).map(({ name, version }) => `${name} ${version}`);
  return [...peers, machine].join(', ');
}

/** For docs/kubernetes.md. */
export function formatController({ benches }: Proof): string {
  const { figures, machine } = benches['controller'] ?? {};
  if (figures === undefined || figures.missing !== undefined) return 'Not measured.\n';
  return formatLoad(figures, machine ?? '');
}

function formatLoad(
  { mebibytes = 0, objects, readyAfter = 0, requestsEach = 0 }: Figures,
  machine: string,
): string {
  return (
    `${amount(objects)} objects, each with a Secret, are created at the same time. All are ready after ${readyAfter.toFixed(1)} s. Each needs ` +
    `${requestsEach.toFixed(2)} requests\nto the API server. The leader uses ` +
    `${mebibytes.toFixed(0)} MiB\n(\`node test/bench/controller.js\`; ${machine}, shared with API server and etcd).\n`
  );
}

function tests(count: number): string {
  return count === 1 ? '1 test' : `${amount(count)} tests`;
}

function amount(count = 0): string {
  return count.toLocaleString('en-US');
}
