import { existsSync } from 'node:fs';
import path from 'node:path';
import { UsageError } from '../../command-line/exit-codes.ts';
import { print, say } from '../../command-line/terminal.ts';
import type { AcceptedFinding } from '../../model/baseline.ts';
import { dayAfter } from '../../model/day.ts';
import type { TestResult } from '../../model/report.ts';
import { visible } from '../../model/visible.ts';
import { type DraftedBaseline, draftBaseline } from '../../report/baseline.ts';
import { prepareFolder, writeWhole } from '../../report/store-report.ts';
import { readBaseline } from '../../suite/read-baseline.ts';
import { writeBaseline } from '../../suite/write-baseline.ts';
import { MAX_FILE_BYTES } from '../../suite/yaml-tree.ts';
import { savedResult } from './render.ts';

export interface BaselineFlags {
  readonly output: string;
  readonly reason?: string;
  readonly until?: string;
  readonly all?: boolean;
}

const DEFAULT_DAYS = 90;
const DEFAULT_REASON = 'not looked into yet';

/** Writes a baseline of what a saved report found; entries of an earlier one keep their reason and their end. */
export async function baseline(reportFile: string, flags: BaselineFlags): Promise<void> {
  const today = dayAfter(Date.now(), 0);
  const terms = {
    reason: reasonOf(flags.reason),
    until: flags.until ?? dayAfter(Date.now(), DEFAULT_DAYS),
    all: flags.all ?? false,
  };
  if (terms.until < today)
    throw new UsageError(`--until ${terms.until} is over already: today is ${today}. Give a later day.`);
  const result = await savedResult(reportFile);
  refuseReport(result, reportFile);
  const toScreen = flags.output === '-';
  const earlier = toScreen || !existsSync(flags.output) ? [] : await readBaseline(flags.output);
  const draft = draftBaseline(result, terms, earlier);
  if (draft.entries.length === 0 && draft.dropped.length === 0) return say(nothingToAccept(result, draft));
  const text = writeBaseline(draft.entries, notesOn(draft, flags, terms));
  if (Buffer.byteLength(text) > MAX_FILE_BYTES)
    throw new UsageError(
      `There are ${draft.entries.length} findings to accept, more than a baseline can hold (${MAX_FILE_BYTES} bytes). Mend what they have in common, or leave requirements out with --skip.`,
    );
  if (toScreen) await print([text]);
  else await write(flags.output, text);
  for (const line of summaryOf(draft, flags, terms)) say(line);
}

function reasonOf(reason: string | undefined): string {
  if (reason !== undefined && reason.trim() === '')
    throw new UsageError('--reason is empty: say in a few words why this is accepted.');
  return reason ?? DEFAULT_REASON;
}

function refuseReport({ bench, reachable }: TestResult, file: string): void {
  if (bench !== undefined)
    throw new UsageError(
      `${file} was written by \`probity bench\`: it holds times, and no findings to accept. Give a report of \`probity check\`.`,
    );
  if (!reachable)
    throw new UsageError(
      `${file} is of a target that did not answer, so it says nothing that could be accepted. Give a report of a run that reached it.`,
    );
}

function nothingToAccept({ summary: { warnings } }: TestResult, draft: DraftedBaseline): string {
  if (draft.leftOpen.length > 0)
    return `There is nothing to accept. ${leftOpenWords(draft)} No file is written.`;
  const rest =
    warnings === 0
      ? ''
      : ` Its ${warnings === 1 ? 'warning does' : `${warnings} warnings do`} not fail the run; --all accepts ${warnings === 1 ? 'it' : 'them'} as well.`;
  return `There is nothing to accept: the report passes as it is.${rest} No file is written.`;
}

function notesOn({ added }: DraftedBaseline, { reason }: BaselineFlags, terms: Terms): readonly string[] {
  if (added === 0 || reason !== undefined) return [];
  return [
    `${added} of the entries ${added === 1 ? 'has' : 'have'} no real reason yet, and ${added === 1 ? 'is' : 'are'} accepted until ${terms.until}: say why, or mend what is found.`,
  ];
}

interface Terms {
  readonly reason: string;
  readonly until: string;
}

function summaryOf(
  draft: DraftedBaseline,
  { output, reason }: BaselineFlags,
  terms: Terms,
): readonly string[] {
  const { entries, kept, added, dropped, expired, leftOpen } = draft;
  const where = output === '-' ? 'printed' : `written: ${visible(output)}`;
  return [
    `${where}, ${counted(entries.length)}: ${added} new, ${kept} kept, ${dropped.length} dropped`,
    ...(added === 0
      ? []
      : [`new entries are accepted until ${terms.until}, for the reason "${visible(terms.reason)}"`]),
    ...(added === 0 || reason !== undefined
      ? []
      : ['Give a real reason: edit the file, or drop these entries and write them again with --reason.']),
    ...(leftOpen.length === 0 ? [] : [leftOpenWords(draft)]),
    ...dropped.map((entry) => `dropped, it no longer occurs as it was accepted: ${nameOf(entry)}`),
    ...expired.map(
      (entry) =>
        `kept, but it has expired (${entry.until}) and still fails the run: ${nameOf(entry)}. Mend it, or give it another end in the file.`,
    ),
  ];
}

function leftOpenWords({ leftOpen }: DraftedBaseline): string {
  return `Left open, because what keeps them undecided is of that run and may pass: ${leftOpen.map(visible).join(', ')}. Check again, with more time or on a machine that has less to do.`;
}

function counted(entries: number): string {
  return `${entries} ${entries === 1 ? 'entry' : 'entries'}`;
}

function nameOf({ requirement, function: name }: AcceptedFinding): string {
  return `${visible(requirement)}${name === undefined ? '' : `, function "${visible(name)}"`}`;
}

async function write(file: string, text: string): Promise<void> {
  try {
    await prepareFolder(path.dirname(file));
    await writeWhole(file, [text]);
  } catch (error) {
    const { code } = error as { code?: string };
    if (code === undefined || !/^E[A-Z]+$/.test(code)) throw error;
    throw new UsageError(`${file} cannot be written: ${code}. Name another file with --output.`);
  }
}
