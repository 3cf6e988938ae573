import { existsSync } from 'node:fs';
import path from 'node:path';
import { EXIT, UsageError } from '../../command-line/exit-codes.ts';
import { withFlags } from '../../command-line/say-flags.ts';
import { say } from '../../command-line/terminal.ts';
import { visible } from '../../json/visible.ts';
import { ExpectedError } from '../../model/expected-error.ts';
import type { TestResult } from '../../model/report.ts';
import type { StartedServer } from '../../processes/started-server.ts';
import type { Progress } from '../../run/state/run-input.ts';
import { SuiteError } from '../../suite/yaml/diagnostic.ts';
import { namesInLine } from '../../text/words.ts';
import { DEFAULT_CONFIG } from '../options/default-names.ts';
import { type OnTargetFlags, runOnTarget } from '../options/run-on-target.ts';
import { type CheckFlags, usualConfig } from '../options/settings.ts';
import { interruptible } from '../process/interruptible.ts';
import { listenForKeys } from '../process/listen-for-keys.ts';
import { sayOutput } from '../process/make-ready.ts';
import { watchFiles } from '../process/watched-files.ts';
import { checkProgress, createLiveLine, type LiveLine } from '../terminal/live-line.ts';
import { printChanges } from '../terminal/print-changes.ts';
import { type Checked, checkOnce, judgingFilesOf } from './check.ts';
import { type CheckedBefore, leavesServer, sayReused } from './checked-before.ts';

interface WatchFlags extends CheckFlags, OnTargetFlags {
  readonly watch?: readonly string[];
}

/** Checks, then checks again on a key press or when a watched file changes, until the user quits. */
export async function watch(url: string | undefined, flags: WatchFlags): Promise<void> {
  refuseFlags(flags);
  const { watch: given = [] } = flags;
  const next = createNext();
  const interrupt = interruptible('stopping; ctrl-C again to stop at once');
  interrupt.signal.addEventListener('abort', next.end);
  const watching = watchFiles({
    onChange: (changed) => next.ask(changed),
    onProblem: (problem) => say(`--watch: ${visible(problem)}`),
    ignored: [flags.reports, ...(flags.output === undefined || flags.output === '-' ? [] : [flags.output])],
  });
  let watched = namedFiles(flags, given);
  // Creating the file later counts as a change too.
  const usual = flags.config === undefined ? [DEFAULT_CONFIG] : [];
  watching.set([...watched, ...usual]);
  let canAsk = true;
  const keys = listenForKeys(process.stdin, {
    onAgain: next.askByHand,
    onQuit: interrupt.end,
    onEnd: () => {
      canAsk = false;
      if (watched.length === 0) next.end();
    },
  });
  // One for all checks, because a server that one of them started may end during a later one.
  const progress = createLiveLine(process.stderr, checkProgress);
  let server: StartedServer | null = null;
  let last: TestResult | null = null;
  let judgingFiles: readonly string[] = [];
  let before: CheckedBefore | null = null;
  // Counts since the last result, because a mistake in a suite does not undo the changes that came with it.
  let leaves = true;
  try {
    for (let isFirst = true; ; isFirst = false) {
      if (before === null) {
        // A changed server shows only in a new process.
        await server?.stop();
        server = null;
      }
      if (interrupt.signal.aborted) return;
      // The first report is printed as by `check`, then only what changed.
      const shown = last === null ? flags : { ...flags, quiet: flags.verbose !== true };
      const asked = { ...shown, latency: isTimed(flags) };
      const checked = await attempt(url, asked, { signal: interrupt.signal, isFirst, before, progress });
      before = null;
      if (checked !== null) {
        if (checked.server !== server) {
          ({ server } = checked);
          void server?.ended.then(({ output }) => sayOutput(output));
        }
        judgingFiles = judgingFilesOf(checked.files);
        watched = [...new Set([...namedFiles(flags, given), ...judgingFiles])];
        watching.set([...watched, ...usual]);
        if (checked.result !== null) {
          if (last !== null) await printChanges(last, checked.result);
          sayReused(checked.result, canAsk);
          last = checked.result;
          leaves = true;
        }
      }
      if (!canAsk && watched.length === 0) next.end();
      if (!next.isOver()) say(waitingWords(watched, canAsk));
      const request = await next.requested();
      if (request === null) return;
      const { changed, isByHand } = request;
      // A checkout can change thousands of files at once.
      const names = changed.map((file) => visible(path.relative(process.cwd(), file)));
      if (names.length > 0) say(`changed: ${namesInLine(names)}`);
      const isRunning = flags.start === undefined || server !== null;
      leaves &&= !isByHand && last !== null && leavesServer(changed, judgingFiles, last);
      if (isRunning && leaves && last !== null) before = { result: last, server };
    }
  } finally {
    keys.close();
    watching.close();
    await server?.stop();
    interrupt.done();
  }
}

