/**
 * How the BMCs of each vendor differ when a machine boots from virtual media. A new machine is one entry. Everything that a BMC
 * shows in its resources (whether a slot has the action InsertMedia, which boot targets it allows) is not in this table.
 */

export interface Vendor {
  readonly name: string;
  readonly match: {
    /** Any of: vendor of the service root, manufacturer of the system and of the manager. */
    readonly maker: RegExp;
    readonly model?: RegExp;
    readonly firmware?: RegExp;
  };
  /** The resource with the slots. Default: the system if it has slots, otherwise its managers. */
  readonly mediaOf?: 'system' | 'manager';
  /** Ids of the slots that take an image by URL. Default: all that take CDs. */
  readonly slots?: RegExp;
  /** Whether InsertMedia requires `TransferProtocolType`; otherwise it is sent if the BMC asks for it. */
  readonly needsTransferProtocol?: true;
  /** The boot target for virtual media, if the BMC allows it. Default: `Cd`. */
  readonly bootTarget?: 'UsbCd';
  /** `full`: target, frequency and mode in each request. Default: only what changes. `dell`: the settings import of Dell. */
  readonly bootRequest?: 'full' | 'dell';
  /** Protocols of image URLs. Default: both. */
  readonly protocols?: readonly ('http' | 'https')[];
  /** The remote console of the machine, with article. Default: that of the web interface. */
  readonly console?: string;
  /** The log of the BMC that names refused images, with article. */
  readonly eventLog?: string;
  /** The license that virtual media requires. */
  readonly license?: string;
  /** Documents or source files that say so. */
  readonly sources: readonly string[];
}

const IRONIC_BOOT = 'openstack/ironic: ironic/drivers/modules/redfish/boot.py';
const IRONIC_MANAGEMENT = 'openstack/ironic: ironic/drivers/modules/redfish/management.py';
const SUSHY_MEDIA = 'openstack/sushy: sushy/resources/manager/virtual_media.py';

const DELL_MAKER = /\bdell\b/i;
const dell = {
  license: 'iDRAC Enterprise or Datacenter',
  console: 'the Virtual Console of the iDRAC',
  eventLog: 'the Lifecycle Log of the iDRAC',
} as const;

const LIFECYCLE_LOG = 'dell/iDRAC-Redfish-Scripting: Redfish Python/GetIdracLcLogsREDFISH.py';

