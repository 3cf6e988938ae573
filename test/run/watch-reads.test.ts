import { afterAll, describe, expect, it } from 'vitest';
import type { CheckOptions } from '../../src/check/check-options.ts';
import { judgeReport } from '../../src/check/judge-report.ts';
import { isMeasurement } from '../../src/model/measurement.ts';
import type { TestResult } from '../../src/model/report.ts';
import { checkHere } from '../check/check-here.ts';
import { offering } from '../conforming/offering.ts';
import { serve } from '../conforming/serve.ts';
import { createTestTime, offerInTestTime } from '../latency/test-time.ts';
import { type NaturalFunction, Refused, type RunningServer } from '../natural/natural-server.ts';
import { serveNatural } from '../natural/serve-natural.ts';
import { integer, list, object, text } from '../natural/shapes.ts';
import { PATIENT } from '../patience.ts';

const running: Pick<RunningServer, 'close'>[] = [];
afterAll(async () => {
  for (const server of running.splice(0)) await server.close();
});

const SAMPLES = 20;

interface Checked {
  readonly result: TestResult;
  /** Received calls of each function, in their order. */
  readonly received: readonly string[];
  readonly callsOf: (name: string) => number;
}

/** A whole check, with timing. `onCall` sees every call of a function. */
async function check(
  functions: readonly NaturalFunction[],
  { form = 'B', options = {}, onCall = () => undefined }: Partial<Setting> = {},
): Promise<Checked> {
  const received: string[] = [];
  const recorded = functions.map((one) => ({
    ...one,
    run: (input: never) => {
      received.push(`${one.name} ${JSON.stringify(input)}`);
      onCall(one.name);
      return one.run(input);
    },
  }));
  const service = { name: 'site', version: '1.0.0', description: 'A site.', functions: recorded };
  const server = await serveNatural(service, form);
  running.push(server);
  const result = await checkHere(
    server.url,
    { seed: 5, latency: { samples: SAMPLES }, ...PATIENT, ...options },
    { signal: new AbortController().signal, offerLoad: offerInTestTime(createTestTime()) },
  );
  return { result, received, callsOf: (name) => received.filter((one) => one.startsWith(`${name} `)).length };
}

interface Setting {
  readonly form: 'A' | 'B';
  readonly options: CheckOptions;
  readonly onCall: (name: string) => void;
}

const slug = { slug: text('Name of the page') };

function getPage(): NaturalFunction {
  const visits = new Map<string, number>();
  return {
    name: 'get_page',
    description: 'Returns a page.',
    parameters: object(slug),
    returns: object({ title: text('Title'), visits: integer('Number of visits') }),
    run: ({ slug: wanted }: { slug: string }) => {
      visits.set(wanted, (visits.get(wanted) ?? 0) + 1);
      return { title: `Page ${wanted}`, visits: visits.get(wanted) ?? 0 };
    },
  };
}

const listTags: NaturalFunction = {
  name: 'list_tags',
  description: 'Lists all tags.',
  parameters: object({}),
  returns: object({ tags: list(text('A tag'), 'All tags.') }),
  run: () => ({ tags: ['red', 'blue'] }),
};

const lookUpWord: NaturalFunction = {
  name: 'look_up_word',
  description: 'Returns the number of letters of a word.',
  parameters: object({ word: text('The word') }),
  returns: object({ letters: integer('Number of letters') }),
  run: ({ word }: { word: string }) => ({ letters: word.length }),
};

const code = { code: text('Code of the link') };

function links(): readonly NaturalFunction[] {
  const hits = new Map<string, number>();
  return [
    {
      name: 'resolve',
      description: 'Returns the address behind a short link.',
      parameters: object(code),
      returns: object({ url: text('The address') }),
      run: ({ code: wanted }: { code: string }) => {
        hits.set(wanted, (hits.get(wanted) ?? 0) + 1);
        return { url: `https://example.com/${wanted}` };
      },
    },
    {
      name: 'stats',
      description: 'Returns the number of uses of a short link.',
      parameters: object(code),
      returns: object({ hits: integer('Number of uses') }),
      run: ({ code: wanted }: { code: string }) => ({ hits: hits.get(wanted) ?? 0 }),
    },
  ];
}

/** `shows` gives the answer of the trending searches from their counts. */
function searches(shows: (counts: ReadonlyMap<string, number>) => object): readonly NaturalFunction[] {
  const counts = new Map<string, number>();
  return [
    {
      name: 'search',
      description: 'Searches the articles.',
      parameters: object({ query: text('Words') }),
      returns: object({ found: integer('Number of articles') }),
      run: ({ query }: { query: string }) => {
        counts.set(query, (counts.get(query) ?? 0) + 1);
        return { found: query.length };
      },
    },
    {
      name: 'trending',
      description: 'Returns the most frequent searches.',
      parameters: object({}),
      returns: object({ searches: list({}, 'The searches.') }),
      run: () => ({ searches: [shows(counts)].flat() }),
    },
  ];
}

const NAMED = (counts: ReadonlyMap<string, number>) => [...counts.keys()];
const COUNTED = (counts: ReadonlyMap<string, number>) =>
  [...counts].map(([, count]) => ({ count })).toSorted((one, other) => other.count - one.count);

const factOf = ({ facts }: TestResult): string =>
  facts.flatMap(({ name, text: said }) => (name === 'restraint' ? [said] : [])).join('\n');

