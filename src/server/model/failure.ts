/** A refusal of the API: thrown where the reason is known, turned into a response in api.ts. */
import { type Issue, maxIssues } from '../../contract/validate.ts';
import { shorten } from '../../core/errors.ts';
import type { Headers } from '../../core/wire.ts';

export class ApiError extends Error {
  constructor(
    readonly status: number,
    message: string,
    /** The Error body's `details`. */
    readonly details?: Record<string, unknown>,
    readonly headers: Headers = {},
  ) {
    super(message);
    this.name = 'ApiError';
  }
}

/** Characters of a path or message: both may contain what was sent. */
const maxTextLength = 500;

export const invalid = (...problems: Issue[]): ApiError => invalidRequest(problems);

/** 400 with the issues in `details.issues`, up to the most; the message names the first and counts the others. */
export function invalidRequest(problems: readonly Issue[]): ApiError {
  const issues = problems.slice(0, maxIssues).map(({ path, message }) => ({
    path: shorten(path, maxTextLength),
    message: shorten(message, maxTextLength),
  }));
  const [first] = issues;
  const reason = first === undefined ? 'the request is malformed' : `${first.path} ${first.message}`.trim();
  const more = problems.length > 1 ? ` (and ${problems.length - 1} more)` : '';
  return new ApiError(400, `Invalid request: ${reason}${more}`, { issues });
}

export const unauthorized = (message: string): ApiError => new ApiError(401, message);
export const forbidden = (message: string): ApiError => new ApiError(403, message);
export const conflict = (message: string): ApiError => new ApiError(409, message);

/** The same response for what does not exist and for what the caller must not know about. */
export const notFound = (kind: string, id: string): ApiError => new ApiError(404, `No ${kind} ${id}`);
