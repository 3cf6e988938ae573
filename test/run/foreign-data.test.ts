import { afterAll, describe, expect, it } from 'vitest';
import type { TestResult } from '../../src/model/report.ts';
import { checkHere } from '../check/check-here.ts';
import {
  type Members,
  type NaturalFunction,
  Refused,
  type RunningServer,
} from '../natural/natural-server.ts';
import { serveNatural } from '../natural/serve-natural.ts';
import { flag, integer, list, object, text } from '../natural/shapes.ts';
import { PATIENT } from '../patience.ts';

const running: RunningServer[] = [];
afterAll(async () => {
  for (const server of running.splice(0)) await server.close();
});

type Input = Readonly<Record<string, unknown>>;
type Options = Partial<Parameters<typeof checkHere>[1]>;

/** Things of others have the ids from 1 to 60, those that the check creates the ids from 101. */
class Things {
  readonly calls: (readonly [functionName: string, input: Input])[] = [];
  readonly touched: string[] = [];
  readonly #own = new Set<number>();

  creating(name: string): NaturalFunction {
    return this.#logged({
      name,
      description: 'Creates a thing.',
      parameters: object({ label: text('Label') }),
      returns: object({ id: integer('Its number.') }),
      run: () => {
        const id = 101 + this.#own.size;
        this.#own.add(id);
        return { id };
      },
    });
  }

  changing(
    name: string,
    parameters: Members,
    idsOf: (input: Input) => unknown[],
    description = 'Does it.',
  ): NaturalFunction {
    return this.#logged({
      name,
      description,
      parameters,
      returns: object({ done: flag('Always true.') }),
      run: (input: Input) => {
        for (const id of idsOf(input).map(Number)) {
          if (id >= 1 && id <= 60) this.touched.push(`${name} ${id}`);
          else if (!this.#own.has(id)) throw new Refused('NOT_FOUND', 'There is no such thing.', 404);
        }
        return { done: true };
      },
    });
  }

  inputsOf(name: string): readonly Input[] {
    return this.calls.filter(([called]) => called === name).map(([, input]) => input);
  }

  #logged(one: NaturalFunction): NaturalFunction {
    return {
      ...one,
      run: (input: never) => {
        this.calls.push([one.name, input]);
        return one.run(input);
      },
    };
  }
}

async function check(functions: readonly NaturalFunction[], options: Options = {}): Promise<TestResult> {
  const service = { name: 'things', version: '1.0.0', description: 'Things.', functions };
  const server = await serveNatural(service, 'B');
  running.push(server);
  const signal = new AbortController().signal;
  return await checkHere(server.url, { seed: 3, latency: { off: true }, ...PATIENT, ...options }, { signal });
}

