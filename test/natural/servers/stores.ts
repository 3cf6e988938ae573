import { randomUUID } from 'node:crypto';
import { type Members, Refused } from '../natural-server.ts';
import { natural } from '../serve-natural.ts';
import { flag, integer, list, object, text } from '../shapes.ts';

interface Note {
  readonly id: string;
  title: string;
  body: string;
  readonly createdAt: string;
}

const note = object({
  id: text('Identifier of the note.'),
  title: text('Title.'),
  body: text('Text of the note.'),
  createdAt: text('When it was written.', { format: 'date-time' }),
});

export const notes = natural({
  name: 'notes',
  description: 'Keeps short notes and finds them again.',
  changes: ['createNote', 'updateNote', 'deleteNote'],
  open: () => {
    const all = new Map<string, Note>();
    const find = (id: string): Note => {
      const found = all.get(id);
      if (found === undefined) throw new Refused('NOTE_NOT_FOUND', `There is no note with id ${id}`, 404);
      return found;
    };
    return [
      {
        name: 'createNote',
        description: 'Creates a note and returns it.',
        parameters: object(
          { title: text('Title of the note', { minLength: 1, maxLength: 120 }), body: text('Markdown text') },
          ['body'],
        ),
        returns: note,
        examples: [{ title: 'Shopping', body: 'Milk, eggs' }],
        run: ({ title, body = '' }: { title: string; body?: string }) => {
          const created = { id: randomUUID(), title, body, createdAt: new Date().toISOString() };
          all.set(created.id, created);
          return created;
        },
      },
      {
        name: 'getNote',
        description: 'Returns one note.',
        parameters: object({ id: text('Identifier of the note', { format: 'uuid' }) }),
        returns: note,
        run: ({ id }: { id: string }) => ({ ...find(id) }),
      },
      {
        name: 'updateNote',
        description: 'Replaces the title or the text of a note.',
        parameters: object(
          {
            id: text('Identifier of the note', { format: 'uuid' }),
            title: text('New title', { minLength: 1 }),
            body: text('New text'),
          },
          ['title', 'body'],
        ),
        returns: note,
        run: ({ id, ...changes }: { id: string; title?: string; body?: string }) => ({
          ...Object.assign(find(id), changes),
        }),
      },
      {
        name: 'deleteNote',
        description: 'Deletes a note for good.',
        parameters: object({ id: text('Identifier of the note', { format: 'uuid' }) }),
        returns: object({ deleted: flag('Always true.') }),
        run: ({ id }: { id: string }) => ({ deleted: all.delete(find(id).id) }),
      },
      {
        name: 'searchNotes',
        description: 'Full-text search over titles and texts, newest first.',
        parameters: object(
          {
            query: text('Words to look for'),
            limit: integer('At most so many', { minimum: 1, maximum: 50 }),
          },
          ['limit'],
        ),
        returns: object({ notes: list(note, 'What was found.'), total: integer('How many match in all.') }),
        examples: [{ query: 'milk' }],
        run: ({ query, limit = 10 }: { query: string; limit?: number }) => {
          const found = [...all.values()].filter(({ title, body }) =>
            `${title} ${body}`.toLowerCase().includes(query.toLowerCase()),
          );
          return { notes: found.toReversed().slice(0, limit), total: found.length };
        },
      },
    ];
  },
});

export const keyValueStore = natural({
  name: 'kv',
  description: 'A key-value store in memory.',
  changes: ['put', 'remove'],
  open: () => {
    const values = new Map<string, string>();
    const key = text('Key, up to 250 characters', { minLength: 1, maxLength: 250 });
    return [
      {
        name: 'put',
        description: 'Stores a value under a key, replacing what was there.',
        parameters: object({ key, value: text('Value to store') }),
        returns: object({ replaced: flag('True if the key had a value before.') }),
        run: ({ key: name, value }: { key: string; value: string }) => {
          const replaced = values.has(name);
          values.set(name, value);
          return { replaced };
        },
      },
      {
        name: 'get',
        description: 'Reads the value of a key.',
        parameters: object({ key }),
        returns: object({ value: text('The stored value.') }),
        run: ({ key: name }: { key: string }) => {
          const value = values.get(name);
          if (value === undefined) throw new Refused('KEY_NOT_FOUND', `No value for ${name}`, 404);
          return { value };
        },
      },
      {
        name: 'remove',
        description: 'Removes a key. Removing one that does not exist is fine.',
        parameters: object({ key }),
        returns: object({ removed: flag('True if there was such a key.') }),
        run: ({ key: name }: { key: string }) => ({ removed: values.delete(name) }),
      },
      {
        name: 'keys',
        description: 'Lists keys in alphabetical order.',
        parameters: object({ prefix: text('Only keys that start with this') }, ['prefix']),
        returns: object({ keys: list({ type: 'string' }, 'The keys.') }),
        run: ({ prefix = '' }: { prefix?: string }) => ({
          keys: [...values.keys()].filter((name) => name.startsWith(prefix)).toSorted(),
        }),
      },
    ];
  },
});

