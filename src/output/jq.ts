/** `--jq`: jq itself, as WebAssembly. The only file that knows the package; it is loaded when the flag is used. */
import { Failure } from '../core/errors.ts';

interface JqResult {
  /** The output of jq with `-r`, with a final line break. */
  text: string;
  /** The messages of `debug` and `stderr` in a program that succeeds. */
  notes: string;
}

/** Runs a blocking call so that signals are handled first. */
type Run = <T>(work: () => T) => Promise<T>;
const plainly: Run = async (work) => work();

const separator = '\u001e';

/**
 * Runs a jq program over a JSON text. Number literals pass through as they are.
 * @throws usage when the program does not compile; `rejected` when it fails on this input, as on an answer of another
 * shape than it expects
 */
export async function runJq(json: string, program: string, run: Run = plainly): Promise<JqResult> {
  const { loadJq } = await import('jq-wasm');
  const jq = await loadJq();
  // Not `-r`: the package trims what jq prints, and a string may end in blanks. With `--seq` every value, in and out,
  // follows a separator that no JSON text contains, and strings are made raw here.
  const { stdout, stderr, exitCode } = await run(() => {
    try {
      return jq.raw(`${separator}${withoutHalves(json)}\n`, program, ['--seq', '--']);
    } catch (error) {
      throw abortFailure(error);
    }
  });
  if (exitCode !== 0) {
    await checkJq(program, run);
    const says = saidBy(stderr);
    throw new Failure('rejected', `--jq: ${says === '' ? `jq ended with ${exitCode}` : says}`, {
      code: 'jq_failed',
      hint: 'the jq program does not fit the data; -o json shows its input',
    });
  }
  const results = stdout.split(separator).slice(1);
  return { text: results.map((result) => `${raw(result.trim())}\n`).join(''), notes: stderr };
}

/** Compiles the program without running it. @throws usage when it does not compile */
export async function checkJq(program: string, run: Run = plainly): Promise<void> {
  const { loadJq } = await import('jq-wasm');
  const jq = await loadJq();
  // In parentheses it is compiled and never runs. Without them the message has jq's own places.
  if ((await run(() => jq.raw('null', `empty | (\n${program}\n)`, ['--']))).exitCode === 0) return;
  const { stderr, exitCode } = await run(() => jq.raw('null', program, ['--']));
  if (exitCode !== compileError) return;
  const [first, ...lines] = saidBy(stderr)
    .replace(/\n?jq: \d+ compile errors?$/, '')
    .split('\n');
  throw new Failure('usage', `--jq: ${first}`, { lines, hint: 'the language is that of jq 1.8' });
}

const compileError = 3;

/** Replaces lone surrogates, which jq refuses and a server may send. */
function withoutHalves(json: string): string {
  if (!/\\u[dD][89a-fA-F]/.test(json)) return json;
  return json.replace(
    /\\(?:(u[dD][89abAB][\da-fA-F]{2}\\u[dD][c-fC-F][\da-fA-F]{2})|(u[dD][89a-fA-F][\da-fA-F]{2})|[\s\S])/g,
    (match, pair: string | undefined, half: string | undefined) => (half && !pair ? '\\ufffd' : match),
  );
}

function raw(result: string): string {
  return result.startsWith('"') ? String(JSON.parse(result)) : result;
}

function saidBy(stderr: string): string {
  return stderr.replace(/^jq: (?:error(?: \(at [^)]*\))?: )?/, '').trim();
}

/** jq aborts when it runs out of memory. */
function abortFailure(error: unknown): Failure {
  const says = 'jq needs more memory than it can have';
  return new Failure('rejected', `--jq: ${says}`, { code: 'jq_failed', hint: 'select less of the data', cause: error });
}
