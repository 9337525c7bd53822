/** Thrown to end a command that has done what was asked (`--dry-run`); not a failure. */
export class Finished extends Error {
  /** @param code the exit code, for a command that passes on another program's */
  constructor(readonly code = 0) {
    super('finished');
  }
}
