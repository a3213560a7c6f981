# Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the License. You may
# obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. The software is distributed on an "AS IS" BASIS, WITHOUT
# WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language governing permissions and
# limitations under the License.
"""Hardware manager of ironic-python-agent for live systems of CoreOS.

The agent runs in a container, and the root of the live system is mounted at /mnt/coreos. README.md describes the steps and their inputs.
"""

import json
import os
import subprocess
import time
import urllib.parse

from ironic_python_agent import config  # noqa: F401 (registers the options that the other modules read)
from ironic_python_agent import disk_utils
from ironic_python_agent import efi_utils
from ironic_python_agent import errors
from ironic_python_agent import hardware
from ironic_python_agent import netutils
from ironic_python_agent import utils
from oslo_log import log

LOG = log.getLogger(__name__)

LIVE_ROOT = '/mnt/coreos'
ASSISTED_UNIT = 'agent.service'
POLL_SECONDS = 15
INSTALL_ATTEMPTS = 3
UEFI_ATTEMPTS = 6
UEFI_RETRY_SECONDS = 5
LOCAL_NAMES = ('localhost', 'localhost.localdomain')


class CoreOSInstallHardwareManager(hardware.HardwareManager):

    HARDWARE_MANAGER_NAME = 'CoreOSInstallHardwareManager'
    HARDWARE_MANAGER_VERSION = '1'

    def evaluate_hardware_support(self):
        """Called once when the agent starts."""
        _replace_local_hostname()
        return hardware.HardwareSupport.SERVICE_PROVIDER

    def get_deploy_steps(self, node, ports):
        """Priority 0: a step runs only if the deployment names it."""
        return [
            {'step': step, 'priority': 0, 'interface': 'deploy', 'reboot_requested': False, 'argsinfo': {}}
            for step in ('install_coreos', 'start_assisted_install')
        ]

    def filter_device(self, device):
        """Hide the network that a BMC offers to its host over USB."""
        if isinstance(device, hardware.NetworkInterface) and device.driver in ('cdc_ether', 'cdc_ncm'):
            return None
        raise errors.IncompatibleHardwareMethodError()

    def collect_system_logs(self, io_dict, file_list):
        """Add the journal of the live system. The agent can only read the empty journal of its container."""
        utils.try_collect_command_output(io_dict, 'journal', _in_live_system('journalctl', '--no-pager'))

    def install_coreos(self, node, ports):
        """Write CoreOS to the root disk, with the Ignition config and the kernel arguments of the config drive."""
        if node.get('automated_clean') is not False:
            _delete_software_raid(node, ports)
        disk = hardware.dispatch_to_managers('get_os_install_device', permit_refresh=True)
        instance_info = node['instance_info']
        drive = instance_info.get('configdrive') or {}
        if isinstance(drive, str):
            raise errors.DeploymentError('Cannot use a pre-rendered configdrive, please pass it as JSON data')
        options = [
            *_ignition_options(drive.get('user_data')),
            *_installer_options(drive.get('meta_data') or {}, instance_info.get('image_source')),
        ]
        _install([*options, disk])
        disk_utils.trigger_device_rescan(disk)
        if hardware.dispatch_to_managers('get_boot_info').current_boot_mode == 'uefi':
            _add_boot_entry(disk)
        LOG.info('Installed CoreOS on %s', disk)

    def start_assisted_install(self, node, ports):
        """Start the assisted agent and wait until it ends.

        There is no time limit here: Ironic has one for the deployment. The assisted agent usually ends by restarting the machine.
        """
        if _unit_state('LoadState') == 'not-found':
            raise errors.DeploymentError(f'The live system has no unit {ASSISTED_UNIT}; its Ignition config must contain it')
        _systemctl('start', '--no-block', '--job-mode=fail', ASSISTED_UNIT)
        LOG.info('Started %s', ASSISTED_UNIT)
        # While systemd has not begun to start the unit, it is inactive and has a job.
        while (state := _unit_state('ActiveState')) not in ('inactive', 'failed') or _unit_state('Job'):
            LOG.debug('%s is %s', ASSISTED_UNIT, state)
            time.sleep(POLL_SECONDS)
        if state == 'failed':
            result = _unit_state('Result')
            raise errors.DeploymentError(f'Assisted Installer Agent has failed with result "{result}"')
        LOG.info('%s ended', ASSISTED_UNIT)


def _in_live_system(*command):
    return ['chroot', LIVE_ROOT, *command]


def _unit_state(name):
    """A property of the assisted agent's unit, such as ActiveState."""
    return _systemctl('show', '--property', name, '--value', ASSISTED_UNIT)


