/** Hints of several errors about damaged images. */

/** Stream metadata has the checksum of the image, so that `download` verifies the copy. */
const DOWNLOAD = 'ironic-coreos download -f iso';

/** For data of the release. */
export const DOWNLOAD_AGAIN = `download the image again: ${DOWNLOAD}`;

/** For an image that is too short. */
export const COPY_AGAIN = `copy the image again, or download it with: ${DOWNLOAD}`;
