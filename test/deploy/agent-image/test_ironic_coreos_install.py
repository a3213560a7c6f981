"""Tests of the hardware manager with the real ironic-python-agent. The live system is a program named chroot that writes down its
commands and answers for systemctl, hostnamectl, journalctl and coreos-installer."""

import json
import os
import pathlib
import tempfile
import unittest
from unittest import mock

import ironic_coreos_install as module
from ironic_python_agent import errors
from ironic_python_agent import hardware

CHROOT = '''#!/bin/sh
cd "$(dirname "$0")"
shift
echo "$*" >> commands
case "$*" in
*'--property ActiveState'*) head -n 1 states; sed -i 1d states ;;
*'--property LoadState'*) cat load ;;
*'--property Job'*) head -n 1 jobs; sed -i 1d jobs ;;
*'--property Result'*) echo exit-code ;;
*'systemctl start'*) cat start-error >&2 2> /dev/null && exit 1 || exit 0 ;;
'hostnamectl hostname') cat hostname ;;
journalctl*) echo 'a line of the live system, long enough for the agent' ;;
'coreos-installer install'*) echo 'Read disk'; echo 'Error: no space'; exit "$(cat code)" ;;
esac
'''
UEFI = hardware.BootInfo(current_boot_mode='uefi')
BIOS = hardware.BootInfo(current_boot_mode='bios')


class ManagerTest(unittest.TestCase):

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        (self.folder / 'tmp').mkdir()
        (self.folder / 'chroot').write_text(CHROOT)
        (self.folder / 'chroot').chmod(0o755)
        self.set(load='loaded', code='0', hostname='host-1', states='inactive', jobs='')
        self.patch(mock.patch.dict(os.environ, {'PATH': f'{self.folder}:{os.environ["PATH"]}'}))
        self.patch(mock.patch.object(module, 'LIVE_ROOT', str(self.folder)))
        self.sleep = self.patch(mock.patch('time.sleep'))
        self.manager = module.CoreOSInstallHardwareManager()

    def patch(self, patch):
        self.addCleanup(patch.stop)
        return patch.start()

    def set(self, **files):
        for name, text in files.items():
            (self.folder / name.replace('_', '-')).write_text(text)

    def commands(self):
        return (self.folder / 'commands').read_text().splitlines()


class StepsTest(ManagerTest):

    def test_steps_run_only_if_named(self):
        steps = self.manager.get_deploy_steps({}, [])
        self.assertEqual({step['step']: step['priority'] for step in steps}, {'install_coreos': 0, 'start_assisted_install': 0})
        for step in steps:
            self.assertTrue(callable(getattr(self.manager, step['step'])))


class AssistedTest(ManagerTest):

    def start(self):
        self.manager.start_assisted_install({}, [])

    def test_waits_until_the_unit_ends(self):
        self.set(states='activating\nactive\nactive\ndeactivating\ninactive\nnot read')
        self.start()
        self.assertIn('env SYSTEMD_IGNORE_CHROOT=1 SYSTEMCTL_FORCE_BUS=1 systemctl start --no-block --job-mode=fail agent.service', self.commands())
        self.assertEqual([call.args[0] for call in self.sleep.call_args_list], [15, 15, 15, 15])
        self.assertEqual((self.folder / 'states').read_text(), 'not read')

    def test_waits_until_systemd_has_begun_to_start_the_unit(self):
        self.set(states='inactive\nactive\ninactive', jobs='123\n\n')
        self.start()
        self.assertEqual([call.args[0] for call in self.sleep.call_args_list], [15, 15])

    def test_a_failed_unit_fails_the_step(self):
        self.set(states='active\nfailed')
        with self.assertRaisesRegex(errors.DeploymentError, 'has failed with result "exit-code"'):
            self.start()

    def test_a_missing_unit_fails_the_step(self):
        self.set(load='not-found')
        with self.assertRaisesRegex(errors.DeploymentError, 'has no unit agent.service'):
            self.start()
        self.assertNotIn('start', ' '.join(self.commands()))

    def test_systemd_that_refuses_fails_the_step(self):
        self.set(start_error='Unit agent.service is masked.')
        with self.assertRaisesRegex(errors.DeploymentError, r'systemctl start failed with code 1: Unit agent.service is masked\.'):
            self.start()


