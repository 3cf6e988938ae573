import { createHash, randomInt, randomUUID } from 'node:crypto';
import { type Members, type NaturalFunction, Refused } from '../natural-server.ts';
import { natural } from '../serve-natural.ts';
import { flag, integer, list, number, object, text } from '../shapes.ts';

export const counter = natural({
  name: 'counter',
  description: 'Counts.',
  changes: ['next'],
  open: () => {
    let value = 0;
    return [
      {
        name: 'next',
        description: 'The next number; no two callers get the same.',
        parameters: object({}),
        returns: object({ value: integer('From 1.') }),
        run: () => {
          value += 1;
          return { value };
        },
      },
      {
        name: 'current',
        description: 'The number that was given out last.',
        parameters: object({}),
        returns: object({ value: integer('0 before the first.') }),
        run: () => ({ value }),
      },
    ];
  },
});

export const dice = natural({
  name: 'dice',
  description: 'Rolls dice.',
  undecidedInA: ['roll'],
  open: () => [
    {
      name: 'roll',
      description: 'Rolls dice and adds them up.',
      parameters: object({
        dice: integer('How many', { minimum: 1, maximum: 20 }),
        sides: integer('Sides of each', { enum: [4, 6, 8, 12, 20] }),
      }),
      returns: object({ rolls: list({ type: 'integer' }, 'One for each.'), total: integer('Their sum.') }),
      run: ({ dice: count, sides }: { dice: number; sides: number }) => {
        const rolls = Array.from({ length: count }, () => randomInt(1, sides + 1));
        return { rolls, total: rolls.reduce((sum, one) => sum + one, 0) };
      },
    },
    {
      name: 'flipCoin',
      description: 'Heads or tails.',
      parameters: object({}),
      returns: object({ side: text('heads or tails.') }),
      run: () => ({ side: randomInt(2) === 0 ? 'heads' : 'tails' }),
    },
  ],
});

export const locks = natural({
  name: 'locks',
  description: 'Named locks for deployments.',
  changes: ['acquireLock', 'releaseLock'],
  once: ['acquireLock'],
  open: () => {
    const holders = new Map<string, string>();
    const name = text('Name of the lock', { minLength: 1, maxLength: 64 });
    return [
      {
        name: 'acquireLock',
        description: 'Takes a lock, or refuses when somebody holds it.',
        parameters: object({ name }),
        returns: object({ ticket: text('Needed to release it.') }),
        run: ({ name: wanted }: { name: string }) => {
          if (holders.has(wanted)) throw new Refused('LOCKED', `"${wanted}" is held by somebody else.`, 423);
          const ticket = randomUUID();
          holders.set(wanted, ticket);
          return { ticket };
        },
      },
      {
        name: 'releaseLock',
        description: 'Gives a lock back.',
        parameters: object({ name, ticket: text('What acquireLock returned') }),
        returns: object({ released: flag('Always true.') }),
        run: ({ name: held, ticket }: { name: string; ticket: string }) => {
          if (holders.get(held) !== ticket) throw new Refused('NOT_HOLDER', 'That is not your lock.', 403);
          return { released: holders.delete(held) };
        },
      },
      {
        name: 'heldLocks',
        description: 'Names of the locks that are held.',
        parameters: object({}),
        returns: object({ names: list({ type: 'string' }, 'In the order in which they were taken.') }),
        run: () => ({ names: [...holders.keys()] }),
      },
    ];
  },
});

