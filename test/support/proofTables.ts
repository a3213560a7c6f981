/** The tables that are made from docs/proof.json: the highlights in README.md, all steps and benchmarks in docs/proof.md. */

interface Peer {
  readonly name: string;
  readonly version: string;
}

interface Ratio {
  readonly name: string;
  readonly ours: number;
  readonly theirs: number;
}

interface Verdict {
  readonly boot: string;
  readonly shows: string;
  readonly passed: boolean;
  readonly date: string;
}

/** The figures that a script writes; each script writes only those of its row. */
interface Figures {
  /** Programs that are not installed; if any, there are no figures. */
  readonly missing?: readonly string[];
  readonly peer?: Peer;
  readonly peers?: readonly Peer[];
  /** Configs of the corpus, and how many agree in what. */
  readonly configs?: number;
  readonly aspects?: Readonly<Record<string, number>>;
  readonly documents?: number;
  readonly agreeing?: number;
  readonly runs?: number;
  readonly outcomes?: Readonly<Record<string, number>>;
  readonly images?: number;
  readonly boots?: number;
  readonly right?: number;
  /** Boots with the configuration of dnsmasq that the program writes. */
  readonly printed?: number;
  /** Tests, and how many of them passed. */
  readonly cases?: number;
  readonly passed?: number;
  /** Objects created at the same time, and the time and memory until all were ready. */
  readonly objects?: number;
  readonly readyAfter?: number;
  readonly mebibytes?: number;
  readonly requestsEach?: number;
  /** Boots of the real chain, and what each has shown. */
  readonly matrix?: readonly Verdict[];
  readonly unit?: string;
  readonly ratios?: readonly Ratio[];
  readonly inputs?: number;
  readonly targets?: number;
  readonly failures?: number;
  /** CPU time. */
  readonly seconds?: number;
}

interface Run {
  readonly date: string;
  /** Duration. */
  readonly seconds: number;
  readonly passed: boolean;
  readonly machine: { readonly cores: number; readonly processor: string; readonly node: string };
  readonly figures: Figures;
}

/** By the name of the step. */
export type Proof = Readonly<Record<string, Run>>;

interface Row {
  readonly step: string;
  readonly what: string;
  /** The result, for the table. */
  readonly format: (figures: Figures) => string;
  /** The row is in the README. */
  readonly isHighlight?: boolean;
}

