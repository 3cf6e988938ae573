import type { Reporter, SerializedError, TestCase, TestModule, TestSuite, Vitest } from 'vitest/node';
import type { Quarantined } from './quarantine.ts';

const MOST_OF_A_MESSAGE = 2000;

/**
 * Ends a run with one plain line, after the failures once more: a log that is cut off keeps its end. What was skipped is
 * named with its reason; a skip without one is a failure.
 */
export function closingLine(quarantine: readonly Quarantined[]): Reporter {
  let runner: Vitest | null = null;
  return {
    onInit: (vitest) => {
      runner = vitest;
    },
    onTestRunEnd: (modules, errors) => {
      const { sequence, testNamePattern } = runner?.config ?? {};
      const { lines, isSound } = closingLines(modules, errors, quarantine, testNamePattern === undefined);
      const order = sequence?.shuffle ? [`in the order of seed ${sequence.seed}`] : [];
      process.stdout.write(`\n${[...order, ...lines].join('\n')}\n`);
      if (!isSound) process.exitCode = 1;
    },
  };
}

interface Closing {
  readonly lines: readonly string[];
  readonly isSound: boolean;
}

function closingLines(
  modules: readonly TestModule[],
  errors: readonly SerializedError[],
  quarantine: readonly Quarantined[],
  isWhole: boolean,
): Closing {
  const tests = modules.flatMap((module) => [...module.children.allTests()]);
  const inState = (state: string): readonly TestCase[] =>
    tests.filter((test) => test.result().state === state);
  const failed = inState('failed');
  const broken = modules
    .flatMap((module) => [module, ...module.children.allSuites()])
    .filter((group) => group.errors().length > 0);
  const skipped = isWhole ? inState('skipped').filter((test) => !isIn(broken, test)) : [];
  const byReason = groupedBy(skipped, reasonOf);
  const unexplained = byReason.get(null) ?? [];
  const failures = failed.length + broken.length + errors.length + unexplained.length;
  const counts = [
    `${inState('passed').length} passed`,
    `${failures} failed`,
    ...[...byReason].flatMap(([reason, those]) =>
      reason === null ? [] : [`${those.length} skipped (${reason})`],
    ),
    ...(quarantine.length === 0 ? [] : [`${quarantine.length} in quarantine`]),
  ];
  return {
    lines: [
      ...failed.map((test) => `failed: ${nameOf(test)}\n${messagesOf(test.result().errors ?? [])}`),
      ...broken.map((group) => `could not be run: ${groupName(group)}\n${messagesOf(group.errors())}`),
      ...errors.map((error) => `outside of any test:\n${messagesOf([error])}`),
      ...unexplained.map((test) => `skipped without a reason: ${nameOf(test)}`),
      ...[...groupedBy(skipped, groupOf)].map(([group, those]) => `skipped: ${group} (${those.length})`),
      counts.join(', '),
    ],
    isSound: failures === 0,
  };
}

function groupedBy<Key, Value>(
  values: readonly Value[],
  keyOf: (value: Value) => Key,
): ReadonlyMap<Key, readonly Value[]> {
  const groups = new Map<Key, Value[]>();
  for (const value of values) groups.set(keyOf(value), [...(groups.get(keyOf(value)) ?? []), value]);
  return groups;
}

/** What is to be ready before the tests of a group failed, and so none of them was run. */
function isIn(broken: readonly (TestModule | TestSuite)[], test: TestCase): boolean {
  for (let at: TestModule | TestSuite = test.parent; ; at = at.parent) {
    if (broken.includes(at)) return true;
    if (at.type === 'module') return false;
  }
}

function groupName(group: TestModule | TestSuite): string {
  return group.type === 'module'
    ? group.relativeModuleId
    : `${group.module.relativeModuleId} > ${group.fullName}`;
}

/** Where the test is, no nearer than its outermost group. */
function groupOf(test: TestCase): string {
  let outermost: TestCase | TestSuite = test;
  while (outermost.parent.type === 'suite') outermost = outermost.parent;
  return `${test.module.relativeModuleId} > ${outermost.name}`;
}

function reasonOf(test: TestCase): string | null {
  const { note } = test.result() as { readonly note?: string | undefined };
  return test.meta().skippedFor ?? note ?? null;
}

function nameOf(test: TestCase): string {
  return `${test.module.relativeModuleId} > ${test.fullName}`;
}

function messagesOf(
  errors: readonly { readonly message: string; readonly stack?: string | undefined }[],
): string {
  const messages = errors.map(({ message, stack }) => stack ?? message).join('\n');
  return `  ${messages.slice(0, MOST_OF_A_MESSAGE).replaceAll('\n', '\n  ')}`;
}
