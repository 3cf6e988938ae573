import { shorten } from '../json/json.ts';
import { visible } from '../json/visible.ts';
import type { TestResult } from '../model/report.ts';
import type { CauseView } from '../report/view/causes.ts';
import { type ReportView, reportView } from '../report/view/report-view.ts';
import { counted } from '../report/view/words.ts';

/** A message as Slack and compatible chats receive it; `text` is for notifications and for chats without blocks. */
export interface SlackMessage {
  readonly text: string;
  readonly blocks: readonly object[];
}

const MAX_CAUSES = 3;
/** Slack refuses texts over 3000 characters, and escaping makes five characters of one. */
const MAX_CAUSE_CHARACTERS = 180;
const MAX_HEADING_CHARACTERS = 500;

/** The verdict, what to fix first, and a link to the run, if it is known. Pure. */
export function slackMessage(result: TestResult, link: string | null): SlackMessage {
  const view = reportView(result);
  const heading = shorten(`${view.word} ${view.target.url}: ${view.words}`, MAX_HEADING_CHARACTERS);
  const causes = causeLines(view);
  const counts = view.counts.join(', ');
  const ending = link === null ? '' : `<${withoutEntities(encodeURI(visible(link)))}|Open the run>`;
  return {
    text: escaped(`probity: ${heading}`),
    blocks: [
      section(`*probity*: ${escaped(heading)}`),
      ...(causes.length === 0 ? [] : [section(causes.map((cause) => `• ${escaped(cause)}`).join('\n'))]),
      { type: 'context', elements: [markup([escaped(counts), ending].filter(Boolean).join(' · '))] },
    ],
  };
}

function causeLines({ causes, problems }: ReportView): readonly string[] {
  const all = [
    ...problems.map(({ name, message }) => shorten(`baseline, ${name}: ${message}`, MAX_CAUSE_CHARACTERS)),
    ...causes.map(causeLine),
  ];
  const shown = all.slice(0, MAX_CAUSES);
  const rest = all.length - shown.length;
  return rest === 0 ? shown : [...shown, `and ${counted(rest, 'more cause')}, in the report`];
}

function causeLine({ main: { level, id, word }, sentence, place, also }: CauseView): string {
  const where = place === '' ? '' : ` (${place})`;
  const others = also.length === 0 ? '' : `; also explains ${counted(also.length, 'requirement')}`;
  const words = `${level} ${id} (${word}): ${sentence}${where}`;
  return `${shorten(words, MAX_CAUSE_CHARACTERS - others.length)}${others}`;
}

function section(text: string): object {
  return { type: 'section', text: markup(text) };
}

/** `verbatim`: Slack makes no links or mentions of words. */
function markup(text: string): object {
  return { type: 'mrkdwn', text, verbatim: true };
}

/**
 * Slack requires the three characters to be escaped, and makes mentions, links and dates only of `<…>`. Other chats make
 * mentions of `@channel`, therefore an invisible character follows each `@`.
 */
function escaped(text: string): string {
  return withoutEntities(text)
    .replaceAll('@', '@\u2060')
    .replaceAll(/[*_~`]/g, (mark) => `\u2060${mark}\u2060`);
}

function withoutEntities(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}
