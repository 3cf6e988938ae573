import type { Reporter, SerializedError, TestCase, TestModule, TestSuite, Vitest } from 'vitest/node';
import { dayOf, isHeld, type Quarantined, wrongLastDay } from './quarantine.ts';

const MAX_OF_A_MESSAGE = 2000;

/**
 * Ends a run with the failures again and one plain line, because a shortened log keeps its end. Names skipped tests
 * with their reason. A skip without a reason, a test with retries, and a quarantine entry without a test are failures.
 */
export function closingLine(quarantine: readonly Quarantined[]): Reporter {
  let runner: Vitest | null = null;
  return {
    onInit: (vitest) => {
      runner = vitest;
    },
    onTestRunEnd: async (modules, errors) => {
      const { sequence, testNamePattern } = runner?.config ?? {};
      const all = await runner?.globTestSpecifications();
      const scope = { allTests: testNamePattern === undefined, allFiles: all?.length === modules.length };
      const { lines, isSound } = closingLines(modules, errors, quarantine, scope);
      const order = sequence?.shuffle ? [`in the order of seed ${sequence.seed}`] : [];
      process.stdout.write(`\n${[...order, ...lines].join('\n')}\n`);
      if (!isSound) process.exitCode = 1;
    },
  };
}

/** Whether a run includes all tests of its files and all files of its configuration. */
interface Scope {
  readonly allTests: boolean;
  readonly allFiles: boolean;
}

interface Closing {
  readonly lines: readonly string[];
  readonly isSound: boolean;
}

function closingLines(
  modules: readonly TestModule[],
  errors: readonly SerializedError[],
  quarantine: readonly Quarantined[],
  { allTests, allFiles }: Scope,
): Closing {
  const tests = modules.flatMap((module) => [...module.children.allTests()]);
  const inState = (state: string): readonly TestCase[] =>
    tests.filter((test) => test.result().state === state);
  const failed = inState('failed');
  const broken = modules
    .flatMap((module) => [module, ...module.children.allSuites()])
    .filter((group) => group.errors().length > 0);
  const skipped = allTests ? inState('skipped').filter((test) => !isIn(broken, test)) : [];
  const byReason = groupedBy(skipped, reasonOf);
  const unexplained = byReason.get(null) ?? [];
  const triedAgain = tests.filter(mayBeTriedAgain);
  const today = dayOf(Date.now());
  // The tests of a file that could not be run are unknown.
  const minMatches = allFiles && broken.length === 0 ? 1 : 0;
  const wrongEntries = quarantine.flatMap((entry) => {
    const wrong = whyWrong(entry, tests, minMatches, today);
    return wrong === null ? [] : [`wrong in the quarantine: ${entry.test}\n  ${wrong}`];
  });
  const held = quarantine.filter((entry) => isHeld(entry, today));
  const failures = [failed, broken, errors, unexplained, triedAgain, wrongEntries].flat().length;
  const counts = [
    `${inState('passed').length} passed`,
    `${failures} failed`,
    ...[...byReason].flatMap(([reason, those]) =>
      reason === null ? [] : [`${those.length} skipped (${reason})`],
    ),
    ...(held.length === 0 ? [] : [`${held.length} in quarantine`]),
  ];
  return {
    lines: [
      ...failed.map((test) => `failed: ${nameOf(test)}\n${messagesOf(test.result().errors ?? [])}`),
      ...broken.map((group) => `could not be run: ${groupName(group)}\n${messagesOf(group.errors())}`),
      ...errors.map((error) => `outside of any test:\n${messagesOf([error])}`),
      ...unexplained.map((test) => `skipped without a reason: ${nameOf(test)}`),
      ...triedAgain.map(
        (test) => `may be tried again: ${nameOf(test)}\n  remove \`retry\` and \`repeats\`, and fix the test`,
      ),
      ...wrongEntries,
      ...[...groupedBy(skipped, groupOf)].map(([group, those]) => `skipped: ${group} (${those.length})`),
      counts.join(', '),
    ],
    isSound: failures === 0,
  };
}

/** A failed test is already listed as failed. */
function mayBeTriedAgain(test: TestCase): boolean {
  const { retry, repeats } = test.options;
  const { retryCount = 0 } = test.diagnostic() ?? {};
  return test.result().state !== 'failed' && (Boolean(retry) || Boolean(repeats) || retryCount > 0);
}

function whyWrong(
  entry: Quarantined,
  tests: readonly TestCase[],
  minMatches: number,
  today: string,
): string | null {
  const matches = tests.filter((test) => nameOf(test) === entry.test).length;
  if (matches < minMatches) return 'there is no test of that name: correct it, or take the entry away';
  if (matches > 1) return `${matches} tests have that name: give each one of its own`;
  return wrongLastDay(entry, today);
}

function groupedBy<Key, Value>(
  values: readonly Value[],
  keyOf: (value: Value) => Key,
): ReadonlyMap<Key, readonly Value[]> {
  const groups = new Map<Key, Value[]>();
  for (const value of values) groups.set(keyOf(value), [...(groups.get(keyOf(value)) ?? []), value]);
  return groups;
}

/** The set-up of a group failed, so none of its tests was run. */
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

/** The file and the outermost group of the test. */
function groupOf(test: TestCase): string {
  let outermost: TestCase | TestSuite = test;
  while (outermost.parent.type === 'suite') outermost = outermost.parent;
  return `${test.module.relativeModuleId} > ${outermost.name}`;
}

function reasonOf(test: TestCase): string | null {
  const { note } = test.result() as { readonly note?: string | undefined };
  return (
    [test.meta().skippedFor, note].find((reason) => reason !== undefined && reason.trim() !== '') ?? null
  );
}

function nameOf(test: TestCase): string {
  return `${test.module.relativeModuleId} > ${test.fullName}`;
}

function messagesOf(
  errors: readonly { readonly message: string; readonly stack?: string | undefined }[],
): string {
  const messages = errors.map(({ message, stack }) => stack ?? message).join('\n');
  return `  ${messages.slice(0, MAX_OF_A_MESSAGE).replaceAll('\n', '\n  ')}`;
}
