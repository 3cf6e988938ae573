import { brokenBodies, wrongContentTypes } from './broken-answers.ts';
import type { Mutant } from './mutant.ts';
import {
  cutOff,
  type HealthRecord,
  hangUp,
  inCapabilities,
  inHealth,
  instead,
  never,
  notHttp,
  on,
  raw,
  together,
  withStatus,
  withText,
} from './mutations.ts';

const NOW_MS = (): number => Date.now();

/** Changes members of the health record. */
function having(changes: Readonly<Partial<Record<keyof HealthRecord, unknown>>>): Mutant['mutate'] {
  return inHealth((record) => ({ ...record, ...changes }));
}

function timestamp(write: (now: Date) => unknown): Mutant['mutate'] {
  return inHealth((record) => ({ ...record, timestamp: write(new Date(NOW_MS())) }));
}

function uptime(count: (uptimeSeconds: number) => unknown): Mutant['mutate'] {
  return inHealth((record) => ({ ...record, uptime: count(record.uptime) }));
}

export const healthMutants: readonly Mutant[] = [
  {
    row: 'health/reachable',
    form: 'both',
    name: '/health never answers',
    mutate: instead(({ operation }) => (operation === 'health' ? never() : undefined)),
  },
  {
    row: 'health/reachable',
    form: 'A',
    name: '/health closes the connection',
    mutate: instead(({ operation }) => (operation === 'health' ? hangUp() : undefined)),
  },
  {
    row: 'health/reachable',
    form: 'B',
    name: '/health answers once and never again',
    mutate: instead(({ operation, count }) => (operation === 'health' && count > 1 ? never() : undefined)),
  },
  {
    row: 'health/reachable',
    form: 'A',
    name: 'the body of /health never ends',
    mutate: raw(on('health'), (answer) => cutOff(answer, 'silence')),
  },
  {
    row: 'health/reachable',
    form: 'B',
    name: 'the body of /health is shorter than its Content-Length',
    mutate: raw(on('health'), (answer) => cutOff(answer, 'hang-up')),
  },
  {
    row: 'health/reachable',
    form: 'A',
    name: '/health answers with something other than HTTP',
    mutate: instead(({ operation }) => (operation === 'health' ? notHttp() : undefined)),
  },
  {
    row: 'health/reachable',
    form: 'both',
    name: 'nothing listens at the address',
    mutate: instead(() => undefined),
    closed: true,
    fault: 'network',
    alsoFails: { 'capabilities/reachable': 'the address is that of /capabilities too' },
  },

  ...[204, 302, 404, 405, 500, 503].map((status, index): Mutant => {
    return {
      row: 'health/status-200',
      form: index === 0 ? 'both' : index % 2 === 0 ? 'A' : 'B',
      name: `/health answers with status ${status}`,
      mutate: raw(on('health'), withStatus(status)),
    };
  }),
  {
    row: 'health/status-200',
    form: 'B',
    name: 'every second read of /health is answered with status 500',
    mutate: raw(on('health'), (answer, { count }) => ({ ...answer, status: count % 2 === 0 ? 500 : 200 })),
  },
  {
    row: 'health/status-200',
    form: 'A',
    name: '/health answers with status 200 once and 503 from then on',
    mutate: raw(on('health'), (answer, { count }) => ({ ...answer, status: count > 1 ? 503 : 200 })),
  },

  ...wrongContentTypes('health/content-type', on('health')),
  ...brokenBodies('health/json-object', on('health')),

  { row: 'health/status-string', form: 'both', name: 'status is true', mutate: having({ status: true }) },
  { row: 'health/status-string', form: 'A', name: 'status is 200', mutate: having({ status: 200 }) },
  { row: 'health/status-string', form: 'B', name: 'status is null', mutate: having({ status: null }) },
  {
    row: 'health/status-string',
    form: 'A',
    name: 'status is missing',
    mutate: having({ status: undefined }),
  },
  {
    row: 'health/status-string',
    form: 'B',
    name: 'status is an object of checks',
    mutate: having({ status: { database: 'ok' } }),
  },

  ...['UP', 'OK', 'degraded', 'pass', 'ok ', ''].map((status, index): Mutant => {
    return {
      row: 'health/operational',
      form: index === 0 ? 'both' : index % 2 === 0 ? 'A' : 'B',
      name: `status is ${JSON.stringify(status)}`,
      mutate: having({ status }),
    };
  }),
  {
    row: 'health/operational',
    form: 'B',
    name: 'status is ok once and unhealthy from then on',
    mutate: inHealth((record, { count }) => ({ ...record, status: count > 1 ? 'unhealthy' : 'ok' })),
  },

  { row: 'health/uptime-number', form: 'both', name: 'uptime is a string', mutate: uptime(String) },
  { row: 'health/uptime-number', form: 'A', name: 'uptime is "3 days"', mutate: uptime(() => '3 days') },
  { row: 'health/uptime-number', form: 'B', name: 'uptime is null', mutate: uptime(() => null) },
  { row: 'health/uptime-number', form: 'A', name: 'uptime is missing', mutate: uptime(() => undefined) },
  { row: 'health/uptime-number', form: 'B', name: 'uptime is negative', mutate: uptime((s) => s - 3600) },
  {
    row: 'health/uptime-number',
    form: 'A',
    name: 'uptime is not finite: 1e999',
    mutate: raw(
      on('health'),
      withText((text) => text.replace(/"uptime":[^,]+/, '"uptime":1e999')),
    ),
  },
  {
    row: 'health/uptime-number',
    form: 'B',
    name: 'uptime is the time of the start',
    mutate: uptime(() => new Date(NOW_MS() - 3_600_000).toISOString()),
  },

  { row: 'health/uptime-seconds', form: 'both', name: 'uptime is frozen', mutate: uptime(() => 4711) },
  {
    row: 'health/uptime-seconds',
    form: 'both',
    name: 'uptime counts milliseconds',
    mutate: uptime((seconds) => Math.round(seconds * 1000)),
  },
  {
    row: 'health/uptime-seconds',
    form: 'A',
    name: 'uptime counts nanoseconds',
    mutate: uptime((seconds) => Math.round(seconds * 1e9)),
  },
  {
    row: 'health/uptime-seconds',
    form: 'B',
    name: 'uptime is the availability in percent',
    mutate: uptime(() => 99.98),
  },
  {
    row: 'health/uptime-seconds',
    form: 'A',
    name: 'uptime counts minutes',
    mutate: uptime((seconds) => (seconds + 86_400) / 60),
  },
  {
    row: 'health/uptime-seconds',
    form: 'B',
    name: 'uptime counts whole hours',
    mutate: uptime((seconds) => Math.floor((seconds + 86_400) / 3600)),
  },
  {
    row: 'health/uptime-seconds',
    form: 'B',
    name: 'uptime is the Unix time in milliseconds',
    mutate: uptime(NOW_MS),
  },
  {
    row: 'health/uptime-seconds',
    form: 'A',
    name: 'uptime is the Unix time in seconds',
    mutate: uptime(() => Math.floor(NOW_MS() / 1000)),
  },
  {
    row: 'health/uptime-seconds',
    form: 'B',
    name: 'uptime is the Unix time of the start',
    mutate: (server) => having({ uptime: NOW_MS() / 1000 })(server),
  },

  {
    row: 'health/uptime-monotonic',
    form: 'both',
    name: 'uptime starts again from 0 between two reads',
    mutate: inHealth((record, { count }) => ({ ...record, uptime: count === 1 ? 86_400 : 0.2 })),
  },
  {
    row: 'health/uptime-monotonic',
    form: 'A',
    name: 'uptime counts down',
    mutate: uptime((seconds) => 86_400 - seconds),
  },
  {
    row: 'health/uptime-monotonic',
    form: 'B',
    name: 'two replicas behind one address report different uptimes',
    mutate: inHealth((record, { count }) => ({ ...record, uptime: record.uptime + (count % 2) * 1000 })),
  },

  { row: 'health/timestamp-iso8601', form: 'both', name: 'timestamp is a number', mutate: timestamp(Number) },
  {
    row: 'health/timestamp-iso8601',
    form: 'A',
    name: 'timestamp is the Unix time as a string',
    mutate: timestamp((now) => String(Number(now))),
  },
  {
    row: 'health/timestamp-iso8601',
    form: 'B',
    name: 'timestamp is in the format of HTTP headers',
    mutate: timestamp((now) => now.toUTCString()),
  },
  {
    row: 'health/timestamp-iso8601',
    form: 'A',
    name: 'timestamp is in the format of a locale',
    mutate: timestamp((now) => now.toLocaleString('en-US')),
  },
  {
    row: 'health/timestamp-iso8601',
    form: 'B',
    name: 'timestamp is a date without a time',
    mutate: timestamp((now) => now.toISOString().slice(0, 10)),
  },
  {
    row: 'health/timestamp-iso8601',
    form: 'A',
    name: 'timestamp has a space for the T',
    mutate: timestamp((now) => now.toISOString().replace('T', ' ')),
  },
  {
    row: 'health/timestamp-iso8601',
    form: 'B',
    name: 'timestamp is a day that does not exist',
    mutate: timestamp((now) => now.toISOString().replace(/-\d\d-\d\dT/, '-02-30T')),
  },
  {
    row: 'health/timestamp-iso8601',
    form: 'A',
    name: 'timestamp is missing',
    mutate: timestamp(() => undefined),
  },
  { row: 'health/timestamp-iso8601', form: 'B', name: 'timestamp is null', mutate: timestamp(() => null) },

  {
    row: 'health/timestamp-zone',
    form: 'both',
    name: 'timestamp is in UTC without a zone',
    mutate: timestamp((now) => now.toISOString().slice(0, -1)),
  },
  {
    row: 'health/timestamp-zone',
    form: 'B',
    name: 'timestamp is in local time without a zone',
    mutate: timestamp((now) => new Date(Number(now) + 19_800_000).toISOString().slice(0, 19)),
  },

  {
    row: 'health/timestamp-current',
    form: 'both',
    name: 'timestamp is an hour behind',
    mutate: timestamp((now) => new Date(Number(now) - 3_600_000).toISOString()),
  },
  {
    row: 'health/timestamp-current',
    form: 'A',
    name: 'timestamp is local time that claims to be UTC',
    mutate: timestamp((now) => new Date(Number(now) + 7_200_000).toISOString()),
  },
  {
    row: 'health/timestamp-current',
    form: 'B',
    name: 'timestamp is two minutes ahead',
    mutate: timestamp((now) => new Date(Number(now) + 120_000).toISOString()),
  },
  {
    row: 'health/timestamp-current',
    form: 'both',
    name: 'timestamp is that of the first read',
    mutate: (server) => {
      let first: string | undefined;
      return inHealth((record) => {
        first ??= record.timestamp;
        return { ...record, timestamp: first };
      })(server);
    },
  },
  {
    row: 'health/timestamp-current',
    form: 'A',
    name: 'timestamp is a constant of long ago',
    mutate: timestamp(() => '2024-01-01T00:00:00Z'),
  },

  {
    row: 'health/version-string',
    form: 'both',
    name: 'version is a number',
    mutate: having({ version: 1.1 }),
  },
  { row: 'health/version-string', form: 'A', name: 'version is null', mutate: having({ version: null }) },
  {
    row: 'health/version-string',
    form: 'B',
    name: 'version is an object',
    mutate: having({ version: { major: 1, minor: 0 } }),
  },

  {
    row: 'health/mcp-version-string',
    form: 'both',
    name: 'mcpVersion is a number',
    mutate: having({ mcpVersion: 1 }),
  },
  {
    row: 'health/mcp-version-string',
    form: 'A',
    name: 'mcpVersion is null',
    mutate: having({ mcpVersion: null }),
  },
  {
    row: 'health/mcp-version-string',
    form: 'B',
    name: 'mcpVersion is a list of versions',
    mutate: having({ mcpVersion: ['1.0', '1.1'] }),
  },

  {
    row: 'health/mcp-version-supported',
    form: 'A',
    name: 'mcpVersion is 0.9',
    mutate: having({ mcpVersion: '0.9' }),
  },
  {
    row: 'health/mcp-version-supported',
    form: 'B',
    name: 'mcpVersion is 0.9',
    mutate: having({ mcpVersion: '0.9' }),
    alsoFails: { 'capabilities/versions-agree': 'capabilities still says 1.0' },
  },
  {
    row: 'health/mcp-version-supported',
    form: 'B',
    name: 'mcpVersion is 0.9, in /capabilities too',
    mutate: together(
      having({ mcpVersion: '0.9' }),
      inCapabilities((record) => ({ ...record, mcpVersion: '0.9' })),
    ),
    alsoFails: { 'capabilities/mcp-version-supported': 'both records have the same version' },
  },
  ...['latest', 'draft-2', ''].map((mcpVersion): Mutant => {
    return {
      row: 'health/mcp-version-supported',
      form: 'A',
      name: `mcpVersion is ${JSON.stringify(mcpVersion)}`,
      mutate: having({ mcpVersion }),
    };
  }),
];
