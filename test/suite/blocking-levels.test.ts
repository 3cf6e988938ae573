import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { checks } from '../../src/generated/checks.ts';
import { type Form, levelFor } from '../../src/model/requirement.ts';
import { type Assertion, type Step, usedStepIds } from '../../src/model/suite.ts';
import { listerOf, prerequisitesOf } from '../../src/run/steps/step-order.ts';
import { packageRoot } from '../../src/suite/product-files.ts';
import { parseProductSuites } from '../../src/suite/read-yaml.ts';
import { product } from './loading.ts';

/*
 * A SHOULD or MAY must not block a MUST: the server would stay undecided without a failure to fix. This test finds
 * every pair of a MUST and a SHOULD or MAY that could block it: by `needs`, by the status or a missing answer in its
 * step, by an earlier step, or in code.
 */

const { registry } = product;
const steps = [...product.suites, ...parseProductSuites('directory', registry)].flatMap(
  (suite) => suite.steps,
);
const byId = new Map(steps.map((step) => [step.id, step]));

/** Unavoidable pairs, by the blocking requirement, with the reason why the others cannot be decided without it. */
const EXPLAINED: Readonly<Record<string, string>> = {
  'capabilities/functions-not-empty':
    'if a server lists no function, its functions cannot be judged or called',
};

function isCheck(assertion: Assertion, name: string): boolean {
  return assertion.kind === 'check' && assertion.check === name;
}

function checkOf(assertion: Assertion) {
  return assertion.kind === 'check' ? checks.get(assertion.check) : undefined;
}

/** Requirements that block all assertions on an answer of the step. */
function gatesOf(step: Step, ofBody: boolean): readonly string[] {
  const { expect: expected } = step;
  const gates = [
    expected.find((one) => isCheck(one, 'answered')) ?? expected[0],
    expected.find(({ kind }) => kind === 'status'),
    ofBody ? expected.find((one) => isCheck(one, 'json-object')) : undefined,
  ];
  return gates.flatMap((gate) => (gate === undefined ? [] : [gate.requirement]));
}

const lister = listerOf([...byId.values()]);

/** Requirements without which a step, or some of its items, are not run. */
function blockersOfStep(step: Step, seen: ReadonlySet<string> = new Set()): readonly string[] {
  if (seen.has(step.id)) return [];
  return prerequisitesOf(step, lister).flatMap((id) => {
    const before = byId.get(id);
    if (before === undefined) return [];
    // A step that is only used by name blocks nothing: its unusable answers are ignored.
    const isUsed = usedStepIds(step).includes(id);
    if (
      isUsed &&
      step.use.kind === 'named' &&
      !step.needs.includes(id) &&
      step.rounds.forEach?.succeeded !== id
    )
      return [];
    const feeds = Object.keys(before.save).length > 0;
    return [
      ...gatesOf(before, feeds || isUsed),
      ...Object.values(before.save).flatMap((one) =>
        one.kind === 'found' ? Object.values(one.needs).flatMap((id) => id ?? []) : [],
      ),
      ...blockersOfStep(before, new Set([...seen, step.id])),
    ];
  });
}

const folder = path.join(packageRoot(), 'src', 'checks');
const sources = new Map(
  readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts'))
    .map((name) => [path.basename(name), readFileSync(path.join(folder, name), 'utf8')]),
);

function namedInCode(assertion: Assertion): readonly string[] {
  if (assertion.kind !== 'check') return [];
  const source = sources.get(`${assertion.check}.ts`) ?? '';
  return [...source.matchAll(/blocked\('([^']+)'\)/g)].flatMap(([, id]) => id ?? []);
}

function blockersOf(assertion: Assertion, step: Step): readonly string[] {
  const check = checkOf(assertion);
  const own = [...(assertion.needs === null ? [] : [assertion.needs]), ...namedInCode(assertion)];
  if (check?.sees !== 'exchange') return [...own, ...gatesOf(step, true), ...blockersOfStep(step)];
  if (check.options.unanswered === undefined) return [...own, ...blockersOfStep(step)];
  // A check of incidental error answers is never blocked; see src/judge/judge-step.ts.
  const { unanswered } = (assertion as Extract<Assertion, { kind: 'check' }>).options;
  return typeof unanswered === 'string' ? [...own, unanswered, ...blockersOfStep(step)] : own;
}

function formsOf(assertion: Assertion, step: Step): readonly Form[] {
  return (['A', 'B'] as const).filter((form) =>
    [assertion.when.form, step.when.form].every((only) => only === null || only === form),
  );
}

test('no SHOULD or MAY blocks a MUST without an explanation', () => {
  const pairs = steps.flatMap((step) =>
    step.expect.flatMap((assertion) =>
      formsOf(assertion, step)
        .filter((form) => levelFor(assertion.level, form) === 'MUST')
        .flatMap((form) =>
          blockersOf(assertion, step)
            .filter((id) => levelFor(registry.get(id)?.level ?? 'MAY', form) !== 'MUST')
            .map((id) => ({
              id,
              words: `form ${form}: ${assertion.requirement} in ${step.id} waits for ${id}`,
            })),
        ),
    ),
  );
  const unexplained = pairs.filter(({ id }) => !Object.hasOwn(EXPLAINED, id)).map(({ words }) => words);
  expect([...new Set(unexplained)]).toEqual([]);
  const unused = Object.keys(EXPLAINED).filter((id) => pairs.every((pair) => pair.id !== id));
  expect(unused, 'unused explanations').toEqual([]);
});
