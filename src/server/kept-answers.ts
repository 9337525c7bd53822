/**
 * Answers as they were sent, for the same requests until the next write to the database. The credential is read for each
 * request, and in the same statement the state of the database, which is another one after any write of any process.
 */
import type { OperationId } from '../contract/index.ts';
import type { WireRequest, WireResponse } from '../core/wire.ts';
import { companyHeader } from './input.ts';

/** Reads that do not depend on the clock. */
const timeless: ReadonlySet<OperationId> = new Set([
  'listLists',
  'getList',
  'listEntries',
  'getMetricCatalog',
  'getMetricSeries',
]);

const maxBytes = 16 * 1024 * 1024;

export class KeptAnswers {
  private readonly answers = new Map<string, WireResponse>();
  private state = '';
  private bytes = 0;

  /** The answer to a request of the credential, or else what `read` gives, which sees this state or a later one. */
  async answer(
    id: OperationId,
    { url, headers }: WireRequest,
    credential: { id: string; state: string },
    read: () => Promise<WireResponse>,
  ): Promise<WireResponse> {
    if (!timeless.has(id)) return read();
    const { state } = credential;
    if (state !== this.state) this.clear(state);
    const key = JSON.stringify([credential.id, headers[companyHeader], url]);
    const answer = this.answers.get(key);
    if (answer) return answer;
    const response = await read();
    const bytes = 2 * key.length + response.body.byteLength;
    if (this.bytes + bytes > maxBytes) this.clear(this.state);
    if (state === this.state && bytes <= maxBytes) {
      this.answers.set(key, response);
      this.bytes += bytes;
    }
    return response;
  }

  private clear(state: string): void {
    this.answers.clear();
    this.bytes = 0;
    this.state = state;
  }
}
