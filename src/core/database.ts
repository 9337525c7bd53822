/** Whether the address names a PostgreSQL database, and not a folder. */
export function isPostgres(address: string): boolean {
  return /^postgres(ql)?:\/\//.test(address);
}
