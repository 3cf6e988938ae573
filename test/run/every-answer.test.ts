import { afterEach, describe, expect, it } from 'vitest';
import type { ReportedFinding } from '../../src/model/judgement.ts';
import type { Form } from '../../src/model/requirement.ts';
import { checkHere } from '../check/check-here.ts';
import { type NaturalFunction, Refused, type RunningServer } from '../natural/natural-server.ts';
import { type Craft, careful, serveNatural } from '../natural/serve-natural.ts';
import { integer, object, text } from '../natural/shapes.ts';
import { PATIENT } from '../patience.ts';

let server: RunningServer | null = null;
afterEach(async () => {
  await server?.close();
  server = null;
});

interface Setting {
  readonly form?: Form;
  readonly only?: readonly string[];
  readonly craft?: Craft;
}

async function failed(
  functions: readonly NaturalFunction[],
  { form = 'B', only = [], craft = careful }: Setting = {},
): Promise<readonly ReportedFinding[]> {
  server = await serveNatural(
    { name: 'desk', version: '1.0.0', description: 'A desk.', functions },
    form,
    undefined,
    craft,
  );
  const { findings } = await checkHere(
    server.url,
    { seed: 3, latency: { off: true }, only: [...only], ...PATIENT },
    { signal: new AbortController().signal },
  );
  return findings.filter(({ outcome, level }) => outcome === 'failed' && level === 'MUST');
}

const upper: NaturalFunction = {
  name: 'upper',
  description: 'Returns the text in capitals.',
  parameters: object({ text: text('Text') }),
  returns: object({ text: text('The text in capitals') }),
  run: ({ text: given }: { text: string }) => ({ text: given.toUpperCase() }),
};

/** `answer` gets the number of the deletion that succeeds, from 1. */
function desk(answer: (count: number) => Record<string, unknown>): readonly NaturalFunction[] {
  const titles = new Map<number, string>();
  let deleted = 0;
  return [
    {
      name: 'create_ticket',
      description: 'Creates a ticket.',
      parameters: object({ title: text('Title') }),
      returns: object({ id: integer('Id') }),
      run: ({ title }: { title: string }) => {
        const id = 500 + titles.size;
        titles.set(id, title);
        return { id };
      },
    },
    {
      name: 'delete_ticket',
      description: 'Deletes a ticket.',
      parameters: object({ ticketId: integer('Id of the ticket') }),
      returns: object({ deleted: { type: 'boolean' } }),
      run: ({ ticketId }: { ticketId: number }) => {
        if (titles.get(ticketId) === undefined) throw new Refused('NOT_FOUND', 'No such ticket', 404);
        titles.set(ticketId, '');
        deleted += 1;
        return answer(deleted);
      },
    },
  ];
}

describe('calls that delete what the run created', () => {
  it('are judged by what returns declares', async () => {
    const findings = await failed(desk((count) => ({ deleted: count > 1 ? 'yes' : true })));
    expect(findings).toMatchObject([{ id: 'execute/result-matches-returns', subject: 'delete_ticket' }]);
    expect(findings[0]?.where.exchange).toContain('%removed');
  });

  it('may not crash', async () => {
    const findings = await failed(
      desk((count) => {
        if (count > 1) throw new Refused('OOPS', 'It broke', 500);
        return { deleted: true };
      }),
    );
    expect(findings).toMatchObject([{ id: 'inputs/valid-answered', subject: 'delete_ticket' }]);
    expect(findings[0]?.where.exchange).toContain('%removed');
  });

  it('give no finding if they succeed', async () => {
    expect(await failed(desk(() => ({ deleted: true })))).toEqual([]);
  });
});

describe('a function that fails for its first, generated input', () => {
  const failing = (status: number, code: string): readonly NaturalFunction[] => [
    upper,
    {
      ...upper,
      name: 'get_weather',
      run: () => {
        throw new Refused(code, 'Cannot read properties of undefined', status);
      },
    },
  ];

  it('is found if it crashes', async () => {
    const findings = await failed(failing(500, 'INTERNAL_ERROR'));
    expect(findings).toMatchObject([{ id: 'inputs/valid-answered', subject: 'get_weather' }]);
  });

  it.each([
    [500, 'EXECUTION_ERROR'],
    [404, 'NOT_FOUND'],
  ])('is not blamed for %i and %s', async (status, code) => {
    expect(await failed(failing(status, code))).toEqual([]);
  });

  it('is not blamed in form A, where nothing declares what is valid', async () => {
    expect(await failed(failing(500, 'INTERNAL_ERROR'), { form: 'A' })).toEqual([]);
  });
});

describe('the envelope of an answer', () => {
  /** Changes the successful answers after so many. */
  const changing = (
    after: number,
    change: (body: Record<string, unknown>) => Record<string, unknown>,
  ): Craft => {
    let count = 0;
    return {
      ...careful,
      success: async (...given) => {
        const { status, body } = await careful.success(...given);
        count += 1;
        return { status, body: count > after && typeof body !== 'string' ? change(body) : body };
      },
    };
  };
  const functions = [upper, { ...upper, name: 'shout' }];
  const withoutTime = ({ executionTime: _, ...rest }: Record<string, unknown>) => rest;

  it.each([2, 10, 30])('is judged after %i good ones', async (after) => {
    const findings = await failed(functions, { craft: changing(after, withoutTime) });
    expect(new Set(findings.map(({ id }) => id))).toEqual(new Set(['execute/execution-time']));
  });

  it('gives one finding for each function if every answer is wrong', async () => {
    const findings = await failed(functions, { craft: changing(0, withoutTime) });
    expect(findings.map(({ id, subject }) => [id, subject])).toEqual([
      ['execute/execution-time', 'upper'],
      ['execute/execution-time', 'shout'],
    ]);
  });

  it('is judged too if only its row and one that needs more calls are selected', async () => {
    const only = ['execute/execution-time', 'execute/concurrent-isolation'];
    const findings = await failed(functions, { only, craft: changing(2, withoutTime) });
    expect(findings.map(({ id }) => id)).toContain('execute/execution-time');
  });
});