/** Response times take seconds and vary, so they are measured only on request. */
function isTimed({ latency, samples, budget }: WatchFlags): boolean {
  return latency !== false && (samples !== undefined || budget !== undefined);
}

function refuseFlags({ json, output, watch: given = [] }: WatchFlags): void {
  if (json === true || output === '-')
    throw new UsageError(
      `${json === true ? '--json' : '--output -'} prints a single result, but watch checks repeatedly. Use probity check, or read the results from the folder of --reports.`,
    );
  for (const file of given) if (!existsSync(file)) throw new UsageError(`--watch: ${file} does not exist.`);
}

/** The files and folders on the command line that may change the result of a check. */
function namedFiles(flags: WatchFlags, given: readonly string[]): readonly string[] {
  const named = [
    usualConfig(flags),
    ...(flags.suite ?? []),
    flags.ca,
    flags.baseline,
    flags.contract,
    ...given,
  ];
  return named.filter((file) => file != null);
}

interface Attempt {
  readonly signal: AbortSignal;
  readonly isFirst: boolean;
  /** The check before, of a server that is still the same. */
  readonly before: CheckedBefore | null;
  readonly progress: LiveLine<Progress>;
}

/** A mistake in a file is printed, and the next edit checks again; a mistake in the arguments ends the command. */
async function attempt(
  url: string | undefined,
  flags: WatchFlags,
  { signal, isFirst, before, progress }: Attempt,
): Promise<Checked | null> {
  try {
    return await runOnTarget(url, flags, (target, own) =>
      checkOnce(target, own, signal, { progress }, before),
    );
  } catch (error) {
    if (!(error instanceof ExpectedError) || (isFirst && !(error instanceof SuiteError))) throw error;
    say(withFlags(error.message));
    process.exitCode = EXIT.usage;
    return null;
  }
}

function waitingWords(watched: readonly string[], canAsk: boolean): string {
  const ways = [
    ...(watched.length === 0 ? [] : [`a change of ${watched.map(visible).join(', ')} starts a check`]),
    canAsk ? 'Enter or r starts a check, q quits' : 'ctrl-C quits',
  ];
  return `waiting: ${ways.join('; ')}`;
}

interface CheckRequest {
  readonly changed: readonly string[];
  /** The user may know of more than the changes of files. */
  readonly isByHand: boolean;
}

/** All requests during a check are answered by one more check. */
function createNext() {
  let pending: CheckRequest | null = null;
  let isOver = false;
  let wake: () => void = () => undefined;
  const add = ({ changed, isByHand }: CheckRequest): void => {
    pending = {
      changed: [...new Set([...(pending?.changed ?? []), ...changed])],
      isByHand: isByHand || pending?.isByHand === true,
    };
    wake();
  };
  return {
    ask: (changed: readonly string[]) => add({ changed, isByHand: false }),
    askByHand: () => add({ changed: [], isByHand: true }),
    end: () => {
      isOver = true;
      wake();
    },
    isOver: () => isOver,
    /** Resolves when another check is requested; with null when the user quits. */
    requested: async (): Promise<CheckRequest | null> => {
      while (pending === null && !isOver)
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
      if (isOver) return null;
      const request = pending;
      pending = null;
      return request;
    },
  };
}
