/** Property tests try the same values at every run, so that a green run stays green; `npm run soak` tries others. */
import fc from 'fast-check';
import { afterAll } from 'vitest';
import { endFile } from './after-file.ts';

fc.configureGlobal({ seed: Number(process.env.COMEM_TEST_SEED ?? 20_260_331) });
afterAll(endFile);
