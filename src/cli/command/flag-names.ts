/** How flags are written. */
import type { Flag, Flags } from './define.ts';

/** `ifNotExists` → `--if-not-exists`. */
export function longName(key: string): string {
  return `--${key.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
}

/** `-o, --output FORMAT`, aligned so that long names stand under each other. */
export function flagLabel(key: string, flag: Flag): string {
  const short = flag.short ? `-${flag.short}, ` : '    ';
  return `${short}${longName(key)}${flag.value ? ` ${flag.value}` : ''}`;
}

/** The flag that fills a field of the API: by the command's own flags, else by the global ones. */
export function flagOfField(field: string, flags: Flags): string | undefined {
  const own = Object.entries(flags).find(([, flag]) => flag.field === field);
  if (own) return longName(own[0]);
  return { companyId: '--company', limit: '--page-size' }[field];
}
