import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { Refused } from '../natural-server.ts';
import { natural } from '../serve-natural.ts';
import { flag, integer, list, object, text } from '../shapes.ts';

export const worldClock = natural({
  name: 'world-clock',
  description: 'What time is it?',
  undecidedInA: ['timeIn'],
  open: () => [
    {
      name: 'now',
      description: 'Current time in UTC.',
      parameters: object({}),
      returns: object({
        iso: text('ISO 8601.', { format: 'date-time' }),
        unix: integer('Seconds since 1970.'),
      }),
      run: () => ({ iso: new Date().toISOString(), unix: Math.floor(Date.now() / 1000) }),
    },
    {
      name: 'timeIn',
      description: 'Wall clock time in one of the offices.',
      parameters: object({
        zone: text('IANA name', { enum: ['Europe/Berlin', 'Asia/Tokyo', 'America/New_York'] }),
      }),
      returns: object({ time: text('Hours and minutes.', { pattern: '^\\d\\d:\\d\\d$' }) }),
      run: ({ zone }: { zone: string }) => ({
        time: new Intl.DateTimeFormat('en-GB', {
          timeZone: zone,
          hour: '2-digit',
          minute: '2-digit',
        }).format(),
      }),
    },
    {
      name: 'daysBetween',
      description: 'Days from one date to another; negative when the second is earlier.',
      parameters: object({
        from: text('First day', { format: 'date' }),
        to: text('Second day', { format: 'date' }),
      }),
      returns: object({ days: integer('Whole days.') }),
      examples: [{ from: '2026-01-01', to: '2026-12-31' }],
      run: ({ from, to }: { from: string; to: string }) => ({
        days: Math.round((Date.parse(to) - Date.parse(from)) / 86_400_000),
      }),
    },
  ],
});

export const calendar = natural({
  name: 'calendar',
  description: 'Appointments of one person. Two never overlap.',
  changes: ['addAppointment'],
  once: ['addAppointment'],
  undecidedInA: ['addAppointment', 'appointmentsOn'],
  open: () => {
    const appointments: { title: string; start: string; end: string }[] = [];
    const moment = (what: string): Record<string, unknown> => text(what, { format: 'date-time' });
    return [
      {
        name: 'addAppointment',
        description: 'Adds an appointment, unless there is another at the time.',
        parameters: object({
          title: text('What it is about'),
          start: moment('Start'),
          minutes: integer('Length', { minimum: 5, maximum: 480 }),
        }),
        returns: object({ start: moment('Start.'), end: moment('End.') }),
        run: ({ title, start, minutes }: { title: string; start: string; minutes: number }) => {
          const from = new Date(start);
          if (Number.isNaN(from.getTime())) throw new Refused('INVALID_DATE', 'start is not a date');
          const added = {
            title,
            start: from.toISOString(),
            end: new Date(from.getTime() + minutes * 60_000).toISOString(),
          };
          const other = appointments.find((one) => one.start < added.end && added.start < one.end);
          if (other !== undefined) throw new Refused('CONFLICT', `"${other.title}" is at that time`, 409);
          appointments.push(added);
          return { start: added.start, end: added.end };
        },
      },
      {
        name: 'appointmentsOn',
        description: 'Appointments of one day.',
        parameters: object({ day: text('The day', { format: 'date' }) }),
        returns: object({ titles: list({ type: 'string' }, 'What is planned.') }),
        run: ({ day }: { day: string }) => ({
          titles: appointments.filter(({ start }) => start.startsWith(day)).map(({ title }) => title),
        }),
      },
    ];
  },
});