export const todoList = natural({
  name: 'todo',
  description: 'My todo list',
  changes: ['addTodo', 'completeTodo'],
  open: () => {
    const todos: { id: number; text: string; done: boolean }[] = [];
    return [
      {
        name: 'addTodo',
        description: 'Add a todo',
        parameters: {
          type: 'object',
          properties: { text: { type: 'string', description: 'What needs to be done' } },
          required: ['text'],
        },
        returns: {
          type: 'object',
          properties: { id: { type: 'integer' }, text: { type: 'string' }, done: { type: 'boolean' } },
        },
        run: ({ text: what }: { text: string }) => {
          const todo = { id: todos.length + 1, text: what, done: false };
          todos.push(todo);
          return { ...todo };
        },
      },
      {
        name: 'listTodos',
        description: 'List all todos',
        parameters: { type: 'object', properties: {} },
        returns: {
          type: 'object',
          properties: { todos: { type: 'array', items: { type: 'object' } }, count: { type: 'number' } },
        },
        run: () => ({ todos: todos.slice(-100), count: todos.length }),
      },
      {
        name: 'completeTodo',
        description: 'Mark a todo as done',
        parameters: {
          type: 'object',
          properties: { id: { type: 'integer', minimum: 1, description: 'Number of the todo' } },
          required: ['id'],
        },
        returns: { type: 'object', properties: { found: { type: 'boolean' } } },
        run: ({ id }: { id: number }) => {
          const todo = todos[id - 1];
          if (todo !== undefined) todo.done = true;
          return { found: todo !== undefined };
        },
      },
    ];
  },
});

export const virtualFiles = natural({
  name: 'sandbox-files',
  description: 'A small file tree in memory.',
  changes: ['writeFile', 'makeDirectory'],
  once: ['makeDirectory'],
  open: () => {
    const files = new Map<string, string>([['/README.md', '# Welcome\n']]);
    const directories = new Set(['/']);
    const parentOf = (path: string): string => path.slice(0, path.lastIndexOf('/')) || '/';
    const path = (what: string, example: string): Members =>
      text(what, { pattern: '^/([\\w.-]+(/[\\w.-]+)*)?$', examples: [example] });
    return [
      {
        name: 'readFile',
        description: 'Returns the content of a file.',
        parameters: object({ path: path('Absolute path of the file', '/README.md') }),
        returns: object({ content: text('Text of the file.'), bytes: integer('Length in UTF-8.') }),
        examples: [{ path: '/README.md' }],
        run: ({ path: name }: { path: string }) => {
          const content = files.get(name);
          if (content === undefined) throw new Refused('ENOENT', `No such file: ${name}`, 404);
          return { content, bytes: Buffer.byteLength(content) };
        },
      },
      {
        name: 'writeFile',
        description: 'Writes a file. Its directory must exist.',
        parameters: object({
          path: path('Absolute path of the file', '/notes.txt'),
          content: text('New content'),
        }),
        returns: object({ bytes: integer('Bytes written.') }),
        examples: [{ path: '/notes.txt', content: 'hello' }],
        run: ({ path: name, content }: { path: string; content: string }) => {
          if (!directories.has(parentOf(name)))
            throw new Refused('ENOENT', `No such directory: ${parentOf(name)}`, 404);
          files.set(name, content);
          return { bytes: Buffer.byteLength(content) };
        },
      },
      {
        name: 'makeDirectory',
        description: 'Makes a directory. Fails if something of that name exists.',
        parameters: object({ path: path('Absolute path of the directory', '/src') }),
        returns: object({ path: text('The new directory.') }),
        examples: [{ path: '/src' }],
        run: ({ path: name }: { path: string }) => {
          if (directories.has(name) || files.has(name))
            throw new Refused('EEXIST', `${name} exists already`, 409);
          directories.add(name);
          return { path: name };
        },
      },
      {
        name: 'listDirectory',
        description: 'Names of the entries of a directory.',
        parameters: object({ path: path('Absolute path of the directory', '/') }, ['path']),
        returns: object({ entries: list({ type: 'string' }, 'Absolute paths.') }),
        examples: [{ path: '/' }],
        run: ({ path: name = '/' }: { path?: string }) => {
          if (!directories.has(name)) throw new Refused('ENOENT', `No such directory: ${name}`, 404);
          const isWithin = (one: string): boolean => one !== '/' && parentOf(one) === name;
          return { entries: [...directories, ...files.keys()].filter(isWithin).toSorted() };
        },
      },
    ];
  },
});

