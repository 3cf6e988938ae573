import { type DiffFormatName, renderDiffFormat } from '../../check/render/render-compared.ts';
import { EXIT } from '../../command-line/exit-codes.ts';
import { escapeLive } from '../../json/visible.ts';
import { diffResults } from '../../report/compare/diff-results.ts';
import { renderDiff } from '../../report/terminal/diff-terminal.ts';
import { formatOf, type TextFlags, writeText } from '../terminal/write-file.ts';
import { savedResult } from './render.ts';

interface DiffFlags extends TextFlags<DiffFormatName | 'text' | 'json'> {
  readonly failOnSlower?: boolean;
}

/** Compares two saved reports; the exit code shows whether something got worse. */
export async function diff(beforeFile: string, afterFile: string, flags: DiffFlags): Promise<void> {
  const format = formatOf(flags);
  const { output, failOnSlower = false } = flags;
  const differences = diffResults(await savedResult(beforeFile), await savedResult(afterFile));
  await writeText(output, async (look) => {
    if (format === 'json') return `${escapeLive(JSON.stringify(differences, null, 2))}\n`;
    return format === 'text'
      ? renderDiff(differences, look)
      : renderDiffFormat(differences, format, failOnSlower);
  });
  const fails = differences.isWorse || (failOnSlower && differences.isSlower);
  process.exitCode = fails ? EXIT.fail : EXIT.pass;
}
