import { type DiffFormatName, renderDiffFormat } from '../../check/render/render-diff.ts';
import { EXIT, UsageError } from '../../command-line/exit-codes.ts';
import { columnsOf, paletteFor, print, say } from '../../command-line/terminal.ts';
import { escapeLive, visible } from '../../json/visible.ts';
import { diffResults, type ResultDiff } from '../../report/compare/diff-results.ts';
import { renderDiff } from '../../report/terminal/diff-terminal.ts';
import { writeTextFile } from '../terminal/write-file.ts';
import { savedResult } from './render.ts';

type Format = DiffFormatName | 'text' | 'json';

export interface DiffFlags {
  readonly format?: Format;
  readonly json?: boolean;
  /** A file; `-` for standard output. */
  readonly output: string;
  readonly failOnSlower?: boolean;
}

/** Compares two saved reports; the exit code shows whether something got worse. */
export async function diff(beforeFile: string, afterFile: string, flags: DiffFlags): Promise<void> {
  const { json = false, format = json ? 'json' : 'text', output, failOnSlower = false } = flags;
  if (json && format !== 'json')
    throw new UsageError(`--json and --format ${format} contradict each other: remove one of the two.`);
  const differences = diffResults(await savedResult(beforeFile), await savedResult(afterFile));
  const fails = differences.isWorse || (failOnSlower && differences.isSlower);
  if (output === '-') {
    await print([await textOf(differences, format, failOnSlower, process.stdout)]);
  } else {
    const text = await textOf(differences, format, failOnSlower);
    const file = await writeTextFile(output, text, 'Choose another file with --output.');
    say(`written: ${visible(file)}`);
  }
  process.exitCode = fails ? EXIT.fail : EXIT.pass;
}

/** With colours and as wide as the stream, if there is one. */
async function textOf(
  differences: ResultDiff,
  format: Format,
  failsOnSlower: boolean,
  stream?: NodeJS.WriteStream,
): Promise<string> {
  if (format === 'json') return `${escapeLive(JSON.stringify(differences, null, 2))}\n`;
  if (format !== 'text') return renderDiffFormat(differences, format, failsOnSlower);
  return renderDiff(
    differences,
    stream === undefined ? {} : { palette: paletteFor(stream, process.env), columns: columnsOf(stream) },
  );
}
