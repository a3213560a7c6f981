/** `GET /v1/lookup`: the agent sends its MAC addresses and gets its node and its settings. */

import type { LookupEvent } from '../timeline/events.ts';
import {
  findNode,
  type IronicNode,
  MASKED_TOKEN,
  type NodeStore,
  normalizeMacs,
  recordStart,
} from './nodes.ts';
import {
  answerWith,
  type ApiAnswer,
  fault,
  NOT_FOUND,
  type RamdiskRequest,
  type RefusedRequest,
  refuseRequest,
  resourceLinks,
  unexpectedArguments,
  uuidProblem,
  versionRefusal,
} from './messages.ts';

/** Agents use a token with this API version or a newer one. */
const TOKENS_SINCE = 62;

/** Source: `ramdisk.py` of Ironic's API, and `get_node_with_token` of its conductor. */
export function answerLookup(
  request: RamdiskRequest,
  nodes: NodeStore,
): { readonly answer: ApiAnswer; readonly event: LookupEvent } {
  const { client, query, version, url, now } = request;
  const macs = normalizeMacs(query.getAll('addresses').flatMap((list) => list.split(',')));
  const seen = { kind: 'lookup', at: now, client, macs } as const;
  const refuse = ({ answer, ...why }: RefusedRequest) =>
    ({ answer, event: { ...seen, ...why, node: undefined, token: 'none' } }) as const;
  const refusal = versionRefusal(version, 'lookup') ?? argumentRefusal(query, macs);
  if (refusal !== undefined) return refuse(refusal);
  const node = findNode(nodes, request, macs);
  if ('problem' in node) return refuse({ answer: fault(404, NOT_FOUND), ...node });
  recordStart(node, now);
  const token = version.minor < TOKENS_SINCE ? null : node.token.issue();
  const shown = token === null ? 'none' : token === MASKED_TOKEN ? 'masked' : 'sent';
  return {
    answer: answerWith(200, lookupDocument(node, token, url)),
    event: { ...seen, node: node.uuid, token: shown, problem: undefined, reason: undefined },
  };
}

function argumentRefusal(query: URLSearchParams, macs: readonly string[]): RefusedRequest | undefined {
  const invalid = uuidProblem(query) ?? unexpectedArguments(query.keys(), ['addresses', 'node_uuid']);
  if (invalid !== undefined) return refuseRequest(400, invalid, 'arguments');
  if (macs.length > 0 || query.has('node_uuid')) return undefined;
  // An agent always sends the parameter; it is empty if the agent has found no interface.
  return refuseRequest(400, NO_NAMES, query.has('addresses') ? 'no-macs' : 'arguments');
}

const NO_NAMES = "At least one of 'addresses' and 'node_uuid' parameters is required";

/** The response of an Ironic with its defaults, except for a shorter heartbeat interval. */
export function lookupDocument(node: IronicNode, token: string | null, url: string): object {
  return {
    node: {
      uuid: node.uuid,
      properties: {},
      instance_info: {},
      driver_internal_info: token === null ? {} : { agent_secret_token: MASKED_TOKEN },
      links: resourceLinks(url, `nodes/${node.uuid}`),
    },
    config: { ...agentConfig, agent_token: token },
  };
}

/** Seconds; Ironic's default is 300. Agents wait 0.3 to 0.6 of it, at random, and the user waits for the heartbeat. */
const HEARTBEAT_TIMEOUT = 60;

const agentConfig = {
  metrics: {
    backend: 'noop',
    prepend_host: false,
    prepend_uuid: false,
    prepend_host_reverse: true,
    global_prefix: null,
  },
  metrics_statsd: { statsd_host: 'localhost', statsd_port: 8125 },
  heartbeat_timeout: HEARTBEAT_TIMEOUT,
  agent_containers: {
    allow_arbitrary_containers: false,
    allowed_containers: [],
    container_steps_file: '/etc/ironic-python-agent.d/mysteps.yaml',
    runner: 'podman',
    pull_options: [],
    run_options: ['--rm', '--network=host'],
  },
  agent_token_required: true,
  agent_md5_checksum_enable: true,
  disable_deep_image_inspection: false,
  permitted_image_formats: ['raw', 'gpt', 'qcow2', 'iso'],
  agent_skip_bmc_detect: false,
  enable_bios_bootloader_install: false,
  tls_min_version: '1.3',
  tls_cipher_suites: null,
};
