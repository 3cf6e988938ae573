import { shorten } from '../../json/json.ts';
import { visible } from '../../json/visible.ts';
import { slowestFirst, slowOf } from '../../model/measurement.ts';
import type { CauseView } from '../view/causes.ts';
import { callWords, doubtWords, inBrief } from '../view/figures.ts';
import type { Field } from '../view/judgement-view.ts';
import type { ReportView } from '../view/report-view.ts';
import { counted, type RowState } from '../view/words.ts';
import { labelled, wrap } from '../view/wrap.ts';
import { clientsBlock } from './clients.ts';
import { inBlocks, indented, type Layout } from './layout.ts';
import { colourOf, LABEL_WIDTH, labelOf, problemLines } from './terminal-findings.ts';
import { totalLines } from './verdict-words.ts';

const MAX_LINES = 40;
const MAX_CAUSES = 20;
const MAX_FUNCTIONS = 5;
const MAX_EXPLAINED = 3;
/** A terminal may wrap a line; a finding that is cut shorter says nothing. */
const MIN_LINE_CHARACTERS = 120;
const MIN_SENTENCE_CHARACTERS = 30;

/** One line for each cause, and the first causes in full, as far as a screen has room. */
export function briefBlocks(view: ReportView, layout: Layout, reportFile: string | undefined): string {
  if (view.wrong !== null && !view.reachable) return unreachable(view, layout, reportFile);
  const { causes } = view;
  const shown = causes.slice(0, MAX_CAUSES);
  const lines = shown.map((cause) => causeLine(cause, shown, layout));
  const rest = causes.length - shown.length;
  const blocks = [
    heading(view, layout),
    wrongTargetLines(view, layout),
    [...lines, ...(rest > 0 ? [`  and ${counted(rest, 'more cause')}`] : [])].join('\n'),
    problemLines(view, layout),
  ];
  const ends = [clientsBlock(view, layout), ending(view, layout, reportFile)];
  const explained: string[] = [];
  for (const cause of causes.slice(0, MAX_EXPLAINED)) {
    const block = explanation(cause, shown, layout, view.settings.exploring !== undefined);
    const text = inBlocks([...blocks, ...explained, block, ...ends]);
    if (explained.length > 0 && text.split('\n').length - 1 > MAX_LINES) break;
    explained.push(block);
  }
  return inBlocks([...blocks, ...explained, ...ends]);
}

function heading({ target, server, form }: ReportView, { palette }: Layout): string {
  return [palette.strong(target.url), ...(server === '' ? [] : [server]), form].join(', ');
}

function unreachable(view: ReportView, { palette }: Layout, reportFile: string | undefined): string {
  const { word, target, wrong } = view;
  return [
    `${palette.strong(palette.bad(word))}  ${target.url}: ${wrong?.problem ?? ''}`,
    `  ${wrong?.remedy ?? ''}`,
    ...(reportFile === undefined ? [] : [`  report: ${visible(reportFile)}`]),
    '',
  ].join('\n');
}

function wrongTargetLines({ wrong }: ReportView, { palette, width }: Layout): string {
  if (wrong === null) return '';
  return [
    ...wrap(`${palette.doubtful('wrong address?')} ${wrong.problem}`, width),
    ...indented(wrap(wrong.remedy, width - 2)),
  ].join('\n');
}

const SIGNS: Readonly<Partial<Record<RowState, string>>> = { failed: '✗', warning: '!' };

function causeLine(cause: CauseView, all: readonly CauseView[], layout: Layout): string {
  const { main } = cause;
  const { palette } = layout;
  const { widest, words, after } = wordsOfCause(cause, all, layout);
  const sign = colourOf(main.state, palette)(SIGNS[main.state] ?? '?');
  return `${sign} ${main.id.padEnd(widest)}  ${words}  ${palette.faint(after)}`.trimEnd();
}