describe.concurrent('a check without samples', () => {
  const id = (name: string) => (input: Input) => [input[name]];
  const row = (input: Input) => [(input.row as Input).id];
  it.each<[string, Members, (input: Input) => unknown[], string?]>([
    ['cancel_order', object({ orderId: integer('Order') }), id('orderId')],
    ['ban_user', object({ userId: integer('User', { minimum: 1 }) }), id('userId')],
    ['user_purge', object({ id: integer('User') }), id('id')],
    ['order_close', object({ orderId: integer('Order') }), id('orderId')],
    ['file_sweep', object({ fileId: integer('File', { minimum: 1, maximum: 1000 }) }), id('fileId')],
    [
      'delete_orders',
      object({ ids: list({ type: 'integer' }, 'Orders', { minItems: 1 }) }),
      ({ ids }) => ids as [number],
    ],
    ['delete_row', object({ row: object({ id: integer('Row') }) }), row],
    ['delete_ticket', object({ ticketNumber: text('Ticket', { pattern: '^[0-9]+$' }) }), id('ticketNumber')],
    ['remove_seat', object({ seat: integer('Which one') }), id('seat')],
    ['rename_room', object({ roomId: integer('Room'), title: text('New one') }), id('roomId')],
    ['end_it', object({ caseId: integer('Case') }), id('caseId'), 'Closes a case.'],
  ])('reaches no thing of others with %s', async (name, parameters, idsOf, description) => {
    const things = new Things();
    await check([things.changing(name, parameters, idsOf, description)]);
    expect(things.inputsOf(name).length).toBeGreaterThan(0);
    expect(things.touched).toEqual([]);
  });

  it.each(['cancel_booking', 'booking_delete', 'update_booking'])(
    'gives %s what it created before any guess',
    async (name) => {
      const things = new Things();
      const { coverage } = await check([
        things.changing(name, object({ bookingId: integer('Booking', { maximum: 200 }) }), id('bookingId')),
        things.creating('create_booking'),
      ]);
      expect(coverage).toMatchObject({ listed: 2, exercised: 2 });
      expect(things.touched).toEqual([]);
      expect(things.inputsOf(name)[0]?.bookingId).toBeGreaterThan(100);
      expect(things.inputsOf(name)[0]?.bookingId).toBeLessThan(120);
    },
  );

  it('tries the guess where nothing that it created is accepted', async () => {
    const things = new Things();
    await check([
      things.changing('cancel_booking', object({ bookingCode: text('Code') }), () => [1000]),
      things.creating('create_booking'),
    ]);
    expect(things.inputsOf('cancel_booking')[0]).toEqual({ bookingCode: 'probity' });
  });
});

const AT_LARGE: readonly (readonly [string, Members])[] = [
  ['delete_logs', object({ olderThanDays: integer('Days', { minimum: 0 }) })],
  ['delete_notes', object({ tag: text('Tag') }, ['tag'])],
  ['purge_orders', object({ state: text('State', { enum: ['open', 'closed'] }) })],
  ['log_wipe', object({ before: text('Day', { format: 'date' }) })],
];

describe.concurrent('a function that removes whatever there is', () => {
  it.each(AT_LARGE)('%s is not exercised, with the reason', async (name, parameters) => {
    const things = new Things();
    const { coverage } = await check([
      things.changing(name, parameters, () => []),
      things.creating('create_order'),
    ]);
    expect(things.inputsOf(name)).toEqual([]);
    expect(coverage?.notExercised).toEqual([
      {
        function: name,
        why: `"${name}" is not called without an input of yours: it removes, and no required parameter says what`,
        remedy: `Add an example to the descriptor, or an input under samples: "${name}" in probity.config.yaml.`,
      },
    ]);
  });

  it.each<[string, Options]>([
    ['a sample', { samples: { delete_logs: [{ input: { olderThanDays: 30 } }] } }],
    ['a permission', { mutating: { allow: ['delete_logs'] } }],
  ])('is called with %s', async (_, options) => {
    const things = new Things();
    const [name, parameters] = AT_LARGE[0] ?? ['', {}];
    const { coverage } = await check([things.changing(name, parameters, () => [])], options);
    expect(things.inputsOf(name).length).toBeGreaterThan(0);
    expect(coverage?.notExercised).toEqual([]);
  });
});

describe.concurrent('a setter whose words say nothing', () => {
  it('is called up to ten times if it refuses another id, also if calls are timed', async () => {
    const roles = new Map([[1, 'user']]);
    let calls = 0;
    const memberRole: NaturalFunction = {
      name: 'member_role',
      description: 'New role for a member.',
      parameters: object({
        memberId: integer('Member'),
        role: text('Role', { enum: ['admin', 'user'] }),
      }),
      returns: object({ memberId: integer('Member'), role: text('Role') }),
      run: ({ memberId, role }: { memberId: number; role: string }) => {
        calls += 1;
        if (!roles.has(memberId)) throw new Refused('NOT_FOUND', 'No such member.', 404);
        roles.set(memberId, role);
        return { memberId, role };
      },
    };
    await check([memberRole], { latency: {} });
    expect(calls).toBeGreaterThan(1);
    expect(calls).toBeLessThanOrEqual(10);
  });
});
