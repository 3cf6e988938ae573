import { judgeAgain, suitesWith } from '../../check/judge-report.ts';
import { exitCodeFor, UsageError } from '../../command-line/exit-codes.ts';
import { print, say } from '../../command-line/terminal.ts';
import { reportPieces } from '../../report/serialise-report.ts';
import { refuseDetailFlags } from '../options/output-flags.ts';
import { isFolder } from '../terminal/output.ts';
import { printReport } from '../terminal/print-report.ts';
import type { JudgeFlags } from './judge-reports.ts';
import { savedResult } from './render.ts';

export async function judge(names: readonly string[], flags: JudgeFlags): Promise<void> {
  refuseDetailFlags(flags);
  const [file = '', ...more] = names;
  if (more.length > 0 || (await isFolder(file)))
    return (await import('./judge-reports.ts')).judgeReports(names, flags);
  const saved = await savedResult(file);
  if (saved.bench !== undefined)
    throw new UsageError(
      `${file} is a result of \`probity bench\`, which has no exchanges to judge. Compare it with \`probity bench URL --baseline ${file}\`.`,
    );
  const { result, changed } = await judgeAgain(saved, suitesWith(flags.suite ?? []));
  if (changed.length > 0)
    say(
      `The report was made with other versions of these suites: ${changed.join(', ')}. It is judged with the current ones.`,
    );
  if (flags.json === true) await print(reportPieces(result));
  else await printReport(result, flags);
  process.exitCode = exitCodeFor(result);
}
