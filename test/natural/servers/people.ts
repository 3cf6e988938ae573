import { createHash, randomUUID } from 'node:crypto';
import { Refused } from '../natural-server.ts';
import { natural } from '../serve-natural.ts';
import { flag, integer, list, number, object, text } from '../shapes.ts';

export const accounts = natural({
  name: 'accounts',
  description: 'User accounts. Names are unique.',
  changes: ['register'],
  once: ['register'],
  open: () => {
    const users = new Map<string, { name: string; email: string; joined: string }>();
    const name = text('Login name', {
      minLength: 3,
      maxLength: 24,
      pattern: '^[a-z][a-z0-9_]+$',
      examples: ['ada'],
    });
    return [
      {
        name: 'register',
        description: 'Creates an account.',
        parameters: object({ name, email: text('E-mail address', { format: 'email' }) }),
        returns: object({ name: text('Login name.'), joined: text('When.', { format: 'date-time' }) }),
        examples: [{ name: 'grace_h', email: 'grace@example.org' }],
        run: ({ name: wanted, email }: { name: string; email: string }) => {
          if (users.has(wanted)) throw new Refused('NAME_TAKEN', `The name ${wanted} is taken.`, 409);
          const user = { name: wanted, email, joined: new Date().toISOString() };
          users.set(wanted, user);
          return { name: user.name, joined: user.joined };
        },
      },
      {
        name: 'isNameFree',
        description: 'Whether a login name can still be registered.',
        parameters: object({ name }),
        returns: object({ free: flag('Nobody has it.') }),
        run: ({ name: wanted }: { name: string }) => ({ free: !users.has(wanted) }),
      },
      {
        name: 'listUsers',
        description: 'Pages through the accounts in the order of their names.',
        parameters: object(
          {
            limit: integer('Page size', { minimum: 1, maximum: 100, default: 20 }),
            offset: integer('Start', { minimum: 0, default: 0 }),
          },
          ['limit', 'offset'],
        ),
        returns: object({
          users: list(object({ name: text('Login name.'), joined: text('When.') }), 'One page.'),
          total: integer('All accounts.'),
          hasMore: flag('There is a further page.'),
        }),
        run: ({ limit = 20, offset = 0 }: { limit?: number; offset?: number }) => {
          const sorted = [...users.values()].sort((a, b) => a.name.localeCompare(b.name));
          const page = sorted.slice(offset, offset + limit);
          return {
            users: page.map(({ name: login, joined }) => ({ name: login, joined })),
            total: sorted.length,
            hasMore: offset + limit < sorted.length,
          };
        },
      },
    ];
  },
});

export const sessions = natural({
  name: 'sessions',
  description: 'Log in once, then use the token.',
  changes: ['login', 'logout'],
  undecidedInA: ['login', 'whoAmI', 'logout'],
  open: () => {
    const bySession = new Map<string, { user: string; since: number }>();
    const token = text('Token that login returned', { minLength: 36 });
    const sessionOf = (given: string): { user: string; since: number } => {
      const session = bySession.get(given);
      if (session === undefined) throw new Refused('INVALID_TOKEN', 'Log in first.', 403);
      return session;
    };
    return [
      {
        name: 'login',
        description: 'Opens a session for a user and returns its token.',
        parameters: object({ user: text('Login name'), pin: text('Four digits', { pattern: '^\\d{4}$' }) }),
        returns: object({
          token: text('Secret of the session.'),
          expiresInSeconds: integer('Time to live.'),
        }),
        run: ({ user }: { user: string }) => {
          const created = randomUUID();
          bySession.set(created, { user, since: Date.now() });
          return { token: created, expiresInSeconds: 3600 };
        },
      },
      {
        name: 'whoAmI',
        description: 'The user of a session.',
        parameters: object({ token }),
        returns: object({ user: text('Login name.'), ageMs: integer('Age of the session.') }),
        run: ({ token: given }: { token: string }) => {
          const { user, since } = sessionOf(given);
          return { user, ageMs: Date.now() - since };
        },
      },
      {
        name: 'logout',
        description: 'Ends a session.',
        parameters: object({ token }),
        returns: object({ ended: flag('Always true.') }),
        run: ({ token: given }: { token: string }) => {
          sessionOf(given);
          return { ended: bySession.delete(given) };
        },
      },
    ];
  },
});

