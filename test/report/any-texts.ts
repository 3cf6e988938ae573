import fc from 'fast-check';
import type { TestResult } from '../../src/model/report.ts';
import { anyCharacter } from '../any-character.ts';
import { CLIENT_VIEW } from './client-view.ts';
import { craftedText } from './live-text.ts';
import { finding, ROW_KINDS, resultOf, row } from './results.ts';

/** A result with data in every part that the renderer uses. */
export const FULL: TestResult = resultOf(
  ROW_KINDS.flatMap((kind) => [
    row(`health/${kind}`, kind, {
      reason: 'why not',
      ...(kind === 'blocked' ? { blockedBy: 'health/failed' } : {}),
    }),
    row(`execute/${kind}`, kind, {
      level: 'SHOULD',
      ...(kind === 'blocked' ? { blockedBy: 'execute/undecided' } : {}),
    }),
  ]),
  {
    findings: (['failed', 'undecided'] as const).flatMap((outcome) =>
      (['server', 'network', 'harness'] as const).map((fault, index) =>
        finding(`health/${outcome}`, {
          outcome,
          fault,
          fix: `fix ${index % 2}`,
          curl: index === 0 ? null : `curl -sS 'a b' "c" http://127.0.0.1/${index}`,
          where: {
            suite: 's.yaml',
            line: 1,
            column: 2,
            step: 'a/b',
            function: 'add',
            case: 'small',
            pointer: '/a',
          },
        }),
      ),
    ),
    responseTimes: [
      {
        operation: 'health',
        count: 3,
        errors: 1,
        minMs: 1,
        meanMs: 2,
        maxMs: 3,
        p50Ms: 2,
        intervals: { p50: [1, 3] },
      },
    ],
    clientView: CLIENT_VIEW,
    coverage: {
      listed: 3,
      excluded: 1,
      exercised: 1,
      needed: 1,
      notExercised: [{ function: 'add', why: '"add" refused it', remedy: 'give a sample' }],
    },
    facts: [
      { name: 'form', text: 'form B' },
      { name: 'bound', text: 'a bound' },
    ],
  },
);

/** Fixed words, on which the shape of a report depends. */
const OUR_WORDS = new Set([
  'level',
  'outcome',
  'severity',
  'fault',
  'verdict',
  'operation',
  'capabilities',
  'execute',
]);

/** The same with every text replaced by the next of these, optionally except fixed words. */
export function replaced<T>(value: T, texts: readonly string[], keepsWords: boolean): T {
  let turn = 0;
  const walk = (part: unknown, key: string): unknown => {
    if (typeof part === 'string') {
      // Any other value is not a test result.
      if (key === 'schema') return part;
      if (keepsWords && OUR_WORDS.has(key)) return part;
      turn += 1;
      return texts[turn % texts.length] ?? part;
    }
    if (Array.isArray(part)) return part.map((item) => walk(item, key));
    if (typeof part !== 'object' || part === null) return part;
    return Object.fromEntries(Object.entries(part).map(([name, inner]) => [name, walk(inner, name)]));
  };
  return walk(value, '') as T;
}

const anyText = fc.oneof(
  craftedText,
  fc.string({ unit: anyCharacter, maxLength: 40 }),
  fc.string({
    unit: fc.constantFrom('a', ' ', '\n', "'", '"', '\\', '-x', '\u001B[31m', '\u202E'),
    maxLength: 60,
  }),
);
export const texts = fc.array(anyText, { minLength: 1, maxLength: 30 });