export const graphStore = natural({
  name: 'graph',
  description: 'A graph of nodes and edges.',
  changes: ['addNode', 'addEdge'],
  open: () => {
    const edges = new Map<string, Set<string>>([
      ['berlin', new Set(['hamburg', 'leipzig'])],
      ['hamburg', new Set(['berlin'])],
      ['leipzig', new Set(['munich'])],
      ['munich', new Set()],
    ]);
    const node = (what: string): Members => text(what, { pattern: '^[a-z]+$' });
    const neighboursOf = (name: string): Set<string> => {
      const found = edges.get(name);
      if (found === undefined) throw new Refused('NO_SUCH_NODE', `${name} is not in the graph`, 404);
      return found;
    };
    return [
      {
        name: 'addNode',
        description: 'Adds a node; one that exists is left as it is.',
        parameters: object({ node: node('Name of the node') }),
        returns: object({ nodes: integer('Nodes in the graph.') }),
        examples: [{ node: 'dresden' }],
        run: ({ node: name }: { node: string }) => {
          if (!edges.has(name)) edges.set(name, new Set());
          return { nodes: edges.size };
        },
      },
      {
        name: 'addEdge',
        description: 'Connects two nodes.',
        parameters: object({ from: node('Start'), to: node('End') }),
        returns: object({ degree: integer('Edges that leave the start.') }),
        examples: [{ from: 'munich', to: 'berlin' }],
        run: ({ from, to }: { from: string; to: string }) => {
          neighboursOf(to);
          return { degree: neighboursOf(from).add(to).size };
        },
      },
      {
        name: 'shortestPath',
        description: 'The path with the fewest edges; null when there is none.',
        parameters: object({ from: node('Start'), to: node('End') }),
        returns: object({ path: { type: ['array', 'null'], items: { type: 'string' } } }),
        examples: [{ from: 'hamburg', to: 'munich' }],
        run: ({ from, to }: { from: string; to: string }) => {
          const queue = [[from]];
          const seen = new Set([from]);
          for (let path = queue.shift(); path !== undefined; path = queue.shift()) {
            const last = path.at(-1) ?? from;
            if (last === to) return { path };
            for (const next of neighboursOf(last)) {
              if (!seen.has(next)) queue.push([...path, next]);
              seen.add(next);
            }
          }
          return { path: null };
        },
      },
    ];
  },
});

export const versionControl = natural({
  name: 'tiny-git',
  description: 'Commits of one text, each with its parent.',
  changes: ['commit'],
  open: () => {
    const commits: { hash: string; parent: string | null; message: string; content: string }[] = [];
    return [
      {
        name: 'commit',
        description: 'Records a new state of the text. Fails when nothing changed.',
        parameters: object({ message: text('Why', { minLength: 1 }), content: text('The whole text') }),
        returns: object({ hash: text('Hash of the commit.'), parent: { type: ['string', 'null'] } }),
        run: ({ message, content }: { message: string; content: string }) => {
          const parent = commits.at(-1);
          if (parent?.content === content) throw new Refused('NOTHING_TO_COMMIT', 'Nothing changed.', 409);
          const hash = createHash('sha1').update(`${parent?.hash}${message}${content}`).digest('hex');
          commits.push({ hash, parent: parent?.hash ?? null, message, content });
          return { hash, parent: parent?.hash ?? null };
        },
      },
      {
        name: 'show',
        description: 'One commit.',
        parameters: object({ hash: text('Hash of the commit', { pattern: '^[0-9a-f]{40}$' }) }),
        returns: object({ message: text('Why.'), content: text('The text then.') }),
        run: ({ hash }: { hash: string }) => {
          const found = commits.find((one) => one.hash === hash);
          if (found === undefined) throw new Refused('UNKNOWN_COMMIT', `unknown revision ${hash}`, 404);
          return { message: found.message, content: found.content };
        },
      },
      {
        name: 'log',
        description: 'The last commits, newest first.',
        parameters: object({ max: integer('How many', { minimum: 1, maximum: 100 }) }, ['max']),
        returns: object({
          commits: list(object({ hash: text('Hash.'), message: text('Why.') }), 'Newest first.'),
        }),
        run: ({ max = 10 }: { max?: number }) => ({
          commits: commits
            .toReversed()
            .slice(0, max)
            .map(({ hash, message }) => ({ hash, message })),
        }),
      },
    ];
  },
  once: ['commit'],
});

