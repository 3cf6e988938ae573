import { existsSync } from 'node:fs';
import { UsageError } from '../../command-line/exit-codes.ts';
import { print, say } from '../../command-line/terminal.ts';
import { visible } from '../../json/visible.ts';
import type { AcceptedFinding } from '../../model/judgement.ts';
import type { TestResult } from '../../model/report.ts';
import { type DraftedBaseline, draftBaseline, type Terms } from '../../report/baseline.ts';
import { counted } from '../../report/view/words.ts';
import { writeBaseline } from '../../suite/config/baseline.ts';
import { readBaseline } from '../../suite/read-baseline.ts';
import { MAX_FILE_BYTES } from '../../suite/yaml/tree.ts';
import { dayAfter } from '../../text/day.ts';
import { writeTextFile } from '../terminal/write-file.ts';
import { savedResult } from './render.ts';

interface BaselineFlags extends Partial<Terms> {
  readonly output: string;
}

const DEFAULT_DAYS = 90;
const DEFAULT_REASON = 'not investigated yet';

/** Writes a baseline of a saved report's findings; entries of an earlier baseline keep their reason and end date. */
export async function baseline(reportFile: string, flags: BaselineFlags): Promise<void> {
  const today = dayAfter(Date.now(), 0);
  const terms = {
    reason: reasonOf(flags.reason),
    until: flags.until ?? dayAfter(Date.now(), DEFAULT_DAYS),
    all: flags.all ?? false,
  };
  if (terms.until < today)
    throw new UsageError(`--until ${terms.until} is in the past: today is ${today}. Choose a later date.`);
  const result = await savedResult(reportFile);
  refuseReport(result, reportFile);
  const toScreen = flags.output === '-';
  const earlier = toScreen || !existsSync(flags.output) ? undefined : await readBaseline(flags.output);
  const draft = draftBaseline(result, terms, earlier);
  const text = writeBaseline(draft.baseline, notesOn(draft, flags, terms));
  if (Buffer.byteLength(text) > MAX_FILE_BYTES)
    throw new UsageError(
      `There are ${draft.baseline.entries.length} findings to accept, more than a baseline can hold (${MAX_FILE_BYTES} bytes). Fix their common cause, or leave requirements out with --skip.`,
    );
  if (toScreen) await print([text]);
  else await writeTextFile(flags.output, text, 'Choose another file with --output.');
  if (draft.baseline.entries.length === 0 && draft.dropped.length === 0) say(nothingToAccept(result, draft));
  for (const line of summaryOf(draft, flags, terms)) say(line);
}

function reasonOf(reason: string | undefined): string {
  if (reason !== undefined && reason.trim() === '')
    throw new UsageError('--reason is empty: state briefly why the findings are accepted.');
  return reason ?? DEFAULT_REASON;
}

function refuseReport({ bench, reachable }: TestResult, file: string): void {
  if (bench !== undefined)
    throw new UsageError(
      `${file} is a result of \`probity bench\`, which has no findings. Use a report of \`probity check\`.`,
    );
  if (!reachable)
    throw new UsageError(
      `In ${file} the target did not answer, so it has no findings to accept. Use a report of a run that reached the target.`,
    );
}

function nothingToAccept({ summary: { warnings } }: TestResult, draft: DraftedBaseline): string {
  if (draft.leftOpen.length > 0) return 'Nothing to accept: the baseline is empty.';
  const rest =
    warnings === 0
      ? ''
      : ` Its ${warnings === 1 ? 'warning does' : `${warnings} warnings do`} not fail the run; --all accepts ${warnings === 1 ? 'it' : 'them'} too.`;
  return `Nothing to accept: the report passes already, and the baseline is empty.${rest}`;
}

function notesOn({ added }: DraftedBaseline, { reason }: BaselineFlags, terms: Terms): readonly string[] {
  if (added === 0 || reason !== undefined) return [];
  return [
    `${added} of the entries ${added === 1 ? 'has' : 'have'} no real reason yet, and ${added === 1 ? 'is' : 'are'} accepted until ${terms.until}: add a reason, or fix the findings.`,
  ];
}

function summaryOf(
  draft: DraftedBaseline,
  { output, reason }: BaselineFlags,
  terms: Terms,
): readonly string[] {
  const { baseline: drafted, kept, added, dropped, expired, leftOpen } = draft;
  const where = output === '-' ? 'printed' : `written: ${visible(output)}`;
  return [
    `${where}, ${counted(drafted.entries.length, 'entry', 'entries')}: ${added} new, ${kept} kept, ${dropped.length} dropped`,
    ...(added === 0
      ? []
      : [`new entries are accepted until ${terms.until}, for the reason "${visible(terms.reason)}"`]),
    ...(added === 0 || reason !== undefined
      ? []
      : [
          'Add a real reason: edit the file, or remove these entries and run the command again with --reason.',
        ]),
    ...(leftOpen.length === 0
      ? []
      : [
          `Not accepted, because only this run left them undecided: ${leftOpen.map(visible).join(', ')}. Check again, with more time or on a less busy machine.`,
        ]),
    ...dropped.map((entry) => `dropped, no longer found: ${nameOf(entry)}`),
    ...expired.map(
      (entry) =>
        `kept, but it has expired (${entry.until}) and still fails the run: ${nameOf(entry)}. Fix the finding, or set a later date in the file.`,
    ),
  ];
}

function nameOf({ requirement, function: name }: AcceptedFinding): string {
  return `${visible(requirement)}${name === undefined ? '' : `, function "${visible(name)}"`}`;
}
