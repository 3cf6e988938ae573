import { afterEach, expect, it } from 'vitest';
import { checkUrl } from '../natural/check-natural.ts';
import { type NaturalFunction, Refused, type RunningServer } from '../natural/natural-server.ts';
import { serveNatural } from '../natural/serve-natural.ts';
import { object, text } from '../natural/shapes.ts';

const running: RunningServer[] = [];
afterEach(async () => {
  for (const server of running.splice(0)) await server.close();
});

/** Later than the call of every function that is sent at the same time. */
const ANSWERED_AFTER_MS = 5;

function getter(name: string, end: (title: string) => unknown): NaturalFunction {
  const title = { title: text('Title') };
  return {
    name,
    description: 'Returns a note.',
    parameters: object(title),
    returns: object(title),
    run: async ({ title: given }: { title: string }) => {
      await new Promise((resolve) => setTimeout(resolve, ANSWERED_AFTER_MS));
      await end(given);
      return { title: given };
    },
  };
}

it('an input that ends the server is blamed on its function alone', async () => {
  const isDeadly = (title: string): boolean => title === '😀';
  const functions = [
    getter('getNoteA', () => undefined),
    getter('getNoteB', (title) => (isDeadly(title) ? running[0]?.close() : undefined)),
    getter('getNoteC', () => undefined),
    getter('getNoteD', () => undefined),
    getter('getNoteE', () => undefined),
  ];
  const service = { name: 'notes', version: '1.0.0', description: 'Notes.', functions };
  const server = await serveNatural(service, 'B');
  running.push(server);
  const { findings, verdict } = await checkUrl(server.url, { only: ['inputs/*'] });
  const failed = findings.filter(({ outcome }) => outcome === 'failed');
  expect(verdict).toBe('fail');
  expect(failed.map(({ id, where }) => `${id} ${where.function}`)).toEqual([
    'inputs/valid-answered getNoteB',
  ]);
});

const LONGEST_ANSWERED = 59;

it('a duration that is not that of the call is tried up to its declared maximum', async () => {
  const number = (description: string) => ({ type: 'integer', minimum: 1, maximum: 1440, description });
  const functions: NaturalFunction[] = [
    ['checkMeeting', 'Length of the meeting in minutes'],
    ['checkSleep', 'How long to sleep'],
  ].map(([name = '', description = '']) => ({
    name,
    description: 'Returns whether it fits.',
    parameters: object({ duration: number(description) }),
    returns: object({ fits: { type: 'boolean' } }),
    run: ({ duration }: { duration: number }) => {
      if (duration > LONGEST_ANSWERED) throw new Refused('INTERNAL_ERROR', 'not foreseen', 500);
      return { fits: true };
    },
  }));
  const server = await serveNatural(
    { name: 'calendar', version: '1.0.0', description: 'Meetings.', functions },
    'B',
  );
  running.push(server);
  const { findings, facts } = await checkUrl(server.url, { only: ['inputs/*'] });
  expect(
    findings.filter(({ outcome }) => outcome === 'failed').map(({ id, where }) => `${id} ${where.function}`),
  ).toEqual(['inputs/valid-answered checkMeeting']);
  expect(facts.find(({ name }) => name === 'explored')?.text).toMatch(
    /generated inputs; only short waits for duration of "checkSleep"$/,
  );
});
