/** The data of a status page, and how programs get it as JSON. */

import { formatPath } from '../../core/finding.ts';
import { formatNames } from '../../io/report/problemGroups.ts';
import type { ImageProgress, TransferEvent } from '../../http/server/answer/transfers.ts';
import type { StageMark } from './bootStages.ts';
import type { ImageStatus } from './hostStatus.ts';
import type { MachineCause, MachineRow, StateNames } from './machineRow.ts';
import { countStates, machineStates, type Selection } from './select.ts';
import { shareCauses } from './sharedCauses.ts';

export interface StatusPage {
  readonly heading: string;
  /** For the tab of the browser, behind the machines with problems: `3 of 20 called home`. */
  readonly summary: string;
  readonly names: StateNames;
  readonly rows: readonly PageRow[];
  readonly service: ServiceFacts;
  /** Why the last reload failed; undefined if it succeeded. */
  readonly loadError?: MachineCause | undefined;
  readonly baseImages?: readonly BaseImageFacts[];
  /** Files of all hosts. */
  readonly shared?: readonly ImageProgress[];
  /** Finished transfers, the newest first. */
  readonly recent?: readonly TransferEvent[];
}

/** Members of the JSON as schemas/serve-status.json describes them. */
export interface ServiceFacts {
  readonly now: Date;
  readonly started: Date;
  readonly loaded?: Date;
  /** What is loaded, as a noun: `inventory`. */
  readonly inputs?: string;
  readonly version?: string;
  readonly connections?: number;
  readonly transfers?: number;
}

/** A machine with what unfolds below its row. */
export interface PageRow extends MachineRow {
  readonly macs: readonly string[];
  /** Called only for the machines of the page, as signing URLs takes time. */
  readonly details: () => MachineDetails;
}

/** Members of the JSON of a machine. */
export interface MachineDetails {
  readonly architecture?: string | undefined;
  readonly stream?: string | undefined;
  /** Since when its last valid image is served. */
  readonly staleSince?: Date | undefined;
  readonly stages: readonly StageMark[];
  readonly images: readonly ImageFacts[];
  /** What was seen of it, such as the last event. */
  readonly events?: readonly { readonly name: string; readonly text?: string; readonly time: Date }[];
  /** The last lines on its console that matter. */
  readonly console?: readonly string[];
  /** What usually is the reason, of a machine that has not been seen. */
  readonly usualCause?: MachineCause | undefined;
}

/** An image, and how far it was fetched. */
export type ImageFacts = ImageStatus & Partial<ReturnType<typeof progressFacts>>;

interface BaseImageFacts {
  readonly name: string;
  readonly architecture: string;
  readonly stream: string | undefined;
  readonly size: number;
  readonly digest: string;
  readonly build: string | undefined;
}

export type StatusDocument = ReturnType<typeof documentOf>;
export type DocumentMessage = ReturnType<typeof messageObject>;

/** As schemas/serve-status.json describes it. JSON.stringify formats a Date as in RFC 3339. */
export function documentOf(page: StatusPage, selection: Selection<PageRow>) {
  const { baseImages, heading, loadError, names, recent, rows, service, shared } = page;
  const counts = countStates(rows);
  const groups = shareCauses(rows);
  const problems = [...new Set(groups.values())];
  return {
    title: titleOf(page),
    heading,
    service: { ...service, loadError: loadError && messageObject(loadError) },
    states: machineStates.map((state) => ({ state, name: names[state], machines: counts[state] })),
    problems: problems.map(({ cause, machines }) => ({
      ...messageObject(cause),
      machines: machines.length,
      names: formatNames(machines),
    })),
    total: rows.length,
    matching: selection.matching,
    page: selection.page,
    pages: selection.pages,
    hosts: selection.rows.map(({ causes, details, macs, name, others, since, stage, state, transfer }) => {
      const { usualCause, ...facts } = details();
      return {
        name,
        macs,
        state,
        stage,
        transfer: transfer && { path: transfer.path, size: transfer.size, fetched: transfer.bytes },
        since,
        messages: [...causes, ...others].map((cause) => {
          const group = groups.get(cause);
          return { ...messageObject(cause), problem: group && problems.indexOf(group) };
        }),
        usualCause: usualCause && messageObject(usualCause),
        ...facts,
      };
    }),
    baseImages,
    shared: shared?.map((image) => ({ path: image.path, ...progressFacts(image) })),
    transfers: recent?.map(transferFacts),
  };
}

function transferFacts(event: TransferEvent) {
  const { id, ended, host, path, artifact, client, userAgent, bytes, seconds, outcome } = event;
  return { id, ended, host, path, artifact, client, userAgent, bytes, seconds, outcome };
}

/** The members of JSON for the progress of an image. */
export function progressFacts({ size, bytes, lastFetch, completed, running, clients }: ImageProgress) {
  return { size, fetched: bytes, lastFetch, completed, running, clients };
}

function messageObject(cause: MachineCause) {
  const { at, code, evidence, excerpt, hint, label, message, path, rule, severity } = cause;
  const line = excerpt && `${excerpt.before}${excerpt.marked}${excerpt.after}`.trim();
  return {
    severity,
    label,
    rule,
    code,
    ...at,
    path: path && formatPath(path),
    message,
    evidence: evidence ?? line,
    hint,
  };
}

/** What matters most: the counts of machines with problems. */
function titleOf({ heading, names, rows, loadError, summary }: StatusPage): string {
  const problems = formatStates(
    rows.filter(({ state }) => state === 'failed' || state === 'stuck'),
    names,
  );
  const reload = loadError === undefined ? '' : 'reload failed';
  return `${[reload, problems, summary].filter(Boolean).join(', ')}: ${heading}`;
}

/** `1 failed, 2 stuck, 3 on the way`, without states that no machine has. */
export function formatStates(rows: readonly MachineRow[], names: StateNames): string {
  const counts = countStates(rows);
  return machineStates
    .flatMap((state) => (counts[state] === 0 ? [] : [`${counts[state]} ${names[state]}`]))
    .join(', ');
}
