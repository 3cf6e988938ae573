import pLimit from 'p-limit';
import { describe, expect, test } from 'vitest';
import type { AcceptedFinding } from '../../src/model/judgement.ts';
import type { TestResult } from '../../src/model/report.ts';
import type { Form } from '../../src/model/requirement.ts';
import { applyBaseline, baselineOf } from '../../src/report/baseline.ts';
import { fingerprintOf } from '../../src/report/fingerprint.ts';
import { loadSuites } from '../../src/suite/load-suites.ts';
import {
  type Family,
  familyOf,
  type MutantInForm,
  mutantsInForms,
  skippedFor,
} from '../mutants/all-mutants.ts';
import type { Mutant } from '../mutants/mutant.ts';
import { type CheckMutant, createMutantRunner } from '../mutants/run-mutants.ts';
import { PATIENT } from '../patience.ts';

const { suites } = await loadSuites();

/**
 * Broken servers whose findings contain values that differ between runs: times, counters, ids, generated names and
 * values.
 */
const CHOSEN: readonly (readonly [row: string, name: RegExp, form?: Form])[] = [
  ['health/status-string', /^status is an object/],
  ['health/status-200', /503/, 'A'],
  ['health/uptime-seconds', /milliseconds/, 'B'],
  ['health/uptime-monotonic', /./, 'A'],
  ['health/timestamp-iso8601', /HTTP header/],
  ['health/timestamp-current', /two minutes/],
  ['capabilities/function-description', /every/],
  ['capabilities/stable', /counts the reads/],
  ['documentation/examples', /^no function/],
  ['execute/result-matches-returns', /is a string/],
  ['execute/status-200', /fails/],
  ['execute/execution-time', /fraction/],
  ['execute/execution-time-plausible', /time of day/],
  ['execute/request-id-echo', /./],
  ['errors/unknown-function-status', /./],
  ['errors/error-body', /message is missing/],
  ['errors/wrong-type', /./],
  ['errors/prototype-names', /kept in a plain object/],
  ['robustness/malformed-json', /empty object/],
  ['security/no-stack-trace', /./],
];

interface Otherwise {
  readonly row: string;
  readonly was: RegExp;
  readonly is: RegExp;
  readonly form?: Form;
}

/** The same requirement broken in two ways. */
const OTHERWISE: readonly Otherwise[] = [
  { row: 'health/status-string', was: /is true/, is: /object/ },
  { row: 'health/uptime-number', was: /is a string/, is: /is null|missing/ },
  { row: 'health/timestamp-iso8601', was: /HTTP header/, is: /missing/ },
  { row: 'execute/result-matches-returns', was: /is a string/, is: /is null/, form: 'B' },
  { row: 'execute/outputs-declared', was: /lacks/, is: /undeclared/, form: 'A' },
  { row: 'errors/error-body', was: /message is missing/, is: /error is a string/ },
  { row: 'capabilities/functions-array', was: /null/, is: /is a string/ },
];

function chosen(row: string, name: RegExp, form?: Form): MutantInForm {
  const family = familyOf(row) as Family;
  const fitting = mutantsInForms(family).filter(
    ({ mutant, form: ofMutant }) =>
      mutant.row === row && name.test(mutant.name) && (form ?? ofMutant) === ofMutant,
  );
  const [first] = fitting;
  if (first === undefined) throw new Error(`no mutant of ${row} is called ${name}`);
  return first;
}

const CHOSEN_MUTANTS = CHOSEN.map(([row, name, form]) => {
  const broken = chosen(row, name, form);
  return { broken, name: `${row}, form ${broken.form}: ${broken.mutant.name}` };
});

/** Other tests use the machine too; a check that they delay until its deadline leaves rows undecided. */
const atOnce = pLimit(3);
const UNTIMED = { latency: { off: true }, ...PATIENT };
const runners = new Map<string, CheckMutant>();

/** A separate server and port, and other generated values. */
function runWith(seed: number, { mutant, form }: MutantInForm): Promise<TestResult> {
  const skip = skippedFor(familyOf(mutant.row) as Family);
  const key = JSON.stringify([seed, skip]);
  const known = runners.get(key);
  const runner = known ?? createMutantRunner(suites, skip, { seed, ...UNTIMED });
  if (known === undefined) runners.set(key, runner);
  return atOnce(() => runner(form, mutant));
}

const SEEDS = [1, 987_654_321] as const;
const runs = new Map<MutantInForm, readonly Promise<TestResult>[]>();

/** A check mostly waits, so all of them start with the first one. */
function runsOf(wanted: MutantInForm): Promise<readonly TestResult[]> {
  if (runs.size === 0)
    for (const { broken } of CHOSEN_MUTANTS)
      runs.set(
        broken,
        SEEDS.map((seed) => runWith(seed, broken)),
      );
  return Promise.all(runs.get(wanted) ?? []);
}

