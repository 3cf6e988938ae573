import { Refused } from '../natural-server.ts';
import { INTERNAL_CODE } from '../planted-inputs/unhandled.ts';
import { flag, integer, number, object, text } from '../shapes.ts';
import { call, conflict, found, type PlantedSequenceBug, plantSequence } from './plant-sequence.ts';

const FLUSH_EVERY = 3;

/** The caller chooses the key of a thing. */
export const keys: readonly PlantedSequenceBug[] = [
  plantSequence({
    name: 'a device that was unregistered cannot be registered again',
    service: 'Devices in a house.',
    craft: INTERNAL_CODE,
    smallest: [
      call('registerDevice', { serial: 'a' }),
      call('unregisterDevice', { serial: 'a' }),
      call('registerDevice', { serial: 'a' }),
    ],
    open: () => {
      const devices = new Set<string>();
      const topics = new Set<string>();
      const serial = text('Serial number, as printed on the device', { minLength: 1, maxLength: 40 });
      return [
        {
          name: 'registerDevice',
          description: 'Registers a device by its serial number.',
          parameters: object({ serial }),
          returns: object({ topic: text('Where its messages are published.') }),
          examples: [{ serial: 'ZB-20-4411' }],
          run: ({ serial: given }: { serial: string }) => {
            if (devices.has(given)) throw conflict(`${given} is registered already`);
            const topic = `house/${given}`;
            if (topics.has(topic)) throw new Error(`duplicate key value: ${topic}`);
            devices.add(given);
            topics.add(topic);
            return { topic };
          },
        },
        {
          name: 'unregisterDevice',
          description: 'Removes a device.',
          parameters: object({ serial }),
          returns: object({ devices: integer('How many are left.', { minimum: 0 }) }),
          run: ({ serial: given }: { serial: string }) => {
            if (!devices.delete(given)) throw conflict(`${given} is not registered`);
            return { devices: devices.size };
          },
        },
      ];
    },
  }),
  plantSequence({
    name: 'the latest reading is null after the readings were cleared',
    service: 'Temperatures.',
    smallest: [
      call('recordReading', { sensor: '', celsius: 0 }),
      call('clearReadings', { sensor: '' }),
      call('latestReading', { sensor: '' }),
    ],
    open: () => {
      const readings = new Map<string, number[]>();
      const sensor = text('Name of the sensor', { maxLength: 40 });
      return [
        {
          name: 'recordReading',
          description: 'Records a temperature. The first one of a sensor adds the sensor.',
          parameters: object({
            sensor,
            celsius: number('Measured temperature', { minimum: -90, maximum: 900 }),
          }),
          returns: object({ readings: integer('How many this sensor has.', { minimum: 1 }) }),
          examples: [{ sensor: 'cellar', celsius: 11.5 }],
          run: ({ sensor: name, celsius }: { sensor: string; celsius: number }) => {
            const all = readings.get(name) ?? [];
            readings.set(name, all);
            return { readings: all.push(celsius) };
          },
        },
        {
          name: 'clearReadings',
          description: 'Removes all readings of a sensor.',
          parameters: object({ sensor }),
          returns: object({ cleared: integer('How many.', { minimum: 0 }) }),
          run: ({ sensor: name }: { sensor: string }) => ({
            cleared: found(readings, name, 'sensor').splice(0).length,
          }),
        },
        {
          name: 'latestReading',
          description: 'Temperature that a sensor measured last.',
          parameters: object({ sensor }),
          returns: object({ celsius: number('Temperature.') }),
          run: ({ sensor: name }: { sensor: string }) => ({
            celsius: found(readings, name, 'sensor').at(-1) ?? null,
          }),
        },
      ];
    },
  }),
  plantSequence({
    name: 'a counter becomes a text after the third increment',
    service: 'Named counters.',
    smallest: new Array(FLUSH_EVERY + 1).fill(call('increment', { counter: '' })),
    open: () => {
      const counts = new Map<string, number>();
      const name = text('Name of the counter', { maxLength: 60 });
      return [
        {
          name: 'increment',
          description: 'Adds 1 to a counter. A new counter starts at 0.',
          parameters: object({ counter: name }),
          returns: object({ value: integer('New value.', { minimum: 1 }) }),
          examples: [{ counter: 'visits' }],
          run: (input: { counter: string }) => {
            const value = (counts.get(input.counter) ?? 0) + 1;
            // Every third value is read back from the database, which keeps texts.
            const isFlushed = value % FLUSH_EVERY === 0;
            counts.set(input.counter, isFlushed ? (String(value) as never) : value);
            return { value };
          },
        },
        {
          name: 'resetCounter',
          description: 'Removes a counter.',
          parameters: object({ counter: name }),
          returns: object({ reset: flag('Always true.') }),
          run: (input: { counter: string }) => {
            if (!counts.delete(input.counter)) throw new Refused('NOT_FOUND', 'No such counter', 404);
            return { reset: true };
          },
        },
      ];
    },
  }),
  plantSequence({
    name: 'a returned book is held for nobody after the only reservation was withdrawn',
    service: 'Loans of a library.',
    smallest: [
      call('borrowBook', { code: 'L-001', reader: '' }),
      call('reserveBook', { code: 'L-001', reader: '' }),
      call('withdrawReservation', { code: 'L-001', reader: '' }),
      call('returnBook', { code: 'L-001' }),
    ],
    open: () => {
      const loans = new Map<string, string>();
      const waiting = new Map<string, string[]>();
      const code = text('Code on the spine', { enum: ['L-001', 'L-002', 'L-003'] });
      const reader = text('Name of the reader', { maxLength: 60 });
      return [
        {
          name: 'borrowBook',
          description: 'Lends a book.',
          parameters: object({ code, reader }),
          returns: object({ weeks: integer('Duration.', { minimum: 1 }) }),
          examples: [{ code: 'L-002', reader: 'Ada' }],
          run: (input: { code: string; reader: string }) => {
            if (loans.has(input.code)) throw conflict('The book is lent');
            loans.set(input.code, input.reader);
            return { weeks: 3 };
          },
        },
        {
          name: 'reserveBook',
          description: 'Reserves a book that is lent.',
          parameters: object({ code, reader }),
          returns: object({ position: integer('Place in the queue.', { minimum: 1 }) }),
          run: (input: { code: string; reader: string }) => {
            if (!loans.has(input.code)) throw conflict('The book is on the shelf');
            const queue = waiting.get(input.code) ?? [];
            waiting.set(input.code, queue);
            return { position: queue.push(input.reader) };
          },
        },
        {
          name: 'withdrawReservation',
          description: 'Withdraws a reservation.',
          parameters: object({ code, reader }),
          returns: object({ waiting: integer('Readers who still wait.', { minimum: 0 }) }),
          run: (input: { code: string; reader: string }) => {
            const queue = waiting.get(input.code) ?? [];
            if (!queue.includes(input.reader)) throw conflict('There is no such reservation');
            queue.splice(queue.indexOf(input.reader), 1);
            return { waiting: queue.length };
          },
        },
        {
          name: 'returnBook',
          description: 'Takes a book back. If somebody has reserved it, it is held for that reader.',
          parameters: object({ code }),
          returns: object({ onShelf: { type: 'boolean' }, heldFor: text('Name of the reader.') }, [
            'heldFor',
          ]),
          run: (input: { code: string }) => {
            if (!loans.delete(input.code)) throw conflict('The book is not lent');
            const queue = waiting.get(input.code);
            return queue === undefined
              ? { onShelf: true }
              : { onShelf: false, heldFor: queue.shift() ?? null };
          },
        },
      ];
    },
  }),
];
