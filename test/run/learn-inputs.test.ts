import { randomUUID } from 'node:crypto';
import { afterEach, describe, expect, it } from 'vitest';
import type { CheckOptions } from '../../src/check/check-options.ts';
import { judgeReport } from '../../src/check/judge-report.ts';
import type { TestResult } from '../../src/model/report.ts';
import { checkUrl } from '../natural/check-natural.ts';
import { type NaturalFunction, Refused, type RunningServer } from '../natural/natural-server.ts';
import { serveNatural } from '../natural/serve-natural.ts';
import { flag, list, object, text } from '../natural/shapes.ts';

const running: RunningServer[] = [];
afterEach(async () => {
  for (const server of running.splice(0)) await server.close();
});

async function check(functions: readonly NaturalFunction[], options?: CheckOptions): Promise<TestResult> {
  const service = { name: 'notes', version: '1.0.0', description: 'Notes.', functions };
  const server = await serveNatural(service, 'B');
  running.push(server);
  return checkUrl(server.url, options);
}

interface Log {
  readonly created: string[];
  readonly deleted: string[];
}

/** Notes, of which one was there before. `without` leaves out functions. */
function notes({ created, deleted }: Log, without: readonly string[] = []): readonly NaturalFunction[] {
  const titles = new Map([['note-of-somebody', 'Tax return']]);
  const titleOf = (id: string): string => {
    const title = titles.get(id);
    if (title === undefined) throw new Refused('NOT_FOUND', `No note ${id}.`, 404);
    return title;
  };
  const id = { id: text('Identifier of the note') };
  const all: readonly NaturalFunction[] = [
    {
      name: 'createNote',
      description: 'Creates a note.',
      parameters: object({ title: text('Title') }),
      returns: object(id),
      run: ({ title }: { title: string }) => {
        const made = randomUUID();
        titles.set(made, title);
        created.push(made);
        return { id: made };
      },
    },
    {
      name: 'listNotes',
      description: 'Lists all notes.',
      parameters: object({}),
      returns: object({ notes: list(object(id), 'All notes.') }),
      run: () => ({ notes: [...titles.keys()].map((one) => ({ id: one })) }),
    },
    {
      name: 'getNote',
      description: 'Returns a note.',
      parameters: object(id),
      returns: object({ title: text('Title') }),
      run: ({ id: wanted }: { id: string }) => ({ title: titleOf(wanted) }),
    },
    {
      name: 'deleteNote',
      description: 'Deletes a note.',
      parameters: object(id),
      returns: object({ deleted: flag('Always true.') }),
      run: ({ id: wanted }: { id: string }) => {
        titleOf(wanted);
        titles.delete(wanted);
        deleted.push(wanted);
        return { deleted: true };
      },
    },
  ];
  return all.filter(({ name }) => !without.includes(name));
}

function undecidedFunctions({ findings }: TestResult): readonly (string | undefined)[] {
  return [
    ...new Set(findings.filter(({ outcome }) => outcome === 'undecided').map(({ where }) => where.function)),
  ];
}

