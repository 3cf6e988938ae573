import { randomUUID } from 'node:crypto';
import { FASTIFY_BODY, INTERNAL_CODE, NO_ANSWER } from '../planted-inputs/unhandled.ts';
import { flag, integer, object, text } from '../shapes.ts';
import { call, conflict, counter, found, type PlantedSequenceBug, plantSequence } from './plant-sequence.ts';

/** Something is in a state that its author did not think of. */
export const states: readonly PlantedSequenceBug[] = [
  plantSequence({
    name: 'cancelling an order that was shipped closes the connection',
    service: 'Orders of a shop.',
    craft: NO_ANSWER,
    smallest: [
      call('placeOrder', { article: '', quantity: 1 }),
      call('shipOrder', { orderId: '$1/orderId' }),
      call('cancelOrder', { orderId: '$1/orderId' }),
    ],
    open: () => {
      const next = counter();
      const orders = new Map<string, { state: string }>();
      const fees: Readonly<Record<string, number>> = { placed: 0, packed: 2.5 };
      const orderId = text('Identifier of the order', { pattern: '^ORD-\\d{4,}$' });
      return [
        {
          name: 'placeOrder',
          description: 'Orders an article.',
          parameters: object({
            article: text('Name of the article', { maxLength: 60 }),
            quantity: integer('How many', { minimum: 1, maximum: 99 }),
          }),
          returns: object({ orderId }),
          examples: [{ article: 'Teapot', quantity: 1 }],
          run: () => {
            const id = `ORD-${1000 + next()}`;
            orders.set(id, { state: 'placed' });
            return { orderId: id };
          },
        },
        {
          name: 'packOrder',
          description: 'Packs an order.',
          parameters: object({ orderId }),
          returns: object({ state: text('New state.') }),
          run: (input: { orderId: string }) => {
            const order = found(orders, input.orderId, 'order');
            if (order.state !== 'placed') throw conflict(`The order is ${order.state}`);
            order.state = 'packed';
            return { state: order.state };
          },
        },
        {
          name: 'shipOrder',
          description: 'Hands an order to the carrier.',
          parameters: object({ orderId }),
          returns: object({ state: text('New state.') }),
          run: (input: { orderId: string }) => {
            const order = found(orders, input.orderId, 'order');
            if (!Object.hasOwn(fees, order.state)) throw conflict(`The order is ${order.state}`);
            order.state = 'shipped';
            return { state: order.state };
          },
        },
        {
          name: 'cancelOrder',
          description: 'Cancels an order. After it was packed, this costs a fee.',
          parameters: object({ orderId }),
          returns: object({ fee: text('In euros, with cents.', { pattern: '^\\d+\\.\\d\\d$' }) }),
          run: (input: { orderId: string }) => {
            const order = found(orders, input.orderId, 'order');
            if (order.state === 'cancelled') throw conflict('The order is cancelled already');
            const fee = (fees[order.state] as number).toFixed(2);
            order.state = 'cancelled';
            return { fee };
          },
        },
      ];
    },
  }),
  plantSequence({
    name: 'the second pause of a subscription crashes',
    service: 'Subscriptions to a newspaper.',
    craft: FASTIFY_BODY,
    smallest: [
      call('subscribe', { email: '' }),
      call('pauseSubscription', { subscriptionId: '$1/subscriptionId', days: 1 }),
      call('resumeSubscription', { subscriptionId: '$1/subscriptionId' }),
      call('pauseSubscription', { subscriptionId: '$1/subscriptionId', days: 1 }),
    ],
    open: () => {
      const subscriptions = new Map<string, { isPaused: boolean; pause: { days?: number } | null }>();
      const subscriptionId = text('Identifier of the subscription', { format: 'uuid' });
      return [
        {
          name: 'subscribe',
          description: 'Starts a subscription.',
          parameters: object({ email: text('Address of the reader', { maxLength: 100 }) }),
          returns: object({ subscriptionId }),
          examples: [{ email: 'ada@example.com' }],
          run: () => {
            const id = randomUUID();
            subscriptions.set(id, { isPaused: false, pause: {} });
            return { subscriptionId: id };
          },
        },
        {
          name: 'pauseSubscription',
          description: 'Stops the delivery for some days.',
          parameters: object({ subscriptionId, days: integer('How long', { minimum: 1, maximum: 60 }) }),
          returns: object({ isPaused: flag('Always true.') }),
          run: (input: { subscriptionId: string; days: number }) => {
            const subscription = found(subscriptions, input.subscriptionId, 'subscription');
            if (subscription.isPaused) throw conflict('The subscription is paused');
            (subscription.pause as { days?: number }).days = input.days;
            subscription.isPaused = true;
            return { isPaused: true };
          },
        },
        {
          name: 'resumeSubscription',
          description: 'Ends a pause.',
          parameters: object({ subscriptionId }),
          returns: object({ isPaused: flag('Always false.') }),
          run: (input: { subscriptionId: string }) => {
            const subscription = found(subscriptions, input.subscriptionId, 'subscription');
            if (!subscription.isPaused) throw conflict('The subscription is not paused');
            Object.assign(subscription, { isPaused: false, pause: null });
            return { isPaused: false };
          },
        },
      ];
    },
  }),
  plantSequence({
    name: 'a line for a log that was closed crashes',
    service: 'Log files of batch jobs.',
    craft: INTERNAL_CODE,
    smallest: [
      call('openLog', { job: '' }),
      call('closeLog', { logId: '$1/logId' }),
      call('appendLine', { logId: '$1/logId', line: '' }),
    ],
    open: () => {
      const next = counter();
      const logs = new Map<number, { lines: string[] | undefined }>();
      const logId = integer('Number of the log', { minimum: 1 });
      return [
        {
          name: 'openLog',
          description: 'Opens a log for a job.',
          parameters: object({ job: text('Name of the job', { maxLength: 60 }) }),
          returns: object({ logId }),
          examples: [{ job: 'nightly' }],
          run: () => {
            const id = next();
            logs.set(id, { lines: [] });
            return { logId: id };
          },
        },
        {
          name: 'appendLine',
          description: 'Adds a line to a log.',
          parameters: object({ logId, line: text('One line', { maxLength: 500 }) }),
          returns: object({ lines: integer('Lines of the log.', { minimum: 1 }) }),
          run: (input: { logId: number; line: string }) => ({
            lines: (found(logs, input.logId, 'log').lines as string[]).push(input.line),
          }),
        },
        {
          name: 'closeLog',
          description: 'Writes a log to the disk. Closing it twice is harmless.',
          parameters: object({ logId }),
          returns: object({ lines: integer('Lines that were written.', { minimum: 0 }) }),
          run: (input: { logId: number }) => {
            const log = found(logs, input.logId, 'log');
            const count = log.lines?.length ?? 0;
            log.lines = undefined;
            return { lines: count };
          },
        },
      ];
    },
  }),
  plantSequence({
    name: 'who am I is null after logging out',
    service: 'Sessions of an intranet.',
    smallest: [
      call('login', { user: '' }),
      call('logout', { token: '$1/token' }),
      call('whoAmI', { token: '$1/token' }),
    ],
    open: () => {
      const sessions = new Map<string, string | null>();
      const token = text('From login', { minLength: 32, maxLength: 36 });
      return [
        {
          name: 'login',
          description: 'Starts a session.',
          parameters: object({ user: text('Name of the user', { maxLength: 40 }) }),
          returns: object({ token }),
          examples: [{ user: 'ada' }],
          run: ({ user }: { user: string }) => {
            const made = randomUUID().replaceAll('-', '');
            sessions.set(made, user);
            return { token: made };
          },
        },
        {
          name: 'logout',
          description: 'Ends a session.',
          parameters: object({ token }),
          returns: object({ ended: flag('Whether it was still open.') }),
          run: (input: { token: string }) => {
            const ended = found(sessions, input.token, 'session') !== null;
            sessions.set(input.token, null);
            return { ended };
          },
        },
        {
          name: 'whoAmI',
          description: 'The user of a session.',
          parameters: object({ token }),
          returns: object({ user: text('Name of the user.') }),
          run: (input: { token: string }) => ({ user: found(sessions, input.token, 'session') }),
        },
      ];
    },
  }),
];
