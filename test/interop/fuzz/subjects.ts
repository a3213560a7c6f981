/** What the targets of the fuzzer feed. The fuzzer bundles it, as most of it is no part of the library's interface. */

export { checkConf } from '../../../src/agent/confCheck.ts';
export { CliError, FormatError } from '../../../src/core/errors.ts';
export { decodeDataUrl } from '../../../src/formats/dataUrl.ts';
export { formatDiagnostic } from '../../../src/io/report/diagnosticText.ts';
export { formatTextReport } from '../../support/textReport.ts';

export { writeCpio } from '../../../src/formats/cpio.ts';
export { decodeGzip } from '../../../src/formats/gzip.ts';
export { backupSize, readPartitionTable, resizePartitionTable } from '../../../src/formats/gpt.ts';
export { readArchiveFiles } from '../../../src/formats/tar.ts';
export { unpackGzip } from '../../../src/formats/gzip.ts';
export { startFzstd, unpackZstd } from '../../../src/formats/zstd/decode.ts';
export { decoded, decodeXz } from '../../support/decoding.ts';

export { readAppendix } from '../../../src/image/appendix.ts';
export { checkPristine, customizeIso } from '../../../src/image/customize/customization.ts';
export { embedIgnition, readIgnition, removeIgnition } from '../../../src/image/embeddedIgnition.ts';
export { changedImage } from '../../../src/image/imageChange.ts';
export { readInitrd, writeInitrd } from '../../../src/image/initrd.ts';
export { openIsoTree } from '../../../src/image/isoTree.ts';
export { openLiveIso } from '../../../src/image/liveIso.ts';
export { adaptKargs, openMinimalIso } from '../../../src/image/minimalIso/extract.ts';
export { decodeMinisoData } from '../../../src/image/minimalIso/minisoData.ts';
export { reconstructMinimalIso, verifyReconstruction } from '../../../src/image/minimalIso/extract.ts';
export { removeNetworkSettings } from '../../../src/image/networkSettings.ts';
export { bytesAccess } from '../../../src/image/overlay.ts';
export { findPxeFiles } from '../../../src/image/bootParts.ts';
export { resetDamagedIso, resetIso, restoreDefaultKargs } from '../../../src/image/liveIso.ts';

export { parseKeyfile } from '../../../src/formats/keyfile.ts';
export { parseYaml } from '../../../src/formats/yaml.ts';
export { convertNetworkData } from '../../../src/network/networkData/convertNetworkData.ts';

export { translateButane } from '../../../src/butane/translate.ts';
export { butaneVersions } from '../../../src/butane/versions.ts';
export { formatIgnition } from '../../../src/ignition/ignitionText.ts';
export { examineConfig, validateConfig } from '../../../src/ignition/validate.ts';
export { randomButane } from '../../support/butaneDocuments.ts';

export { networkDataDocuments } from '../../support/networkDataDocuments.ts';
export { readCpio } from '../../support/cpio.ts';
export { recordedXz, storeXz } from '../../support/xzStreams.ts';
export { hybridIso, liveIso, liveIsoWith } from '../../support/liveIso.ts';
