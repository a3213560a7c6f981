/**
 * Log lines of ironic-python-agent: the connection to Ironic, its answers, and the configuration of the agent. The errors of the
 * connection are those of python-requests, urllib3 and OpenSSL.
 */

import { type ConsoleSign, from, rowsWith } from './sign.ts';

const REQUESTS = 'ironic-python-agent, ironic_api_client.py, inspector.py; urllib3, exceptions.py';
const OPENSSL = 'ironic-python-agent, ironic_api_client.py; OpenSSL, crypto/x509/x509_txt.c';

export const agentSigns: readonly ConsoleSign[] = rowsWith(
  'agent',
  { stage: 'agent container' },
  {
    'agent-proxy': {
      source: REQUESTS,
      pattern: /\bProxyError\(/,
      proves: 'proxy',
    },
    'agent-dns': {
      source: `${REQUESTS}; glibc, sysdeps/posix/gai_strerror.c`,
      pattern: /\b(?:NameResolutionError|Name or service not known|Temporary failure in name resolution)\b/,
      proves: 'dns',
    },
    'agent-certificate-expired': {
      source: OPENSSL,
      pattern: /certificate verify failed: certificate has expired\b/,
      proves: 'clock',
    },
    'agent-certificate-early': {
      source: OPENSSL,
      pattern: /certificate verify failed: certificate is not yet valid\b/,
      proves: 'clock',
    },
    'agent-certificate-name': {
      source: OPENSSL,
      pattern: /certificate verify failed: (?:Hostname|IP address) mismatch\b/,
      proves: 'ironic-name',
    },
    'agent-certificate': {
      source: OPENSSL,
      pattern:
        /certificate verify failed: (?:unable to get (?:local )?issuer certificate|self[- ]signed certificate|unable to verify the first certificate)\b/,
      proves: 'tls-unknown-ca',
    },
    'agent-https-to-http': {
      source: 'ironic-python-agent, ironic_api_client.py; OpenSSL, ssl/record/rec_layer_s3.c',
      pattern:
        /\[SSL(?:: (?:WRONG_VERSION_NUMBER|RECORD_LAYER_FAILURE)\]|\] (?:wrong version number|record layer failure))/,
      proves: 'tls-to-http',
    },
    'agent-tls': {
      source: OPENSSL,
      pattern: /\bSSLError\(/,
      proves: 'tls-failed',
    },
    'agent-timeout': {
      source: REQUESTS,
      pattern: /\b(?:ConnectTimeoutError|ConnectTimeout|ReadTimeoutError|Read timed out)\b/,
      proves: 'ironic-timeout',
    },
    'agent-no-route': {
      source: `${REQUESTS}; Linux (ENETUNREACH, EHOSTUNREACH)`,
      pattern: /\[Errno (?:101|113)\] (?:Network is unreachable|No route to host)/,
      proves: 'ironic-address',
      suggests: ['host-network', 'ip-family'],
    },
    'agent-refused': {
      source: `${REQUESTS}; Linux (ECONNREFUSED)`,
      pattern: /\[Errno 111\] (?:ECONNREFUSED|Connection refused)/,
      proves: 'ironic-address',
    },
    'agent-connection': {
      source: REQUESTS,
      pattern: /\bConnection aborted\b|\bRemoteDisconnected\(/,
      proves: 'ironic-connection',
    },
    'agent-no-node': {
      source: 'ironic-python-agent, ironic_api_client.py (_do_lookup)',
      pattern: /^[\w.]{1,80} \[[^\]]{0,80}\] Failed looking up node with addresses .*\bError 404\b/,
      proves: 'node-not-found',
    },
    'agent-ironic-error': {
      source: 'ironic-python-agent, ironic_api_client.py (_error_from_response), inspector.py',
      pattern:
        /^[\w.]{1,80} \[[^\]]{0,80}\] (?:Failed looking up node with addresses|inspector) .*\b[Ee]rror 5\d\d\b/,
      proves: 'ironic-error',
    },
    'agent-not-enrolled': {
      source: 'ironic-python-agent, inspector.py; Ironic, api/controllers/v1/ramdisk.py',
      pattern: /^[\w.]{1,80} \[[^\]]{0,80}\] inspector .*\berror 404: /,
      proves: 'node-not-found',
    },
    'agent-lookup-failed': {
      source: 'ironic-python-agent, ironic_api_client.py (lookup_node)',
      pattern: /\bCould not look up node info\b/,
      suggests: ['node-not-found', 'ironic-address'],
    },
    'agent-no-address': {
      source: 'ironic-python-agent, agent.py (set_agent_advertise_addr)',
      pattern: /\bAgent could not find a valid IP address\b/,
      proves: 'no-own-address',
    },
    'agent-token-lost': {
      source: 'ironic-python-agent, agent.py',
      pattern: /\bThe agent token has already been retrieved\b/,
      proves: 'token-lost',
      solvedBy: from('heartbeat'),
    },
    'agent-conf': {
      source: 'oslo.config, oslo_config/cfg.py (ConfigFileValueError, ConfigFileParseError)',
      pattern:
        /^(?:argument --[\w-]{1,80}: |Value for option [\w.-]{1,80} from .* is not valid: |Failed to parse \S{1,200}: |.*\boslo_config\.cfg\.\w{1,40}Error: )/,
      proves: 'conf-refused',
    },
    'agent-root-device': {
      source: 'ironic-python-agent, hardware.py (get_os_install_device), errors.py (DeviceNotFound)',
      pattern: /\bNo suitable device (?:was )?found for deployment\b|\bno suitable root device detected\b/i,
      suggests: ['root-device'],
    },
    'agent-inventory': {
      source: 'ironic-python-agent, inspector.py (call_inspector)',
      pattern: /^ironic_python_agent\.inspector \[[^\]]{0,80}\] Posting collected data to \S/,
      times: 3,
      proves: 'inspection-url',
      solvedBy: from('inspection'),
    },
    'agent-manager': {
      source: 'ironic-python-agent, errors.py (HardwareManagerNotFound)',
      pattern: /\bNo valid HardwareManager found\b/,
      proves: 'container-ends',
    },
    'agent-running': {
      source: 'ironic-python-agent, its log; oslo.log, formatters.py',
      pattern: /^ironic_python_agent\./,
    },
  },
);
