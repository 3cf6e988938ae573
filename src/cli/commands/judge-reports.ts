import { type JudgedAgain, judgeAgain, type SuitesFor, suitesWith } from '../../check/judge-report.ts';
import { EXIT, exitCodeFor, UsageError, worstExitCode } from '../../command-line/exit-codes.ts';
import { withFlags } from '../../command-line/say-flags.ts';
import { print, say } from '../../command-line/terminal.ts';
import { escapeLive, visible } from '../../json/visible.ts';
import { ExpectedError } from '../../model/expected-error.ts';
import { renderJudgedLine } from '../../report/terminal/targets-terminal.ts';
import { type JudgedReport, judgedReport, judgedTotals } from '../../report/view/targets-view.ts';
import { counted } from '../../report/view/words.ts';
import { SuiteError } from '../../suite/yaml/diagnostic.ts';
import type { DetailFlags } from '../options/output-flags.ts';
import { isFolder } from '../terminal/output.ts';
import { outputLook, printReport } from '../terminal/print-report.ts';
import { reportFilesIn } from '../terminal/report-files.ts';
import { savedResult } from './render.ts';

export interface JudgeFlags extends DetailFlags {
  readonly json?: boolean;
  readonly suite?: readonly string[];
}

/** Judges reports one after the other, so that only one is in memory, and prints a line for each. */
export async function judgeReports(names: readonly string[], flags: JudgeFlags): Promise<void> {
  const files = await reportFiles(names);
  const { palette } = outputLook();
  const widest = files.reduce((most, file) => Math.max(most, visible(file).length), 0);
  const suitesFor = suitesWith(flags.suite ?? []);
  const reports: JudgedReport[] = [];
  const codes = new Set<number>();
  const changedSuites = new Set<string>();
  let [loads, outdated] = [0, 0];
  for (const file of files) {
    const outcome = await judgeFile(file, suitesFor);
    if (outcome === null) {
      loads += 1;
      continue;
    }
    const { report, exitCode, again } = outcome;
    reports.push(report);
    codes.add(exitCode);
    if (again !== null && again.changed.length > 0) outdated += 1;
    for (const id of again?.changed ?? []) changedSuites.add(id);
    if (flags.json === true) continue;
    if (flags.quiet !== true) await print([renderJudgedLine(report, widest, palette)]);
    if (flags.verbose === true && again !== null) await printReport(again.result, flags);
  }
  if (loads > 0)
    say(`${counted(loads, 'result')} of \`probity bench\` left out: a load has no exchanges to judge.`);
  if (reports.length === 0)
    throw new UsageError(
      `${names.map(visible).join(', ')}: no report of a check. Name reports, or the folder of --reports.`,
    );
  if (outdated > 0)
    say(
      `${counted(outdated, 'report was', 'reports were')} made with other versions of these suites: ${[...changedSuites].join(', ')}. They are judged with the current ones.`,
    );
  const json = { totals: judgedTotals(reports), reports };
  if (flags.json === true) await print([`${escapeLive(JSON.stringify(json, null, 2))}\n`]);
  else await print([`${flags.quiet === true ? '' : '\n'}${judgedTotals(reports)}\n`]);
  process.exitCode = worstExitCode([...codes]);
}

async function reportFiles(names: readonly string[]): Promise<readonly string[]> {
  const files: string[] = [];
  for (const name of names) {
    if (await isFolder(name)) for (const file of await reportFilesIn(name)) files.push(file);
    else files.push(name);
  }
  return files;
}

interface Outcome {
  readonly report: JudgedReport;
  readonly exitCode: number;
  /** Null if it was not judged. */
  readonly again: JudgedAgain | null;
}

/** Null for the result of a load. Whatever is wrong with one file, the others are judged. */
async function judgeFile(file: string, suitesFor: SuitesFor): Promise<Outcome | null> {
  try {
    const saved = await savedResult(file);
    if (saved.bench !== undefined) return null;
    const again = await judgeAgain(saved, suitesFor);
    return { report: judgedReport(file, saved, again.result), exitCode: exitCodeFor(again.result), again };
  } catch (error) {
    // A mistake in the user's suites is the same for every report.
    if (error instanceof SuiteError) throw error;
    const [reason, exitCode] =
      error instanceof ExpectedError
        ? [withFlags(error.message), EXIT.usage]
        : [
            `a fault of probity: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`,
            EXIT.harness,
          ];
    return { report: { kind: 'not-judged', file, reason, exitCode }, exitCode, again: null };
  }
}