export const passwordCheck = natural({
  name: 'password-check',
  description: 'Judges passwords without storing them.',
  undecidedInA: ['hashPassword'],
  open: () => [
    {
      name: 'passwordStrength',
      description: 'Strength of a password, from 0 to 4.',
      parameters: object({ password: text('The password', { minLength: 1, maxLength: 128 }) }),
      returns: object({
        score: integer('0 is hopeless.', { minimum: 0, maximum: 4 }),
        hints: list({ type: 'string' }, 'Advice.'),
      }),
      run: ({ password }: { password: string }) => {
        const missing = [
          [/[a-z]/, 'Add lower case letters.'],
          [/[A-Z]/, 'Add capitals.'],
          [/\d/, 'Add digits.'],
          [/.{10}/, 'Use ten characters or more.'],
        ].flatMap(([pattern, hint]) => ((pattern as RegExp).test(password) ? [] : [hint]));
        return { score: 4 - missing.length, hints: missing };
      },
    },
    {
      name: 'hashPassword',
      description: 'Hash of a password that keeps the rules: a digit, a capital, eight characters or more.',
      parameters: object({ password: text('The password', { pattern: '^(?=.*\\d)(?=.*[A-Z]).{8,64}$' }) }),
      returns: object({ sha256: text('Hex digits.', { pattern: '^[0-9a-f]{64}$' }) }),
      run: ({ password }: { password: string }) => ({
        sha256: createHash('sha256').update(password).digest('hex'),
      }),
    },
  ],
});

export const chatRooms = natural({
  name: 'chat',
  description: 'Chat rooms with a history.',
  changes: ['sendMessage'],
  open: () => {
    const rooms = new Map<string, { author: string; text: string; at: string }[]>([['lobby', []]]);
    const room = text('Name of the room', { minLength: 1, maxLength: 40, default: 'lobby' });
    const message = object({
      author: text('Who.'),
      text: text('What.'),
      at: text('When.', { format: 'date-time' }),
    });
    return [
      {
        name: 'sendMessage',
        description: 'Says something in a room, which is opened when it does not exist.',
        parameters: object({
          room,
          author: text('Your name', { minLength: 1 }),
          text: text('What to say', { maxLength: 500 }),
        }),
        returns: object({ position: integer('Number of the message in its room.') }),
        examples: [{ room: 'lobby', author: 'Kim', text: 'Hi all!' }],
        run: ({ room: name, ...said }: { room: string; author: string; text: string }) => {
          const messages = rooms.get(name) ?? [];
          rooms.set(name, messages);
          return { position: messages.push({ ...said, at: new Date().toISOString() }) };
        },
      },
      {
        name: 'readMessages',
        description: 'The last messages of a room.',
        parameters: object({ room }),
        returns: object({ messages: list(message, 'Oldest first.') }),
        run: ({ room: name }: { room: string }) => ({ messages: (rooms.get(name) ?? []).slice(-20) }),
      },
      {
        name: 'listRooms',
        description: 'Rooms with the number of their messages.',
        parameters: object({}),
        returns: object({ rooms: { type: 'object', additionalProperties: { type: 'integer' } } }),
        run: () => ({ rooms: Object.fromEntries([...rooms].map(([name, { length }]) => [name, length])) }),
      },
    ];
  },
});

export const outbox = natural({
  name: 'mailer',
  description: 'Sends e-mails through the company’s relay.',
  changes: ['sendEmail'],
  undecidedInA: ['sendEmail'],
  open: () => {
    const sent: { id: string; to: string; subject: string }[] = [];
    return [
      {
        name: 'sendEmail',
        description: 'Sends an e-mail.',
        parameters: object({
          to: text('Recipient', { format: 'email' }),
          subject: text('Subject line', { minLength: 1, maxLength: 200 }),
          body: text('Plain text'),
        }),
        returns: object({ messageId: text('Identifier for support.'), queued: flag('It is on its way.') }),
        run: ({ to, subject }: { to: string; subject: string }) => {
          const id = `<${randomUUID()}@mail.example.org>`;
          sent.push({ id, to, subject });
          return { messageId: id, queued: true };
        },
      },
    ];
  },
});

