import { randomUUID } from 'node:crypto';
import { Refused } from '../natural-server.ts';
import { flag, integer, list, object, text } from '../shapes.ts';
import { type ConformingStateful, conflict, conforming, counter, found } from './plant-sequence.ts';

const MAX_LOCKERS = 5;
const INDEX_DELAY_MS = 100;

const id = integer('Number of it', { minimum: 1 });
const count = integer('How many.', { minimum: 0 });

/** Answers depend on what exists already, on the order of calls or on the time. */
export const conformingLimits: readonly ConformingStateful[] = [
  conforming({
    name: 'there are five lockers',
    service: 'Lockers of a swimming pool.',
    open: () => {
      const lockers = new Map<string, number>();
      const lockerId = text('Identifier of the rental', { format: 'uuid' });
      return [
        {
          name: 'rentLocker',
          description: 'Rents one of five lockers.',
          parameters: object({ hours: integer('How long', { minimum: 1, maximum: 12 }) }),
          returns: object({ lockerId, free: count }),
          examples: [{ hours: 2 }],
          run: ({ hours }: { hours: number }) => {
            if (lockers.size === MAX_LOCKERS) throw conflict('All lockers are rented');
            const made = randomUUID();
            lockers.set(made, hours);
            return { lockerId: made, free: MAX_LOCKERS - lockers.size };
          },
        },
        {
          name: 'returnLocker',
          description: 'Returns a locker.',
          parameters: object({ lockerId }),
          returns: object({ free: count }),
          run: (input: { lockerId: string }) => {
            found(lockers, input.lockerId, 'rental');
            lockers.delete(input.lockerId);
            return { free: MAX_LOCKERS - lockers.size };
          },
        },
      ];
    },
  }),
  conforming({
    name: 'undo and redo are refused at the ends',
    service: 'One drawing.',
    open: () => {
      const done: string[] = [];
      let undone: string[] = [];
      const shapes = object({ shapes: list({ type: 'string' }, 'What is drawn.') });
      return [
        {
          name: 'draw',
          description: 'Draws a shape. What was undone can no longer be redone.',
          parameters: object({ shape: text('Shape', { enum: ['line', 'circle', 'square'] }) }),
          returns: shapes,
          examples: [{ shape: 'circle' }],
          run: ({ shape }: { shape: string }) => {
            done.push(shape);
            undone = [];
            return { shapes: done };
          },
        },
        {
          name: 'undo',
          description: 'Removes the last shape.',
          parameters: object({}),
          returns: shapes,
          run: () => {
            const last = done.pop();
            if (last === undefined) throw conflict('There is nothing to undo');
            undone.push(last);
            return { shapes: done };
          },
        },
        {
          name: 'redo',
          description: 'Draws the shape again that was undone last.',
          parameters: object({}),
          returns: shapes,
          run: () => {
            const last = undone.pop();
            if (last === undefined) throw conflict('There is nothing to redo');
            done.push(last);
            return { shapes: done };
          },
        },
      ];
    },
  }),
  conforming({
    name: 'names of users are unique',
    service: 'Users.',
    open: () => {
      const next = counter();
      const users = new Map<number, string>();
      const name = text('Name', { minLength: 1, maxLength: 30 });
      const claim = (wanted: string): void => {
        if ([...users.values()].includes(wanted)) throw conflict(`The name ${wanted} is taken`);
      };
      return [
        {
          name: 'createUser',
          description: 'Creates a user with a name that nobody has.',
          parameters: object({ name }),
          returns: object({ id }),
          examples: [{ name: 'ada' }],
          run: (input: { name: string }) => {
            claim(input.name);
            const made = next();
            users.set(made, input.name);
            return { id: made };
          },
        },
        {
          name: 'renameUser',
          description: 'Gives a user another name.',
          parameters: object({ id, name }),
          returns: object({ name }),
          run: (input: { id: number; name: string }) => {
            found(users, input.id, 'user');
            claim(input.name);
            users.set(input.id, input.name);
            return { name: input.name };
          },
        },
      ];
    },
  }),
  conforming({
    name: 'the number of a free place is used again',
    service: 'Parking places.',
    open: () => {
      const places = new Map<number, string>();
      const plate = text('Licence plate', { maxLength: 12 });
      return [
        {
          name: 'park',
          description: 'Takes the free place with the lowest number.',
          parameters: object({ plate }),
          returns: object({ place: id }),
          examples: [{ plate: 'ZH 421 337' }],
          run: (input: { plate: string }) => {
            let place = 1;
            while (places.has(place)) place += 1;
            places.set(place, input.plate);
            return { place };
          },
        },
        {
          name: 'leave',
          description: 'Frees a place.',
          parameters: object({ place: id }),
          returns: object({ plate }),
          run: ({ place }: { place: number }) => {
            const parked = found(places, place, 'car');
            places.delete(place);
            return { plate: parked };
          },
        },
      ];
    },
  }),
  conforming({
    name: 'the list is 100 ms behind',
    service: 'Articles with a search index.',
    open: () => {
      const next = counter();
      const articles = new Map<number, { title: string; readonly addedMs: number }>();
      return [
        {
          name: 'addArticle',
          description: 'Adds an article. It is listed soon.',
          parameters: object({ title: text('Title', { maxLength: 80 }) }),
          returns: object({ id }),
          examples: [{ title: 'Ten years of SQLite' }],
          run: ({ title }: { title: string }) => {
            const made = next();
            articles.set(made, { title, addedMs: performance.now() });
            return { id: made };
          },
        },
        {
          name: 'getArticle',
          description: 'Reads an article, listed or not.',
          parameters: object({ id }),
          returns: object({ title: text('Title.') }),
          run: (input: { id: number }) => ({ title: found(articles, input.id, 'article').title }),
        },
        {
          name: 'listArticles',
          description: 'Articles in the index, which may be a little older than the articles.',
          parameters: object({}),
          returns: object({ ids: list(id, 'In the order they were added.') }),
          run: () => {
            const untilMs = performance.now() - INDEX_DELAY_MS;
            return { ids: [...articles].flatMap(([one, { addedMs }]) => (addedMs < untilMs ? one : [])) };
          },
        },
      ];
    },
  }),
  conforming({
    name: 'an update needs the latest version',
    service: 'Settings.',
    open: () => {
      const settings = new Map<string, { value: string; version: number }>();
      const key = text('Name of the setting', { enum: ['theme', 'language'] });
      const version = integer('Grows with each change', { minimum: 0 });
      return [
        {
          name: 'writeSetting',
          description: 'Changes a setting, if nobody else has changed it. The first version is 0.',
          parameters: object({ key, value: text('Value', { maxLength: 40 }), version }),
          returns: object({ version }),
          examples: [{ key: 'theme', value: 'dark', version: 0 }],
          run: (input: { key: string; value: string; version: number }) => {
            const latest = settings.get(input.key)?.version ?? 0;
            if (input.version !== latest)
              throw new Refused('VERSION_MISMATCH', `The latest version is ${latest}`, 412);
            settings.set(input.key, { value: input.value, version: latest + 1 });
            return { version: latest + 1 };
          },
        },
        {
          name: 'readSetting',
          description: 'Reads a setting. A setting that nobody has written has no value.',
          parameters: object({ key }),
          returns: object(
            { value: text('Value.'), version, isDefault: flag('Whether nobody has written it.') },
            ['value'],
          ),
          run: (input: { key: string }) => ({
            ...(settings.get(input.key) ?? { version: 0 }),
            isDefault: !settings.has(input.key),
          }),
        },
      ];
    },
  }),
];
