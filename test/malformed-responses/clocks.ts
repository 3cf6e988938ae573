import type { Behaviour } from './behaviour.ts';
import { CLEAN, failing } from './finds.ts';
import { carrying, headed, withMember } from './wire.ts';

function dated(id: string, words: string, date: string): Behaviour {
  return { id: `clocks/${id}`, words, legal: true, play: headed({ add: [`date: ${date}`] }), finds: CLEAN };
}

/** Sends a timestamp in /health, and as an extra member on other endpoints. */
function stamped(id: string, words: string, value: string, finds: Behaviour['finds']['health']): Behaviour {
  return {
    id: `clocks/${id}`,
    words: `${words} for timestamp; on other endpoints for another member`,
    legal: true,
    play: carrying((text, { endpoint }) =>
      endpoint === 'health'
        ? text.replace(/"timestamp":"[^"]*"/, () => `"timestamp":${value}`)
        : withMember(text, value, 'timestamp'),
    ),
    finds: { ...CLEAN, health: finds },
  };
}

/** Sends an uptime in /health, and an executionTime on other endpoints. */
function counted(id: string, words: string, value: string, finds: Behaviour['finds']): Behaviour {
  return {
    id: `clocks/${id}`,
    words,
    legal: true,
    play: carrying((text, { endpoint }) =>
      endpoint === 'capabilities'
        ? withMember(text, value)
        : text.replace(/"(uptime|executionTime)":[^,}]+/, (_, name: string) => `"${name}":${value}`),
    ),
    finds,
  };
}

const notCurrent = failing(/away from|did not change/, 'health/timestamp-current');
const notADate = failing(/timestamp/, 'health/timestamp-iso8601');

export const clocks: readonly Behaviour[] = [
  dated('date-in-1970', 'sends a Date header of 1970', 'Thu, 01 Jan 1970 00:00:00 GMT'),
  dated('date-in-9999', 'sends a Date header of 9999', 'Fri, 31 Dec 9999 23:59:59 GMT'),
  dated('date-garbage', 'sends a Date header that is not a date', 'yesterday'),
  stamped('timestamp-in-1970', 'sends 1970', '"1970-01-01T00:00:00Z"', notCurrent),
  stamped('timestamp-in-9999', 'sends 9999', '"9999-12-31T23:59:59.999Z"', notCurrent),
  stamped('timestamp-leap-second', 'sends a leap second', '"2016-12-31T23:59:60Z"', notCurrent),
  stamped('timestamp-no-date', 'sends the 31st of February', '"2026-02-31T00:00:00Z"', notADate),
  stamped('timestamp-number', 'sends a number', '1767225600', notADate),
  stamped(
    'timestamp-long',
    'sends 100,000 digits of a second',
    `"2026-01-01T00:00:00.${'1'.repeat(100_000)}Z"`,
    notCurrent,
  ),
  counted('frozen', 'sends uptime 1, always; on other endpoints executionTime 0', '0', {
    ...CLEAN,
    health: failing('did not advance', 'health/uptime-seconds'),
  }),
  counted('negative', 'sends a negative uptime or executionTime', '-5', {
    health: failing('uptime', 'health/uptime-number'),
    capabilities: [],
    execute: failing('executionTime', 'execute/execution-time'),
  }),
  counted('huge', 'sends 1e308 for uptime or executionTime', '1e308', {
    health: failing('longer than', 'health/uptime-seconds'),
    capabilities: [],
    execute: failing('longer than', 'execute/execution-time-plausible'),
  }),
];
