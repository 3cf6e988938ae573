import { groupedBy } from '../../text/grouped-by.ts';
import {
  type ChangePart,
  type ChangeView,
  type DiffView,
  OTHERS_TITLE,
  TIMES_TITLE,
} from '../view/diff-view.ts';
import { counted } from '../view/words.ts';
import { code, MARKS, plain, within } from './markdown-text.ts';

/** For a comment on a pull request, which holds up to 65,536 characters. Pure. */
export function renderDiffMarkdown(view: DiffView): string {
  const blocks = view.isSame ? [heading(view)] : [heading(view), others(view), ...groups(view), times(view)];
  return `${blocks.filter((block) => block !== '').join('\n\n')}\n`;
}

const MAX_LIST_CHARACTERS = 6000;
/** There are up to four open groups and five folded ones. */
const MAX_GROUP_CHARACTERS = 8000;
const MAX_FOLDED_CHARACTERS = 3000;
const MAX_PARTS_EACH = 3;

function heading({ mark, word, words, url, otherTarget, sides }: DiffView): string {
  return [
    `## ${MARKS[mark]}Probity diff: ${word}`,
    '',
    `${code(url)}, ${code(sides)}. ${plain(words)}`,
    ...(otherTarget === '' ? [] : ['', code(otherTarget)]),
  ].join('\n');
}

function others({ others: all }: DiffView): string {
  const lines = all.flatMap(({ title, lines: own }) => own.map((line) => `- ${title}: ${code(line)}`));
  return list(OTHERS_TITLE, lines);
}

function groups({ changes, counted: what }: DiffView): readonly string[] {
  return [...groupedBy(changes, ({ label }) => label)].map(([label, own]) => {
    const lines = own.map(changeLines);
    const title = label.charAt(0).toUpperCase() + label.slice(1).toLowerCase();
    return own[0]?.tone === 'faint'
      ? [
          `<details><summary>${title}: ${counted(own.length, what)}</summary>`,
          '',
          ...fitting(lines, MAX_FOLDED_CHARACTERS),
          '',
          '</details>',
        ].join('\n')
      : list(title, lines, MAX_GROUP_CHARACTERS);
  });
}

function changeLines({ name, words, note, parts }: ChangeView): string {
  const rest = parts.length - MAX_PARTS_EACH;
  const about = [words, note].filter((part) => part !== '').map(plain);
  return [
    `- ${code(name)}: ${about.join(', ')}`,
    ...parts.slice(0, MAX_PARTS_EACH).flatMap(partLines),
    ...(rest > 0 ? [`  - and ${counted(rest, 'more finding')}`] : []),
  ].join('\n');
}

function partLines({ side, sentence, expected, received, fix }: ChangePart): readonly string[] {
  return [
    `  - ${side === '' ? '' : `${side}: `}${code(sentence)}`,
    ...(side === '' ? [`    - expected ${code(expected)}`] : []),
    `    - received ${code(received)}`,
    ...(side === 'before' || fix === '' ? [] : [`    - fix: ${plain(fix)}`]),
  ];
}

function times({ times: moved, timeNotes }: DiffView): string {
  const lines = [
    ...moved.map(({ label, name, words }) => `- ${label.toLowerCase()}: ${code(name)}, ${words}`),
    ...timeNotes.map((note) => `- ${code(note)}`),
  ];
  return list(TIMES_TITLE, lines);
}

/** Nothing without a line. */
function list(title: string, lines: readonly string[], maxCharacters = MAX_LIST_CHARACTERS): string {
  if (lines.length === 0) return '';
  return [`### ${title}`, '', ...fitting(lines, maxCharacters)].join('\n');
}

function fitting(lines: readonly string[], maxCharacters: number): readonly string[] {
  return within(lines, maxCharacters, (rest) => `- and ${rest} more; \`--format json\` has all`);
}
