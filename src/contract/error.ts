import { anyObject, type Infer, integer, nullable, object, string } from './schema.ts';

/** The shape of every error body (docs/api.md, "Errors" 1). */
export const ErrorBody = object(
  {
    error: string({ description: 'message' }),
    status: integer({ description: 'HTTP status code' }),
    details: nullable(anyObject({ description: 'validation error details' })),
  },
  { title: 'Error', required: ['error', 'status'] },
);
export type ErrorBody = Infer<typeof ErrorBody>;