def _systemctl(*arguments):
    """Run systemctl and return its output.

    In a chroot, it does nothing unless it is configured to ignore it. As root, it would connect to systemd's own socket, which refuses
    processes of another PID namespace, such as this container ("Failed to connect to bus: No data available").
    """
    environment = ('SYSTEMD_IGNORE_CHROOT=1', 'SYSTEMCTL_FORCE_BUS=1')
    command = _in_live_system('env', *environment, 'systemctl', *arguments)
    run = subprocess.run(command, capture_output=True, text=True)
    if run.returncode != 0:
        raise errors.DeploymentError(f'systemctl {arguments[0]} failed with code {run.returncode}: {run.stderr.strip()}')
    return run.stdout.strip()


def _replace_local_hostname():
    """Give the live system the name of the host in IPA_DEFAULT_HOSTNAME, if it has no name of its own."""
    try:
        command = _in_live_system('hostnamectl', 'hostname')
        current = subprocess.run(command, check=True, capture_output=True, text=True).stdout.strip()
    except (OSError, subprocess.SubprocessError) as error:
        LOG.warning('hostnamectl failed, reading /etc/hostname: %s', error)
        with open('/etc/hostname') as file:
            current = file.read().strip()
    name = os.environ.get('IPA_DEFAULT_HOSTNAME')
    if current not in LOCAL_NAMES or not name:
        return
    subprocess.run(_in_live_system('hostnamectl', 'set-hostname', '--static', '--transient', name), check=True)
    with open('/etc/hostname', 'w') as file:  # the container has its own
        file.write(name)


def _delete_software_raid(node, ports):
    try:
        hardware.dispatch_to_managers('delete_configuration', node, ports)
    except Exception:
        LOG.warning('Software RAID was not deleted', exc_info=True)
    else:
        disk_utils.udev_settle()


def _ignition_options(config):
    """Write the config, with the name of the host, to a file of the live system."""
    config = _with_hostname(config, netutils.get_hostname())
    if not config:
        return []
    with open(f'{LIVE_ROOT}/tmp/ironic.ign', 'w') as file:
        file.write(config if isinstance(config, str) else json.dumps(config))
    return ['--ignition-file', '/tmp/ironic.ign']


def _with_hostname(config, name):
    """The Ignition config (JSON text, an object, or missing), with a file that sets the host name."""
    if not name:
        return config
    if isinstance(config, str):
        config = json.loads(config)
    config = config or {'ignition': {'version': '3.0.0'}}
    source = f'data:,{urllib.parse.quote(name)}'
    hostname = {'path': '/etc/hostname', 'mode': 0o644, 'overwrite': True, 'contents': {'source': source}}
    config.setdefault('storage', {}).setdefault('files', []).append(hostname)
    return config


def _installer_options(meta_data, image_url):
    options = ['--preserve-on-error']
    kernel_arguments = meta_data.get('coreos_append_karg')
    if kernel_arguments:
        options += ['--append-karg', ','.join(kernel_arguments)]
    options += ['--image-url', image_url, '--insecure'] if image_url else ['--offline']
    ip_options = os.environ.get('IPA_COREOS_IP_OPTIONS')
    if ip_options:
        options += ['--append-karg', ip_options]
    copies_network = os.environ.get('IPA_COREOS_COPY_NETWORK', '').lower() == 'true'
    if meta_data.get('coreos_copy_network', copies_network):
        options.append('--copy-network')
    return options


def _install(arguments):
    """Run coreos-installer of the live system, and again if it fails."""
    command = _in_live_system('coreos-installer', 'install', *arguments)
    for attempt in range(INSTALL_ATTEMPTS):
        LOG.info('Running %s, attempt %d', command, attempt + 1)
        code, last_line = _run_logged(command)
        if code == 0:
            return
    raise errors.DeploymentError(f'coreos-installer failed with code {code}: {last_line}')


def _run_logged(command):
    """Log the output while the command runs. Return its exit code and its last line."""
    last_line = ''
    output = {'stdout': subprocess.PIPE, 'stderr': subprocess.STDOUT}
    with subprocess.Popen(command, encoding='utf-8', errors='backslashreplace', **output) as process:
        for line in process.stdout:
            LOG.debug('coreos-installer: %s', line.strip())
            last_line = line.strip() or last_line
    return process.returncode, last_line


def _add_boot_entry(disk):
    """The kernel may not see the new partitions yet, so it may fail at first."""
    for attempt in range(UEFI_ATTEMPTS):
        try:
            return efi_utils.manage_uefi(disk)
        except errors.CommandExecutionError:
            if attempt == UEFI_ATTEMPTS - 1:
                raise
            LOG.warning('UEFI boot entry was not created, trying again', exc_info=True)
            time.sleep(UEFI_RETRY_SECONDS)
