import path from 'node:path';
import pLimit from 'p-limit';
import { renderTargets } from '../../check/render/render-targets.ts';
import type { WorkerPool } from '../../check/threads/check-server.ts';
import { poolFor } from '../../check/threads/check-servers.ts';
import { EXIT, exitCodeFor, UsageError, worstExitCode } from '../../command-line/exit-codes.ts';
import { withFlags } from '../../command-line/say-flags.ts';
import { listenTo, print, say } from '../../command-line/terminal.ts';
import { visible } from '../../json/visible.ts';
import { ExpectedError } from '../../model/expected-error.ts';
import type { TestResult } from '../../model/report.ts';
import { createRedactor } from '../../probe/redactor.ts';
import type { StartedServer } from '../../processes/started-server.ts';
import { type TargetEntry, targetEntry } from '../../report/target-entry.ts';
import { renderTargetLine, renderTargetTotals } from '../../report/terminal/targets-terminal.ts';
import { renderTerminal } from '../../report/terminal/terminal.ts';
import type { Progress } from '../../run/state/run-input.ts';
import type { SeveralTargets, TargetsFlags } from '../options/configured-targets.ts';
import type { ServerFlags } from '../options/listed-target.ts';
import { runOnTarget } from '../options/run-on-target.ts';
import type { CheckFlags } from '../options/settings.ts';
import type { SourceTarget } from '../options/targets-of-file.ts';
import { keepReport } from '../terminal/keep-report.ts';
import type { LiveLine } from '../terminal/live-line.ts';
import { formatsForFiles, isFolder, reportToGithub, writeFormats } from '../terminal/output.ts';
import { outputLook } from '../terminal/print-report.ts';
import { writeTextFile } from '../terminal/write-file.ts';

export type CheckTargetsFlags = ServerFlags & TargetsFlags;

/** What happens to the progress and to the result of one check. */
export interface CheckOutput {
  readonly progress: LiveLine<Progress>;
  /** Files in use are never deleted as old reports. */
  readonly finish: (result: TestResult, inUse: readonly string[]) => Promise<unknown>;
  /** Of the targets that are checked together. */
  readonly pool?: WorkerPool;
}

interface Checking {
  readonly check: (
    given: string | undefined,
    flags: CheckFlags,
    signal: AbortSignal,
    output: CheckOutput,
  ) => Promise<{ readonly server: StartedServer | null }>;
  readonly signal: AbortSignal;
}

interface CheckingTogether extends Checking {
  readonly pool: WorkerPool;
}

const DEFAULT_JOBS = 4;

/** Checks the targets of a configuration or of --from, several at once, and prints a line for each as soon as it is checked. */
export async function checkTargets(
  { kind, file, targets }: SeveralTargets,
  flags: CheckTargetsFlags,
  checking: Checking,
): Promise<void> {
  await refuseFlags(flags, kind);
  const startedMs = performance.now();
  say(`${kind}: ${file}`);
  const { palette } = outputLook();
  const names = targets.map(({ name }) => name);
  const jobs = flags.jobs ?? DEFAULT_JOBS;
  const inTurn = pLimit(jobs);
  const isUntimed = flags.latency === false || targets.every(({ config }) => config.latency?.off === true);
  const pool = poolFor(jobs, isUntimed);
  const done = await Promise.all(
    targets.map((target) =>
      inTurn(async () => {
        const outcome = await checkTarget(target, flags, { ...checking, pool });
        if (flags.json !== true) await print([renderTargetLine(outcome.entry, names, palette)]);
        return outcome;
      }),
    ),
  );
  await pool.close();
  const entries = done.map(({ entry }) => entry);
  for (const { entry, text } of done)
    if (text !== '' && flags.json !== true) await print([`\n${palette.strong(entry.name)}\n${text}`]);
  if (flags.output !== undefined) await writeIndexes(entries, flags.output, flags);
  if (flags.json === true) for (const { text } of await renderTargets(entries, 'json')) await print([text]);
  else await print(['\n', renderTargetTotals(entries, performance.now() - startedMs)]);
  process.exitCode = worstExitCode(done.map(({ exitCode }) => exitCode));
}

/** These name or start one server. */
const OF_ONE_SERVER = {
  start: '--start',
  baseline: '--baseline',
  contract: '--contract',
  env: '--env',
  profile: '--profile',
} as const;

/** A configuration may name all of these for a target, except for a profile. */
function remedyOf(name: keyof typeof OF_ONE_SERVER): string {
  return name === 'profile'
    ? 'Check one of them by its address.'
    : `Write \`${name}\` into the target in the configuration.`;
}

async function refuseFlags(
  flags: CheckTargetsFlags & { readonly env?: unknown; readonly profile?: unknown },
  kind: SeveralTargets['kind'],
): Promise<void> {
  for (const [name, written] of Object.entries(OF_ONE_SERVER) as [keyof typeof OF_ONE_SERVER, string][])
    if (flags[name] !== undefined)
      throw new UsageError(
        kind === 'servers'
          ? `${written} is for one server, and --from checks those of a file. Remove one of the two.`
          : `${written} is for one server, and the configuration names several. ${remedyOf(name)}`,
      );
  if (flags.output !== undefined && !(await isFolder(flags.output)))
    throw new UsageError(
      `--output ${flags.output} is not a folder, and each target gets one in it. Write --output ${flags.output === '-' ? 'out' : flags.output}/, or make one file of the reports with probity merge.`,
    );
}

