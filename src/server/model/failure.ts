/** A refusal of the API: thrown where the reason is known, turned into a response in api.ts. */
import type { Issue } from '../../contract/validate.ts';
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

/** 400 with every issue in `details.issues`; the message names the first. */
export function invalid(...issues: Issue[]): ApiError {
  const [first] = issues;
  const says = first === undefined ? 'the request is malformed' : `${first.path} ${first.message}`.trim();
  const more = issues.length > 1 ? ` (and ${issues.length - 1} more)` : '';
  return new ApiError(400, `Invalid request: ${says}${more}`, { issues });
}

export const unauthorized = (message: string): ApiError => new ApiError(401, message);
export const forbidden = (message: string): ApiError => new ApiError(403, message);
export const conflict = (message: string): ApiError => new ApiError(409, message);

/** The same response for what does not exist and for what the caller must not know about. */
export const notFound = (what: string, id: string): ApiError => new ApiError(404, `No ${what} ${id}`);
