/** Which of the global flags change something for a command. */
import { readsData } from './applies.ts';
import { type AnyCommand, type Flags, globalsBeside } from './define.ts';

const ofWrites = new Set(['dryRun', 'keepUndo', 'yes', 'confirm']);
const ofOutput = new Set('output json fields jq out noHeader noTruncate excel limit failEmpty raw'.split(' '));
const ofPast = new Set(['asOf', 'offline', 'mirror']);
const ofRequests = new Set('company timeout retries maxResponse allowHttp pageSize raw'.split(' '));

/** The global flags that change something for a command, which help and completion name. */
export function usefulGlobals(command: AnyCommand): Flags {
  const { flags, writes, asks, stdout, operations, callsAny } = command;
  const isLocal = operations.length === 0 && !callsAny;
  const isUseful = (key: string) =>
    (writes || !ofWrites.has(key) || (asks === true && key === 'yes')) &&
    (stdout !== 'nothing' || !ofOutput.has(key)) &&
    !(isLocal && ofRequests.has(key)) &&
    (readsData(command) || !ofPast.has(key));
  return Object.fromEntries(Object.entries(globalsBeside(flags)).filter(([key]) => isUseful(key)));
}