interface Outcome {
  readonly entry: TargetEntry;
  readonly exitCode: number;
  /** The report to print after all lines; empty for a target that passed. */
  readonly text: string;
}

/** Whatever happens to one target, the others are checked. */
async function checkTarget(
  target: SourceTarget,
  flags: CheckTargetsFlags,
  checking: CheckingTogether,
): Promise<Outcome> {
  const { name, url, mcp, missing = [] } = target;
  const { signal } = checking;
  const said: string[] = [];
  const unchecked = (reason: string, exitCode: number): Outcome => ({
    entry: { kind: 'not-checked', name, url: url ?? shownMcp(mcp, target), reason, exitCode },
    exitCode,
    text: '',
  });
  const listener = (text: string): void => {
    said.push(text);
    process.stderr.write(
      `${text
        .split('\n')
        .map((line) => `${name}: ${visible(line)}\n`)
        .join('')}`,
    );
  };
  if (missing.length > 0) {
    const needed = `no value for ${missing.join(', ')}`;
    listener(`Not started: ${needed}. Set it in the environment.`);
    return unchecked(needed, EXIT.usage);
  }
  if (signal.aborted) return unchecked('the run was interrupted', EXIT.incomplete);
  try {
    const outcome = await listenTo(listener, () => runTarget(target, flags, checking, listener));
    // Progress is said in lower case, a problem as a sentence.
    const problem = said.find((text) => /^[A-Z]/.test(text)) ?? 'nothing was checked';
    return outcome ?? unchecked(problem, signal.aborted ? EXIT.incomplete : EXIT.unreachable);
  } catch (error) {
    if (error instanceof ExpectedError) return unchecked(withFlags(error.message), EXIT.usage);
    const detail = error instanceof Error ? (error.stack ?? error.message) : String(error);
    listener(`This is a fault of probity, not of your server. Please report it with these lines.\n${detail}`);
    return unchecked('a fault of probity', EXIT.harness);
  }
}

/** A part of a command or of an address may come from a variable that holds a secret. */
function shownMcp(mcp = '', { ofFile }: SourceTarget): string {
  return ofFile === undefined ? mcp : createRedactor(ofFile.secrets).text(mcp);
}

const NO_PROGRESS = { listening: {}, clear: () => undefined } as const;

/** Null if nothing could be checked; the reason was said. */
async function runTarget(
  target: SourceTarget,
  flags: CheckTargetsFlags,
  { check, signal, pool }: CheckingTogether,
  note: (text: string) => void,
): Promise<Outcome | null> {
  const { name, url, mcp, start, env, ofFile, header } = target;
  const own = {
    ...flags,
    configured: target,
    ...(mcp === undefined ? {} : { mcp }),
    ...(env === undefined ? {} : { env }),
    ...(start === undefined ? {} : { start }),
    ...(header === undefined ? {} : { header }),
    ofFile,
    ...(flags.output === undefined ? {} : { output: `${path.join(flags.output, name)}${path.sep}` }),
  };
  let outcome: Outcome | null = null;
  const finish = async (result: TestResult, inUse: readonly string[]): Promise<void> => {
    outcome = await finishTarget(result, name, own, inUse, flags.output);
  };
  const checked = await runOnTarget(url, own, (given, onTarget) =>
    check(given, onTarget, signal, { progress: { ...NO_PROGRESS, note }, finish, pool }),
  );
  await checked?.server?.stop();
  return outcome;
}

/** Only the little that the end of the run prints outlives the result of a target. */
async function finishTarget(
  result: TestResult,
  name: string,
  own: CheckTargetsFlags,
  inUse: readonly string[],
  folder: string | undefined,
): Promise<Outcome> {
  const file = await keepReport(result, own, inUse);
  const toFiles = { ...own, format: await formatsForFiles(own) };
  const written =
    file === undefined && folder === undefined ? [] : await writeFormats(result, toFiles, file ?? '');
  if (own.format?.includes('github') === true)
    await reportToGithub(result, process.env, own.json === true ? process.stderr : process.stdout);
  const exitCode = exitCodeFor(result);
  const detail = own.verbose === true ? 'full' : 'brief';
  const isShown = exitCode !== EXIT.pass && own.quiet !== true && own.json !== true;
  return {
    entry: targetEntry(result, name, folder === undefined ? (file ?? null) : linkTo(written, folder)),
    exitCode,
    text: isShown
      ? renderTerminal(result, {
          ...outputLook(),
          detail,
          ...(file === undefined ? {} : { reportFile: file }),
        })
      : '',
  };
}

/** The page for people, or else what was written first. */
function linkTo(written: readonly string[], folder: string): string | null {
  const file = written.find((one) => one.endsWith('.html')) ?? written[0];
  return file === undefined ? null : path.relative(folder, file).replaceAll(path.sep, '/');
}

async function writeIndexes(
  entries: readonly TargetEntry[],
  folder: string,
  { format = [] }: Pick<CheckTargetsFlags, 'format'>,
): Promise<void> {
  for (const name of ['html', ...(format.includes('json') ? (['json'] as const) : [])] as const)
    for (const { suffix, text } of await renderTargets(entries, name)) {
      const file = path.join(folder, `index${suffix}`);
      say(`written: ${visible(await writeTextFile(file, text, 'Choose another folder with --output.'))}`);
    }
}
