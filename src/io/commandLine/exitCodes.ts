/** What the help of a command says of its exit codes, where they are the usual ones. */

export const EXIT_CODES = `
Exit codes:
  0  done
  1  failed: an input is missing or wrong, or the result cannot be written
  2  the command line is wrong
`;