export const votes = natural({
  name: 'votes',
  description: 'One vote each on the proposal of the week.',
  changes: ['vote'],
  once: ['vote'],
  undecidedInA: ['vote'],
  open: () => {
    const choices = new Map<string, string>();
    const count = (choice: string): number => [...choices.values()].filter((one) => one === choice).length;
    return [
      {
        name: 'vote',
        description: 'Votes for or against. Nobody votes twice.',
        parameters: object({
          voter: text('Number on the voting card', { pattern: '^V-[0-9]{6}$' }),
          choice: text('Your vote', { enum: ['yes', 'no'] }),
        }),
        returns: object({ accepted: flag('It counts.') }),
        run: ({ voter, choice }: { voter: string; choice: string }) => {
          if (choices.has(voter)) throw new Refused('ALREADY_VOTED', 'This card was used.', 409);
          choices.set(voter, choice);
          return { accepted: true };
        },
      },
      {
        name: 'results',
        description: 'Votes so far.',
        parameters: object({}),
        returns: object({ yes: integer('In favour.'), no: integer('Against.') }),
        examples: [{}],
        run: () => ({ yes: count('yes'), no: count('no') }),
      },
    ];
  },
});

export const leaderboard = natural({
  name: 'leaderboard',
  description: 'High scores of a game.',
  changes: ['submitScore'],
  open: () => {
    const best = new Map<string, number>();
    const ranking = (): readonly [string, number][] => [...best].sort(([, a], [, b]) => b - a);
    return [
      {
        name: 'submitScore',
        description: 'Reports the score of a game. Only the best of a player counts.',
        parameters: object({
          player: text('Name of the player', { maxLength: 16 }),
          score: integer('Points', { minimum: 0 }),
        }),
        returns: object({
          rank: integer('Place, from 1.'),
          personalBest: flag('It is the best of this player.'),
        }),
        run: ({ player, score }: { player: string; score: number }) => {
          const personalBest = score > (best.get(player) ?? -1);
          if (personalBest) best.set(player, score);
          return { rank: ranking().findIndex(([name]) => name === player) + 1, personalBest };
        },
      },
      {
        name: 'top',
        description: 'The best players.',
        parameters: object({ count: integer('How many', { minimum: 1, maximum: 10 }) }, ['count']),
        returns: object({
          players: list(object({ player: text('Name.'), score: number('Points.') }), 'Best first.'),
        }),
        run: ({ count = 3 }: { count?: number }) => ({
          players: ranking()
            .slice(0, count)
            .map(([player, score]) => ({ player, score })),
        }),
      },
    ];
  },
});

export const customers = natural({
  name: 'crm',
  description: 'Checks and stores customer data; every field has its own format.',
  changes: ['saveCustomer'],
  undecidedInA: ['saveCustomer', 'checkVat'],
  open: () => {
    const stored = new Map<string, unknown>();
    const vatId = text('VAT number', { pattern: '^(DE\\d{9}|FR[A-Z0-9]{2}\\d{9})$' });
    return [
      {
        name: 'saveCustomer',
        description: 'Stores a customer under the customer number.',
        parameters: object(
          {
            number: text('Customer number', { pattern: '^C\\d{5}$' }),
            phone: text('Phone in international form', { pattern: '^\\+[1-9]\\d{6,14}$' }),
            postcode: text('British postcode', { pattern: '^[A-Z]{1,2}\\d[A-Z\\d]? \\d[A-Z]{2}$' }),
            birthday: text('Date of birth', { format: 'date' }),
            vatId,
          },
          ['vatId'],
        ),
        returns: object({ number: text('Customer number.'), isNew: flag('It was not known before.') }),
        run: ({ number: id, ...data }: { number: string }) => {
          const isNew = !stored.has(id);
          stored.set(id, data);
          return { number: id, isNew };
        },
      },
      {
        name: 'checkVat',
        description: 'Country of a VAT number.',
        parameters: object({ vatId }),
        returns: object({ country: text('ISO code.', { enum: ['DE', 'FR'] }) }),
        run: ({ vatId: given }: { vatId: string }) => ({ country: given.slice(0, 2) }),
      },
    ];
  },
});