export const cronScheduler = natural({
  name: 'cron',
  description: 'Runs jobs by cron expressions.',
  changes: ['scheduleJob'],
  undecidedInA: ['scheduleJob', 'explainCron'],
  open: () => {
    const jobs: { id: string; cron: string; command: string }[] = [];
    const cron = text('Five fields: minute, hour, day, month, weekday', {
      pattern: '^(\\S+ ){4}\\S+$',
      examples: ['0 6 * * 1-5'],
    });
    return [
      {
        name: 'scheduleJob',
        description: 'Schedules a command.',
        parameters: object({ cron, command: text('Command line', { minLength: 1 }) }),
        returns: object({ id: text('Identifier of the job.', { format: 'uuid' }) }),
        run: (job: { cron: string; command: string }) => {
          const id = randomUUID();
          jobs.push({ id, ...job });
          return { id };
        },
      },
      {
        name: 'explainCron',
        description: 'A cron expression in words.',
        parameters: object({ cron }),
        returns: object({ words: text('English.') }),
        run: ({ cron: expression }: { cron: string }) => {
          const [minute, hour, ...days] = expression.split(' ');
          return {
            words: `at minute ${minute} of hour ${hour}${days.every((one) => one === '*') ? ', every day' : ''}`,
          };
        },
      },
      {
        name: 'listJobs',
        description: 'All scheduled jobs.',
        parameters: object({}),
        returns: object({
          jobs: list(
            object({ id: text('Identifier.'), cron: text('When.'), command: text('What.') }),
            'All of them.',
          ),
        }),
        run: () => ({ jobs }),
      },
    ];
  },
});

export const kitchenTimers = natural({
  name: 'timers',
  description: 'Kitchen timers.',
  changes: ['startTimer', 'cancelTimer'],
  open: () => {
    const endsAt = new Map<string, number>();
    const label = text('Name of the timer', { minLength: 1, maxLength: 30 });
    const endOf = (name: string): number => {
      const end = endsAt.get(name);
      if (end === undefined) throw new Refused('NO_SUCH_TIMER', `No timer is called ${name}.`, 404);
      return end;
    };
    return [
      {
        name: 'startTimer',
        description: 'Starts a timer, or starts it again.',
        parameters: object({ label, seconds: integer('How long', { minimum: 1, maximum: 86_400 }) }),
        returns: object({ endsAt: text('When it rings.', { format: 'date-time' }) }),
        run: ({ label: name, seconds }: { label: string; seconds: number }) => {
          endsAt.set(name, Date.now() + seconds * 1000);
          return { endsAt: new Date(endOf(name)).toISOString() };
        },
      },
      {
        name: 'remaining',
        description: 'Milliseconds until a timer rings, 0 when it has rung.',
        parameters: object({ label }),
        returns: object({ ms: integer('Milliseconds.', { minimum: 0 }) }),
        run: ({ label: name }: { label: string }) => ({ ms: Math.max(0, endOf(name) - Date.now()) }),
      },
      {
        name: 'cancelTimer',
        description: 'Cancels a timer.',
        parameters: object({ label }),
        returns: object({ cancelled: flag('Always true.') }),
        run: ({ label: name }: { label: string }) => {
          endOf(name);
          return { cancelled: endsAt.delete(name) };
        },
      },
    ];
  },
});

export const jobQueue = natural({
  name: 'render-queue',
  description: 'Submit a job, poll it, fetch its result.',
  changes: ['submitJob'],
  open: () => {
    const jobs = new Map<string, { text: string; readyAt: number }>();
    const jobId = text('Identifier that submitJob returned', { format: 'uuid' });
    const jobOf = (id: string): { text: string; readyAt: number } => {
      const job = jobs.get(id);
      if (job === undefined) throw new Refused('UNKNOWN_JOB', 'There is no such job.', 404);
      return job;
    };
    return [
      {
        name: 'submitJob',
        description: 'Queues a text for rendering.',
        parameters: object({ text: text('What to render', { maxLength: 10_000 }) }),
        returns: object({
          jobId: text('Identifier for the other calls.'),
          pollAfterMs: integer('When to ask.'),
        }),
        examples: [{ text: 'Hello' }],
        run: ({ text: source }: { text: string }) => {
          const id = randomUUID();
          jobs.set(id, { text: source, readyAt: Date.now() + 200 });
          return { jobId: id, pollAfterMs: 200 };
        },
      },
      {
        name: 'jobStatus',
        description: 'State of a job.',
        parameters: object({ jobId }),
        returns: object({ state: text('How far it is.', { enum: ['running', 'done'] }) }),
        run: ({ jobId: id }: { jobId: string }) => ({
          state: jobOf(id).readyAt > Date.now() ? 'running' : 'done',
        }),
      },
      {
        name: 'fetchResult',
        description: 'Result of a job that is done.',
        parameters: object({ jobId }),
        returns: object({ rendered: text('The rendered text.') }),
        run: ({ jobId: id }: { jobId: string }) => {
          const job = jobOf(id);
          if (job.readyAt > Date.now()) throw new Refused('NOT_READY', 'Ask again later.', 409);
          return { rendered: job.text.toUpperCase() };
        },
      },
    ];
  },
});

