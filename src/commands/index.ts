/** The nouns, in the order of help, and how to load each. */
import type { Noun } from '../cli/define.ts';

export const nouns: Record<string, Noun> = {};

/** A first word that stands for noun and verb. */
export const shortcuts: Record<string, readonly string[]> = { serve: ['server', 'start'] };
