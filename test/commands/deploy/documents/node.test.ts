import { describe, expect, it } from 'vitest';
import type { DeployHost } from '../../../../src/commands/deploy/documents/host.ts';
import { parseBmcAddress } from '../../../../src/redfish/bmcAddress.ts';
import { checkNode, describeNode } from '../../../../src/commands/deploy/documents/node.ts';
import type { DeployOptions } from '../../../../src/commands/deploy/options.ts';

const host = (address: string, insecure = false): DeployHost => {
  const read = parseBmcAddress(address);
  if ('problem' in read) throw new Error(read.problem);
  return { name: 'w1', rootDevice: { name: '/dev/sda' }, bmc: { address: read, insecure } };
};
const pair = (deployKernel: string): DeployOptions => ({
  deployKernel,
  deployRamdisk: 'file:///var/lib/ironic/r',
  kernelAppendParams: '%default%',
});
const iso = (url: string): DeployOptions => ({ deployIso: url });

const glanceImage = '33ce8659-7400-4c68-9535-d10766f07a58';

describe('a node', () => {
  it.each([
    ['IPMI', 'ipmi://h', { driver: 'ipmi', boot: 'ipxe', info: { ipmi_address: 'h' } }],
    [
      'IPMI with everything',
      'ipmi://[2001:db8::1]:6230?privilegelevel=OPERATOR',
      {
        driver: 'ipmi',
        boot: 'ipxe',
        info: { ipmi_address: '2001:db8::1', ipmi_port: 6230, ipmi_priv_level: 'OPERATOR' },
      },
    ],
    ['redfish', 'redfish://h', { driver: 'redfish', boot: 'ipxe', info: { redfish_address: 'https://h' } }],
    [
      'redfish without a system',
      'redfish://h/redfish/v1/',
      { driver: 'redfish', boot: 'ipxe', info: { redfish_address: 'https://h' } },
    ],
    [
      'virtual media over http',
      'redfish-virtualmedia+http://h:8000/redfish/v1/Systems/1',
      {
        driver: 'redfish',
        boot: 'redfish-virtual-media',
        info: { redfish_address: 'http://h:8000', redfish_system_id: '/redfish/v1/Systems/1' },
      },
    ],
    [
      'an escaped path, which Ironic escapes itself',
      'redfish://h/redfish/v1/Systems/a%20b',
      {
        driver: 'redfish',
        boot: 'ipxe',
        info: { redfish_address: 'https://h', redfish_system_id: '/redfish/v1/Systems/a b' },
      },
    ],
    [
      'iDRAC',
      'idrac-virtualmedia://h',
      { driver: 'idrac', boot: 'idrac-redfish-virtual-media', info: { redfish_address: 'https://h' } },
    ],
    [
      'UEFI HTTP boot',
      'redfish-uefihttp://h',
      { driver: 'redfish', boot: 'redfish-https', info: { redfish_address: 'https://h' } },
    ],
  ])('has the driver of its BMC: %s', (_title, address, { driver, boot, info }) => {
    expect(describeNode(host(address), {})).toEqual({
      name: 'w1',
      driver,
      boot_interface: boot,
      driver_info: info,
      properties: { root_device: { name: '/dev/sda' } },
    });
  });

  it('need not verify the BMC', () => {
    expect(describeNode(host('redfish://h', true), {}).driver_info).toMatchObject({
      redfish_verify_ca: false,
    });
    expect(describeNode(host('ipmi://h', true), {}).driver_info).toEqual({ ipmi_address: 'h' });
  });

  it.each<[string, string, DeployOptions, string[]]>([
    ['an ISO by virtual media', 'redfish-virtualmedia://h', iso('http://h/i.iso'), []],
    ['an ISO over https', 'redfish-virtualmedia://h', iso('https://h/i.iso'), []],
    ['an ISO on the conductor', 'redfish-virtualmedia://h', iso('file:///var/lib/ironic/i.iso'), []],
    ['an ISO elsewhere', 'redfish-virtualmedia://h', iso('file:///httpboot/i.iso'), ['ironic-conf-line']],
    ['an image of Glance', 'redfish-virtualmedia://h', iso(glanceImage), []],
    ['an image of Glance as URL', 'redfish-virtualmedia://h', iso(`glance://${glanceImage}`), []],
    ['a container by digest', 'redfish-virtualmedia://h', iso(`oci://h/i@sha256:${'a'.repeat(64)}`), []],
    ['a container by tag', 'redfish-virtualmedia://h', iso('oci://h/i:latest'), ['image-reference']],
    ['an ISO by PXE', 'redfish://h', iso('http://h/i.iso'), ['iso-needs-virtual-media']],
    ['a path', 'redfish-virtualmedia://h', iso('/i.iso'), ['image-reference']],
    ['a relative file', 'redfish-virtualmedia://h', iso('file://i.iso'), ['image-reference']],
    ['a file of the system', 'redfish-virtualmedia://h', iso('file:///etc/i.iso'), ['image-reference']],
    ['ftp', 'redfish-virtualmedia://h', iso('ftp://h/i.iso'), ['image-reference']],
    ['a kernel with its ramdisk', 'ipmi://h', pair('http://h/k'), []],
    ['a kernel that cannot be fetched', 'ipmi://h', pair('k'), ['image-reference']],
  ])('boots from %s', (_title, address, ramdisk, rules) => {
    const options = { ...ramdisk, rootDevice: ['name=/dev/sda'] };
    expect(checkNode(host(address), options).map(({ rule }) => rule)).toEqual(rules);
  });
});
