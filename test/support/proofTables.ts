/** What is in docs/proof.json as tables: a line for each step in the README, and every benchmark in docs/proof.md. */

interface Peer {
  readonly name: string;
  readonly version: string;
}

interface Ratio {
  readonly name: string;
  readonly ours: number;
  readonly theirs: number;
}

/** As the scripts write them; each has those that its line needs. */
interface Figures {
  /** What was not there, so that there are no figures. */
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
  /** Tests, and how many of them passed. */
  readonly cases?: number;
  readonly passed?: number;
  /** Objects that were created at once: what it took until all were ready, and of what it took most. */
  readonly objects?: number;
  readonly readyAfter?: number;
  readonly mebibytes?: number;
  readonly requestsEach?: number;
  readonly unit?: string;
  readonly ratios?: readonly Ratio[];
  readonly inputs?: number;
  readonly targets?: number;
  readonly failures?: number;
  /** Of the processor. */
  readonly seconds?: number;
}

interface Run {
  readonly date: string;
  /** How long it took. */
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
  readonly tell: (figures: Figures) => string;
}

const ROWS: readonly Row[] = [
  {
    step: 'agreement',
    what: 'configs of a corpus with the recorded verdicts of ignition-validate',
    tell: tellAspects,
  },
  {
    step: 'differential',
    what: 'configs made up at random',
    tell: (figures) => `${shareOf(figures)} agree in verdict, messages, paths and positions`,
  },
  {
    step: 'installer',
    what: 'commands for images',
    tell: ({ runs, outcomes = {} }) =>
      `${amount(runs)} runs: ${Object.entries(outcomes)
        .map(([outcome, count]) => `${amount(count)} ${outcome.toLowerCase()}`)
        .join(', ')}`,
  },
  {
    step: 'confs',
    what: 'confs of the agent made up at random',
    tell: (figures) => `${shareOf(figures)} agree whether it starts and what it ignores`,
  },
  {
    step: 'boots',
    what: 'changed live ISOs, by BIOS and UEFI, from CD and USB',
    tell: ({ boots, images, right }) =>
      `${amount(right)} of ${amount(boots)} boots are right, of ${amount(images)} images`,
  },
  {
    step: 'network-boots',
    what: 'a prepared folder, by iPXE',
    tell: ({ boots, right }) => `${amount(right)} of ${amount(boots)} boots are right`,
  },
  {
    step: 'agent',
    what: 'real agents that call home to `try`',
    tell: ({ cases, passed }) => `${amount(passed)} of ${amount(cases)} cases are seen for what they are`,
  },
  {
    step: 'controller',
    what: '`controller` at an API server',
    tell: ({ cases, passed, objects, readyAfter = 0, mebibytes = 0, requestsEach = 0 }) =>
      `${amount(passed)} of ${amount(cases)} tests pass; ${amount(objects)} objects at once are ready after ${readyAfter.toFixed(1)} s, in ${mebibytes.toFixed(0)} MiB, with ${requestsEach.toFixed(2)} requests each`,
  },
  { step: 'startup', what: 'time of short commands', tell: tellRatios },
  { step: 'validate', what: 'time to validate 5 MB', tell: tellRatios },
  { step: 'images', what: 'time to change or read a live ISO', tell: tellRatios },
  { step: 'prepare', what: 'time to make the ISOs of many hosts', tell: tellRatios },
  { step: 'serve', what: 'rate of sending images', tell: tellRatios },
  {
    step: 'fuzz',
    what: 'inputs that nobody would write',
    tell: ({ failures, inputs, seconds = 0, targets }) =>
      `${amount(inputs)} for ${amount(targets)} readers, ${processorTime(seconds)} of the processor: ${amount(failures)} failures`,
  },
];

function processorTime(seconds: number): string {
  return seconds < 3600 ? `${(seconds / 60).toFixed(0)} minutes` : `${(seconds / 3600).toFixed(1)} hours`;
}

/** For the README. Throws for a step that has no line. */
export function formatSummary(proof: Proof): string {
  const unknown = Object.keys(proof).filter((name) => !ROWS.some(({ step }) => step === name));
  if (unknown.length > 0) throw new Error(`there is no line for ${unknown.join(', ')}`);
  const lines = ROWS.map((row) => formatLine(row, proof[row.step]));
  return `| | beside | found | run on |\n|---|---|---|---|\n${lines.join('')}\n${formatMachines(proof)}`;
}

/** For docs/kubernetes.md: what the row of `controller` says, in sentences. */
export function formatController({ controller }: Proof): string {
  if (controller === undefined || controller.figures.missing !== undefined)
    return 'Nothing has been measured.\n';
  const { mebibytes = 0, objects, readyAfter = 0, requestsEach = 0 } = controller.figures;
  const { cores } = controller.machine;
  return (
    `${amount(objects)} objects that are created at once, each with a Secret, are all ready after ${readyAfter.toFixed(1)} s, with ` +
    `${requestsEach.toFixed(2)}\nrequests to the API server for each; at most 100 requests are sent in a second. The leader takes ` +
    `${mebibytes.toFixed(0)} MiB\n(\`node test/bench/controller.js\`, ${cores} cores shared with API server and etcd).\n`
  );
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
  if (lines.length === 0) return 'Nothing has been measured.\n';
  return `| | | ours | theirs | ours / theirs |\n|---|---|---|---|---|\n${lines.join('')}`;
}

function formatLine({ what, tell }: Row, run: Run | undefined): string {
  if (run === undefined) return `| ${what} | | not run | |\n`;
  const { date, figures, passed } = run;
  if (figures.missing !== undefined)
    return `| ${what} | | not run: no ${figures.missing.join(', no ')} | |\n`;
  return `| ${what} | ${formatPeers(figures)} | ${passed ? '' : 'FAILED: '}${tell(figures)} | ${date} |\n`;
}

function formatPeers({ peer, peers = peer === undefined ? [] : [peer] }: Figures): string {
  return peers.map(({ name, version }) => `${name} ${version}`).join(', ');
}

function tellAspects({ aspects = {}, configs = 0 }: Figures): string {
  const all = Object.entries(aspects);
  if (all.every(([, count]) => count === configs)) {
    return `all ${amount(configs)} agree in verdict, messages, paths and positions`;
  }
  const shares = all.map(([aspect, count]) => `${aspect} ${((100 * count) / configs).toFixed(3)} %`);
  return `of ${amount(configs)} agree: ${shares.join(', ')}`;
}

function tellRatios({ ratios = [] }: Figures): string {
  const sorted = ratios.toSorted((one, other) => one.ours / one.theirs - other.ours / other.theirs);
  const [least, most] = [sorted[0], sorted.at(-1)];
  if (least === undefined || most === undefined) return 'nothing compared';
  if (least === most) return `${quotient(least)} of theirs`;
  return `${quotient(least)} (${least.name}) to ${quotient(most)} (${most.name}) of theirs`;
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

/** Runs of different days may have been made on different machines. */
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
