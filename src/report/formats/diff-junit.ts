import type { ChangePart, ChangeView, DiffView } from '../view/diff-view.ts';
import { type JunitCase, type JunitDocument, junitText } from './junit-document.ts';

/** A test case for each change; what got worse fails. Pure. */
export function renderDiffJunit(view: DiffView): string {
  const { url, before, after } = view;
  return junitText({
    name: `probity diff ${url}`,
    startedAt: after.startedAt,
    durationMs: 0,
    properties: [
      ['probity.difference', view.word],
      ['old.id', before.id],
      ['new.id', after.id],
      ['target.url', url],
    ],
    suites: suitesOf(view),
  });
}

/** Some tools refuse a document without a test case. */
function suitesOf({ changes, times, words }: DiffView): JunitDocument['suites'] {
  const suites = [
    { name: 'diff', cases: changes.map(changeCase) },
    { name: 'diff.times', cases: times.map((time) => changeCase({ ...time, note: '', parts: [] })) },
  ].filter(({ cases }) => cases.length > 0);
  return suites.length > 0
    ? suites
    : [{ name: 'diff', cases: [passedCase('outcomes and findings', [words])] }];
}

/** A change that only one of the results decided is skipped. */
function changeCase({ label, tone, name, words, note, parts }: Omit<ChangeView, 'id'>): JunitCase {
  const message = `${label}: ${words}`;
  const lines = [message, ...(note === '' ? [] : [note]), ...parts.flatMap(partLines)];
  if (tone === 'bad') return { name, kind: 'failure', type: label, message, lines };
  return ['UNDECIDED NOW', 'NOT COMPARED', 'UNCLEAR'].includes(label)
    ? { name, kind: 'skipped', type: label, message, lines }
    : passedCase(name, lines);
}

function passedCase(name: string, lines: readonly string[]): JunitCase {
  return { name, kind: 'passed', type: '', message: '', lines };
}

function partLines({ side, sentence, expected, received, fix, again }: ChangePart): readonly string[] {
  return [
    '',
    `${side === '' ? '' : `${side}: `}${sentence}`,
    `  expected: ${expected}`,
    `  received: ${received}`,
    ...(side === 'before' || fix === '' ? [] : [`  fix:      ${fix}`]),
    ...(side === 'before' || again === null ? [] : [`  again:    ${again}`]),
  ];
}
