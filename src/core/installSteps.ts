/**
 * The hardware manager that installs CoreOS, a plugin of ironic-python-agent. Source: `ironic_coreos_install.py` and `setup.cfg`
 * of openshift/ironic-agent-image.
 */

/** Deploy steps with the priority 0: they run only if the deployment requests them. */
export const stepNames = ['install_coreos', 'start_assisted_install'] as const;

export type StepName = (typeof stepNames)[number];

export const installManager = {
  /** Python module, and the name of its entry point. */
  module: 'ironic_coreos_install',
  entryPoints: 'ironic_python_agent.hardware_managers',
  className: 'CoreOSInstallHardwareManager',
} as const;

/** `checksumType` of the image of a BareMetalHost, by its checksum: SHA-256, SHA-512, or a URL. */
export function checksumType(checksum: string): string {
  return { 64: 'sha256', 128: 'sha512' }[checksum.includes(':') ? 0 : checksum.length] ?? 'auto';
}
