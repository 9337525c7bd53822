/** Thrown to end a command that has done what was asked (`--dry-run`); not a failure. */
export class Finished extends Error {}
