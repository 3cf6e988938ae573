import { randomUUID } from 'node:crypto';
import { Refused } from '../natural-server.ts';
import { EMPTY_BODY, PROXY_PAGE } from '../planted-inputs/unhandled.ts';
import { flag, integer, list, object, text } from '../shapes.ts';
import { call, counter, found, type PlantedSequenceBug, plantSequence } from './plant-sequence.ts';

const uuid = text('Identifier of the note', { format: 'uuid' });
const deleted = object({ deleted: flag('Always true.') });

/** Something that was deleted is used once more. */
export const deletedThings: readonly PlantedSequenceBug[] = [
  plantSequence({
    name: 'reading a deleted note ends in 502',
    service: 'Keeps short notes.',
    craft: PROXY_PAGE,
    smallest: [
      call('createNote', { title: '' }),
      call('deleteNote', { id: '$1/id' }),
      call('getNote', { id: '$1/id' }),
    ],
    open: () => {
      const notes = new Map<string, { title: string; body: string }>();
      const issued = new Map<string, true>();
      return [
        {
          name: 'createNote',
          description: 'Creates a note and returns its identifier.',
          parameters: object({ title: text('Title', { maxLength: 120 }), body: text('Markdown text') }, [
            'body',
          ]),
          returns: object({ id: text('Identifier.', { format: 'uuid' }) }),
          examples: [{ title: 'Shopping', body: 'Milk, eggs' }],
          run: ({ title, body = '' }: { title: string; body?: string }) => {
            const id = randomUUID();
            notes.set(id, { title, body });
            issued.set(id, true);
            return { id };
          },
        },
        {
          name: 'getNote',
          description: 'Returns one note.',
          parameters: object({ id: uuid }),
          returns: object({ title: text('Title.'), body: text('Text.') }),
          run: ({ id }: { id: string }) => {
            found(issued, id, 'note');
            const { title, body } = notes.get(id) as { title: string; body: string };
            return { title, body };
          },
        },
        {
          name: 'deleteNote',
          description: 'Deletes a note for good.',
          parameters: object({ id: uuid }),
          returns: deleted,
          run: ({ id }: { id: string }) => {
            found(notes, id, 'note');
            return { deleted: notes.delete(id) };
          },
        },
      ];
    },
  }),
  plantSequence({
    name: 'deleting a bookmark twice crashes',
    service: 'Bookmarks of a team.',
    craft: EMPTY_BODY,
    smallest: [
      call('addBookmark', { url: 'a:' }),
      call('deleteBookmark', { bookmarkId: '$1/bookmarkId' }),
      call('deleteBookmark', { bookmarkId: '$1/bookmarkId' }),
    ],
    open: () => {
      const next = counter();
      const bookmarks = new Map<string, { url: string | null }>();
      return [
        {
          name: 'addBookmark',
          description: 'Adds a bookmark.',
          parameters: object({ url: text('Address of the page', { format: 'uri', maxLength: 500 }) }),
          returns: object({ bookmarkId: text('Identifier, such as bm_17.'), host: text('May be empty.') }),
          examples: [{ url: 'https://example.com/reading' }],
          run: ({ url }: { url: string }) => {
            const bookmarkId = `bm_${next()}`;
            bookmarks.set(bookmarkId, { url });
            return { bookmarkId, host: new URL(url).host };
          },
        },
        {
          name: 'deleteBookmark',
          description: 'Deletes a bookmark and returns the host it led to.',
          parameters: object({ bookmarkId: text('Identifier of the bookmark') }),
          returns: object({ host: text('May be empty.') }),
          run: ({ bookmarkId }: { bookmarkId: string }) => {
            const bookmark = found(bookmarks, bookmarkId, 'bookmark');
            const { host } = new URL(bookmark.url as string);
            bookmark.url = null;
            return { host };
          },
        },
        {
          name: 'listBookmarks',
          description: 'Addresses of all bookmarks.',
          parameters: object({}),
          returns: object({ urls: list({ type: 'string' }, 'In the order they were added.') }),
          run: () => ({ urls: [...bookmarks.values()].flatMap(({ url }) => url ?? []) }),
        },
      ];
    },
  }),
  plantSequence({
    name: 'the list has null in the place of a deleted reminder',
    service: 'Reminders.',
    smallest: [
      call('addReminder', { what: '' }),
      call('deleteReminder', { reminder_id: '$1/reminder_id' }),
      call('listReminders'),
    ],
    open: () => {
      const reminders: ({ reminder_id: number; what: string } | null)[] = [];
      return [
        {
          name: 'addReminder',
          description: 'Adds a reminder.',
          parameters: object({ what: text('What to remember') }),
          returns: object({ reminder_id: integer('Its number.', { minimum: 1 }) }),
          examples: [{ what: 'Water the plants' }],
          run: ({ what }: { what: string }) => {
            const reminder_id = reminders.length + 1;
            reminders.push({ reminder_id, what });
            return { reminder_id };
          },
        },
        {
          name: 'deleteReminder',
          description: 'Deletes a reminder by its number.',
          parameters: object({ reminder_id: integer('Number of the reminder', { minimum: 1 }) }),
          returns: deleted,
          run: ({ reminder_id }: { reminder_id: number }) => {
            const place = reminder_id - 1;
            if (!reminders[place]) throw new Refused('NOT_FOUND', `There is no reminder ${reminder_id}`, 404);
            reminders[place] = null;
            return { deleted: true };
          },
        },
        {
          name: 'listReminders',
          description: 'Lists all reminders.',
          parameters: object({}),
          returns: object({
            reminders: list(object({ reminder_id: integer('Number.'), what: text('What.') }), 'All of them.'),
          }),
          run: () => ({ reminders }),
        },
      ];
    },
  }),
  plantSequence({
    name: 'an update of a deleted contact returns a part of a contact',
    service: 'Address book.',
    smallest: [
      call('createContact', { name: '', phone: '' }),
      call('deleteContact', { id: '$1/id' }),
      call('updateContact', { id: '$1/id' }),
    ],
    open: () => {
      const next = counter();
      const contacts = new Map<number, { id: number; name: string; phone: string }>();
      const versions = new Map<number, number>();
      const id = integer('Number of the contact', { minimum: 1 });
      const contact = object({ id, name: text('Full name.'), phone: text('As it was given.') });
      const given = { name: text('Full name', { maxLength: 80 }), phone: text('Telephone number') };
      return [
        {
          name: 'createContact',
          description: 'Adds a contact.',
          parameters: object(given),
          returns: contact,
          examples: [{ name: 'Ada King', phone: '+44 20 7946 0000' }],
          run: ({ name, phone }: { name: string; phone: string }) => {
            const created = { id: next(), name, phone };
            contacts.set(created.id, created);
            versions.set(created.id, 1);
            return created;
          },
        },
        {
          name: 'updateContact',
          description: 'Changes the name or the number of a contact.',
          parameters: object({ id, ...given }, ['name', 'phone']),
          returns: contact,
          run: ({ id: wanted, ...changes }: { id: number; name?: string; phone?: string }) => {
            versions.set(wanted, found(versions, wanted, 'contact') + 1);
            const known = contacts.get(wanted);
            // A late update must not bring back a deleted contact.
            if (known !== undefined) Object.assign(known, changes);
            return { ...known, ...changes };
          },
        },
        {
          name: 'deleteContact',
          description: 'Removes a contact.',
          parameters: object({ id }),
          returns: deleted,
          run: ({ id: wanted }: { id: number }) => {
            found(contacts, wanted, 'contact');
            return { deleted: contacts.delete(wanted) };
          },
        },
      ];
    },
  }),
];
