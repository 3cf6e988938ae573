import { shorten } from '../../json/json.ts';
import { visible } from '../../json/visible.ts';
import type { ServerRecord } from '../../model/saved/server-record.ts';
import { counted } from '../view/words.ts';
import type { Look } from './layout.ts';
import { type Palette, PLAIN } from './layout.ts';

interface Place {
  readonly total: number;
  readonly offset: number;
  readonly hasNext: boolean;
}

type Row = Readonly<Record<(typeof COLUMNS)[number], string>>;
type Widths = Readonly<Record<(typeof COLUMNS)[number], number>>;

const COLUMNS = ['name', 'id', 'category', 'uptime', 'time', 'marks'] as const;
const HEADINGS = Object.fromEntries(COLUMNS.map((column) => [column, column.toUpperCase()])) as Row;
const GAP = '  ';
const MIN_NAME = 12;
const MIN_CATEGORY = 8;
const MAX_CHARACTERS = 100;
/** States without a mark: that of most servers, and that of servers whose figures are marked as claimed. */
const UNMARKED: readonly string[] = ['up', 'unknown'];

/** A page of search results: a table, or two lines for each server if its columns do not fit. Pure. */
export function renderSearch(servers: readonly ServerRecord[], place: Place, view: Look = {}): string {
  const { palette = PLAIN, columns = 80 } = view;
  const rows = servers.map(rowOf);
  const widths = widthsFor(rows, columns);
  const lines = widths === null ? rows.flatMap((row) => stacked(row, palette)) : table(rows, widths, palette);
  return `${[...(rows.length === 0 ? [] : [...lines, '']), ...placeWords(servers.length, place)].join('\n')}\n`;
}

function rowOf(server: ServerRecord): Row {
  const marks = [
    server.status === undefined || UNMARKED.includes(server.status) ? '' : server.status,
    server.audited ? 'audited' : '',
    server.openSource ? 'open source' : '',
    server.figures === 'claimed' ? 'figures claimed' : '',
  ];
  return {
    name: shorten(visible(server.name), MAX_CHARACTERS),
    id: shorten(visible(server.id), MAX_CHARACTERS),
    category: shorten(visible(server.category), MAX_CHARACTERS),
    // Rounded down, so that only 100 % is shown as 100 %.
    uptime: `${(Math.floor(server.uptime * 100) / 100).toFixed(2)} %`,
    time: `${server.responseTime < 10 ? server.responseTime.toFixed(1) : Math.round(server.responseTime)} ms`,
    marks: marks.filter((mark) => mark !== '').join(', '),
  };
}

function lengthOf(text: string): number {
  return [...text].length;
}

/**
 * Shortens name and category, but never the id, because other commands need it. Null if the columns still do not fit.
 */
function widthsFor(rows: readonly Row[], columns: number): Widths | null {
  const natural = Object.fromEntries(
    COLUMNS.map((column) => [column, Math.max(...[HEADINGS, ...rows].map((row) => lengthOf(row[column])))]),
  ) as Widths;
  const fixed =
    natural.id + natural.uptime + natural.time + natural.marks + GAP.length * (COLUMNS.length - 1);
  const left = columns - fixed;
  const name = Math.min(natural.name, Math.max(MIN_NAME, left - natural.category));
  const category = Math.min(natural.category, left - name);
  if (category < Math.min(MIN_CATEGORY, natural.category)) return null;
  return { ...natural, name, category };
}

function table(rows: readonly Row[], widths: Widths, { strong, faint }: Palette): readonly string[] {
  const line = (row: Row): string =>
    COLUMNS.map((column) => {
      const text = shorten(row[column], widths[column]);
      const space = ' '.repeat(widths[column] - lengthOf(text));
      return column === 'uptime' || column === 'time' ? `${space}${text}` : `${text}${space}`;
    })
      .join(GAP)
      .trimEnd();
  return [faint(line(HEADINGS)), ...rows.map((row) => strongStart(line(row), widths.name, strong))];
}

function strongStart(line: string, width: number, strong: Palette['strong']): string {
  const characters = [...line];
  return `${strong(characters.slice(0, width).join(''))}${characters.slice(width).join('')}`;
}

function stacked(row: Row, { strong }: Palette): readonly string[] {
  const facts = [row.category, row.uptime, row.time, row.marks].filter((fact) => fact !== '');
  return [`${strong(row.name)}${GAP}${row.id}`, `${GAP}${facts.join(GAP)}`];
}

function placeWords(shown: number, { total, offset, hasNext }: Place): readonly string[] {
  if (shown === 0)
    return [
      total === 0 ? 'No server matches.' : `No server matches at offset ${offset}; ${total} match in total.`,
    ];
  const next = offset + shown;
  const range = shown === 1 ? `Server ${next}` : `Servers ${offset + 1} to ${next}`;
  return [
    offset === 0 && !hasNext && shown === total ? `${counted(total, 'server')}.` : `${range} of ${total}.`,
    ...(hasNext ? [`Next page: --offset ${next}; all servers: --all`] : []),
  ];
}
