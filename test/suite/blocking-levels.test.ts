import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { checks } from '../../src/generated/checks.ts';
import { type Form, levelFor } from '../../src/model/requirement.ts';
import { type Assertion, type Step, usedStepIds } from '../../src/model/suite.ts';
import { prerequisitesOf } from '../../src/run/selection.ts';
import { packageRoot } from '../../src/suite/product-files.ts';
import { parseProductSuites } from '../../src/suite/read-yaml.ts';
import { product } from './loading.ts';

/*
 * A requirement that only warns must not keep one that must be met from being decided: the server would stay undecided
 * for ever without a failure to fix. This finds every pair of a MUST and a SHOULD or MAY that could stand in its way:
 * by `needs`, by the status or the lack of an answer in its step, by a step that must come before, or in code.
 */

const { registry } = product;
const steps = [...product.suites, ...parseProductSuites('directory', registry)].flatMap(
  (suite) => suite.steps,
);
const byId = new Map(steps.map((step) => [step.id, step]));

/** Pairs that cannot be helped, by the row that only warns, with why the others cannot be decided another way. */
const EXPLAINED: Readonly<Record<string, string>> = {
  'capabilities/functions-not-empty':
    'of a server that lists no function, nothing can be said of its functions and nothing can be called',
};

function isCheck(assertion: Assertion, name: string): boolean {
  return assertion.kind === 'check' && assertion.check === name;
}

function checkOf(assertion: Assertion) {
  return assertion.kind === 'check' ? checks.get(assertion.check) : undefined;
}

/** Requirements that stop all that is judged on an answer of the step. */
function gatesOf(step: Step, ofBody: boolean): readonly string[] {
  const { expect: expected } = step;
  const gates = [
    expected.find((one) => isCheck(one, 'answered')) ?? expected[0],
    expected.find(({ kind }) => kind === 'status'),
    ofBody ? expected.find((one) => isCheck(one, 'json-object')) : undefined,
  ];
  return gates.flatMap((gate) => (gate === undefined ? [] : [gate.requirement]));
}

/** Requirements for want of which a step is not run, or its items not asked. */
function stoppingStep(step: Step, seen: ReadonlySet<string> = new Set()): readonly string[] {
  if (seen.has(step.id)) return [];
  return prerequisitesOf(step).flatMap((id) => {
    const before = byId.get(id);
    if (before === undefined) return [];
    // Of a step that is only used by name, what is of no use is left out; it stops nothing.
    const isUsed = usedStepIds(step).includes(id);
    if (isUsed && step.use.kind === 'named' && !step.needs.includes(id) && step.forEach?.succeeded !== id)
      return [];
    const feeds = Object.keys(before.save).length > 0 || Object.keys(before.choose).length > 0;
    return [
      ...gatesOf(before, feeds || isUsed),
      ...Object.values(before.save).flatMap(({ needs }) => needs ?? []),
      ...stoppingStep(before, new Set([...seen, step.id])),
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

function stoppersOf(assertion: Assertion, step: Step): readonly string[] {
  const check = checkOf(assertion);
  const own = [...(assertion.needs === null ? [] : [assertion.needs]), ...namedInCode(assertion)];
  if (check?.sees !== 'exchange') return [...own, ...gatesOf(step, true), ...stoppingStep(step)];
  if (check.options.unanswered === undefined) return [...own, ...stoppingStep(step)];
  // A check of the error answers that happen to come is not stopped by anything; see src/judge/judge-step.ts.
  const { unanswered } = (assertion as Extract<Assertion, { kind: 'check' }>).options;
  return typeof unanswered === 'string' ? [...own, unanswered, ...stoppingStep(step)] : own;
}

function formsOf(assertion: Assertion, step: Step): readonly Form[] {
  return (['A', 'B'] as const).filter((form) =>
    [assertion.when.form, step.when.form].every((only) => only === null || only === form),
  );
}

test('no row that warns stands in the way of one that must be met, but for those explained here', () => {
  const pairs = steps.flatMap((step) =>
    step.expect.flatMap((assertion) =>
      formsOf(assertion, step)
        .filter((form) => levelFor(assertion.level, form) === 'MUST')
        .flatMap((form) =>
          stoppersOf(assertion, step)
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
  const idle = Object.keys(EXPLAINED).filter((id) => pairs.every((pair) => pair.id !== id));
  expect(idle, 'explained without need').toEqual([]);
});
