import { anyObject, type Infer, integer, nullable, object, string } from './schema.ts';

/** The shape of every error body (api.md, "Error"). */
export const ErrorBody = object(
  {
    error: string({ description: 'message' }),
    status: integer({ description: 'HTTP status code' }),
    details: nullable(anyObject({ description: 'validation error details' })),
  },
  { title: 'Error' },
);
export type ErrorBody = Infer<typeof ErrorBody>;