export const taggedBookmarks = natural({
  name: 'bookmarks',
  description: 'Bookmarks with tags.',
  changes: ['saveBookmark', 'tagBookmark'],
  open: () => {
    const tagsByUrl = new Map<string, Set<string>>();
    const url = text('Address of the page', { format: 'uri' });
    const tags = list({ type: 'string', pattern: '^[a-z][a-z0-9-]*$' }, 'Tags, in lower case', {
      maxItems: 10,
      uniqueItems: true,
      examples: [['reading', 'node']],
    });
    return [
      {
        name: 'saveBookmark',
        description: 'Saves a page with tags.',
        parameters: object({ url, tags }),
        returns: object({ url: text('The address.'), tags: list({ type: 'string' }, 'All of its tags.') }),
        examples: [{ url: 'https://nodejs.org/', tags: ['node', 'docs'] }],
        run: ({ url: page, tags: added }: { url: string; tags: string[] }) => {
          const all = new Set([...(tagsByUrl.get(page) ?? []), ...added]);
          tagsByUrl.set(page, all);
          return { url: page, tags: [...all] };
        },
      },
      {
        name: 'tagBookmark',
        description: 'Adds a tag to a page that was saved before.',
        parameters: object({ url, tag: text('The tag', { pattern: '^[a-z][a-z0-9-]*$', minLength: 2 }) }),
        returns: object({ tags: list({ type: 'string' }, 'All tags of the page.') }),
        run: ({ url: page, tag }: { url: string; tag: string }) => {
          const all = tagsByUrl.get(page);
          if (all === undefined) throw new Refused('NOT_SAVED', 'This page was never saved', 404);
          all.add(tag);
          return { tags: [...all] };
        },
      },
      {
        name: 'topTags',
        description: 'The tags that are used most.',
        parameters: object({}),
        returns: object({
          tags: list(object({ tag: text('The tag.'), pages: integer('Pages with it.') }), 'Most used first.'),
        }),
        run: () => {
          const counts = new Map<string, number>();
          for (const all of tagsByUrl.values())
            for (const tag of all) counts.set(tag, (counts.get(tag) ?? 0) + 1);
          return {
            tags: [...counts].map(([tag, pages]) => ({ tag, pages })).sort((a, b) => b.pages - a.pages),
          };
        },
      },
    ];
  },
});

export const textEditor = natural({
  name: 'editor',
  description: 'One document with an undo stack.',
  changes: ['insertText', 'undo', 'redo'],
  undecidedInA: ['insertText', 'undo', 'redo'],
  open: () => {
    let document = '';
    const past: string[] = [];
    const future: string[] = [];
    const state = object({
      document: text('The whole document.'),
      canUndo: flag('Something can be undone.'),
    });
    const show = (): Members => ({ document, canUndo: past.length > 0 });
    return [
      {
        name: 'insertText',
        description: 'Inserts text at a position; at the end when the position is left out.',
        parameters: object({ text: text('Text to insert'), position: integer('Offset', { minimum: 0 }) }, [
          'position',
        ]),
        returns: state,
        run: ({ text: inserted, position = document.length }: { text: string; position?: number }) => {
          past.push(document);
          future.length = 0;
          document = (document.slice(0, position) + inserted + document.slice(position)).slice(-5000);
          return show();
        },
      },
      {
        name: 'undo',
        description: 'Takes the last change back.',
        parameters: object({}),
        returns: state,
        run: () => {
          const before = past.pop();
          if (before === undefined) throw new Refused('NOTHING_TO_UNDO', 'Nothing to undo', 409);
          future.push(document);
          document = before;
          return show();
        },
      },
      {
        name: 'redo',
        description: 'Makes the change again that was undone last.',
        parameters: object({}),
        returns: state,
        run: () => {
          const after = future.pop();
          if (after === undefined) throw new Refused('NOTHING_TO_REDO', 'Nothing to redo', 409);
          past.push(document);
          document = after;
          return show();
        },
      },
      {
        name: 'getDocument',
        description: 'Returns the document as it is now.',
        parameters: object({}),
        returns: state,
        examples: [{}],
        run: show,
      },
    ];
  },
});

export const featureFlags = natural({
  name: 'flags',
  description: 'Feature flags with a log of who changed what.',
  changes: ['toggleFlag'],
  undecidedInA: ['isEnabled', 'toggleFlag'],
  open: () => {
    const flags = new Map([
      ['new-checkout', false],
      ['dark-mode', true],
    ]);
    const log: { at: string; flag: string; enabled: boolean }[] = [];
    const name = text('Name of the flag', { enum: ['new-checkout', 'dark-mode'] });
    return [
      {
        name: 'isEnabled',
        description: 'Whether a feature is switched on.',
        parameters: object({ flag: name }),
        returns: object({ enabled: flag('True when it is on.') }),
        run: ({ flag: wanted }: { flag: string }) => ({ enabled: flags.get(wanted) === true }),
      },
      {
        name: 'toggleFlag',
        description: 'Switches a feature on or off, whichever it is not.',
        parameters: object({ flag: name }),
        returns: object({ enabled: flag('How it is now.') }),
        run: ({ flag: wanted }: { flag: string }) => {
          const enabled = flags.get(wanted) !== true;
          flags.set(wanted, enabled);
          log.push({ at: new Date().toISOString(), flag: wanted, enabled });
          return { enabled };
        },
      },
      {
        name: 'auditLog',
        description: 'The last changes of flags, newest first.',
        parameters: object({}),
        returns: object({
          entries: list(
            object({
              at: text('When.', { format: 'date-time' }),
              flag: text('Which.'),
              enabled: flag('To what.'),
            }),
            'At most 20.',
          ),
        }),
        run: () => ({ entries: log.toReversed().slice(0, 20) }),
      },
    ];
  },
});
