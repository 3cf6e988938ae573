import { describe, expect, test } from 'vitest';
import type { Form } from '../../src/model/requirement.ts';
import type { EndpointAnswer } from '../../src/reference/endpoints.ts';
import { checkTarget, expectClean } from './expect-clean.ts';
import { type Answering, type Members, referenceWith, referenceWithJson, serve } from './serve.ts';

const FORMS: readonly Form[] = ['A', 'B'];

/** Changes the members of /health only. */
function healthWith(form: Form, change: (health: Members) => Members): Answering {
  return referenceWithJson(form, (value, { path }) => (path === '/health' ? change(value) : value));
}

function withBody(form: Form, change: (body: string) => string): Answering {
  return referenceWith(form, (answer) => ({ ...answer, body: change(answer.body) }));
}

function withContentType(form: Form, contentType: string): Answering {
  return referenceWith(form, ({ headers, ...answer }): EndpointAnswer => {
    return { ...answer, headers: { ...headers, 'content-type': contentType } };
  });
}

const two = (value: number): string => String(value).padStart(2, '0');

/** The current date and time at an offset, in the parts of ISO 8601. */
function partsAt(offsetMinutes: number) {
  const local = new Date(Date.now() + offsetMinutes * 60_000);
  const [year, month, day] = [local.getUTCFullYear(), local.getUTCMonth(), local.getUTCDate()];
  const dayOfYear = Math.round((Date.UTC(year, month, day) - Date.UTC(year, 0, 1)) / 86_400_000) + 1;
  const weekday = local.getUTCDay() || 7;
  const thursday = new Date(Date.UTC(year, month, day + 4 - weekday));
  const week = Math.floor((thursday.getTime() - Date.UTC(thursday.getUTCFullYear(), 0, 1)) / 604_800_000) + 1;
  const hours = local.getUTCHours();
  const minutes = local.getUTCMinutes();
  const fraction = String(local.getUTCMilliseconds()).padStart(3, '0');
  const times = { hh: two(hours), mm: two(minutes), ss: two(local.getUTCSeconds()), fraction };
  return {
    ...times,
    date: `${year}-${two(month + 1)}-${two(day)}`,
    basicDate: `${year}${two(month + 1)}${two(day)}`,
    ordinal: `${year}-${String(dayOfYear).padStart(3, '0')}`,
    weekDate: `${thursday.getUTCFullYear()}-W${two(week)}-${weekday}`,
    basicWeekDate: `${thursday.getUTCFullYear()}W${two(week)}${weekday}`,
  };
}

const TIMESTAMPS: readonly (readonly [name: string, now: () => string])[] = [
  ['an offset east', () => at(330, (p) => `${p.date}T${p.hh}:${p.mm}:${p.ss}+05:30`)],
  [
    'an offset west, with a fraction',
    () => at(-210, (p) => `${p.date}T${p.hh}:${p.mm}:${p.ss}.${p.fraction}-03:30`),
  ],
  ['an offset of hours only', () => at(840, (p) => `${p.date}T${p.hh}:${p.mm}:${p.ss}+14`)],
  ['an offset without a colon', () => at(-720, (p) => `${p.date}T${p.hh}:${p.mm}:${p.ss}-1200`)],
  ['an offset of zero', () => at(0, (p) => `${p.date}T${p.hh}:${p.mm}:${p.ss}-00:00`)],
  ['a fraction after a comma', () => at(0, (p) => `${p.date}T${p.hh}:${p.mm}:${p.ss},${p.fraction}Z`)],
  ['nine digits of fraction', () => at(0, (p) => `${p.date}T${p.hh}:${p.mm}:${p.ss}.${p.fraction}000001Z`)],
  ['the basic format', () => at(0, (p) => `${p.basicDate}T${p.hh}${p.mm}${p.ss}Z`)],
  [
    'the basic format with fraction and offset',
    () => at(60, (p) => `${p.basicDate}T${p.hh}${p.mm}${p.ss}.${p.fraction}+0100`),
  ],
  ['a week date', () => at(0, (p) => `${p.weekDate}T${p.hh}:${p.mm}:${p.ss}Z`)],
  ['a week date in the basic format', () => at(0, (p) => `${p.basicWeekDate}T${p.hh}${p.mm}${p.ss}Z`)],
  ['the day of the year', () => at(0, (p) => `${p.ordinal}T${p.hh}:${p.mm}:${p.ss}Z`)],
  ['small letters', () => at(0, (p) => `${p.date}t${p.hh}:${p.mm}:${p.ss}z`)],
  [
    'a fraction of a minute',
    () =>
      at(0, (p) => `${p.date}T${p.hh}:${p.mm}.${decimals((Number(p.ss) + Number(p.fraction) / 1000) / 60)}Z`),
  ],
  ['a year of six digits', () => at(0, (p) => `+00${p.date}T${p.hh}:${p.mm}:${p.ss}.${p.fraction}Z`)],
];