const ROWS: readonly Row[] = [
  {
    step: 'agreement',
    what: 'Ignition configs of a corpus, recorded verdicts',
    format: formatAspects,
  },
  {
    step: 'differential',
    what: 'Ignition configs, random',
    isHighlight: true,
    format: (figures) => `${shareOf(figures)} agree in verdict, messages, paths and positions`,
  },
  {
    step: 'installer',
    what: 'image commands',
    isHighlight: true,
    format: ({ runs, outcomes = {} }) =>
      `${amount(runs)} runs: ${Object.entries(outcomes)
        .map(([outcome, count]) => `${amount(count)} ${outcome.toLowerCase()}`)
        .join(', ')}`,
  },
  {
    step: 'confs',
    what: 'configuration files of the agent, random',
    isHighlight: true,
    format: (figures) => `${shareOf(figures)} agree whether the agent starts and which options it ignores`,
  },
  {
    step: 'boots',
    what: 'boots of customized live ISOs: BIOS and UEFI, CD and USB',
    isHighlight: true,
    format: ({ boots, images, right }) =>
      `${amount(right)} of ${amount(boots)} boots pass, with ${amount(images)} images`,
  },
  {
    step: 'network-boots',
    what: 'boots from a prepared folder by iPXE',
    isHighlight: true,
    format: ({ boots, right }) => `${amount(right)} of ${amount(boots)} boots pass`,
  },
  {
    step: 'loader-boots',
    what: 'boots by PXE and HTTP, BIOS and UEFI: iPXE, GRUB, PXELINUX',
    isHighlight: true,
    format: ({ boots, printed, right }) =>
      `${amount(right)} of ${amount(boots)} boots pass, ${amount(printed)} with the dnsmasq.conf of \`prepare\` as it is`,
  },
  {
    step: 'static-boots',
    what: 'boots without DHCP: static address, bond and VLAN, with and without keyfiles',
    isHighlight: true,
    format: ({ boots, right }) => `${amount(right)} of ${amount(boots)} boots pass`,
  },
  {
    step: 'agent',
    what: 'real agents that call home to `try`',
    isHighlight: true,
    format: ({ cases, passed }) => `try reports ${amount(passed)} of ${amount(cases)} cases correctly`,
  },
  {
    step: 'chain',
    what: 'boots with the real Ignition, systemd, podman and agent',
    isHighlight: true,
    format: ({ boots, matrix = [] }) =>
      `${amount(boots)} boots: ${amount(matrix.filter(({ passed }) => passed).length)} of ${amount(matrix.length)} checks pass`,
  },
  {
    step: 'controller',
    what: '`controller` with a real API server',
    isHighlight: true,
    format: ({ cases, passed, objects, readyAfter = 0, mebibytes = 0, requestsEach = 0 }) =>
      `${amount(passed)} of ${amount(cases)} tests pass; ${amount(objects)} objects at once are ready after ${readyAfter.toFixed(1)} s, in ${mebibytes.toFixed(0)} MiB, with ${requestsEach.toFixed(2)} requests each`,
  },
  { step: 'startup', what: 'time of short commands', format: formatRange },
  { step: 'validate', what: 'time to validate 5 MB', format: formatRange },
  { step: 'images', what: 'time to change or read a live ISO', format: formatRange },
  { step: 'prepare', what: 'time to write the ISOs of many hosts', format: formatRange },
  { step: 'serve', what: 'transfer rate of `serve`', format: formatRange },
  {
    step: 'fuzz',
    what: 'fuzzing',
    isHighlight: true,
    format: ({ failures, inputs, seconds = 0, targets }) =>
      `${amount(inputs)} inputs for ${amount(targets)} parsers, ${processorTime(seconds)} of CPU time: ${amount(failures)} failures`,
  },
];

function processorTime(seconds: number): string {
  return seconds < 3600 ? `${(seconds / 60).toFixed(0)} minutes` : `${(seconds / 3600).toFixed(1)} hours`;
}

/** The rows of the README. */
export function formatHighlights(proof: Proof): string {
  const lines = ROWS.filter(({ isHighlight }) => isHighlight).map((row) => formatLine(row, proof[row.step]));
  return `${HEADER}${lines.join('')}`;
}

const HEADER = '| what | compared with | result | date |\n|---|---|---|---|\n';

/** All rows, and the machines, for docs/proof.md. Throws for a step without a row. */
export function formatSummary(proof: Proof): string {
  const unknown = Object.keys(proof).filter((name) => !ROWS.some(({ step }) => step === name));
  if (unknown.length > 0) throw new Error(`no row for ${unknown.join(', ')}`);
  const lines = ROWS.map((row) => formatLine(row, proof[row.step]));
  return `${HEADER}${lines.join('')}\n${formatMachines(proof)}`;
}

/** For docs/kubernetes.md: what the row of `controller` says, in sentences. */
export function formatController({ controller }: Proof): string {
  if (controller === undefined || controller.figures.missing !== undefined) return 'Not measured.\n';
  const { mebibytes = 0, objects, readyAfter = 0, requestsEach = 0 } = controller.figures;
  const { cores } = controller.machine;
  return (
    `${amount(objects)} objects, each with a Secret, are created at the same time. All are ready after ${readyAfter.toFixed(1)} s. Each needs ` +
    `${requestsEach.toFixed(2)} requests\nto the API server; the controller sends at most 100 requests per second. The leader uses ` +
    `${mebibytes.toFixed(0)} MiB\n(\`node test/bench/controller.js\`, ${cores} cores shared with API server and etcd).\n`
  );
}

