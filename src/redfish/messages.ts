/** The messages in responses of BMCs (`@Message.ExtendedInfo`, DMTF DSP0266), and the hints for them. */

import { asList, valueAt } from '../formats/mapping.ts';
import { textAt, textsAt } from './resources.ts';

export interface RedfishMessage {
  /** Without registry and version: `ActionParameterMissing`. */
  readonly id: string;
  /** A sentence of the BMC; empty if it sent only the id. */
  readonly text: string;
  /** `#/TransferProtocolType`. */
  readonly related: readonly string[];
}

const MAX_MESSAGES = 16;
const LONGEST_TEXT = 300;

/**
 * The messages of a response, the most severe first; empty for other content.
 * @param mask returns a text without secrets; it gets the whole text, because a part of a secret cannot be recognized
 */
export function readMessages(body: unknown, mask: (text: string) => string): readonly RedfishMessage[] {
  const error = valueAt(body, ['error']);
  const lists = [
    listAt(error, '@Message.ExtendedInfo'),
    listAt(body, '@Message.ExtendedInfo'),
    listAt(body, 'Messages'),
  ];
  const general = { MessageId: textAt(error, 'code'), Message: textAt(error, 'message') };
  const found = [...lists.flat().slice(0, MAX_MESSAGES), general].flatMap((one) => readMessage(one, mask));
  const messages = found.toSorted((a, b) => Number(a.text === '') - Number(b.text === ''));
  // BMCs add "Success" and "GeneralError" to the message with the cause.
  const specific = messages.filter(({ id }) => !/^(?:Success|GeneralError|Created|Accepted)$/.test(id));
  return specific.length > 0 ? specific : messages;
}

function listAt(body: unknown, key: string): readonly unknown[] {
  return asList(valueAt(body, [key]));
}

/** Whitespace and characters that terminals interpret. */
const UNPRINTABLE = /[\s\p{Cc}\p{Cf}]+/gu;

function readMessage(value: unknown, mask: (text: string) => string): readonly RedfishMessage[] {
  const shown = (text = ''): string => mask(text).slice(0, LONGEST_TEXT).replaceAll(UNPRINTABLE, ' ').trim();
  const id = shown(textAt(value, 'MessageId')?.split('.').at(-1));
  const text = shown(textAt(value, 'Message'));
  if (id === '' && text === '') return [];
  return [{ id, text, related: textsAt(value, 'RelatedProperties') }];
}

/** What the BMC said, or what the HTTP status means, as a clause, and how to fix it. */
export function explainRefusal(status: number, messages: readonly RedfishMessage[]) {
  const [message] = messages;
  const words = message?.text === '' ? message.id : message?.text;
  const detail = words === undefined ? '' : ` (${words.replace(/\.$/, '')})`;
  const cause = causes.find((one) => one.matches(status, messages));
  const other = status < 300 ? 'its task failed' : `the BMC returned HTTP status ${status}`;
  return {
    problem: `${cause?.clause ?? other}${detail}`,
    hint:
      cause?.hint ??
      'read the event log of the BMC, and run the command again with --verbose to see all requests',
  };
}

/** Whether the same request may succeed a little later. */
export function isPassing(status: number, messages: readonly RedfishMessage[]): boolean {
  return status === 503 || status === 429 || has(messages, PASSING);
}

/**
 * `UnableToModifyDuringSystemPOST`: HPE iLO (OpenStack ironic, redfish/management.py). `SYS518`, `IDRAC.*.SYS518`: Dell
 * iDRAC is not ready (OpenStack sushy, connector.py).
 */
const PASSING =
  /^(?:UnableToModifyDuringSystemPOST|ServiceTemporarilyUnavailable|ResourceInUse|ServiceInUnknownState|SYS518|iLOIsResetting)$/i;

const LICENSE = /licen[sc]e/i;

export function isLicenseRefusal(messages: readonly RedfishMessage[]): boolean {
  return messages.some(({ id, text }) => LICENSE.test(id) || LICENSE.test(text));
}

