/**
 * Which options of podman take a value, as of podman 5; that is what it takes to find the image on a command line. Only
 * the commands that a unit of the agent uses are known: run, create and pull.
 */

const words = (text: string): ReadonlySet<string> => new Set(text.split(/\s+/));

/** How one command reads its options: names without dashes in front. */
export interface OptionTable {
  readonly switches: ReadonlySet<string>;
  readonly valued: ReadonlySet<string>;
  /** Whether options may follow the first operand; else all that follows belongs to the container. */
  readonly interspersed: boolean;
}

/** Options in front of the command. */
export const globalOptions: OptionTable = {
  switches: words('debug D help h noout remote r syslog trace transient-store version v'),
  valued: words(
    `cdi-spec-dir cgroup-manager config conmon connection c db-backend events-backend hooks-dir identity imagestore
    log-level module namespace network-cmd-path network-config-dir out root runroot runtime runtime-flag ssh
    storage-driver storage-opt tls-ca tls-cert tls-key tmpdir url volumepath`,
  ),
  interspersed: false,
};

const run: OptionTable = {
  switches: words(
    `detach d disable-content-trust env-host help http-proxy init interactive i latest no-healthcheck no-hostname
    no-hosts oom-kill-disable passwd privileged publish-all P quiet q read-only read-only-tmpfs replace rm rmi rootfs
    sig-proxy tls-verify tty t unsetenv-all`,
  ),
  valued: words(
    `add-host annotation arch attach a authfile blkio-weight blkio-weight-device cap-add cap-drop cert-dir
    cgroup-conf cgroup-parent cgroupns cgroups chrootdirs cidfile conmon-pidfile cpu-period cpu-quota cpu-rt-period
    cpu-rt-runtime cpu-shares c cpus cpuset-cpus cpuset-mems creds decryption-key detach-keys device
    device-cgroup-rule device-read-bps device-read-iops device-write-bps device-write-iops dns dns-opt dns-option
    dns-search entrypoint env e env-file env-merge expose gidmap gpus group-add group-entry health-cmd
    health-interval health-log-destination health-max-log-count health-max-log-size health-on-failure health-retries
    health-start-period health-startup-cmd health-startup-interval health-startup-retries health-startup-success
    health-startup-timeout health-timeout hostname h hostuser hosts-file image-volume init-ctr init-path ip ip6 ipc
    label l label-file link link-local-ip log-driver log-opt mac-address memory m memory-reservation
    memory-swap memory-swappiness mount name net network network-alias oom-score-adj os passwd-entry
    personality pid pidfile pids-limit platform pod pod-id-file preserve-fd preserve-fds publish p pull rdt-class
    requires restart retry retry-delay runtime sdnotify seccomp-policy secret security-opt shm-size shm-size-systemd
    signature-policy stop-signal stop-timeout subgidname subuidname sysctl systemd timeout tmpfs tz uidmap ulimit
    umask unsetenv user u userns uts variant volume v volumes-from workdir w`,
  ),
  interspersed: false,
};

const pull: OptionTable = {
  switches: words('all-tags a disable-content-trust help h quiet q tls-verify'),
  valued: words(
    `arch authfile cert-dir creds decryption-key os platform policy retry retry-delay signature-policy variant`,
  ),
  interspersed: true,
};

/** By the name of the command; `podman container run` and `podman image pull` are the same as without the middle word. */
export const commandOptions: ReadonlyMap<string, OptionTable> = new Map([
  ['run', run],
  ['create', run],
  ['pull', pull],
]);
