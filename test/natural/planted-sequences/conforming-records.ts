import { randomBytes } from 'node:crypto';
import { Refused } from '../natural-server.ts';
import { flag, integer, list, object, text } from '../shapes.ts';
import { type ConformingStateful, conflict, conforming, counter, found } from './plant-sequence.ts';

const OPENING_CENTS = 1000;

const ticket = text('Random identifier', { pattern: '^[0-9a-f]{8}$' });

/** Results change their members, their length or their values with earlier calls. */
export const conformingRecords: readonly ConformingStateful[] = [
  conforming({
    name: 'next takes the first one of a queue',
    service: 'Waiting room.',
    open: () => {
      const waiting: { ticket: string; name: string }[] = [];
      return [
        {
          name: 'arrive',
          description: 'Joins the queue.',
          parameters: object({ name: text('Name', { maxLength: 60 }) }),
          returns: object({ ticket, waiting: integer('How many wait.', { minimum: 1 }) }),
          examples: [{ name: 'Ada King' }],
          run: ({ name }: { name: string }) => {
            const made = randomBytes(4).toString('hex');
            return { ticket: made, waiting: waiting.push({ ticket: made, name }) };
          },
        },
        {
          name: 'next',
          description: 'Calls the first one of the queue.',
          parameters: object({}),
          returns: object({ ticket, name: text('Name.') }),
          run: () => {
            const first = waiting.shift();
            if (first === undefined) throw new Refused('NOBODY_WAITS', 'The queue is empty', 404);
            return { ...first };
          },
        },
        {
          name: 'position',
          description: 'Place of a ticket in the queue.',
          parameters: object({ ticket }),
          returns: object({ position: integer('Starts at 1.', { minimum: 1 }) }),
          run: (input: { ticket: string }) => {
            const place = waiting.findIndex((one) => one.ticket === input.ticket);
            if (place === -1) throw new Refused('NOT_WAITING', 'The ticket is not in the queue', 404);
            return { position: place + 1 };
          },
        },
      ];
    },
  }),
  conforming({
    name: 'members appear only after an update',
    service: 'Tickets of a help desk.',
    open: () => {
      const tickets = new Map<string, { subject: string; assignee?: string; closedBy?: string }>();
      const whole = object(
        { subject: text('Subject.'), assignee: text('Who works on it.'), closedBy: text('Who closed it.') },
        ['assignee', 'closedBy'],
      );
      const person = text('Name of a person', { maxLength: 40 });
      return [
        {
          name: 'openTicket',
          description: 'Opens a ticket.',
          parameters: object({ subject: text('Subject', { maxLength: 100 }) }),
          returns: object({ ticket }),
          examples: [{ subject: 'The printer is out of paper' }],
          run: ({ subject }: { subject: string }) => {
            const made = randomBytes(4).toString('hex');
            tickets.set(made, { subject });
            return { ticket: made };
          },
        },
        {
          name: 'assignTicket',
          description: 'Names who works on a ticket.',
          parameters: object({ ticket, person }),
          returns: whole,
          run: (input: { ticket: string; person: string }) => {
            const known = found(tickets, input.ticket, 'ticket');
            if (known.closedBy !== undefined) throw conflict('The ticket is closed');
            known.assignee = input.person;
            return { ...known };
          },
        },
        {
          name: 'closeTicket',
          description: 'Closes a ticket. Somebody must have worked on it.',
          parameters: object({ ticket, person }),
          returns: whole,
          run: (input: { ticket: string; person: string }) => {
            const known = found(tickets, input.ticket, 'ticket');
            if (known.assignee === undefined) throw conflict('Assign the ticket first');
            known.closedBy ??= input.person;
            return { ...known };
          },
        },
        {
          name: 'getTicket',
          description: 'Returns a ticket.',
          parameters: object({ ticket }),
          returns: whole,
          run: (input: { ticket: string }) => ({ ...found(tickets, input.ticket, 'ticket') }),
        },
      ];
    },
  }),
  conforming({
    name: 'an account without enough money refuses a payment',
    service: 'Prepaid cards.',
    open: () => {
      const next = counter();
      const cards = new Map<string, { cents: number; isBlocked: boolean }>();
      const cardId = text('Identifier of the card', { pattern: '^card-\\d+$' });
      const balance = object({ cents: integer('Balance.', { minimum: 0 }) });
      return [
        {
          name: 'issueCard',
          description: 'Issues a card with ten euros.',
          parameters: object({}),
          returns: object({ cardId }),
          run: () => {
            const made = `card-${next()}`;
            cards.set(made, { cents: OPENING_CENTS, isBlocked: false });
            return { cardId: made };
          },
        },
        {
          name: 'pay',
          description: 'Pays with a card.',
          parameters: object({ cardId, cents: integer('Price', { minimum: 1, maximum: 2000 }) }),
          returns: balance,
          run: (input: { cardId: string; cents: number }) => {
            const card = found(cards, input.cardId, 'card');
            if (card.isBlocked) throw new Refused('CARD_BLOCKED', 'The card is blocked', 403);
            if (card.cents < input.cents) throw new Refused('TOO_LITTLE', 'There is not enough money', 402);
            card.cents -= input.cents;
            return { cents: card.cents };
          },
        },
        {
          name: 'blockCard',
          description: 'Blocks a card for ever. Its balance can still be read.',
          parameters: object({ cardId }),
          returns: object({ isBlocked: flag('Always true.') }),
          run: (input: { cardId: string }) => {
            found(cards, input.cardId, 'card').isBlocked = true;
            return { isBlocked: true };
          },
        },
        {
          name: 'balance',
          description: 'Balance of a card.',
          parameters: object({ cardId }),
          returns: balance,
          run: (input: { cardId: string }) => ({ cents: found(cards, input.cardId, 'card').cents }),
        },
      ];
    },
  }),
  conforming({
    name: 'categories in a deleted category move to the top',
    service: 'Tree of categories.',
    open: () => {
      const next = counter();
      const parents = new Map<number, number | null>();
      const id = integer('Number of a category', { minimum: 1 });
      const parent = { type: ['integer', 'null'], description: 'Null at the top.', minimum: 1 };
      return [
        {
          name: 'addCategory',
          description: 'Adds a category, at the top or in another.',
          parameters: object({ parentId: id }, ['parentId']),
          returns: object({ id, parentId: parent }),
          run: ({ parentId }: { parentId?: number }) => {
            if (parentId !== undefined) found(parents, parentId, 'category');
            const made = next();
            parents.set(made, parentId ?? null);
            return { id: made, parentId: parentId ?? null };
          },
        },
        {
          name: 'deleteCategory',
          description: 'Deletes a category. The categories in it move to the top.',
          parameters: object({ id }),
          returns: object({ movedIds: list(id, 'Categories that were moved.') }),
          run: (input: { id: number }) => {
            found(parents, input.id, 'category');
            parents.delete(input.id);
            const movedIds = [...parents].flatMap(([child, parentId]) =>
              parentId === input.id ? child : [],
            );
            for (const child of movedIds) parents.set(child, null);
            return { movedIds };
          },
        },
        {
          name: 'parentOf',
          description: 'The category that a category is in.',
          parameters: object({ id }),
          returns: object({ parentId: parent }),
          run: (input: { id: number }) => ({ parentId: found(parents, input.id, 'category') }),
        },
      ];
    },
  }),
];
