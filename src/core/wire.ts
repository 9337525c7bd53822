/** HTTP as client and server share it: a request, a response, and the function type between them. */

export type Headers = Record<string, string>;

export interface WireRequest {
  method: string;
  /** Absolute; for the embedded API the host is `embedded`. */
  url: string;
  headers: Headers;
  /** JSON text in UTF-8; absent when the request has no body. */
  body?: string | undefined;
  signal?: AbortSignal | undefined;
}

export interface WireResponse {
  status: number;
  /** Lower-case names; a repeated header is joined with `, `. */
  headers: Headers;
  /** The complete body, as received. A stream that was cut short is a thrown TransportError, never a short body. */
  body: Uint8Array;
  /** An earlier attempt of the request may have been carried out. */
  isRepeated?: true;
}

/** Sends one request. Rejects with a TransportError when there is no complete response. */
export type Transport = (request: WireRequest) => Promise<WireResponse>;
