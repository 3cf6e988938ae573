import type { TestResult } from '../model/report.ts';
import { renderTerminal } from '../report/formats/terminal.ts';
import { reportPieces } from '../report/serialise-report.ts';
import { prepareFolder, storeReport } from '../report/store-report.ts';
import { visible } from '../report/visible.ts';
import { checkServer, startSpareWorker } from '../run/check-server.ts';
import { targetUrlOf } from '../run/run-settings.ts';
import { exitCodeFor, UsageError } from './exit-codes.ts';
import { type FormatFlags, refuseFormatFlags, tellGithub, writeFormats } from './output.ts';
import { createProgressLine } from './progress.ts';
import { type CheckFlags, readSettings } from './settings.ts';
import { columnsOf, paletteFor, print, say } from './terminal.ts';

export async function check(url: string, flags: CheckFlags): Promise<void> {
  startSpareWorker();
  const { options, configFile } = await readSettings(flags, process.env);
  refuseFormatFlags(flags, flags.json === true);
  await requireFolder(flags.reports);
  if (configFile !== undefined) say(`configuration: ${configFile}`);
  // An address with a password in it is refused, and not repeated.
  const targetUrl = targetUrlOf(url, options.publicOnly ?? false);
  const progress = createProgressLine(process.stderr);
  const interrupt = interruptible();
  say(`checking ${visible(targetUrl)}`);
  const result = await checkServer(url, { ...options, signal: interrupt.signal, onProgress: progress.show });
  progress.clear();
  interrupt.done();
  await finish(result, flags);
}

/** Writes the report, prints what was asked for, and sets the exit code. */
export async function finish(
  result: TestResult,
  output: FormatFlags & { readonly json?: boolean; readonly reports: string },
): Promise<void> {
  const { format = [] } = output;
  const toFiles = { ...output, format: format.filter((name) => name !== 'github') };
  const stored = await storeReport(result, output.reports).catch((error: unknown) =>
    unwritable(output.reports, error),
  );
  const file = stored instanceof UsageError ? undefined : stored;
  const written =
    stored instanceof UsageError && output.output === undefined
      ? []
      : await writeFormats(result, toFiles, file ?? '');
  if (output.json === true) await print(reportPieces(result));
  else if (output.output !== '-')
    process.stdout.write(
      renderTerminal(result, {
        palette: paletteFor(process.stdout, process.env),
        columns: columnsOf(process.stdout),
        ...(file === undefined ? {} : { reportFile: file }),
      }),
    );
  for (const path of written) say(`written: ${visible(path)}`);
  if (format.includes('github'))
    await tellGithub(
      result,
      process.env,
      output.json === true || output.output === '-' ? process.stderr : process.stdout,
    );
  process.exitCode = exitCodeFor(result);
  // What was found is shown all the same.
  if (stored instanceof UsageError) throw stored;
}

/** Says so before anything is asked when the report could not be written afterwards. */
export async function requireFolder(folder: string): Promise<void> {
  await prepareFolder(folder).catch((error: unknown) => {
    throw unwritable(folder, error);
  });
}

function unwritable(folder: string, error: unknown): UsageError {
  const { code } = error as { code?: string };
  if (code === undefined || !/^E[A-Z]+$/.test(code)) throw error;
  return new UsageError(
    `The report cannot be written to ${folder}: ${code ?? String(error)}. Name another folder with --reports.`,
  );
}

/** The first ctrl-C ends the run and still reports; the second ends the process. */
export function interruptible(): { readonly signal: AbortSignal; done(): void } {
  const controller = new AbortController();
  const onInterrupt = (): void => {
    if (controller.signal.aborted) process.exit(130);
    say('\ninterrupted: reporting what there is; once more to stop at once');
    controller.abort();
  };
  process.on('SIGINT', onInterrupt);
  process.on('SIGTERM', onInterrupt);
  return {
    signal: controller.signal,
    done: () => {
      process.off('SIGINT', onInterrupt);
      process.off('SIGTERM', onInterrupt);
    },
  };
}