class InstallTest(ManagerTest):

    def install(self, boot=BIOS, node=None, **instance_info):
        answers = {'get_os_install_device': '/dev/vda', 'get_boot_info': boot, 'delete_configuration': None}
        dispatch = mock.patch.object(hardware, 'dispatch_to_managers', side_effect=lambda method, *_, **__: answers[method])
        uefi = mock.patch.object(module.efi_utils, 'manage_uefi', side_effect=[errors.CommandExecutionError('busy'), True])
        rescan = mock.patch.object(module.disk_utils, 'trigger_device_rescan')
        with dispatch as self.dispatched, uefi as self.uefi, rescan, mock.patch.object(module.disk_utils, 'udev_settle'):
            with mock.patch.object(module.netutils, 'get_hostname', return_value='host-1'):
                self.manager.install_coreos({'instance_info': instance_info, **(node or {})}, [])
        return self.commands()

    def test_without_a_config_drive(self):
        command = 'coreos-installer install --ignition-file /tmp/ironic.ign --preserve-on-error --offline /dev/vda'
        self.assertEqual(self.install(), [command])
        [file] = json.loads((self.folder / 'tmp/ironic.ign').read_text())['storage']['files']
        self.assertEqual((file['path'], file['contents']['source']), ('/etc/hostname', 'data:,host-1'))

    def test_options_of_the_config_drive(self):
        drive = {
            'user_data': '{"ignition": {"version": "3.4.0"}, "passwd": {}}',
            'meta_data': {'coreos_append_karg': ['a=1', 'b'], 'coreos_copy_network': True},
        }
        [command] = self.install(configdrive=drive, image_source='http://192.0.2.1/coreos.raw')
        self.assertIn('--append-karg a=1,b --image-url http://192.0.2.1/coreos.raw --insecure --copy-network /dev/vda', command)
        config = json.loads((self.folder / 'tmp/ironic.ign').read_text())
        self.assertEqual((config['ignition']['version'], config['passwd']), ('3.4.0', {}))

    def test_options_of_the_unit(self):
        with mock.patch.dict(os.environ, {'IPA_COREOS_IP_OPTIONS': 'ip=dhcp6', 'IPA_COREOS_COPY_NETWORK': 'True'}):
            [command] = self.install()
        self.assertIn('--offline --append-karg ip=dhcp6 --copy-network /dev/vda', command)

    def test_a_config_drive_that_is_an_image_is_refused(self):
        with self.assertRaisesRegex(errors.DeploymentError, 'please pass it as JSON data'):
            self.install(configdrive='H4sI')

    def test_three_attempts(self):
        self.set(code='1')
        with self.assertRaisesRegex(errors.DeploymentError, 'failed with code 1: Error: no space'):
            self.install()
        self.assertEqual(len(self.commands()), 3)

    def test_a_boot_entry_is_tried_again(self):
        self.install(boot=UEFI)
        self.assertEqual([call.args for call in self.uefi.call_args_list], [('/dev/vda',), ('/dev/vda',)])

    def test_software_raid_stays_where_cleaning_is_off(self):
        self.install(node={'automated_clean': False})
        self.assertNotIn('delete_configuration', [call.args[0] for call in self.dispatched.call_args_list])
        self.install()
        self.assertIn('delete_configuration', [call.args[0] for call in self.dispatched.call_args_list])


class LiveSystemTest(ManagerTest):

    def name_of(self, hostname):
        """What the manager writes to /etc/hostname of the container."""
        self.set(hostname=hostname)
        with mock.patch('builtins.open', mock.mock_open()) as written:
            self.manager.evaluate_hardware_support()
        return [call.args[0] for call in written().write.call_args_list]

    def test_only_a_local_name_is_replaced(self):
        self.patch(mock.patch.dict(os.environ, {'IPA_DEFAULT_HOSTNAME': 'host-2'}))
        self.assertEqual(self.name_of('host-1'), [])
        self.assertEqual(self.commands(), ['hostnamectl hostname'])
        self.assertEqual(self.name_of('localhost'), ['host-2'])
        self.assertEqual(self.commands()[-1], 'hostnamectl set-hostname --static --transient host-2')

    def test_the_journal_is_a_log(self):
        logs = {}
        self.manager.collect_system_logs(logs, [])
        self.assertIn('a line of the live system', logs['journal'].getvalue().decode())

    def test_the_network_of_the_bmc_is_hidden(self):
        shown = hardware.NetworkInterface('eth0', '52:54:00:00:00:01', driver='virtio_net')
        with self.assertRaises(errors.IncompatibleHardwareMethodError):
            self.manager.filter_device(shown)
        self.assertIsNone(self.manager.filter_device(hardware.NetworkInterface('usb0', '52:54:00:00:00:02', driver='cdc_ether')))


if __name__ == '__main__':
    unittest.main()
