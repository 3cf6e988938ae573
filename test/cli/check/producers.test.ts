import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import type { TestResult } from '../../../src/model/report.ts';
import { type NaturalFunction, Refused, type RunningServer } from '../../natural/natural-server.ts';
import { serveNatural } from '../../natural/serve-natural.ts';
import { flag, list, object, text } from '../../natural/shapes.ts';
import { emptyFolder, runCommand } from '../run-command.ts';

const running: RunningServer[] = [];
afterAll(async () => {
  for (const server of running.splice(0)) await server.close();
});

interface Log {
  readonly created: string[];
  readonly changed: string[];
  readonly deleted: string[];
  /** Calls of each function, including refused ones. */
  readonly calls: Map<string, number>;
}

const OF_OTHERS = ['booking-of-ann', 'booking-of-bob'];

/** Bookings, of which two are of others. No name shows that what is created is what can be cancelled. */
function bookings({ created, changed, deleted }: Log): readonly NaturalFunction[] {
  const states = new Map(OF_OTHERS.map((id) => [id, 'booked']));
  const known = (id: string): string => {
    if (!states.has(id)) throw new Refused('NOT_FOUND', `No booking ${id}.`, 404);
    return id;
  };
  const reference = { bookingId: text('The booking') };
  return [
    {
      name: 'create_booking',
      description: 'Books a room for a guest.',
      parameters: object({ room: text('The room', { enum: ['blue', 'red'] }), guest: text('Who comes') }),
      returns: object({ proof: text('To keep'), room: text('The room') }),
      run: ({ room, guest }: { room: string; guest: string }) => {
        if (!guest.includes(' ')) throw new Refused('INVALID_GUEST', 'A guest has two names.', 400);
        const id = `k${states.size}x${created.length}`;
        states.set(id, 'booked');
        created.push(id);
        return { proof: id, room };
      },
    },
    {
      name: 'list_bookings',
      description: 'Lists all bookings.',
      parameters: object({}),
      returns: object({ bookings: list(object({ bookingId: text('The booking') }), 'All of them.') }),
      run: () => ({ bookings: [...states.keys()].map((bookingId) => ({ bookingId })) }),
    },
    {
      name: 'cancel_booking',
      description: 'Cancels a booking.',
      parameters: object(reference),
      returns: object({ cancelled: flag('Always true.') }),
      run: ({ bookingId }: { bookingId: string }) => {
        states.set(known(bookingId), 'cancelled');
        changed.push(bookingId);
        return { cancelled: true };
      },
    },
    {
      name: 'delete_booking',
      description: 'Deletes a booking.',
      parameters: object(reference),
      returns: object({ deleted: flag('Always true.') }),
      run: ({ bookingId }: { bookingId: string }) => {
        states.delete(known(bookingId));
        deleted.push(bookingId);
        return { deleted: true };
      },
    },
  ];
}

async function checked(without: readonly string[] = []): Promise<{ result: TestResult; log: Log }> {
  const log: Log = { created: [], changed: [], deleted: [], calls: new Map() };
  const functions = bookings(log)
    .filter(({ name }) => !without.includes(name))
    .map((one) => ({
      ...one,
      run: (input: never) => {
        log.calls.set(one.name, (log.calls.get(one.name) ?? 0) + 1);
        return one.run(input);
      },
    }));
  const server = await serveNatural(
    { name: 'rooms', version: '1.0.0', description: 'Rooms.', functions },
    'B',
  );
  running.push(server);
  const cwd = emptyFolder();
  const producer = 'bookingId: { from: create_booking, at: $.proof }';
  const consumers = ['cancel_booking', 'delete_booking'].filter((name) => !without.includes(name));
  writeFileSync(
    path.join(cwd, 'probity.config.yaml'),
    [
      'config: v1',
      'samples:',
      '  create_booking: { input: { room: blue, guest: Ada Lovelace } }',
      'producers:',
      ...consumers.map((name) => `  ${name}: { ${producer} }`),
    ].join('\n'),
  );
  const args = ['check', server.url, '--no-latency', '--seed', '3', '--json', '--min-coverage', 'all'];
  const { code, stdout, stderr } = await runCommand(args, { cwd });
  const result = JSON.parse(stdout) as TestResult;
  expect([code, result.verdict, result.coverage?.notExercised], stderr).toEqual([0, 'pass', []]);
  return { result, log };
}

describe.concurrent('producers in the configuration', () => {
  it('give what was created to the functions that change and delete it, and to nothing of others', async () => {
    const { result, log } = await checked();
    expect(result.coverage).toMatchObject({ listed: 4, exercised: 4 });
    expect(log.changed.length).toBeGreaterThan(0);
    expect(log.deleted.length).toBeGreaterThan(0);
    expect(log.created).toEqual(expect.arrayContaining([...log.changed, ...log.deleted]));
    for (const name of ['create_booking', 'cancel_booking', 'delete_booking'])
      expect(log.calls.get(name), name).toBeLessThanOrEqual(10);
    expect(log.deleted.toSorted()).toEqual(log.created.toSorted());
  });

  it('reach the changing function where nothing deletes', async () => {
    const { result, log } = await checked(['delete_booking']);
    expect(result.coverage).toMatchObject({ listed: 3, exercised: 3 });
    expect(log.changed.length).toBeGreaterThan(0);
    expect(log.created).toEqual(expect.arrayContaining(log.changed));
    expect(log.calls.get('cancel_booking')).toBeLessThanOrEqual(10);
  });
});