/** The first match counts. */
export const vendors: readonly Vendor[] = [
  {
    name: 'Dell iDRAC 10',
    match: { maker: DELL_MAKER, model: /^(?:1[7-9]|[2-9]\d)G\b/i },
    mediaOf: 'system',
    slots: /^1$/,
    bootRequest: 'dell',
    ...dell,
    sources: [
      'openstack/ironic: ironic/drivers/modules/drac/boot.py (_get_acceptable_media_id, _set_boot_device)',
      LIFECYCLE_LOG,
      'dell/iDRAC-Redfish-Scripting: Redfish Python/InsertEjectVirtualMediaREDFISH.py',
    ],
  },
  {
    name: 'Dell iDRAC 9',
    match: { maker: DELL_MAKER, firmware: /^[67]\./ },
    ...dell,
    sources: [`${IRONIC_BOOT} (_validate_vendor)`, LIFECYCLE_LOG],
  },
  {
    name: 'Dell iDRAC with firmware before 6',
    match: { maker: DELL_MAKER },
    mediaOf: 'manager',
    slots: /^CD$/,
    bootRequest: 'dell',
    ...dell,
    sources: [
      `${IRONIC_BOOT} (_validate_vendor)`,
      'openstack/sushy: sushy/oem/dell/resources/manager/manager.py (set_virtual_boot_device)',
      'dell/iDRAC-Redfish-Scripting: Redfish Python/SetNextOneTimeBootVirtualMediaDeviceOemREDFISH.py',
    ],
  },
  {
    name: 'HPE iLO',
    match: { maker: /\bhpe?\b|hewlett/i },
    mediaOf: 'manager',
    license: 'iLO Advanced',
    console: 'the Integrated Remote Console of the iLO',
    eventLog: 'the iLO Event Log',
    sources: [
      'https://www.easymanua.ls/hp/hpe-ilo-5/manual',
      'HewlettPackard/python-redfish-utility: ilorest/extensions/iLO_COMMANDS/VirtualMediaCommand.py',
      'HewlettPackard/python-ilorest-library: examples/Redfish/mount_virtual_media_iso.py',
      `${SUSHY_MEDIA} (eject_media: an empty object as the body)`,
      `${IRONIC_MANAGEMENT} (_is_during_post_error)`,
    ],
  },
  {
    name: 'Lenovo XCC',
    match: { maker: /\blenovo\b/i },
    slots: /^EXT\d/i,
    license: 'XCC Enterprise or XCC Platinum',
    console: 'the remote console of the XCC',
    eventLog: 'the event log of the XCC',
    sources: [
      'https://pubs.lenovo.com/xcc-restapi/insert_eject_virtual_media_patch',
      'https://pubs.lenovo.com/xcc2-restapi/insert_eject_virtual_media_patch',
      `${SUSHY_MEDIA} (insert_media: PATCH with Inserted)`,
    ],
  },
  {
    name: 'Supermicro with virtual media as Cd',
    match: { maker: /super ?micro/i, model: /^ARS-111GL-NHR$/i },
    bootRequest: 'full',
    license: 'SFT-OOB-LIC or SFT-DCMS-SINGLE',
    sources: ['openstack/sushy: sushy/resources/system/system.py (_supermicro_models_cd_vmedia)'],
  },
  {
    name: 'Supermicro',
    match: { maker: /super ?micro/i },
    bootTarget: 'UsbCd',
    bootRequest: 'full',
    license: 'SFT-OOB-LIC or SFT-DCMS-SINGLE',
    sources: [
      'openstack/sushy: sushy/resources/system/system.py (set_system_boot_options)',
      `${IRONIC_MANAGEMENT} (_set_boot_device, set_boot_device)`,
      `${SUSHY_MEDIA} (insert_media: no Inserted and WriteProtected)`,
    ],
  },
  {
    name: 'Cisco UCS (CIMC)',
    match: { maker: /\bcisco\b/i },
    console: 'the vKVM console of the CIMC',
    sources: [`${IRONIC_BOOT} (_insert_vmedia_in_resource: DVD, and slots that only vKVM uses)`],
  },
  {
    name: 'Fujitsu iRMC',
    match: { maker: /\bfujitsu\b|\bfsas\b|ts_fujitsu/i },
    mediaOf: 'manager',
    needsTransferProtocol: true,
    license: 'iRMC Advanced (virtual media)',
    console: 'the video redirection (AVR) of the iRMC',
    sources: [
      'fujitsu/terraform-provider-irmc-redfish: internal/provider/resource_virtual_media.go',
      'https://manualsdump.com/en/manuals/fujitsu-irmc_s2-s3/170891/89',
    ],
  },
  {
    name: 'AMI MegaRAC',
    match: { maker: /american megatrends|\bami\b|asrockrack/i },
    bootRequest: 'full',
    sources: [
      `${IRONIC_MANAGEMENT} (VENDORS_REQUIRING_FULL_BOOT_REQUEST)`,
      `${SUSHY_MEDIA} (is_transfer_method_required)`,
    ],
  },
  {
    name: 'OpenBMC',
    match: { maker: /openbmc/i },
    mediaOf: 'manager',
    needsTransferProtocol: true,
    protocols: ['https'],
    sources: [
      'openbmc/bmcweb: redfish-core/lib/virtual_media.hpp (getTransferProtocolFromParam, afterGetVmData)',
    ],
  },
  {
    name: 'sushy-tools',
    match: { maker: /sushy emulator/i },
    mediaOf: 'system',
    sources: ['openstack/sushy-tools: sushy_tools/emulator/controllers/virtual_media.py'],
  },
];

/** For a BMC that the table does not contain: the standard. */
const otherVendor: Vendor = {
  name: 'Redfish',
  match: { maker: /^/ },
  sources: ['DMTF DSP2046, VirtualMedia and ComputerSystem'],
};

/** @param firmware of the manager */
export function findVendor(
  makers: readonly (string | undefined)[],
  models: readonly (string | undefined)[],
  firmware = '',
): Vendor {
  const isOf = ({ match }: Vendor): boolean =>
    someMatch(makers, match.maker) &&
    (match.model === undefined || someMatch(models, match.model)) &&
    (match.firmware === undefined || match.firmware.test(firmware));
  return vendors.find(isOf) ?? otherVendor;
}

function someMatch(texts: readonly (string | undefined)[], pattern: RegExp): boolean {
  return texts.some((text) => text !== undefined && pattern.test(text));
}
