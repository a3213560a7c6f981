// @ts-check
/** Prints which oracles have not judged the present code; `.ci/run` ends with it. */

import { all } from './find.js';
import { isOutOfDate, readProof } from './proof.js';

const proof = readProof();
const old = all.filter((oracle) => isOutOfDate(oracle, proof));
if (old.length === 0) console.log(`All ${all.length} oracles have judged this code.`);
else {
  console.log(
    `${old.length} of ${all.length} oracles have not judged this code (npm run oracles -- --changed):`,
  );
  for (const { name } of old) {
    const { commit, date, version } = proof.oracles[name] ?? {};
    console.log(
      `  ${name}: ${commit === undefined ? 'never asked' : `${version} judged ${commit} on ${date}`}`,
    );
  }
}
