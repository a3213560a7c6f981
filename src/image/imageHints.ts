/** Hints of several errors about damaged images. */

/** Stream metadata has the checksum of the image, so that `download` verifies the copy. */
const download = 'ironic-coreos download -f iso';

/** For data of the release. */
export const downloadAgain = `download the image again: ${download}`;

/** For an image that is too short. */
export const copyAgain = `copy the image again, or download it with: ${download}`;
