import { Refused } from '../natural-server.ts';
import { list, object, text } from '../shapes.ts';
import { readDay, refuseLastYear, writeDay } from './days.ts';
import { clockFace, wordLengths } from './neighbours.ts';
import { type PlantedInputBug, plantInput } from './plant-input.ts';
import { EXPRESS_PAGE, FASTIFY_BODY, NO_ANSWER } from './unhandled.ts';

const row = 'inputs/valid-answered';

export const crashesOnFormats: readonly PlantedInputBug[] = [
  plantInput({
    name: 'crash on the offset of a time zone',
    row,
    craft: EXPRESS_PAGE,
    smallest: { at: '1970-01-01T00:00:00+00:00' },
    beside: [clockFace],
    open: () => ({
      name: 'inUtc',
      description: 'Converts a time to UTC.',
      parameters: object({ at: text('Any time with its zone', { format: 'date-time' }) }),
      returns: object({ utc: text('The same time.', { pattern: 'Z$' }) }),
      examples: [{ at: '2026-03-29T01:30:00Z' }],
      run: ({ at }: { at: string }) => {
        if (Number.isNaN(Date.parse(at))) throw new Refused('INVALID_DATE', 'There is no such time.', 422);
        const [day = '', time = ''] = at.split('T');
        const [hours = 0, minutes = 0, seconds = 0] = time.slice(0, -1).split(':').map(Number);
        const midnightMs = Date.parse(`${day}T00:00:00Z`);
        return { utc: new Date(midnightMs + (hours * 3600 + minutes * 60 + seconds) * 1000).toISOString() };
      },
    }),
  }),
  plantInput({
    name: 'crash on the last day of a month',
    row,
    craft: FASTIFY_BODY,
    smallest: { day: '2000-01-31' },
    beside: [clockFace, wordLengths],
    open: () => ({
      name: 'monthLater',
      description: 'The same day of the next month, or the last day of it.',
      parameters: object({ day: text('Day of the calendar', { format: 'date' }) }),
      returns: object({ day: text('A month later.', { format: 'date' }) }),
      examples: [{ day: '2026-04-15' }],
      run: ({ day: given }: { day: string }) => {
        const { year, month, day } = readDay(given);
        refuseLastYear({ year, month, day });
        const later = writeDay({ year: month === 12 ? year + 1 : year, month: (month % 12) + 1, day });
        if (later === undefined) throw new RangeError('day is out of range for month');
        return { day: later };
      },
    }),
  }),
  plantInput({
    name: 'crash on an e-mail address with a plus',
    row,
    craft: NO_ANSWER,
    smallest: { email: '+@a.a' },
    open: () => ({
      name: 'mailboxOf',
      description: 'Looks up the parts of an e-mail address.',
      parameters: object({ email: text('E-mail address', { format: 'email' }) }),
      returns: object({ user: text('Before the at sign.'), domain: text('After it, in lower case.') }),
      examples: [{ email: 'grace.hopper@Navy.example' }],
      run: ({ email }: { email: string }) => {
        const [, user, domain] = /^([\w.]+)@(.+)$/.exec(email) as RegExpExecArray;
        return { user, domain: domain?.toLowerCase() };
      },
    }),
  }),
  plantInput({
    name: 'crash on a host name in capitals',
    row,
    craft: EXPRESS_PAGE,
    smallest: { host: 'A' },
    open: () => {
      const known = new Map<string, { readonly labels: readonly string[] }>();
      return {
        name: 'hostLabels',
        description: 'Labels of a host name in lower case, the top level first.',
        parameters: object({
          host: text('Host name', { pattern: '^[A-Za-z0-9-]+(\\.[A-Za-z0-9-]+)*$', maxLength: 253 }),
        }),
        returns: object({ labels: list({ type: 'string', pattern: '^[a-z0-9-]+$' }, 'Top level first.') }),
        examples: [{ host: 'docs.example.org' }],
        run: ({ host }: { host: string }) => {
          const lower = host.toLowerCase();
          known.set(lower, { labels: lower.split('.').toReversed() });
          const { labels } = known.get(host) as { labels: readonly string[] };
          return { labels };
        },
      };
    },
  }),
];
