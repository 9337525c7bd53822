/** Finds the operation of the contract for a method and path. */
import { type OperationId, operations } from '../contract/index.ts';
import type { Operation } from '../contract/operation.ts';
import { ApiError, invalid } from './model/failure.ts';

export interface Route {
  id: OperationId;
  op: Operation;
  params: Record<string, string>;
}

interface Pattern {
  id: OperationId;
  op: Operation;
  segments: string[];
}

const patterns: Pattern[] = Object.entries(operations).map(([id, op]) => ({
  // Object.entries gives the keys as strings.
  id: id as OperationId,
  op,
  segments: op.path.split('/'),
}));

/** The operation of a request. Throws 404 for an unknown path and 405 with `Allow` for an unknown method. */
export function route(method: string, path: string): Route {
  const segments = path.split('/');
  const onPath = patternsAt(segments);
  const pattern = onPath.find(({ op }) => op.method === method);
  if (pattern) return { id: pattern.id, op: pattern.op, params: paramsOf(pattern.segments, segments) };
  if (onPath.length === 0) throw new ApiError(404, `No such endpoint: ${method} ${path}`);
  const allow = onPath.map(({ op }) => op.method).join(', ');
  throw new ApiError(405, `${path} takes ${allow}, not ${method}`, undefined, { allow });
}

/** The operation of a method and path; undefined when there is none. Its parameters are not read. */
export function operationOf(method: string, path: string): Operation | undefined {
  return patternsAt(path.split('/')).find(({ op }) => op.method === method)?.op;
}

function patternsAt(segments: readonly string[]): Pattern[] {
  return patterns.filter((pattern) => matches(pattern.segments, segments));
}

const isParameter = (segment: string): boolean => segment.startsWith('{');

function matches(pattern: readonly string[], segments: readonly string[]): boolean {
  return (
    pattern.length === segments.length &&
    pattern.every((part, index) => (isParameter(part) ? segments[index] !== '' : part === segments[index]))
  );
}

function paramsOf(pattern: readonly string[], segments: readonly string[]): Record<string, string> {
  const params: Record<string, string> = {};
  for (const [index, segment] of segments.entries()) {
    const part = pattern[index];
    const name = part?.slice(1, -1);
    if (part && name !== undefined && isParameter(part)) params[name] = decoded(name, segment);
  }
  return params;
}

function decoded(name: string, text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    throw invalid({ path: name, message: 'is not percent-encoded UTF-8' });
  }
}
