import { afterEach, describe, expect, it } from 'vitest';
import type { CheckOptions } from '../../src/check/check-options.ts';
import type { TestResult } from '../../src/model/report.ts';
import { exploringWith } from '../../src/run/steps/exploring-settings.ts';
import { checkHere } from '../check/check-here.ts';
import { type NaturalFunction, Refused, type RunningServer } from '../natural/natural-server.ts';
import { serveNatural } from '../natural/serve-natural.ts';
import { list, object, text } from '../natural/shapes.ts';
import { PATIENT } from '../patience.ts';

let server: RunningServer | null = null;
afterEach(async () => {
  await server?.close();
  server = null;
});

interface Shelf {
  readonly titles: Map<string, string>;
  readonly functions: readonly NaturalFunction[];
}

/** With a book of somebody else. */
function shelf(): Shelf {
  const titles = new Map([['book-of-others', 'Walden']]);
  const bookId = text('Identifier that addBook returned');
  let count = 0;
  const known = (id: string): string => {
    const title = titles.get(id);
    if (title === undefined) throw new Refused('NOT_FOUND', `There is no book ${id}`);
    return title;
  };
  return {
    titles,
    functions: [
      {
        name: 'addBook',
        description: 'Adds a book to the shelf.',
        parameters: object({ title: text('Title', { maxLength: 100 }) }),
        returns: object({ bookId }),
        examples: [{ title: 'Emma' }],
        run: ({ title }: { title: string }) => {
          count += 1;
          const id = `book-${count * 7919}`;
          titles.set(id, title);
          return { bookId: id };
        },
      },
      {
        name: 'getBook',
        description: 'Returns the title of a book.',
        parameters: object({ bookId }),
        returns: object({ title: text('Title') }),
        run: ({ bookId: id }: { bookId: string }) => ({ title: known(id) }),
      },
      {
        name: 'listBooks',
        description: 'Lists all books.',
        parameters: object({}),
        returns: object({ books: list(object({ bookId }), 'Books.') }),
        run: () => ({ books: [...titles.keys()].map((id) => ({ bookId: id })) }),
      },
      {
        name: 'deleteBook',
        description: 'Deletes a book.',
        parameters: object({ bookId }),
        returns: object({ title: text('Title') }),
        run: ({ bookId: id }: { bookId: string }) => {
          const title = known(id);
          titles.delete(id);
          return { title };
        },
      },
    ],
  };
}

async function check(functions: readonly NaturalFunction[], options: CheckOptions = {}): Promise<TestResult> {
  const service = { name: 'shelf', version: '1.0.0', description: 'A shelf.', functions };
  server = await serveNatural(service, 'B');
  return checkHere(
    server.url,
    { seed: 7, latency: { off: true }, ...PATIENT, ...options },
    { signal: new AbortController().signal },
  );
}

function factOf({ facts }: TestResult): string | undefined {
  return facts.find(({ name }) => name === 'created')?.text;
}

const FUZZING: CheckOptions = {
  only: ['inputs/*'],
  mutating: { default: 'allow' },
  exploring: exploringWith(40),
  requestsPerSecond: 10_000,
};

describe('what a run creates', () => {
  it('is deleted at the end, and nothing else is', async () => {
    const { titles, functions } = shelf();
    const result = await check(functions, FUZZING);
    expect([...titles.keys()]).toEqual(['book-of-others']);
    expect(factOf(result)).toMatch(/^(\d+) of \1 things that calls created were deleted with "deleteBook"$/);
  });

  it('is deleted within the limit of calls of a check, and the rest is counted', async () => {
    const { titles, functions } = shelf();
    const result = await check(functions);
    const calls = result.exchanges.filter(({ request }) => request.key.includes('[deleteBook]'));
    expect(calls.length).toBeLessThanOrEqual(10);
    const [, removed, created] = /^(\d+) of (\d+) things/.exec(factOf(result) ?? '') ?? [];
    // One of somebody else, and the one of the example, which could be.
    expect(titles.size).toBe(2 + Number(created) - Number(removed));
    expect(titles.has('book-of-others')).toBe(true);
  });

  it('stays if its input may be that of somebody else', async () => {
    const { titles, functions } = shelf();
    // "Emma" is the example.
    titles.set('emma-of-others', 'Emma');
    const [add, ...others] = functions as readonly [NaturalFunction, ...NaturalFunction[]];
    const addOrReturn: NaturalFunction = {
      ...add,
      run: (input: { title: string }) => {
        const known = [...titles].find(([, title]) => title === input.title);
        return known === undefined ? add.run(input as never) : { bookId: known[0] };
      },
    };
    await check([addOrReturn, ...others.filter(({ name }) => name !== 'listBooks')]);
    expect([...titles.keys()]).toEqual(expect.arrayContaining(['book-of-others', 'emma-of-others']));
  });

  it('stays where nothing deletes', async () => {
    const { titles, functions } = shelf();
    const result = await check(functions.slice(0, 3));
    expect(titles.size).toBeGreaterThan(1);
    expect(factOf(result)).toBeUndefined();
  });
});