const TERMS = { reason: 'known', until: '9999-12-31', all: true };

const ownEntries = (result: TestResult): readonly AcceptedFinding[] => baselineOf(result, TERMS).entries;
const openOf = ({ results }: TestResult) =>
  results.filter(({ outcome, accepted }) => !accepted && !['passed', 'inapplicable'].includes(outcome));

describe.concurrent('the baseline of one run', () => {
  test.each(CHOSEN_MUTANTS)('lets the next pass: $name', async ({ broken }) => {
    const [first, ...later] = await runsOf(broken);
    if (first === undefined) throw new Error('nothing was run');
    const entries = ownEntries(first);
    expect(entries.map(({ requirement }) => requirement)).toContain(broken.mutant.row);
    for (const next of later) {
      const again = applyBaseline(next, { entries });
      expect(again.baseline?.problems).toEqual([]);
      expect(openOf(again)).toEqual([]);
      expect(again.verdict).toBe('pass');
    }
  });

  test.each(OTHERWISE)('finds $row changed if it is broken differently', async ({ row, was, is, form }) => {
    const entries = ownEntries(await runWith(1, chosen(row, was, form)));
    const ofRow = entries.filter(({ requirement }) => requirement === row);
    const { verdict, baseline } = applyBaseline(await runWith(2, chosen(row, is, form)), { entries: ofRow });
    expect(verdict).toBe('fail');
    expect(new Set(baseline?.problems.map(({ kind }) => kind))).toEqual(new Set(['changed']));
  });

  test('shows a fixed finding as gone', async () => {
    const broken = chosen('execute/result-matches-returns', /is a string/, 'B');
    const entries = ownEntries(await runWith(1, broken));
    const sound = { ...broken.mutant, mutate: () => (request, conform) => conform(request) } satisfies Mutant;
    const { verdict, baseline } = applyBaseline(await runWith(2, { ...broken, mutant: sound }), { entries });
    expect(verdict).toBe('fail');
    expect(baseline?.problems.map(({ kind }) => kind)).toEqual(entries.map(() => 'gone'));
  });
});

type Evidence = Parameters<typeof fingerprintOf>[0];

const EVIDENCE: Evidence = {
  id: 'a/b',
  outcome: 'failed',
  message: 'function "forecast2" has no example',
  expected: 'a number',
  received: '"12" (string)',
  where: { step: 'execute/call', function: 'forecast2', case: 'small' },
  pointer: '/functions/3/name',
};
const printOf = (parts: Partial<Evidence> = {}): string => fingerprintOf({ ...EVIDENCE, ...parts });