describe('a function that refused a guessed id', () => {
  it('gets an id that another function returned, and the result says from where', async () => {
    const result = await check(notes({ created: [], deleted: [] }, ['deleteNote']));
    expect(result.verdict).toBe('pass');
    expect(result.facts.filter(({ name }) => name === 'learned-input').map(({ text: said }) => said)).toEqual(
      ['"getNote" accepted values of other calls: id from the result of "createNote" (/id)'],
    );
  });

  it('deletes only what the check created, each call another one', async () => {
    const log: Log = { created: [], deleted: [] };
    const result = await check(notes(log));
    expect(result.verdict).toBe('pass');
    expect(log.deleted.length).toBeGreaterThan(0);
    expect(new Set(log.deleted).size).toBe(log.deleted.length);
    expect(log.created).toEqual(expect.arrayContaining(log.deleted));
  });

  it('marks only what the check created, if only the parameter names what it takes', async () => {
    const marked: string[] = [];
    const invoices = new Map([['inv-1', 'open']]);
    const id = { invoiceId: text('Identifier') };
    const result = await check([
      {
        name: 'listInvoices',
        description: 'Lists all invoices.',
        parameters: object({}),
        returns: object({ invoices: list(object({ id: text('Identifier') }), 'All of them.') }),
        run: () => ({ invoices: [...invoices.keys()].map((one) => ({ id: one })) }),
      },
      {
        name: 'createInvoice',
        description: 'Creates an invoice.',
        parameters: object({ customer: text('Name') }),
        returns: object({ id: text('Identifier') }),
        run: () => {
          const made = randomUUID();
          invoices.set(made, 'open');
          return { id: made };
        },
      },
      {
        name: 'markPaid',
        description: 'Marks an invoice as paid.',
        parameters: object(id),
        returns: object({ status: text('The new status.') }),
        run: ({ invoiceId }: { invoiceId: string }) => {
          if (!invoices.has(invoiceId)) throw new Refused('NOT_FOUND', `No invoice ${invoiceId}.`, 404);
          marked.push(invoiceId);
          invoices.set(invoiceId, 'paid');
          return { status: 'paid' };
        },
      },
    ]);
    expect(result.verdict).toBe('pass');
    expect(marked.length).toBeGreaterThan(0);
    expect(invoices.get('inv-1')).toBe('open');
  });

  it('deletes nothing if the check can create nothing, and the finding names the function', async () => {
    const log: Log = { created: [], deleted: [] };
    const result = await check(notes(log, ['createNote']));
    expect(log.deleted).toEqual([]);
    expect(undecidedFunctions(result)).toEqual(['deleteNote']);
  });

  it('deletes nothing that existed before, even if creating returns it', async () => {
    const titles = new Map([['note-1', 'Tax return']]);
    const deleted: string[] = [];
    const note = { noteId: text('Identifier of the note') };
    await check([
      {
        name: 'createNote',
        description: 'Creates a note.',
        parameters: object({ title: text('Title') }),
        returns: object({ notes: list(object(note), 'All notes.') }),
        run: ({ title }: { title: string }) => {
          titles.set(randomUUID(), title);
          return { notes: [...titles.keys()].map((noteId) => ({ noteId })) };
        },
      },
      {
        name: 'deleteNote',
        description: 'Deletes a note.',
        parameters: object(note),
        returns: object({ deleted: flag('Always true.') }),
        run: ({ noteId }: { noteId: string }) => {
          if (!titles.delete(noteId)) throw new Refused('NOT_FOUND', `No note ${noteId}.`, 404);
          deleted.push(noteId);
          return { deleted: true };
        },
      },
    ]);
    expect(deleted).not.toContain('note-1');
  });

  it('gets what the configuration says', async () => {
    const log: Log = { created: [], deleted: [] };
    const producers = { deleteNote: { id: { from: 'listNotes', at: '$.notes[0].id' } } };
    await check(notes(log, ['createNote']), { producers });
    expect(log.deleted).toEqual(['note-of-somebody']);
  });
});

it('a saved report is judged to the same rows again', async () => {
  const result = await check(notes({ created: [], deleted: [] }));
  expect(await judgeReport(result)).toEqual(result);
});

it('a value that a later call removed is stored again', async () => {
  const values = new Map<string, string>();
  const key = text('Key');
  const result = await check([
    {
      name: 'put',
      description: 'Stores a value under a key.',
      parameters: object({ key, value: text('Value') }),
      returns: object({ replaced: flag('Whether it had a value.') }),
      run: ({ key: name, value }: { key: string; value: string }) => {
        const replaced = values.has(name);
        values.set(name, value);
        return { replaced };
      },
    },
    {
      name: 'remove',
      description: 'Removes a key.',
      parameters: object({ key }),
      returns: object({ removed: flag('Whether it had a value.') }),
      run: ({ key: name }: { key: string }) => ({ removed: values.delete(name) }),
    },
    {
      name: 'get',
      description: 'Reads the value of a key.',
      parameters: object({ key }),
      returns: object({ value: text('The value') }),
      run: ({ key: name }: { key: string }) => {
        const value = values.get(name);
        if (value === undefined) throw new Refused('NO_VALUE', `No value for ${name}.`, 404);
        return { value };
      },
    },
  ]);
  expect(result.verdict).toBe('pass');
});

it('what was just created is read again for a while', async () => {
  const readyAfter = new Map<string, number>();
  const result = await check([
    {
      name: 'submitJob',
      description: 'Submits a job.',
      parameters: object({ text: text('Text to print') }),
      returns: object({ jobId: text('Identifier of the job') }),
      run: () => {
        const jobId = randomUUID();
        readyAfter.set(jobId, 3);
        return { jobId };
      },
    },
    {
      name: 'fetchResult',
      description: 'Returns the result of a job.',
      parameters: object({ jobId: text('Identifier of the job') }),
      returns: object({ pages: text('Pages') }),
      run: ({ jobId }: { jobId: string }) => {
        const left = readyAfter.get(jobId) ?? 1000;
        readyAfter.set(jobId, left - 1);
        if (left > 0) throw new Refused('NOT_READY', 'Try again later.', 409);
        return { pages: 'one' };
      },
    },
  ]);
  expect(undecidedFunctions(result)).toEqual([]);
});