export const trendingSearch = natural({
  name: 'recipe-search',
  description: 'Searches recipes, and shows what others search for.',
  open: () => {
    const recipes = ['Tomato soup', 'Apple pie', 'Pad thai', 'Miso soup'];
    const counts = new Map<string, number>();
    return [
      {
        name: 'searchRecipes',
        description: 'Recipes for a query, with the queries that are popular at the moment.',
        parameters: object({ query: text('What you feel like') }),
        returns: object({
          recipes: list({ type: 'string' }, 'Titles.'),
          trending: list({ type: 'string' }, 'Popular queries.'),
        }),
        run: ({ query }: { query: string }) => {
          counts.set(query, (counts.get(query) ?? 0) + 1);
          const trending = [...counts]
            .sort(([, a], [, b]) => b - a)
            .slice(0, 5)
            .map(([text]) => text);
          return {
            recipes: recipes.filter((title) => title.toLowerCase().includes(query.toLowerCase())),
            trending,
          };
        },
      },
      {
        name: 'suggestRecipe',
        description: 'A recipe for what others look for.',
        parameters: object({ mood: text('How you feel') }),
        returns: object({
          recipe: text('Title.'),
          popular: list({ type: 'string' }, 'What others search for.'),
        }),
        run: ({ mood }: { mood: string }) => ({
          recipe: recipes[mood.length % recipes.length] ?? '',
          popular: [...counts.keys()].slice(-5),
        }),
      },
    ];
  },
});

export const activityFeed = natural({
  name: 'team-board',
  description: 'Who did what lately. Every call is shown in the feed.',
  changes: ['postUpdate'],
  open: () => {
    const feed: { at: string; what: string }[] = [];
    const record = (what: string): void => void feed.push({ at: new Date().toISOString(), what });
    const recent = list(object({ at: text('When.'), what: text('What.') }), 'The last ten.');
    return [
      {
        name: 'postUpdate',
        description: 'Posts an update and returns the feed.',
        parameters: object({ author: text('Who'), update: text('What is new', { maxLength: 140 }) }),
        returns: object({ feed: recent }),
        run: ({ author, update }: { author: string; update: string }) => {
          record(`${author}: ${update}`);
          return { feed: feed.slice(-10) };
        },
      },
      {
        name: 'findPeople',
        description: 'Finds colleagues by name, and shows what was looked for recently.',
        parameters: object({ name: text('A name or its beginning') }),
        returns: object({ people: list({ type: 'string' }, 'Full names.'), feed: recent }),
        run: ({ name }: { name: string }) => {
          record(`somebody looked for ${name}`);
          return {
            people: ['Ada King', 'Alan May'].filter((one) => one.startsWith(name)),
            feed: feed.slice(-10),
          };
        },
      },
    ];
  },
});

export const calculatorWithHistory = natural({
  name: 'desk-calculator',
  description: 'A calculator with a paper strip.',
  changes: ['clearHistory'],
  // It removes whatever there is, and is not called without a sample.
  undecided: ['clearHistory'],
  open: () => {
    const strip: string[] = [];
    const binary = (
      name: string,
      description: string,
      sign: string,
      compute: (a: number, b: number) => number,
    ): NaturalFunction => ({
      name,
      description,
      parameters: object({ a: number('Left operand'), b: number('Right operand') }),
      returns: object({
        result: number('The result.'),
        history: list({ type: 'string' }, 'The strip so far.'),
      }),
      run: ({ a, b }: { a: number; b: number }) => {
        const result = compute(a, b);
        if (!Number.isFinite(result)) throw new Error('overflow');
        strip.push(`${a} ${sign} ${b} = ${result}`);
        return { result, history: strip.slice(-10) };
      },
    });
    return [
      binary('plus', 'Adds two numbers.', '+', (a, b) => a + b),
      binary('times', 'Multiplies two numbers.', '×', (a, b) => a * b),
      {
        name: 'clearHistory',
        description: 'Tears the strip off.',
        parameters: object({}),
        returns: object({ cleared: integer('Lines that were torn off.') }),
        run: () => ({ cleared: strip.splice(0).length }),
      },
    ];
  },
});
