/**
 * Every resource of the API under its name. The company memory, reports, initiatives and the deal pipeline are
 * documented without operations; `comem api … --resource NAME` shows such a body with the right columns.
 */
import * as deals from './deal-resources.ts';
import * as lists from './lists.ts';
import * as memory from './memory-resources.ts';
import * as metrics from './metrics.ts';
import * as reports from './report-resources.ts';
import type { JsonSchema } from './schema.ts';

/** The resources that have no endpoint. */
export const otherResources: Readonly<Record<string, JsonSchema>> = byTitle(memory, reports, deals);

/** All resources with fields of their own. */
export const resources: Readonly<Record<string, JsonSchema>> = byTitle(lists, metrics, memory, reports, deals);

/** The schemas among the exports of modules, under their titles. */
function byTitle(...modules: Record<string, unknown>[]): Record<string, JsonSchema> {
  const resources: Record<string, JsonSchema> = {};
  for (const value of modules.flatMap((exports) => Object.values(exports))) {
    if (isResource(value) && value.title !== undefined) resources[value.title] = value;
  }
  return resources;
}

function isResource(value: unknown): value is JsonSchema {
  return typeof value === 'object' && value !== null && 'title' in value && 'properties' in value;
}