describe('a fingerprint', () => {
  const long = (uptime: string): string => {
    const text = `{"uptime":${uptime},"load":[${'0.1234,'.repeat(3)}1],"text":"${'words and more of them '.repeat(20)}"}`;
    return text.length > 159 ? `${text.slice(0, 159)}… (object)` : `${text} (object)`;
  };

  test.each<readonly [string, Partial<Evidence>, Partial<Evidence>]>([
    ['the place in a list', { pointer: '/functions/3/name' }, { pointer: '/functions/4/name' }],
    ['numbers', { received: '1134, then 2239' }, { received: '5, then 1116' }],
    ['a count', { received: '2 days left' }, { received: '1 day left' }],
    ['the length of a list of numbers', { received: '[1,2,3] (array)' }, { received: '[1] (array)' }],
    [
      'dates',
      { received: '"Sun, 22 Nov 2026 00:16:52 GMT" (string)' },
      { received: '"Mon, 1 Dec 2026 10:16:52 GMT" (string)' },
    ],
    ['addresses', { received: 'http://127.0.0.1:3000/x' }, { received: 'http://127.0.0.1:40123/x' }],
    ['request ids', { received: '"probity-1-5219" (string)' }, { received: '"probity-2-123" (string)' }],
    [
      'ids without a digit',
      { received: '{"requestId":"abcdef"} (object)' },
      { received: '{"requestId":"fedcba"} (object)' },
    ],
    [
      'the length of a list of numbers as texts',
      { received: '{"v":["5","43","29"]} (object)' },
      { received: '{"v":["7"]} (object)' },
    ],
    [
      'the texts inside an answer',
      { received: '200 with {"celsius":12,"sky":"grey, \\"low\\""} (object)' },
      { received: '200 with {"celsius":9,"sky":"clear"} (object)' },
    ],
    [
      'an identifier in a path',
      { pointer: '/users/0b4ef2a1-6a51-4bde-9a0c-5f1d2c3b4a59/age' },
      { pointer: '/users/9c1de6b7-11f0-4a31-8d52-77aa01bc23de/age' },
    ],
    [
      'a short identifier in a path',
      { pointer: '/users/fbVRVlG1TYo7/age' },
      { pointer: '/users/T7hIgr5CLn4k/age' },
    ],
    [
      'which text was received instead of a number',
      { received: '"sunny" (string)' },
      { received: '"rain, later" (string)' },
    ],
    [
      'the number of entries in a map of identifiers',
      { expected: 'an error', received: '200 with {"v":{"p56mGTXSd0w7":"x"}} (object)' },
      { expected: 'an error', received: '200 with {"v":{"RI-OGKnVz4M7":"x","k3":"y"}} (object)' },
    ],
    ['a date in a path', { pointer: '/days/2026-11-22/high' }, { pointer: '/days/2026-11-23/high' }],
    [
      'an identifier in a name',
      { message: 'member "V1StGXR8_Z5jdHi6BmyT" is not declared' },
      { message: 'member "k3JdpQ_mNwzXrT5aLs0B" is not declared' },
    ],
    [
      'where a text with many identifiers was cut',
      {
        received:
          'status 500, INTERNAL: request dc0be895-f954-4355-b090-c5cb4ae2c265 at 2026-11-22T01:16:47.026Z took 7.095963408320596ms, worker 0x4fcdedcf Sun Nov 22 2026 01:16:47 …',
      },
      {
        received:
          'status 500, INTERNAL: request dc0be895-f954-4355-b090-c5cb4ae2c265 at 2026-11-22T01:16:47.026Z took 7.1ms, worker 0x4fcdedcf Sun Nov 22 2026 01:16:47 GMT+0000 (Coo…',
      },
    ],
    ['where a long value was cut', { received: long('9.5') }, { received: long('1234567.25') }],
    [
      'a generated name',
      { where: { step: 's', function: 'probity-unknown-1' } },
      { where: { step: 's', function: 'probity-unknown-22' } },
    ],
  ])('leaves out %s', (_, one, other) => {
    expect(printOf(one)).toBe(printOf(other));
  });

  test.each<readonly [string, Partial<Evidence>]>([
    ['the requirement', { id: 'a/c' }],
    ['the outcome', { outcome: 'undecided' }],
    ['the step', { where: { ...EVIDENCE.where, step: 'execute/other' } }],
    ['the function', { where: { ...EVIDENCE.where, function: 'forecast3' } }],
    ['the case', { where: { ...EVIDENCE.where, case: 'large' } }],
    ['a name in the words', { message: 'function "forecast3" has no example' }],
    ['the words', { message: 'function "forecast2" has no description' }],
    ['the type', { received: '12 (number)' }],
    ['null', { received: 'null' }],
    ['another key', { pointer: '/functions/3/description' }],
    ['another key with a digit', { pointer: '/functions/3/line2' }],
    ['another long key with a digit', { pointer: '/functions/3/temperature2MaxDaily' }],
    ['what is expected', { expected: 'an integer' }],
  ])('includes %s', (_, parts) => {
    expect(printOf(parts)).not.toBe(printOf());
  });

  test.each([
    ['status 404', 'status 503'],
    ['404 with {"error":"x"} (object)', '200 with {"error":"x"} (object)'],
    ['status 500, INVALID: no', 'status 500, OTHER: no'],
    ['{"a":1} (object)', '{"b":1} (object)'],
    ['"ok" (string)', '"fine" (string)'],
    ['{"a":"x"} (object)', '{"a":null} (object)'],
    ['"2026-11-22" (string)', '"2026-11-22T10:00:00" (string)'],
    ['"2026-11-22T10:00:00" (string)', '"2026-11-22T10:00:00Z" (string)'],
  ])('distinguishes %s from %s', (one, other) => {
    const expected = 'something else';
    expect(printOf({ expected, received: one })).not.toBe(printOf({ expected, received: other }));
    expect(printOf({ message: 'the status is 404' })).not.toBe(printOf({ message: 'the status is 503' }));
  });

  test('counts the findings that were not recorded', () => {
    const more = (count: number): Partial<Evidence> => ({
      message: `it is invalid; and ${count} more findings like it`,
    });
    expect(printOf(more(21))).not.toBe(printOf(more(20)));
    expect(printOf(more(20))).toBe(printOf(more(20)));
  });

  test('of a million characters is fast', () => {
    for (const unit of ['a', '"', '1 ', '# ', '"id":"', 'a"', '…'])
      expect(printOf({ message: unit.repeat(100_000), received: unit.repeat(100_000) })).toMatch(
        /^[0-9a-f]{16}$/,
      );
  });
});
