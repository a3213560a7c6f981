/** `GET /v1/lookup`: the agent sends its MAC addresses and gets its node and its settings. */

import type { LookupEvent } from '../timeline/events.ts';
import { type IronicNode, MASKED_TOKEN, type NodeStore, normalizeMacs, recordStart } from './nodes.ts';
import { type ApiAnswer, type RamdiskRequest, type RefusedRequest, refuseRequest } from './messages.ts';

/** Source: `ramdisk.py` of Ironic's API, and `get_node_with_token` of its conductor. */
export function answerLookup(
  request: RamdiskRequest,
  nodes: NodeStore,
): { readonly answer: ApiAnswer; readonly event: LookupEvent } {
  const { client, hasVersion, now, query, url } = request;
  const macs = normalizeMacs(query.getAll('addresses').flatMap((list) => list.split(',')));
  const seen = { kind: 'lookup', at: now, client, macs } as const;
  const node = hasVersion ? findNode(nodes, request, macs) : refuseRequest(404, NO_LOOKUP, 'request-refused');
  if ('problem' in node) {
    const { answer, ...why } = node;
    return { answer, event: { ...seen, ...why, node: undefined, token: 'none' } };
  }
  recordStart(node, now);
  const token = node.token.issue();
  const shown = token === MASKED_TOKEN ? 'masked' : 'sent';
  return {
    answer: { status: 200, body: lookupDocument(node, token, url) },
    event: { ...seen, node: node.uuid, token: shown, problem: undefined, reason: undefined },
  };
}

const NO_LOOKUP =
  'its API version (X-OpenStack-Ironic-API-Version) is missing or not that of a current agent';

/** An agent that has its node in the kernel arguments also sends its UUID. */
function findNode(
  nodes: NodeStore,
  { client, query }: RamdiskRequest,
  macs: readonly string[],
): IronicNode | RefusedRequest {
  const uuid = query.get('node_uuid');
  if (uuid === null) return nodes.byMacs(macs, client);
  return nodes.byUuid(uuid) ?? refuseRequest(404, `node ${uuid} does not exist`, 'node-unknown');
}

/** The response of an Ironic with its defaults, except for a shorter heartbeat interval. */
function lookupDocument({ uuid }: IronicNode, token: string, url: string): object {
  return {
    node: {
      uuid,
      properties: {},
      instance_info: {},
      driver_internal_info: { agent_secret_token: MASKED_TOKEN },
      links: [
        { href: `${url}/v1/nodes/${uuid}`, rel: 'self' },
        { href: `${url}/nodes/${uuid}`, rel: 'bookmark' },
      ],
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
