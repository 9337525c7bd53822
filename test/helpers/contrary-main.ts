/** The contrary server until its stdin ends: options as JSON in argv, its address and credentials as JSON on stdout. */
import { startContrary } from './contrary-server.ts';

const { requests: _, close: __, ...started } = await startContrary(JSON.parse(process.argv[2] ?? '{}'));
process.stdout.write(`${JSON.stringify(started)}\n`);
process.stdin.on('end', () => process.exit()).resume();
