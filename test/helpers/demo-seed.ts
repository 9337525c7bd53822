/** The demo data as one seed. */
import { demoParts } from '../../src/server/demo.ts';
import { append } from '../../src/server/seed/dump.ts';
import type { Seed } from '../../src/server/seed/seed.ts';

export function demoSeed(): Seed {
  const seed: Seed = {};
  for (const part of demoParts()) append(seed, part.seed);
  return seed;
}
