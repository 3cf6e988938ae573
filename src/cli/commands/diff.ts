import { EXIT } from '../../command-line/exit-codes.ts';
import { columnsOf, paletteFor, print } from '../../command-line/terminal.ts';
import { escapeLive } from '../../model/visible.ts';
import { diffResults } from '../../report/diff-results.ts';
import { renderDiff } from '../../report/terminal/diff-terminal.ts';
import { savedResult } from './render.ts';

/** Compares two saved reports; the exit code shows whether something got worse. */
export async function diff(
  beforeFile: string,
  afterFile: string,
  flags: { readonly json?: boolean; readonly failOnSlower?: boolean },
): Promise<void> {
  const differences = diffResults(await savedResult(beforeFile), await savedResult(afterFile));
  await print([
    flags.json === true
      ? `${escapeLive(JSON.stringify(differences, null, 2))}\n`
      : renderDiff(differences, {
          palette: paletteFor(process.stdout, process.env),
          columns: columnsOf(process.stdout),
        }),
  ]);
  const fails = differences.isWorse || (flags.failOnSlower === true && differences.isSlower);
  process.exitCode = fails ? EXIT.fail : EXIT.pass;
}
