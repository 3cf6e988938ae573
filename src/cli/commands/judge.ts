import { judgeReport } from '../../app/judge-report.ts';
import { exitCodeFor, UsageError } from '../../command-line/exit-codes.ts';
import { print, say } from '../../command-line/terminal.ts';
import { targetKindOf } from '../../model/report.ts';
import { reportPieces } from '../../report/serialise-report.ts';
import { loadSuites } from '../../suite/load-suites.ts';
import { type DetailFlags, refuseDetailFlags } from '../options/output-flags.ts';
import { printReport } from '../terminal/print-report.ts';
import { savedResult } from './render.ts';

export async function judge(
  file: string,
  flags: DetailFlags & { readonly json?: boolean; readonly suite?: readonly string[] },
): Promise<void> {
  refuseDetailFlags(flags);
  const saved = await savedResult(file);
  if (saved.bench !== undefined)
    throw new UsageError(
      `${file} is a result of \`probity bench\`, which has no exchanges to judge. Compare it with \`probity bench URL --baseline ${file}\`.`,
    );
  const { suites } = await loadSuites(flags.suite ?? [], targetKindOf(saved.settings));
  const changed = saved.suites
    .filter(({ id, digest }) => suites.find((suite) => suite.id === id)?.digest !== digest)
    .map(({ id }) => id);
  if (changed.length > 0)
    say(
      `The report was made with other versions of these suites: ${changed.join(', ')}. It is judged with the current ones.`,
    );
  const result = await judgeReport(saved, suites);
  if (flags.json === true) await print(reportPieces(result));
  else await printReport(result, flags);
  process.exitCode = exitCodeFor(result);
}
