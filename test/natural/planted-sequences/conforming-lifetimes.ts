import { randomBytes, randomUUID } from 'node:crypto';
import { Refused } from '../natural-server.ts';
import { flag, integer, list, object, text } from '../shapes.ts';
import { type ConformingStateful, conflict, conforming, counter, found } from './plant-sequence.ts';

const MAX_READS = 3;

const id = integer('Number of it', { minimum: 1 });
const uuid = text('Identifier', { format: 'uuid' });

/** Things are deleted, ended or hidden in other ways than by a plain deletion. */
export const conformingLifetimes: readonly ConformingStateful[] = [
  conforming({
    name: 'deleted documents can still be read',
    service: 'Documents that are kept for ten years.',
    open: () => {
      const documents = new Map<string, { title: string; isDeleted: boolean }>();
      const document = object({ title: text('Title.'), isDeleted: flag('Whether it was deleted.') });
      return [
        {
          name: 'createDocument',
          description: 'Creates a document.',
          parameters: object({ title: text('Title', { maxLength: 100 }) }),
          returns: object({ id: uuid }),
          examples: [{ title: 'Lease of the office' }],
          run: ({ title }: { title: string }) => {
            const made = randomUUID();
            documents.set(made, { title, isDeleted: false });
            return { id: made };
          },
        },
        {
          name: 'getDocument',
          description: 'Returns a document, also a deleted one.',
          parameters: object({ id: uuid }),
          returns: document,
          run: (input: { id: string }) => ({ ...found(documents, input.id, 'document') }),
        },
        {
          name: 'deleteDocument',
          description: 'Marks a document as deleted.',
          parameters: object({ id: uuid }),
          returns: document,
          run: (input: { id: string }) => {
            const known = found(documents, input.id, 'document');
            if (known.isDeleted) throw new Refused('GONE', 'The document is deleted', 410);
            known.isDeleted = true;
            return { ...known };
          },
        },
      ];
    },
  }),
  conforming({
    name: 'a second login ends the first session',
    service: 'Accounts with one session each.',
    open: () => {
      const tokens = new Map<string, string>();
      const token = text('From login', { pattern: '^[0-9a-f]{24}$' });
      return [
        {
          name: 'login',
          description: 'Starts a session and ends the one before.',
          parameters: object({ user: text('Name', { enum: ['ada', 'grace'] }) }),
          returns: object({ token }),
          examples: [{ user: 'ada' }],
          run: ({ user }: { user: string }) => {
            const made = randomBytes(12).toString('hex');
            tokens.set(user, made);
            return { token: made };
          },
        },
        {
          name: 'whoAmI',
          description: 'The user of a session.',
          parameters: object({ token }),
          returns: object({ user: text('Name.') }),
          run: (input: { token: string }) => {
            const [user] = [...tokens].find(([, open]) => open === input.token) ?? [];
            if (user === undefined) throw new Refused('SESSION_ENDED', 'Log in again', 401);
            return { user };
          },
        },
      ];
    },
  }),
  conforming({
    name: 'deleting something unknown succeeds',
    service: 'Favourites.',
    open: () => {
      const favourites = new Set<string>();
      const name = text('Any text', { maxLength: 50 });
      return [
        {
          name: 'addFavourite',
          description: 'Adds a favourite. Adding it twice changes nothing.',
          parameters: object({ name }),
          returns: object({ count: integer('How many.', { minimum: 1 }) }),
          examples: [{ name: 'Lentil soup' }],
          run: (input: { name: string }) => ({ count: favourites.add(input.name).size }),
        },
        {
          name: 'removeFavourite',
          description: 'Makes sure that a favourite does not exist.',
          parameters: object({ name }),
          returns: object({ removed: flag('Whether it existed.') }),
          run: (input: { name: string }) => ({ removed: favourites.delete(input.name) }),
        },
      ];
    },
  }),
  conforming({
    name: 'archived mails leave the list and can be read',
    service: 'Mails.',
    open: () => {
      const next = counter();
      const mails = new Map<number, { subject: string; isArchived: boolean }>();
      const setArchived = (mail: number, isArchived: boolean): { isArchived: boolean } => {
        found(mails, mail, 'mail').isArchived = isArchived;
        return { isArchived };
      };
      const archived = object({ isArchived: flag('New state.') });
      return [
        {
          name: 'saveMail',
          description: 'Saves a mail.',
          parameters: object({ subject: text('Subject', { maxLength: 100 }) }),
          returns: object({ id }),
          examples: [{ subject: 'Minutes of Monday' }],
          run: ({ subject }: { subject: string }) => {
            const made = next();
            mails.set(made, { subject, isArchived: false });
            return { id: made };
          },
        },
        {
          name: 'archiveMail',
          description: 'Takes a mail out of the list.',
          parameters: object({ id }),
          returns: archived,
          run: (input: { id: number }) => setArchived(input.id, true),
        },
        {
          name: 'unarchiveMail',
          description: 'Puts a mail back into the list.',
          parameters: object({ id }),
          returns: archived,
          run: (input: { id: number }) => setArchived(input.id, false),
        },
        {
          name: 'readMail',
          description: 'Reads a mail, archived or not.',
          parameters: object({ id }),
          returns: object({ subject: text('Subject.'), isArchived: flag('Whether it is archived.') }),
          run: (input: { id: number }) => ({ ...found(mails, input.id, 'mail') }),
        },
        {
          name: 'listMails',
          description: 'Mails that are not archived.',
          parameters: object({}),
          returns: object({ ids: list(id, 'In the order they were saved.') }),
          run: () => ({ ids: [...mails].flatMap(([mail, { isArchived }]) => (isArchived ? [] : mail)) }),
        },
      ];
    },
  }),
  conforming({
    name: 'a secret can be read three times',
    service: 'Secrets that destroy themselves.',
    open: () => {
      const secrets = new Map<string, { readonly text: string; readsLeft: number }>();
      return [
        {
          name: 'storeSecret',
          description: 'Stores a secret for three reads.',
          parameters: object({ text: text('The secret', { maxLength: 200 }) }),
          returns: object({ id: uuid }),
          examples: [{ text: 'the key is under the mat' }],
          run: (input: { text: string }) => {
            const made = randomUUID();
            secrets.set(made, { text: input.text, readsLeft: MAX_READS });
            return { id: made };
          },
        },
        {
          name: 'readSecret',
          description: 'Reads a secret.',
          parameters: object({ id: uuid }),
          returns: object({ text: text('The secret.'), readsLeft: integer('How often.', { minimum: 0 }) }),
          run: (input: { id: string }) => {
            const secret = found(secrets, input.id, 'secret');
            if (secret.readsLeft === 0) throw new Refused('EXPIRED', 'The secret was read three times', 410);
            secret.readsLeft -= 1;
            return { ...secret };
          },
        },
      ];
    },
  }),
  conforming({
    name: 'each code opens the door once',
    service: 'One door.',
    open: () => {
      let code: string | undefined;
      const codeSchema = text('Six digits', { pattern: '^\\d{6}$' });
      return [
        {
          name: 'requestCode',
          description: 'Makes a random code. The code before is no longer valid.',
          parameters: object({}),
          returns: object({ code: codeSchema }),
          run: () => {
            code = String(randomBytes(4).readUInt32BE() % 1_000_000).padStart(6, '0');
            return { code };
          },
        },
        {
          name: 'openDoor',
          description: 'Opens the door. A code is valid once.',
          parameters: object({ code: codeSchema }),
          returns: object({ isOpen: flag('Always true.') }),
          run: (input: { code: string }) => {
            if (code === undefined) throw conflict('Request a code first');
            if (code !== input.code) throw new Refused('WRONG_CODE', 'The code is not valid', 403);
            code = undefined;
            return { isOpen: true };
          },
        },
      ];
    },
  }),
];
