/** The clock of the server, which tells whole seconds. */
import { expect, it } from 'vitest';
import { serverClock } from '../../src/cli/runtime.ts';

it.each([
  ['within the second of the header', '12:00:00.700', '12:00:00.700'],
  ['behind it', '11:59:58.500', '12:00:00.000'],
  ['ahead of it', '12:00:05.000', '12:00:00.999'],
])('goes by the local clock as far as the header allows: %s', (_, local, time) => {
  const clock = serverClock(
    () => new Date(`2026-01-01T${local}Z`),
    () => {},
  );
  clock.see({ date: 'Thu, 01 Jan 2026 12:00:00 GMT' });
  expect(clock.now().toISOString()).toBe(`2026-01-01T${time}Z`);
});
