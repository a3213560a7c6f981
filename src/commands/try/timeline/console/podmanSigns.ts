/**
 * Lines of podman: pulls, archives and the start of the container. Messages of Go's net and crypto packages are in errors of podman
 * since 3.4. Only units whose output goes to the console print lines of podman: those of the agent.
 */

import { type ConsoleSign, pullCauses, rowsWith } from './sign.ts';

const IMAGE = 'containers/image 5';
const X509 = 'Go, crypto/x509/verify.go';

export const podmanSigns: readonly ConsoleSign[] = rowsWith(
  'podman',
  { stage: 'live system', refutes: ['no-config'] },
  {
    'pull-proxy': {
      source: 'Go, net/http/transport.go',
      pattern: /^Error: .*\bproxyconnect tcp: /,
      proves: 'pull-proxy',
    },
    // A proxy that refuses CONNECT: the error is the text of its status alone.
    'pull-proxy-refused': {
      source: 'Go, net/http/transport.go; observed with podman 4.3.1',
      pattern:
        /^Error: .*Get \\?"https:[^"]*": (?:Forbidden|Proxy Authentication Required|Bad Gateway|Service Unavailable|Gateway Timeout|Method Not Allowed)\b/,
      proves: 'pull-proxy',
    },
    'pull-dns': {
      source: 'Go, net/net.go (DNSError)',
      pattern: /^Error: .*\bdial (?:tcp|udp): lookup /,
      proves: 'dns',
    },
    'pull-clock': {
      source: X509,
      pattern:
        /^Error: .*\bx509: certificate has expired or is not yet valid: current time (?<time>\S{1,30}) is /,
      clock: 'differs',
      proves: 'clock',
    },
    'pull-expired': {
      source: X509,
      pattern:
        /^Error: .*\bx509: certificate has expired or is not yet valid: current time (?<time>\S{1,30}) is after /,
      clock: 'agrees',
      proves: 'registry-expired',
    },
    'pull-certificate-time': {
      source: X509,
      pattern: /^Error: .*\bx509: certificate has expired or is not yet valid/,
      suggests: ['clock', 'registry-expired'],
    },
    'pull-certificate-name': {
      source: X509,
      pattern:
        /^Error: .*\bx509: (?:certificate is (?:not )?valid for |cannot validate certificate for |certificate relies on legacy Common Name|certificate is not valid for any names)/,
      proves: 'registry-name',
    },
    'pull-certificate': {
      source: X509,
      pattern: /^Error: .*\bx509: certificate signed by unknown authority/,
      proves: 'registry-ca',
    },
    'pull-plain-http': {
      source: 'Go, net/http/client.go, crypto/tls/conn.go',
      pattern:
        /^Error: .*(?:http: server gave HTTP response to HTTPS client|tls: first record does not look like a TLS handshake)/,
      proves: 'registry-plain-http',
    },
    'pull-tls': {
      source: 'Go, crypto/tls, crypto/x509/verify.go',
      pattern: /^Error: .*(?:\bremote error: tls: |\btls: |\bx509: )/,
      proves: 'registry-tls',
    },
    'pull-secret-file': {
      source: `${IMAGE}, pkg/docker/config/config.go`,
      pattern:
        /^(?:Error: .*\b(?:getting username and password: |unmarshaling JSON at |reading JSON file )|\s*\* (?:reading JSON file .*unmarshaling JSON|illegal base64 data|unmarshaling JSON at ))/,
      proves: 'pull-secret-invalid',
    },
    'pull-policy': {
      source: `${IMAGE}, copy/single.go, signature/policy_eval.go, signature/policy_config.go`,
      pattern:
        /^Error: .*(?:\bSource image rejected: |\bis rejected by policy\b|\binvalid policy in |\bA signature was required, but no signature exists)/,
      proves: 'pull-policy',
    },
    'pull-blocked': {
      source: `${IMAGE}, docker/docker_client.go`,
      pattern: /^Error: .*\bregistry \S{1,300} is blocked in /,
      proves: 'registry-blocked',
    },
    'pull-registries-conf': {
      source: `${IMAGE}, pkg/sysregistriesv2/system_registries_v2.go`,
      pattern:
        /^Error: .*\b(?:loading registries configuration |invalid location|parsing registries configuration )/,
      proves: 'registries-conf',
    },
    'pull-rate-limit': {
      source: `${IMAGE}, docker/docker_client.go (ErrTooManyRequests); distribution, registry/api/errcode`,
      pattern:
        /^Error: .*(?:\btoomanyrequests\b|\btoo many requests to registry\b|\b429 \(?Too Many Requests)/,
      proves: 'pull-rate-limit',
    },
    'pull-unauthorized': {
      source: `${IMAGE}, docker/errors.go, docker/docker_client.go; distribution, registry/api/errcode`,
      pattern:
        /^Error: .*: (?:unauthorized\b|denied\b|authentication required|requested access to the resource is denied|received unexpected HTTP status: 40[13] |invalid status code from registry 40[13] )/,
      proves: 'pull-secret',
    },
    'pull-architecture': {
      source: `${IMAGE}, internal/manifest/docker_schema2_list.go, internal/manifest/oci_index.go`,
      pattern: /^Error: .*\bno image found in (?:image index|manifest list) for architecture/,
      proves: 'container-architecture',
    },
    'pull-image-unknown': {
      source: `distribution, registry/api/errcode; ${IMAGE}, pkg/shortnames`,
      pattern: /^Error: .*(?:: (?:manifest|name) (?:unknown|invalid)\b|did not resolve to an alias)/,
      proves: 'container-image',
    },
    'pull-image-reference': {
      source: 'distribution, reference/reference.go',
      pattern: /^Error: (?:repository name must be lowercase|.*invalid reference format)/,
      proves: 'container-image',
    },
    'podman-no-space': {
      source: 'Go, syscall/zerrors_linux.go (ENOSPC)',
      pattern: /no space left on device/,
      proves: 'no-space',
    },
    'podman-read-error': {
      source: 'Go, syscall/zerrors_linux.go (EIO)',
      pattern: /^Error: .*: input\/output error$/,
      suggests: ['rootfs-damaged', 'medium-unreadable'],
    },
    'pull-server-error': {
      source: `${IMAGE}, docker/errors.go (httpResponseToError), docker/docker_client.go`,
      pattern:
        /^Error: .*(?:\breceived unexpected HTTP status: 5\d\d |\binvalid status code from registry 5\d\d )/,
      proves: 'registry-error',
    },
    'pull-not-a-registry': {
      source: `${IMAGE}, docker/docker_client.go; Go, encoding/json`,
      pattern:
        /^Error: .*(?:\bpinging container registry \S{1,300}: (?:invalid status code from registry 404|received unexpected HTTP status: 404)|\bdocker:\/\/\S{1,300}: invalid character |\bcan't talk to a V1 container registry)/,
      proves: 'registry-answer',
    },
    'pull-blob-missing': {
      source: `${IMAGE}, docker/docker_image_src.go`,
      pattern:
        /^Error: .*\b(?:fetching blob: invalid status code from registry 404|blob unknown to registry)/,
      proves: 'container-image',
    },
    'pull-timeout': {
      source: 'Go, net/dial.go, net/http/client.go, net/http/transport.go',
      pattern:
        /^Error: .*(?:\bi\/o timeout|TLS handshake timeout|Client\.Timeout exceeded|context deadline exceeded|connect: connection timed out|timeout awaiting response headers)/,
      proves: 'pull-timeout',
    },
    'pull-transfer': {
      source: `Go, io (EOF), syscall (ECONNRESET); ${IMAGE}, copy/digesting_reader.go`,
      pattern:
        /^Error: .*(?:: (?:unexpected )?EOF"?$|: connection reset by peer|: broken pipe|http2: client connection lost|does not match expected|[Dd]igest did not match)/,
      proves: 'pull-transfer',
    },
    'pull-no-route': {
      source: 'Go, net/dial.go, syscall/zerrors_linux.go',
      pattern:
        /^Error: .*\bdial tcp .*: connect: (?:network is unreachable|no route to host|cannot assign requested address)/,
      proves: 'container-pull',
      suggests: ['host-network', 'ip-family'],
    },
    'pull-refused': {
      source: 'Go, net/dial.go, syscall/zerrors_linux.go',
      pattern: /^Error: .*\bdial tcp .*: connect: /,
      proves: 'container-pull',
    },
    'pull-failed': {
      source: 'containers/common, libimage/copier.go; containers/image, copy, docker',
      pattern:
        /^Error: .*(?:\bdocker:\/\/|reading blob |writing blob|copying (?:system )?image |parsing image configuration: )/,
      proves: 'pull-failed',
    },
    'archive-format': {
      source: 'containers/common, libimage/load.go; containers/storage, errors.go',
      pattern:
        /^Error: (?:payload does not match any of the supported image formats|[0-9a-f]{64}: image not known)/,
      proves: 'agent-archive',
    },
    // Also of a script whose interpreter is missing.
    'container-architecture': {
      source: 'podman, libpod/oci_conmon_common.go; crun, src/libcrun/error.c (ENOEXEC)',
      pattern: /(?:\bexec format error|\bExec format error)/,
      suggests: ['container-architecture'],
    },
    // podman 4 prints the excluded error when the unit ends before its container exists, despite `--ignore`.
    'container-failed': {
      source: 'podman, cmd/podman/root.go',
      pattern: /^Error: (?!reading CIDFile: )/,
      proves: 'container-start',
    },
    'image-platform': {
      source: 'containers/common, libimage/image.go',
      pattern: /^WARNING: image platform \(.*\) does not match the expected platform/,
      suggests: ['container-architecture'],
    },
    // The ID of the image, or that of the container, which is also printed when it is removed.
    'image-pulled': {
      source: 'podman, cmd/podman/images/pull.go, cmd/podman/containers/run.go',
      pattern: /^[0-9a-f]{64}$/,
      settles: true,
      refutes: ['no-config', ...pullCauses],
    },
    'pull-started': {
      source: 'containers/common, libimage/pull.go',
      pattern: /^Trying to pull /,
    },
  },
);
