import { setTimeout as delay } from 'node:timers/promises';
import { type Members, type NaturalFunction, Refused } from '../natural-server.ts';
import { natural } from '../serve-natural.ts';
import { flag, integer, object, text } from '../shapes.ts';

/* Functions that create something and answer two calls at the same moment differently than two calls in a row. */

const STATEMENT_MS = 20;

const deleting = (name: string, all: Map<string, unknown>): NaturalFunction => ({
  name,
  description: 'Deletes it for good.',
  parameters: object({ id: text('Identifier') }),
  returns: object({ deleted: flag('Always true.') }),
  run: ({ id }: { id: string }) => {
    if (!all.delete(id)) throw new Refused('NOT_FOUND', 'There is no such entry.', 404);
    return { deleted: true };
  },
});

export const uniqueNames = natural({
  name: 'unique-names',
  description: 'Accounts with names of which each is given once.',
  changes: ['registerAccount', 'deleteAccount'],
  undecided: ['deleteAccount'],
  once: ['registerAccount'],
  open: () => {
    const all = new Map<string, Members>();
    const names = new Set<string>();
    return [
      {
        name: 'registerAccount',
        description: 'Registers an account under a name that nobody has.',
        parameters: object({ name: text('Name of the account'), city: text('Where its owner lives') }),
        returns: object({ id: text('Identifier.'), name: text('Name.'), position: integer('In the queue.') }),
        examples: [{ name: 'Ada Lovelace', city: 'London' }],
        run: async ({ name, city }: { name: string; city: string }) => {
          if (names.has(name)) throw new Refused('TAKEN', `"${name}" is taken.`, 409);
          names.add(name);
          const account = { id: `account-${names.size}`, name, city, position: names.size };
          await delay(STATEMENT_MS);
          all.set(account.id, account);
          return { ...account };
        },
      },
      deleting('deleteAccount', all),
    ];
  },
});

export const onePerCity = natural({
  name: 'one-per-city',
  description: 'Delivery tours, of which each city has one: another call returns the tour that exists.',
  changes: ['createTour'],
  open: () => {
    const all = new Map<string, Members>();
    return [
      {
        name: 'createTour',
        description: 'Creates the tour of a city, or returns it.',
        parameters: object({
          city: text('City', { enum: ['Oslo', 'Bergen', 'Tromsø'] }),
          driver: text('Who drives, if the tour is new'),
        }),
        returns: object({ id: text('Identifier.'), city: text('City.'), driver: text('Who drives.') }),
        examples: [{ city: 'Oslo', driver: 'Kari Nordmann' }],
        run: async ({ city, driver }: { city: string; driver: string }) => {
          const tour = all.get(city) ?? { id: `tour-${all.size + 1}`, city, driver };
          all.set(city, tour);
          await delay(STATEMENT_MS);
          return { ...tour };
        },
      },
    ];
  },
});

/** Two calls that are answered together belong to one parcel; calls in a row do not. */
export const sharedParcels = natural({
  name: 'shared-parcels',
  description: 'Sends letters: those of the same moment travel in one parcel.',
  changes: ['addLetter'],
  open: () => {
    let open: { readonly id: string; readonly sender: string } | undefined;
    let count = 0;
    return [
      {
        name: 'addLetter',
        description: 'Adds a letter to the open parcel, or opens one.',
        parameters: object({ sender: text('Who writes'), text: text('What is in it') }),
        returns: object({ parcelId: text('Identifier of the parcel.'), openedBy: text('Its first sender.') }),
        examples: [{ sender: 'Ola Nordmann', text: 'Greetings' }],
        run: async ({ sender }: { sender: string }) => {
          if (open === undefined) count += 1;
          const parcel = open ?? { id: `parcel-${count}`, sender };
          open = parcel;
          await delay(STATEMENT_MS);
          open = undefined;
          return { parcelId: parcel.id, openedBy: parcel.sender };
        },
      },
    ];
  },
});

function printing(busy: (owner: string) => Members): () => readonly NaturalFunction[] {
  return () => {
    let owner: string | undefined;
    let count = 0;
    return [
      {
        name: 'submitJob',
        description: 'Submits a job, unless another one is being submitted.',
        parameters: object({ owner: text('Whose job'), pages: integer('How many', { minimum: 1 }) }),
        returns: object({ jobId: text('Identifier.'), owner: text('Whose.'), state: text('State.') }),
        examples: [{ owner: 'Ada Lovelace', pages: 3 }],
        run: async ({ owner: given }: { owner: string }) => {
          if (owner !== undefined) return busy(owner);
          owner = given;
          await delay(STATEMENT_MS);
          owner = undefined;
          count += 1;
          return { jobId: `job-${count}`, owner: given, state: 'accepted' };
        },
      },
    ];
  };
}

export const lockedPrinter = natural({
  name: 'locked-printer',
  description: 'A printer that takes one job at a time and refuses the next.',
  changes: ['submitJob'],
  open: printing((owner) => {
    throw new Refused('LOCKED', `owner: ${owner}`, 409);
  }),
});

export const busyPrinter = natural({
  name: 'busy-printer',
  description: 'A printer that names the owner of the job that it is taking.',
  changes: ['submitJob'],
  open: printing((owner) => ({ jobId: 'none', owner, state: 'busy' })),
});

export const latestHeadline = natural({
  name: 'latest-headline',
  description: 'A board that shows the latest headline to everybody.',
  changes: ['postHeadline'],
  open: () => {
    let latest = '';
    let count = 0;
    return [
      {
        name: 'postHeadline',
        description: 'Posts a headline and returns what the board shows.',
        parameters: object({ headline: text('A line') }),
        returns: object({ number: integer('Of the board.'), latestHeadline: text('What it shows.') }),
        examples: [{ headline: 'Ice on the fjord' }],
        run: async ({ headline }: { headline: string }) => {
          latest = headline;
          count += 1;
          const number = count;
          await delay(STATEMENT_MS);
          return { number, latestHeadline: latest };
        },
      },
    ];
  },
});