/** For docs/proof.md: each boot of the real chain with what it has shown. */
export function formatMatrix({ chain }: Proof): string {
  const { matrix = [] } = chain?.figures ?? {};
  if (matrix.length === 0) return 'Not run.\n';
  const boots = [...new Set(matrix.map(({ boot }) => boot))];
  const lines = boots.map((boot) => {
    const checks = matrix.filter((verdict) => verdict.boot === boot);
    const failed = checks.filter(({ passed }) => !passed).map(({ shows }) => shows);
    const verdict = failed.length === 0 ? 'passes' : `FAILS: ${failed.join('; ')}`;
    return `| ${boot} | ${checks.map(({ shows }) => shows).join('; ')} | ${verdict} | ${checks[0]?.date} |\n`;
  });
  return `| boot | what it shows | verdict | date |\n|---|---|---|---|\n${lines.join('')}`;
}

/** For docs/proof.md. */
export function formatRatios(proof: Proof): string {
  const lines = ROWS.flatMap(({ step, what }) => {
    const { ratios = [], unit = '' } = proof[step]?.figures ?? {};
    return ratios.map(
      (ratio) =>
        `| ${what} | ${ratio.name} | ${ratio.ours} ${unit} | ${ratio.theirs} ${unit} | ${quotient(ratio)} |\n`,
    );
  });
  if (lines.length === 0) return 'Not measured.\n';
  return `| benchmark | case | ironic-coreos | upstream tool | ratio |\n|---|---|---|---|---|\n${lines.join('')}`;
}

function formatLine({ what, format }: Row, run: Run | undefined): string {
  if (run === undefined) return `| ${what} | | not run | |\n`;
  const { date, figures, passed } = run;
  if (figures.missing !== undefined)
    return `| ${what} | | not run: ${figures.missing.join(', ')} missing | |\n`;
  return `| ${what} | ${formatPeers(figures)} | ${passed ? '' : 'FAILED: '}${format(figures)} | ${date} |\n`;
}

function formatPeers({ peer, peers = peer === undefined ? [] : [peer] }: Figures): string {
  return peers.map(({ name, version }) => `${name} ${version}`).join(', ');
}

function formatAspects({ aspects = {}, configs = 0 }: Figures): string {
  const all = Object.entries(aspects);
  if (all.every(([, count]) => count === configs)) {
    return `all ${amount(configs)} agree in verdict, messages, paths and positions`;
  }
  const shares = all.map(([aspect, count]) => `${aspect} ${((100 * count) / configs).toFixed(3)} %`);
  return `of ${amount(configs)} agree: ${shares.join(', ')}`;
}

function formatRange({ ratios = [] }: Figures): string {
  const sorted = ratios.toSorted((one, other) => one.ours / one.theirs - other.ours / other.theirs);
  const [least, most] = [sorted[0], sorted.at(-1)];
  if (least === undefined || most === undefined) return 'nothing compared';
  if (least === most) return `${rounded(least)}× the value of the upstream tool`;
  return `${rounded(least)}× (${least.name}) to ${rounded(most)}× (${most.name}) the value of the upstream tool`;
}

/** Two digits are enough for a comparison; the table of ratios has more. */
function rounded({ ours, theirs }: Ratio): string {
  const ratio = ours / theirs;
  return ratio.toFixed(ratio < 1 ? 2 : ratio < 10 ? 1 : 0);
}

function quotient({ ours, theirs }: Ratio): string {
  return (ours / theirs).toFixed(2);
}

function shareOf({ agreeing, documents }: Figures): string {
  return `${amount(agreeing)} of ${amount(documents)}`;
}

function amount(count = 0): string {
  return count.toLocaleString('en-US');
}

/** The machines of the runs: the steps may have run on different machines. */
function formatMachines(proof: Proof): string {
  const machines = new Map<string, string[]>();
  for (const { step, what } of ROWS) {
    const run = proof[step];
    if (run === undefined || run.figures.missing !== undefined) continue;
    const machine = `${run.machine.cores} cores (${run.machine.processor}), Node ${run.machine.node}`;
    machines.set(machine, [...(machines.get(machine) ?? []), what]);
  }
  if (machines.size < 2) return [...machines.keys()].map((machine) => `All on ${machine}.\n`).join('');
  return [...machines].map(([machine, whats]) => `- On ${machine}: ${whats.join('; ')}.\n`).join('');
}