/**
 * `RAC0720`, `RAC0904`: Dell iDRAC (openshift/openshift-docs, ipi-install-troubleshooting; dell/iDRAC-Redfish-Scripting, issue
 * 265). The others are of the Base registry of DMTF.
 */
const IMAGE_IDS = /^(?:RAC0720|RAC0904|CouldNotEstablishConnection|ResourceAtUriInUnknownFormat)$/i;

/** In the words of BMCs whose ids are general. */
const IMAGE_TEXT =
  /\b(?:unreachable|not (?:accessible|reachable)|(?:unable to|can(?:not|'t)|could ?n[o']t|failed to) (?:access|connect|download|fetch|locate|mount|open|reach|read|resolve)\b.{0,80}\b(?:host|image|iso|remote|server|share|ur[il])\b|failed fetching image|certificate)/i;

/** Whether the BMC refused the image because it cannot fetch it from its URL. */
export function isImageRefusal(messages: readonly RedfishMessage[]): boolean {
  return messages.some(({ id, text }) => IMAGE_IDS.test(id) || IMAGE_TEXT.test(text));
}

function has(messages: readonly RedfishMessage[], ids: RegExp): boolean {
  return messages.some(({ id }) => ids.test(id));
}

interface Refusal {
  readonly matches: (status: number, messages: readonly RedfishMessage[]) => boolean;
  readonly clause: string;
  readonly hint: string;
}

/** The first match counts. */
const causes: readonly Refusal[] = [
  {
    matches: (_, messages) => isLicenseRefusal(messages),
    clause: 'the BMC has no license for this',
    hint: 'install the license of the BMC that contains virtual media, or boot with --method uefi-http',
  },
  {
    matches: (_, messages) => isImageRefusal(messages),
    clause: 'the BMC cannot fetch the image',
    hint: 'use --public-url with an address that the BMC can reach; if it rejects the certificate, use an http:// URL',
  },
  {
    matches: (_, messages) => has(messages, /^SessionLimitExceeded$/),
    clause: 'the BMC has too many open sessions',
    hint: 'close sessions in the web interface of the BMC, or wait until they expire',
  },
  {
    matches: (status, messages) =>
      status === 401 || has(messages, /^(?:NoValidSession|InvalidAuthentication|.*Unauthorized)$/),
    clause: 'the BMC rejects the user name or the password',
    hint: 'fix the user name and the password in the credentials file',
  },
  {
    matches: (status) => status === 403,
    clause: 'the account may not do this',
    hint: 'use an account of the BMC with the role Administrator',
  },
  {
    matches: (_, messages) => has(messages, /^UnableToModifyDuringSystemPOST$/),
    clause: 'the machine is in POST',
    hint: 'wait until POST is complete, or power the machine off, and run the command again',
  },
  {
    matches: (_, messages) => has(messages, /^(?:SourceDoesNotSupportProtocol|UnsupportedProtocol)$/),
    clause: 'the BMC does not support the protocol of the image URL',
    hint: 'use a URL of the image with the other scheme: --iso https://… or --iso http://…',
  },
  {
    matches: (status) => status === 404,
    clause: 'the BMC does not have this resource',
    hint: 'fix the path of the system in the address of the BMC, or update the firmware of the BMC',
  },
  {
    matches: (status) => status === 405 || status === 501,
    clause: 'the BMC does not support this request',
    hint: 'update the firmware of the BMC',
  },
  {
    matches: (status) => status === 412 || status === 428,
    clause: 'the resource was changed meanwhile',
    hint: 'stop other programs that control this BMC, and run the command again',
  },
  {
    matches: (status, messages) => isPassing(status, messages),
    clause: 'the BMC is busy',
    hint: 'wait a few minutes and run the command again',
  },
  {
    matches: (status) => status >= 500,
    clause: 'the BMC failed',
    hint: 'restart the BMC from its web interface, and run the command again',
  },
];