/** What fits beside the id and the place. */
function wordsOfCause(
  { sentence, place, also }: CauseView,
  all: readonly CauseView[],
  { columns }: Layout,
): { readonly widest: number; readonly words: string; readonly after: string } {
  const widest = Math.max(...all.map((cause) => cause.main.id.length));
  const after = [
    ...(place === '' ? [] : [place]),
    ...(also.length === 0 ? [] : [`also explains ${counted(also.length, 'requirement')}`]),
  ].join('; ');
  const room = Math.max(columns, MIN_LINE_CHARACTERS) - widest - 6 - after.length;
  return { widest, words: shorten(sentence, Math.max(room, MIN_SENTENCE_CHARACTERS)), after };
}

/** One finding of the cause, what to run and what to do, as briefly as it can be understood. */
function explanation(cause: CauseView, all: readonly CauseView[], layout: Layout, isFuzzed: boolean): string {
  const { main } = cause;
  const { palette, width } = layout;
  const [finding] = main.findings;
  // What was cut above, unless the lines below say the same.
  const isCut = finding !== undefined && !wordsOfCause(cause, all, layout).words.includes(finding.message);
  const { id, level, section, reason, advice } = main;
  const place = textOf(finding?.evidence ?? [], 'at');
  const line = (label: string, text: string): readonly string[] => {
    if (text === '') return [];
    // A command is pasted as one line.
    const isCommand = label === 'curl' || label === 'again';
    const lines = isCommand ? [text] : wrap(text, width - LABEL_WIDTH - 2);
    return indented(labelled(labelOf(label, text), lines, LABEL_WIDTH));
  };
  return [
    [palette.strong(id), `${level}, ${section}`, ...(place === '' ? [] : [place])].join('  '),
    ...(finding === undefined
      ? line('reason', reason)
      : [
          ...(isCut ? line('found', finding.message) : []),
          ...line('expected', finding.expected),
          ...line('received', finding.received),
          ...line('curl', finding.curl ?? ''),
          // A fault may need the calls before it, which fuzz repeats.
          ...line('again', isFuzzed || finding.curl === null ? textOf(advice, 'again') : ''),
        ]),
    ...line('why', firstSentence(textOf(advice, 'why'))),
    ...line('fix', firstSentence(finding?.fix ?? textOf(advice, 'fix'))),
  ].join('\n');
}

function textOf(fields: readonly Field[], wanted: Field[0]): string {
  return fields.find(([label]) => label === wanted)?.[1] ?? '';
}

function firstSentence(text: string): string {
  return /^.*?[.!?](?= [A-Z])/s.exec(text)?.[0] ?? text;
}

function ending(view: ReportView, layout: Layout, reportFile: string | undefined): string {
  const all = reportFile === undefined ? [] : ['  all details: probity show REPORT --verbose'];
  const own = times(view, layout.width);
  return [...totalLines(view, layout, reportFile, MAX_FUNCTIONS, own), ...all].join('\n');
}

const MAX_TIMES = 4;

/** The typical and the slow answers of the operations and of the slowest functions. */
function times({ measured }: ReportView, width: number): readonly string[] {
  if (measured.length === 0) return [];
  const sorted = slowestFirst(measured);
  const shown = sorted.slice(0, MAX_TIMES).map((one) => {
    const name = one.function ?? one.label;
    const slow = slowOf(one);
    if (slow === null && one.p50Ms === undefined) return `${name} ${callWords(one)}`;
    const doubt = doubtWords(one) === '' ? '' : ' (unreliable)';
    const typical = one.p50Ms === undefined ? '–' : inBrief(one.p50Ms);
    return `${name} ${typical} / ${slow === null ? '–' : `${slow.name === 'max' ? 'max ' : ''}${inBrief(slow.ms)}`}${doubt}`;
  });
  const rest = sorted.slice(MAX_TIMES);
  const unanswered = rest.filter((one) => slowOf(one) === null).length;
  const more = [
    ...(rest.length > unanswered ? [`${rest.length - unanswered} faster`] : []),
    ...(unanswered > 0 ? [`${unanswered} without figures`] : []),
  ].join(', ');
  const text = `${shown.join(', ')}${more === '' ? '' : `, and ${more}`}`;
  return indented(wrap(`response times in ms, p50 / p95: ${text}`, width - 2));
}