export const longComputation = natural({
  name: 'monte-carlo',
  description: 'Simulations that take their time.',
  open: () => [
    {
      name: 'estimatePi',
      description: 'Estimates pi on the cluster; takes about a second and a half.',
      parameters: object(
        { points: integer('Random points', { minimum: 1000, maximum: 100_000, default: 10_000 }) },
        ['points'],
      ),
      returns: object({
        pi: { type: 'number', minimum: 0, maximum: 4 },
        points: integer('Points that were used.'),
      }),
      examples: [{ points: 10_000 }],
      run: async ({ points = 10_000 }: { points?: number }) => {
        await delay(1500);
        const inside = Array.from(
          { length: points },
          () => Math.hypot(Math.random(), Math.random()) <= 1,
        ).filter(Boolean);
        return { pi: (4 * inside.length) / points, points };
      },
    },
  ],
});

export const coldStart = natural({
  name: 'sentiment',
  description: 'Sentiment of a sentence; the model is loaded by the first call.',
  open: () => {
    let model: Promise<ReadonlyMap<string, number>> | undefined;
    const loadModel = async (): Promise<ReadonlyMap<string, number>> => {
      await delay(1200);
      return new Map([
        ['good', 1],
        ['great', 2],
        ['bad', -1],
        ['awful', -2],
      ]);
    };
    return [
      {
        name: 'sentiment',
        description: 'Scores a sentence; above 0 is friendly.',
        parameters: object({ sentence: text('English text', { minLength: 1, maxLength: 280 }) }),
        returns: object({ score: { type: 'number' }, words: integer('Words that were understood.') }),
        run: async ({ sentence }: { sentence: string }) => {
          model ??= loadModel();
          const weights = await model;
          const known = sentence
            .toLowerCase()
            .split(/\W+/)
            .filter((word) => weights.has(word));
          return {
            score: known.reduce((sum, word) => sum + (weights.get(word) ?? 0), 0),
            words: known.length,
          };
        },
      },
    ];
  },
});

export const eventualConsistency = natural({
  name: 'guest-list',
  description: 'A guest list on replicated storage: a new name is visible a moment later.',
  changes: ['addGuest'],
  open: () => {
    const replicas = { primary: [] as string[], visible: [] as string[] };
    return [
      {
        name: 'addGuest',
        description: 'Puts a name on the list.',
        parameters: object({ name: text('Full name', { minLength: 2 }) }),
        returns: object({ guests: integer('Names on the primary.') }),
        run: ({ name }: { name: string }) => {
          replicas.primary.push(name);
          setTimeout(() => replicas.visible.push(name), 300).unref();
          return { guests: replicas.primary.length };
        },
      },
      {
        name: 'guests',
        description: 'Names as the nearest replica knows them.',
        parameters: object({}),
        returns: object({ names: list({ type: 'string' }, 'In the order of their arrival.') }),
        examples: [{}],
        run: () => ({ names: replicas.visible.slice(-50) }),
      },
    ];
  },
});