const timedIn = ({ responseTimes }: TestResult): readonly (string | null | undefined)[] =>
  responseTimes.filter(isMeasurement).map((one) => one.function);

const CASES: readonly (readonly [string, string, () => readonly NaturalFunction[], readonly string[]])[] = [
  ['counts visits', 'get_page', () => [getPage(), listTags, lookUpWord], ['list_tags', 'look_up_word']],
  ['counts visits, alone', 'get_page', () => [getPage()], []],
  [
    'counts its uses, which another one shows',
    'resolve',
    () => [...links(), lookUpWord],
    ['stats', 'look_up_word'],
  ],
  ['counts its uses, listed last', 'resolve', () => [lookUpWord, ...links().toReversed()], ['stats']],
  ['stores what is trending', 'search', () => [...searches(NAMED), lookUpWord], ['trending', 'look_up_word']],
  [
    'stores how often it trends',
    'search',
    () => [...searches(COUNTED), lookUpWord],
    ['trending', 'look_up_word'],
  ],
];

describe.concurrent.each(['A', 'B'] as const)('a reading function of form %s', (form) => {
  it.each(CASES)('that %s is called up to ten times, and is not timed', async (_name, name, make, others) => {
    const { result, callsOf } = await check(make(), { form });
    expect(callsOf(name)).toBeLessThanOrEqual(10);
    expect(timedIn(result)).not.toContain(name);
    expect(factOf(result)).toContain(`${name} (may change something, as observed): at most 10 calls`);
    for (const other of others) {
      expect(callsOf(other), other).toBeGreaterThan(SAMPLES);
      expect(timedIn(result)).toContain(other);
      expect(factOf(result)).not.toContain(other);
    }
    expect(result.results.filter(({ outcome }) => outcome === 'failed').map(({ id }) => id)).toEqual([
      'documentation/examples',
    ]);
    expect(await judgeReport(JSON.parse(JSON.stringify(result)) as TestResult)).toEqual(result);
  });
});

/** Counts all requests, calls of each function, or time. */
function monitored() {
  const calls = new Map<string, number>();
  let total = 0;
  let ticks = 0;
  const onCall = (name: string): void => {
    calls.set(name, (calls.get(name) ?? 0) + 1);
    total += 1;
    ticks += 3 + (total % 5);
  };
  const shown = (name: string, parts: () => object): NaturalFunction => ({
    name,
    description: 'Returns figures.',
    parameters: object({}),
    returns: object({}),
    run: () => ({ ...parts() }),
  });
  return { onCall, shown, calls, total: () => total, ticks: () => ticks };
}

describe.concurrent('a reading function', () => {
  it.each<[string, (own: ReturnType<typeof monitored>) => object]>([
    ['counts all calls', ({ total }) => ({ total: total() })],
    ['counts the calls of each function', ({ calls }) => ({ calls: Object.fromEntries(calls) })],
    ['returns random numbers', () => ({ number: Math.floor(Math.random() * 6) })],
    ['returns a clock', ({ ticks }) => ({ uptime: ticks(), reading: ticks() })],
    ['returns the time in text', () => ({ text: `It is ${Date.now()} now.` })],
  ])('that %s is not limited, and nor are the others', async (_name, parts) => {
    const own = monitored();
    const functions = [own.shown('get_figures', () => parts(own)), listTags, lookUpWord];
    const { result, callsOf } = await check(functions, { onCall: own.onCall });
    expect(factOf(result)).toBe('');
    for (const { name } of functions) {
      expect(callsOf(name), name).toBeGreaterThan(SAMPLES);
      expect(timedIn(result)).toContain(name);
    }
  });

  it('that counts all requests is not limited if it is the only one', async () => {
    let requests = 0;
    const answer = offering('B', [
      {
        name: 'get_figures',
        descriptor: { parameters: object({}), returns: object({ requests: integer('All requests') }) },
        description: 'Returns figures.',
        run: () => ({ requests }),
      },
    ]);
    const server = await serve((request) => {
      requests += 1;
      return answer(request);
    });
    running.push(server);
    const result = await checkHere(
      server.url,
      { seed: 5, latency: { samples: SAMPLES }, ...PATIENT },
      { signal: new AbortController().signal, offerLoad: offerInTestTime(createTestTime()) },
    );
    expect(factOf(result)).toBe('');
    expect(timedIn(result)).toContain('get_figures');
  });

  it('is called the same times for the same seed', async () => {
    const calls = async () =>
      (await check([...links(), ...searches(COUNTED), getPage()], { options: { latency: { off: true } } }))
        .received;
    expect((await calls()).toSorted()).toEqual((await calls()).toSorted());
  });

  it('is called without limits if all may be called', async () => {
    const { callsOf } = await check([getPage()], { options: { mutating: { default: 'allow' } } });
    expect(callsOf('get_page')).toBeGreaterThan(SAMPLES);
  });
});

it('a function that refuses most texts is limited too', async () => {
  const page = getPage();
  const strict: NaturalFunction = {
    ...page,
    parameters: object({ slug: text('Name of the page', { examples: ['home'] }) }),
    run: (input: never) => {
      const { slug: wanted } = input as { slug: string };
      if (wanted !== 'home') throw new Refused('NOT_FOUND', `No page ${wanted}.`, 404);
      return page.run(input);
    },
  };
  const { callsOf } = await check([strict, listTags]);
  expect(callsOf('get_page')).toBeLessThanOrEqual(10);
});