function at(offsetMinutes: number, write: (parts: ReturnType<typeof partsAt>) => string): string {
  return write(partsAt(offsetMinutes));
}

function decimals(part: number): string {
  return part.toFixed(6).slice(2);
}

// The forms alternate, because both have the same health record.
describe.concurrent('a timestamp with', () => {
  const rows = TIMESTAMPS.map(([name, now], index) => [name, FORMS[index % 2] ?? 'A', now] as const);
  test.each(rows)('%s, form %s', async (_name, form, now) => {
    const answer = healthWith(form, (health) => ({ ...health, timestamp: now() }));
    expectClean(await checkTarget(serve(answer)), { form });
  });
});

const HEALTH: readonly (readonly [
  name: string,
  change: (health: Members) => Members,
  inapplicable: readonly string[],
])[] = [
  ['says healthy', (health) => ({ ...health, status: 'healthy' }), []],
  ['counts whole seconds', (health) => ({ ...health, uptime: Math.floor(Number(health.uptime)) }), []],
  ['rounds its seconds', (health) => ({ ...health, uptime: Math.round(Number(health.uptime)) }), []],
  ['has been up for fifteen years', (health) => ({ ...health, uptime: Number(health.uptime) + 5e8 }), []],
  [
    'gives its uptime to the nanosecond',
    (health) => ({ ...health, uptime: Number(health.uptime) + 1e-9 }),
    [],
  ],
  [
    'has only the three fields',
    ({ status, uptime, timestamp }) => ({ status, uptime, timestamp }),
    ['health/version-string', 'health/mcp-version-string', 'health/mcp-version-supported'],
  ],
];

describe.concurrent.each(HEALTH)('a health record that %s', (name, change, inapplicable) => {
  const extra = name.includes('only the three') ? ['capabilities/versions-agree'] : [];
  test('form A', async () => {
    expectClean(await checkTarget(serve(healthWith('A', change))), { form: 'A', inapplicable });
  });

  test('form B', async () => {
    const missing = [...inapplicable, ...extra];
    expectClean(await checkTarget(serve(healthWith('B', change))), { form: 'B', inapplicable: missing });
  });
});

test.concurrent.each(['1.0', '2', 'v1.2.3', '2025-06-18', '10.0-beta+5'])(
  'the mcpVersion %s',
  async (mcpVersion) => {
    const answer = referenceWithJson('B', (value) =>
      'mcpVersion' in value ? { ...value, mcpVersion } : value,
    );
    expectClean(await checkTarget(serve(answer)), { form: 'B' });
  },
);

const MORE: Members = {
  'x-region': 'eu-west-1',
  checks: { database: { status: 'up' }, queue: null },
  links: ['https://example.com/docs'],
  error_count: 0,
  nested: [[[[{ deep: true }]]]],
  '': 'no name',
};

/** Adds members to every object of the contract that allows additional ones. */
function moreEverywhere(value: Members): Members {
  const more: Members = { ...MORE, ...value };
  if (Array.isArray(value.functions))
    more.functions = (value.functions as readonly Members[]).map((fn) => ({
      ...MORE,
      version: 3,
      tags: ['a'],
      ...fn,
    }));
  if (typeof value.error === 'object') more.error = { ...MORE, ...value.error, status: 400 };
  if (typeof value.server === 'object') more.server = { ...MORE, ...value.server };
  return more;
}

describe.concurrent('fields that the contract does not name', () => {
  test.each(FORMS)('in every record, form %s', async (form) => {
    expectClean(await checkTarget(serve(referenceWithJson(form, moreEverywhere))), { form });
  });

  test('form B: in the result too, since returns does not close it', async () => {
    const answer = referenceWithJson('B', (value) =>
      'result' in value ? { ...value, result: { ...(value.result as Members), unit: 'm' } } : value,
    );
    expectClean(await checkTarget(serve(answer)), { form: 'B' });
  });

  test('form A: the fields of form B beside the output', async () => {
    const answer = referenceWithJson('A', (value) =>
      'output' in value ? { requestId: 'mine', executionTime: 3, status: 'done', ...value } : value,
    );
    expectClean(await checkTarget(serve(answer)), { form: 'A' });
  });

  test('form A: mcpVersion and server beside the functions', async () => {
    const top = { mcpVersion: '1.0', server: { name: 's', version: '1.0.0', description: 'A server.' } };
    const answer = referenceWithJson('A', (value) => ('functions' in value ? { ...top, ...value } : value));
    expectClean(await checkTarget(serve(answer)), { form: 'A' });
  });

  test('form B: an output beside the result', async () => {
    const answer = referenceWithJson('B', (value) =>
      'result' in value ? { ...value, output: value.result } : value,
    );
    expectClean(await checkTarget(serve(answer)), { form: 'B' });
  });
});

