/**
 * The bytes of one response: counted while they arrive, decoded as a stream, and on disk where they are many, so that no
 * answer takes more memory than it is worth.
 */
import { closeSync, readSync } from 'node:fs';
import type { Gunzip } from 'node:zlib';
import { TransportError } from '../core/errors.ts';
import { temporaryFile, writeAll } from '../core/files.ts';
import { JsonScanner } from '../core/json-scanner.ts';
import type { Headers } from '../core/wire.ts';

/** Bytes of a response that stay in memory while it arrives. */
const inMemory = 64 * 1024 * 1024;
/** Shorter responses hold few values, however small these are: at most 30 bytes in memory for each of theirs. */
const unweighed = 2 * 1024 * 1024;
/** Values may take this part of the limit in memory, beside their characters. */
const partOfValues = 2;
/** An encoded body up to this length is decoded at once, which is faster, if what comes out is small. */
const smallEncoded = 256 * 1024;
const smallDecoded = 8 * 1024 * 1024;

interface Flow {
  pause(): void;
  resume(): void;
}

interface Codec {
  atOnce(bytes: Buffer, options: { maxOutputLength: number }): Buffer;
  stream(options: { chunkSize: number }): Gunzip;
}

/** By the name in `Content-Encoding`. Most answers of small size have none, and loading Node's module takes time. */
function codecOf(encoding: string): Codec {
  const zlib = process.getBuiltinModule('node:zlib');
  switch (encoding) {
    case 'gzip':
    case 'x-gzip':
      return { atOnce: zlib.gunzipSync, stream: zlib.createGunzip };
    case 'br':
      return { atOnce: zlib.brotliDecompressSync, stream: zlib.createBrotliDecompress };
    case 'deflate':
      return { atOnce: zlib.inflateSync, stream: zlib.createInflate };
    default:
      return unknownCodec(encoding);
  }
}

/** Takes the pieces of a body as they come. Every method throws a TransportError, after which `discard` is called. */
export class ResponseBody {
  private readonly encoded: Buffer[] = [];
  private readonly codec: Codec | undefined;
  private readonly held: Held;
  private arrived = 0;
  private decoder: Gunzip | undefined;
  private decoded: Promise<void> | undefined;

  /** @param onFail called when the body cannot be used, before all of it has arrived */
  constructor(
    private readonly headers: Headers,
    private readonly limit: number,
    private readonly flow: Flow,
    private readonly onFail: (error: unknown) => void,
  ) {
    this.held = new Held(limit);
    const encoding = headers['content-encoding']?.trim().toLowerCase();
    const plain = encoding === undefined || encoding === '' || encoding === 'identity';
    if (Number(headers['content-length']) > limit) throw tooLarge(limit);
    if (plain) return;
    this.codec = codecOf(encoding);
  }

  add(chunk: Buffer): void {
    if (!this.codec) {
      this.held.add(chunk);
      return;
    }
    this.arrived += chunk.length;
    if (this.arrived > this.limit) throw tooLarge(this.limit);
    if (this.decoder) {
      if (!this.decoder.write(chunk)) this.flow.pause();
      return;
    }
    this.encoded.push(chunk);
    if (this.arrived > smallEncoded) this.startStream(this.codec);
  }

  /** The complete body without its encoding. */
  async end(): Promise<Buffer> {
    if (!this.codec || this.arrived === 0) return this.held.take();
    delete this.headers['content-encoding'];
    delete this.headers['content-length'];
    if (!this.decoder) {
      const small = this.decodeAtOnce(this.codec);
      if (small) return small;
      this.startStream(this.codec);
    }
    this.decoder?.end();
    await this.decoded;
    return this.held.take();
  }

  discard(): void {
    this.decoder?.destroy();
    this.held.discard();
  }

  private decodeAtOnce(codec: Codec): Buffer | undefined {
    try {
      return codec.atOnce(joined(this.encoded), { maxOutputLength: Math.min(smallDecoded, this.limit) });
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE') return undefined;
      throw undecodable(error);
    }
  }

  private startStream(codec: Codec): void {
    const decoder = codec.stream({ chunkSize: 64 * 1024 });
    this.decoder = decoder;
    this.decoded = new Promise((resolve, reject) => {
      const fail = (error: unknown) => {
        reject(error);
        this.onFail(error);
        decoder.destroy();
      };
      decoder.on('data', (chunk: Buffer) => {
        try {
          this.held.add(chunk);
        } catch (error) {
          fail(error);
        }
      });
      decoder.on('drain', () => this.flow.resume());
      decoder.on('error', (error) => fail(undecodable(error)));
      decoder.on('end', resolve);
    });
    this.decoded.catch(() => undefined);
    for (const chunk of this.encoded.splice(0)) decoder.write(chunk);
  }
}

/** Bytes in memory, and those after the first ones in a file that has no name. */
class Held {
  private readonly chunks: Buffer[] = [];
  private bytes = 0;
  private kept = 0;
  private file: number | undefined;
  private scanner: JsonScanner | undefined;

  constructor(private readonly limit: number) {}

  add(chunk: Buffer): void {
    this.bytes += chunk.length;
    if (this.bytes > this.limit) throw tooLarge(this.limit);
    if (this.bytes > unweighed) this.weigh(chunk);
    if (this.file === undefined && this.bytes <= inMemory) {
      this.chunks.push(chunk);
      this.kept = this.bytes;
      return;
    }
    this.file ??= temporaryFile();
    writeAll(this.file, chunk, this.bytes - chunk.length - this.kept);
  }

  private weigh(chunk: Buffer): void {
    if (!this.scanner) {
      this.scanner = new JsonScanner();
      for (const before of this.chunks) this.scanner.write(before);
    }
    this.scanner.write(chunk);
    if (this.scanner.memory > this.limit / partOfValues) throw tooManyValues(this.limit);
  }

  take(): Buffer {
    if (this.file === undefined) return joined(this.chunks);
    const all = Buffer.allocUnsafe(this.bytes);
    let at = 0;
    for (const chunk of this.chunks.splice(0)) at += chunk.copy(all, at);
    while (at < this.bytes) {
      const read = readSync(this.file, all, at, this.bytes - at, at - this.kept);
      if (read === 0) break;
      at += read;
    }
    this.discard();
    return all;
  }

  discard(): void {
    this.chunks.length = 0;
    if (this.file !== undefined) closeSync(this.file);
    this.file = undefined;
  }
}

function joined(chunks: readonly Buffer[]): Buffer {
  return chunks.length === 1 && chunks[0] ? chunks[0] : Buffer.concat(chunks);
}

function tooLarge(limit: number): TransportError {
  return new TransportError(`the response is larger than ${limit / 1024 / 1024} MiB`, true, 'tooLarge');
}

function tooManyValues(limit: number): TransportError {
  const most = limit / partOfValues / 1024 / 1024;
  return new TransportError(`the values of the response take more than ${most} MiB of memory`, true, 'tooLarge');
}

function undecodable(error: unknown): TransportError {
  const says = error instanceof Error ? error.message : String(error);
  return new TransportError(`the response cannot be decoded: ${says}`, true, 'network', { cause: error });
}

function unknownCodec(encoding: string): never {
  throw undecodable(new Error(`content-encoding ${encoding} was not requested`));
}
