import { existsSync } from 'node:fs';
import path from 'node:path';
import type { CheckOptions } from '../../check/check-options.ts';
import { shownTarget } from '../../check/mcp-options.ts';
import { targetUrlOf } from '../../check/run-settings.ts';
import { checkServer } from '../../check/threads/check-server.ts';
import { say, sayProxyUnused } from '../../command-line/terminal.ts';
import { sameJson } from '../../json/json.ts';
import { visible } from '../../json/visible.ts';
import type { SequenceCall, ValueOfCall } from '../../model/call.ts';
import type { TestResult } from '../../model/report.ts';
import { type FaultyInput, faultyInputs, suiteOf } from '../../report/faulty-inputs.ts';
import { exploringWith } from '../../run/steps/exploring-settings.ts';
import { parseRegressions, type Regression, writeRegressions } from '../../suite/config/regressions.ts';
import { readSource } from '../../suite/read-source.ts';
import { groupedBy } from '../../text/grouped-by.ts';
import { chosenTarget } from '../options/chosen-target.ts';
import { refuseDetailFlags, refuseStoreFlags } from '../options/output-flags.ts';
import { type CheckFlags, readSettings } from '../options/settings.ts';
import { interruptible } from '../process/interruptible.ts';
import { finish } from '../terminal/finish.ts';
import { checkProgress, createLiveLine } from '../terminal/live-line.ts';
import { writeTextFile } from '../terminal/write-file.ts';

interface FuzzFlags extends CheckFlags {
  readonly function?: readonly string[];
  readonly calls: number;
  readonly duration: number;
  readonly onlyReading?: boolean;
  readonly allowMutating?: boolean;
  readonly regressions: string;
}

/** For the calls before exploring, and for the report. */
const OTHER_TIME_SECONDS = 30;

export async function fuzz(given: string | undefined, flags: FuzzFlags): Promise<void> {
  refuseDetailFlags(flags);
  const { options: configured, configFile } = await readSettings(
    {
      ...flags,
      // It reads the list, and not /health.
      deciding: flags.deciding && { ...flags.deciding, reads: 1 },
      only: ['inputs/*'],
      deadline: flags.duration + OTHER_TIME_SECONDS,
      latency: false,
    },
    process.env,
  );
  const { url } = chosenTarget(given, { ...flags, listing: undefined });
  refuseStoreFlags(flags);
  const known = existsSync(flags.regressions)
    ? parseRegressions(readSource(flags.regressions).text, flags.regressions)
    : [];
  const announce = flags.announced === true ? () => undefined : say;
  if (configFile !== undefined) announce(`configuration: ${configFile}`);
  if (known.length > 0) announce(`regressions: ${flags.regressions}`);
  const allowed = flags.allowMutating === true ? { default: 'allow' as const } : {};
  const options: CheckOptions = {
    ...configured,
    mutating: { ...configured.mutating, ...allowed },
    exploring: exploringOf(flags, known),
  };
  const interrupt = interruptible();
  const progress = createLiveLine(process.stderr, checkProgress);
  try {
    const targetUrl = targetUrlOf(url, options.publicOnly ?? false, options.mcp);
    announce(`calling ${visible(shownTarget(targetUrl, options.mcp))}`);
    const result = await checkServer(url, { ...options, signal: interrupt.signal, ...progress.listening });
    progress.clear();
    if (!result.reachable) sayProxyUnused(targetUrl);
    const stored = await finish(result, flags, configFile === undefined ? [] : [configFile]);
    sayUnexplored(result);
    await keep(faultyInputs(result), known, flags, stored === undefined ? null : result.id);
  } finally {
    interrupt.done();
  }
}

function exploringOf(
  { calls, duration, onlyReading = false, allowMutating = false, function: functions }: FuzzFlags,
  known: readonly Regression[],
): NonNullable<CheckOptions['exploring']> {
  const alone = known.filter(({ after }) => after.length === 0);
  const byFunction = groupedBy(alone, (one) => one.function);
  const inputs = [...byFunction].map(([name, list]) => [name, list.map(({ input }) => input)] as const);
  return {
    ...exploringWith(calls),
    durationMs: duration * 1000,
    widely: !onlyReading,
    // Only what may change something can make the next call fail.
    ...(allowMutating ? {} : { sequences: 0 }),
    first: Object.fromEntries(inputs),
    firstSequences: known.filter(({ after }) => after.length > 0).map(sequenceIn),
    ...(functions === undefined ? {} : { functions }),
  };
}

function sequenceIn({ after, ...last }: Regression): readonly SequenceCall[] {
  return [...after, last].map(({ function: functionName, input, from }) => {
    const values = Object.entries(from).map(([parameter, { call, at }]): [string, ValueOfCall] => [
      parameter,
      { call: call - 1, place: 'answer', pointer: at },
    ]);
    return { functionName, input, from: Object.fromEntries(values) };
  });
}

/** Sequences, and ordinary calls too, decide these. */
const NOT_BY_EXPLORING_ALONE: ReadonlySet<string> = new Set([
  'inputs/sequences-answered',
  'inputs/valid-answered',
]);

/** The report counts rows that do not apply, and does not say why. */
function sayUnexplored({ results }: TestResult): void {
  const alone = results.filter(({ id }) => !NOT_BY_EXPLORING_ALONE.has(id));
  const reasons = new Set(alone.map((row) => (row.outcome === 'inapplicable' ? row.reason : null)));
  const [reason] = reasons;
  if (reasons.size === 1 && reason != null) say(`Nothing was explored: ${reason}.`);
}

/** Writes the inputs that showed a fault to the file, and a suite with them beside the report, if that was stored. */
async function keep(
  found: readonly FaultyInput[],
  known: readonly Regression[],
  { regressions: file, reports }: FuzzFlags,
  id: string | null,
): Promise<void> {
  if (found.length === 0) return;
  const isKnown = (one: FaultyInput): boolean =>
    known.some(
      (other) =>
        other.function === one.function &&
        other.requirement === one.requirement &&
        (one.after.length > 0
          ? sameJson(functionsOf(other), functionsOf(one))
          : sameJson(other.input, one.input)),
    );
  const added = found.filter((one) => !isKnown(one));
  if (added.length > 0) {
    const entries = [...known, ...added.map(({ message: _, ...regression }) => regression)];
    await writeTextFile(file, writeRegressions(entries), REMEDY);
    say(
      `${added.length === 1 ? '1 input' : `${added.length} inputs`} added to ${file}, and tried first next time.`,
    );
  }
  const text = suiteOf(found);
  if (text === null || id === null) return;
  const suite = path.join(reports, `fuzz-${id.slice(0, ID_CHARACTERS)}.suite.yaml`);
  await writeTextFile(suite, text, REMEDY);
  say(`A suite that repeats the calls: probity check URL --suite ${suite}`);
}

/** A sequence is the same with other ids. */
function functionsOf({ after }: Regression): readonly string[] {
  return after.map((call) => call.function);
}

const ID_CHARACTERS = 8;
const REMEDY = 'Choose another place.';