const CONTENT_TYPES = [
  'application/json; charset=utf-8',
  'Application/JSON ; Charset=UTF-8',
  'application/json;charset="utf-8";profile="https://example.com/a;b"',
  'APPLICATION/JSON;',
];
describe.concurrent.each(CONTENT_TYPES)('the Content-Type %s', (contentType) => {
  test.each(FORMS)('form %s', async (form) => {
    expectClean(await checkTarget(serve(withContentType(form, contentType))), { form });
  });
});

/** Writes every character of strings and keys as an escape. */
function escaped(body: string): string {
  return body.replaceAll(/"(?:[^"\\]|\\.)*"/g, (text) => {
    const units = [...Array((JSON.parse(text) as string).length).keys()];
    const plain = JSON.parse(text) as string;
    return `"${units.map((index) => `\\u${plain.charCodeAt(index).toString(16).toUpperCase().padStart(4, '0')}`).join('')}"`;
  });
}

const JSON_TEXTS: readonly (readonly [name: string, change: (body: string) => string])[] = [
  ['spaces and line breaks around it', (body) => ` \t\r\n\n${body}\r\n \n`],
  ['line breaks inside it', (body) => JSON.stringify(JSON.parse(body), null, '\t').replaceAll('\n', '\r\n')],
  ['escapes for every character, including keys', escaped],
  [
    'numbers that are big, small and long, but legal',
    (body) =>
      `{"big":123456789012345678901234567890,"most":1.7976931348623157e308,"least":-5E-324,"zero":-0.0e+00,"pi":3.${'14159'.repeat(200)},${body.slice(1)}`,
  ],
  ['slashes and letters escaped as in PHP', (body) => body.replaceAll('/', '\\/').replaceAll('é', '\\u00e9')],
  ['300 kilobytes of text beside the rest', (body) => `{"padding":"${'é'.repeat(150_000)}",${body.slice(1)}`],
  [
    'a hundred levels beside the rest',
    (body) => `{"deep":${'['.repeat(100)}${']'.repeat(100)},${body.slice(1)}`,
  ],
  [
    'keys of inherited object members',
    (body) => `{"__proto__":{"status":7},"constructor":1,"toString":null,${body.slice(1)}`,
  ],
];

describe.concurrent.each(JSON_TEXTS)('JSON with %s', (name, change) => {
  test.each(FORMS)('form %s', async (form) => {
    // A run keeps only a few answers of this size.
    const inapplicable = name.includes('kilobytes') ? ['execute/concurrent-isolation'] : [];
    expectClean(await checkTarget(serve(withBody(form, change))), { form, inapplicable });
  });
});

describe.concurrent('capabilities that are listed in another order each time', () => {
  test.each(FORMS)('functions and their keys, form %s', async (form) => {
    let reads = 0;
    const answer = referenceWithJson(form, (value) => {
      if (!Array.isArray(value.functions)) return value;
      reads += 1;
      const functions = (value.functions as readonly Members[]).map((fn) =>
        reads % 2 === 0 ? Object.fromEntries(Object.entries(fn).toReversed()) : fn,
      );
      return { ...value, functions: reads % 2 === 0 ? functions.toReversed() : functions };
    });
    expectClean(await checkTarget(serve(answer)), { form });
    expect(reads).toBe(2);
  });
});

describe.concurrent('a clock that differs', () => {
  test.each([-45, 45])('%i s away', async (seconds) => {
    const timestamp = (): string => new Date(Date.now() + seconds * 1000).toISOString();
    const result = await checkTarget(
      serve(healthWith('B', (health) => ({ ...health, timestamp: timestamp() }))),
    );
    expectClean(result, { form: 'B' });
    const { text = '' } = result.facts.find(({ name }) => name === 'clock offset') ?? {};
    expect(Math.round(Number.parseFloat(text))).toBe(seconds);
  });
});
