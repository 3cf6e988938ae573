import { judgeReport } from '../../app/judge-report.ts';
import { exitCodeFor, UsageError } from '../../command-line/exit-codes.ts';
import { columnsOf, paletteFor, print, say } from '../../command-line/terminal.ts';
import { targetKindOf } from '../../model/report.ts';
import { reportPieces } from '../../report/serialise-report.ts';
import { renderTerminal } from '../../report/terminal/terminal.ts';
import { loadSuites } from '../../suite/load-suites.ts';
import { savedResult } from './render.ts';

export async function judge(
  file: string,
  flags: { readonly json?: boolean; readonly suite?: readonly string[] },
): Promise<void> {
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
  await print(
    flags.json === true
      ? reportPieces(result)
      : [
          renderTerminal(result, {
            palette: paletteFor(process.stdout, process.env),
            columns: columnsOf(process.stdout),
          }),
        ],
  );
  process.exitCode = exitCodeFor(result);
}
