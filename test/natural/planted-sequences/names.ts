import { EXPRESS_PAGE, FASTIFY_BODY, NO_ANSWER, PROXY_PAGE } from '../planted-inputs/unhandled.ts';
import { flag, integer, list, object, text } from '../shapes.ts';
import { call, counter, found, type PlantedSequenceBug, plantSequence } from './plant-sequence.ts';

/** Two things have the same name, or one thing has the name of itself. */
export const names: readonly PlantedSequenceBug[] = [
  plantSequence({
    name: 'the second tag with the same name crashes',
    service: 'Tags of a photo collection.',
    craft: FASTIFY_BODY,
    smallest: [call('createTag', { name: '' }), call('createTag', { name: '' })],
    open: () => {
      const tags = new Map<string, string>();
      return [
        {
          name: 'createTag',
          description: 'Creates a tag.',
          parameters: object({ name: text('Name of the tag', { maxLength: 30 }), colour: text('Any') }, [
            'colour',
          ]),
          returns: object({ tags: integer('How many exist.', { minimum: 1 }) }),
          examples: [{ name: 'holiday', colour: 'teal' }],
          run: ({ name, colour = 'grey' }: { name: string; colour?: string }) => {
            if (tags.has(name)) throw new Error('UNIQUE constraint failed: tags.name');
            return { tags: tags.set(name, colour).size };
          },
        },
        {
          name: 'deleteTag',
          description: 'Deletes a tag by its name.',
          parameters: object({ name: text('Name of the tag') }),
          returns: object({ tags: integer('How many are left.', { minimum: 0 }) }),
          run: ({ name }: { name: string }) => {
            found(tags, name, 'tag');
            tags.delete(name);
            return { tags: tags.size };
          },
        },
        {
          name: 'listTags',
          description: 'Names of all tags.',
          parameters: object({}),
          returns: object({ names: list({ type: 'string' }, 'In order.') }),
          run: () => ({ names: [...tags.keys()].sort() }),
        },
      ];
    },
  }),
  plantSequence({
    name: 'renaming a key to itself crashes',
    service: 'Key-value store.',
    craft: PROXY_PAGE,
    smallest: [call('setKey', { key: '', value: '' }), call('renameKey', { from: '', to: '' })],
    open: () => {
      const values = new Map<string, string>();
      const key = text('Any text', { maxLength: 100 });
      return [
        {
          name: 'setKey',
          description: 'Writes a value, and replaces the one before.',
          parameters: object({ key, value: text('Value', { maxLength: 1000 }) }),
          returns: object({ isNew: flag('Whether the key did not exist.') }),
          examples: [{ key: 'theme', value: 'dark' }],
          run: (input: { key: string; value: string }) => {
            const isNew = !values.has(input.key);
            values.set(input.key, input.value);
            return { isNew };
          },
        },
        {
          name: 'getKey',
          description: 'Reads a value.',
          parameters: object({ key }),
          returns: object({ value: text('Value.') }),
          run: (input: { key: string }) => ({ value: found(values, input.key, 'value') }),
        },
        {
          name: 'renameKey',
          description: 'Gives a value another key. A value with that key is replaced.',
          parameters: object({ from: key, to: key }),
          returns: object({ key, bytes: integer('Length of the value.', { minimum: 0 }) }),
          run: ({ from, to }: { from: string; to: string }) => {
            values.set(to, found(values, from, 'value'));
            values.delete(from);
            return { key: to, bytes: Buffer.byteLength(values.get(to) as string) };
          },
        },
      ];
    },
  }),
  plantSequence({
    name: 'renaming a file to the name of another closes the connection',
    service: 'Small text files.',
    craft: NO_ANSWER,
    smallest: [
      call('writeFile', { path: 'a', content: '' }),
      call('writeFile', { path: 'b', content: '' }),
      call('renameFile', { path: 'a', newPath: 'b' }),
    ],
    open: () => {
      const files = new Map<string, string>();
      const path = text('Path of the file', { minLength: 1, maxLength: 200 });
      return [
        {
          name: 'writeFile',
          description: 'Writes a file, and replaces what it had.',
          parameters: object({ path, content: text('Whole content', { maxLength: 10_000 }) }),
          returns: object({ characters: integer('Length of the content.', { minimum: 0 }) }),
          examples: [{ path: 'todo.txt', content: 'call Ada' }],
          run: (input: { path: string; content: string }) => {
            files.set(input.path, input.content);
            return { characters: input.content.length };
          },
        },
        {
          name: 'readFile',
          description: 'Reads a file.',
          parameters: object({ path }),
          returns: object({ content: text('Whole content.') }),
          run: (input: { path: string }) => ({ content: found(files, input.path, 'file') }),
        },
        {
          name: 'renameFile',
          description: 'Gives a file another path.',
          parameters: object({ path, newPath: path }),
          returns: object({ path }),
          run: (input: { path: string; newPath: string }) => {
            const content = found(files, input.path, 'file');
            if (input.path === input.newPath) return { path: input.path };
            if (files.has(input.newPath)) throw new Error(`EEXIST: ${input.newPath}`);
            files.delete(input.path);
            files.set(input.newPath, content);
            return { path: input.newPath };
          },
        },
      ];
    },
  }),
  plantSequence({
    name: 'a guest without a name breaks the index',
    service: 'Guest list.',
    craft: EXPRESS_PAGE,
    smallest: [call('addGuest', { name: '' }), call('guestsByLetter')],
    open: () => {
      const guests: string[] = [];
      return [
        {
          name: 'addGuest',
          description: 'Adds a guest; without a name, somebody who comes along.',
          parameters: object({ name: text('Name, empty for company', { maxLength: 80 }) }),
          returns: object({ guests: integer('How many are invited.', { minimum: 1 }) }),
          examples: [{ name: 'Ada King' }],
          run: ({ name }: { name: string }) => ({ guests: guests.push(name) }),
        },
        {
          name: 'guestsByLetter',
          description: 'Number of guests by the first letter of their names.',
          parameters: object({}),
          returns: object({
            letters: list(object({ letter: text('Capital.'), guests: integer('How many.') }), 'In order.'),
          }),
          run: () => {
            const counts = new Map<string, number>();
            for (const name of guests) {
              const letter = ([...name][0] as string).toUpperCase();
              counts.set(letter, (counts.get(letter) ?? 0) + 1);
            }
            return { letters: [...counts].sort().map(([letter, count]) => ({ letter, guests: count })) };
          },
        },
      ];
    },
  }),
  plantSequence({
    name: 'merging a customer with the same customer crashes',
    service: 'Customers.',
    craft: FASTIFY_BODY,
    smallest: [
      call('createCustomer', { email: '' }),
      call('mergeCustomers', { keepId: '$1/customerId', dropId: '$1/customerId' }),
    ],
    open: () => {
      const next = counter();
      const customers = new Map<string, string[]>();
      const customerId = text('Identifier of a customer', { examples: ['cus_12'] });
      return [
        {
          name: 'createCustomer',
          description: 'Adds a customer.',
          parameters: object({ email: text('Address for invoices', { maxLength: 100 }) }),
          returns: object({ customerId }),
          examples: [{ email: 'ada@example.com' }],
          run: ({ email }: { email: string }) => {
            const id = `cus_${next()}`;
            customers.set(id, [email]);
            return { customerId: id };
          },
        },
        {
          name: 'mergeCustomers',
          description: 'Makes one customer of two. The second identifier is no longer valid.',
          parameters: object({ keepId: customerId, dropId: customerId }),
          returns: object({ customerId, emails: list({ type: 'string' }, 'Addresses of both.') }),
          run: ({ keepId, dropId }: { keepId: string; dropId: string }) => {
            found(customers, keepId, 'customer');
            const dropped = found(customers, dropId, 'customer');
            customers.delete(dropId);
            const emails = customers.get(keepId) as string[];
            emails.push(...dropped);
            return { customerId: keepId, emails };
          },
        },
        {
          name: 'countCustomers',
          description: 'Number of customers.',
          parameters: object({}),
          returns: object({ customers: integer('How many.', { minimum: 0 }) }),
          run: () => ({ customers: customers.size }),
        },
      ];
    },
  }),
];
