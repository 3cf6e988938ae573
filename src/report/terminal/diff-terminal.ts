import { record, requireArguments } from '../../model/arguments.ts';
import { groupedBy } from '../../text/grouped-by.ts';
import { RESULT_DIFF, type ResultDiff } from '../compare/diff-results.ts';
import {
  type ChangePart,
  type ChangeView,
  type DiffView,
  diffView,
  OTHERS_TITLE,
  TIMES_TITLE,
} from '../view/diff-view.ts';
import { counted } from '../view/words.ts';
import { hanging, wrap } from '../view/wrap.ts';
import { inBlocks, indented, type Layout, LOOK, type Look, layoutOf } from './layout.ts';

/** The differences between two results as plain text, readable at 80 columns and without colour. Pure. */
export function renderDiff(given: ResultDiff, options: Look = {}): string {
  requireArguments('renderDiff', { diff: given, options }, { diff: RESULT_DIFF, options: record(LOOK) });
  return diffText(diffView(given), options);
}

/** A comparison of results, or of contracts. */
export function diffText(view: DiffView, options: Look): string {
  const layout = layoutOf(options);
  if (view.isSame) return `${view.words}\n`;
  return inBlocks([
    heading(view, layout),
    others(view, layout),
    ...changes(view, layout),
    times(view, layout),
    conclusion(view, layout),
  ]);
}

function heading({ url, otherTarget, sides }: DiffView, { palette, width }: Layout): string {
  const other = otherTarget === '' ? [] : hanging(palette.doubtful(otherTarget), width);
  return [palette.strong(url), ...other, ...hanging(sides, width)].join('\n');
}

function others({ others: all }: DiffView, { width }: Layout): string {
  const groups = all.flatMap(({ title, lines }) => {
    const own = lines.flatMap((line) => hanging(line, width - 4));
    return [`  ${title}`, ...indented(own, 4)];
  });
  return groups.length === 0 ? '' : [`${OTHERS_TITLE}:`, ...groups].join('\n');
}

const MAX_CHANGES_EACH = 20;
const MAX_PARTS_EACH = 3;

function changes({ changes: all }: DiffView, layout: Layout): readonly string[] {
  return [...groupedBy(all, ({ label }) => label).values()].map((own) => {
    const rest = own.length - MAX_CHANGES_EACH;
    return [
      ...own.slice(0, MAX_CHANGES_EACH).map((change) => changeBlock(change, layout)),
      ...(rest > 0 ? [`and ${rest} more; --json has all`] : []),
    ].join('\n');
  });
}

function changeBlock(
  { label, tone, id, words, note, parts }: ChangeView,
  { palette, width }: Layout,
): string {
  const rest = parts.length - MAX_PARTS_EACH;
  return [
    `${palette[tone](label)}  ${palette.strong(id)}  ${words}`,
    ...indented([
      ...(note === '' ? [] : wrap(note, width - 2)),
      ...parts.slice(0, MAX_PARTS_EACH).flatMap((part) => partLines(part, width - 2)),
      ...(rest > 0 ? [`and ${counted(rest, 'more finding')}`] : []),
    ]),
  ].join('\n');
}

function partLines({ side, sentence, expected, received }: ChangePart, width: number): readonly string[] {
  if (side !== '') return wrap(`${side}: ${sentence}, received ${received}`, width);
  return [
    ...wrap(sentence, width),
    ...indented(hanging(`expected ${expected}`, width - 2)),
    ...indented(hanging(`received ${received}`, width - 2)),
  ];
}

function times({ times: moved, timeNotes }: DiffView, { palette, width }: Layout): string {
  if (moved.length + timeNotes.length === 0) return '';
  return [
    TIMES_TITLE,
    ...indented(moved.map(({ label, tone, name, words }) => `${palette[tone](label)}  ${name}  ${words}`)),
    ...indented(timeNotes.flatMap((note) => hanging(`- ${note}`, width - 2))),
  ].join('\n');
}

function conclusion({ isWorse, mark, words }: DiffView, { palette }: Layout): string {
  if (isWorse) return palette.bad(words);
  return mark === 'pass' ? palette.good(words) : words;
}
