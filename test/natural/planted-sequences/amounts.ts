import { EXPRESS_PAGE, PROXY_PAGE } from '../planted-inputs/unhandled.ts';
import { integer, number, object, text } from '../shapes.ts';
import { call, conflict, counter, found, type PlantedSequenceBug, plantSequence } from './plant-sequence.ts';

/** Money, stock and times that do not add up. */
export const amounts: readonly PlantedSequenceBug[] = [
  plantSequence({
    name: 'a transfer from a closed account ends in 502',
    service: 'Accounts of a club.',
    craft: PROXY_PAGE,
    smallest: [
      call('openAccount', { owner: '' }),
      call('openAccount', { owner: '' }),
      call('closeAccount', { iban: '$1/iban' }),
      call('transfer', { from: '$1/iban', to: '$2/iban', cents: 1 }),
    ],
    open: () => {
      const next = counter();
      const owners = new Map<string, string>();
      const balances = new Map<string, { cents: number }>();
      const iban = text('Number of an account', { pattern: '^CL\\d{6}$' });
      return [
        {
          name: 'openAccount',
          description: 'Opens an account with ten euros from the club.',
          parameters: object({ owner: text('Name of the owner', { maxLength: 60 }) }),
          returns: object({ iban }),
          examples: [{ owner: 'Ada King' }],
          run: ({ owner }: { owner: string }) => {
            const made = `CL${String(next()).padStart(6, '0')}`;
            owners.set(made, owner);
            balances.set(made, { cents: 1000 });
            return { iban: made };
          },
        },
        {
          name: 'closeAccount',
          description: 'Closes an account and pays out what is left.',
          parameters: object({ iban }),
          returns: object({ paidCents: integer('Cents that are paid out.', { minimum: 0 }) }),
          run: (input: { iban: string }) => {
            const { cents } = found(balances, input.iban, 'account');
            balances.delete(input.iban);
            return { paidCents: cents };
          },
        },
        {
          name: 'transfer',
          description: 'Moves money from one account to another.',
          parameters: object({
            from: iban,
            to: iban,
            cents: integer('How much', { minimum: 1, maximum: 1e6 }),
          }),
          returns: object({ leftCents: integer('Balance of the first account.', { minimum: 0 }) }),
          run: ({ from, to, cents }: { from: string; to: string; cents: number }) => {
            found(owners, from, 'account');
            const target = found(balances, to, 'account');
            const source = balances.get(from) as { cents: number };
            if (source.cents < cents) throw conflict('There is not enough money');
            source.cents -= cents;
            target.cents += cents;
            return { leftCents: source.cents };
          },
        },
      ];
    },
  }),
  plantSequence({
    name: 'a second full refund leaves less than nothing',
    service: 'Card payments.',
    smallest: [
      call('createCharge', { cents: 1 }),
      call('refundCharge', { chargeId: '$1/chargeId', cents: 1 }),
      call('refundCharge', { chargeId: '$1/chargeId', cents: 1 }),
    ],
    open: () => {
      const next = counter();
      const charges = new Map<string, { readonly cents: number; refunded: number }>();
      const chargeId = text('Identifier of the charge', { examples: ['ch_7'] });
      const cents = integer('Amount in cents', { minimum: 1, maximum: 1_000_000 });
      return [
        {
          name: 'createCharge',
          description: 'Charges a card.',
          parameters: object({ cents }),
          returns: object({ chargeId }),
          examples: [{ cents: 1999 }],
          run: (input: { cents: number }) => {
            const id = `ch_${next()}`;
            charges.set(id, { cents: input.cents, refunded: 0 });
            return { chargeId: id };
          },
        },
        {
          name: 'refundCharge',
          description: 'Pays back a charge or a part of it.',
          parameters: object({ chargeId, cents }),
          returns: object({ leftCents: integer('What can still be refunded.', { minimum: 0 }) }),
          run: (input: { chargeId: string; cents: number }) => {
            const charge = found(charges, input.chargeId, 'charge');
            if (input.cents > charge.cents) throw conflict('The charge is smaller');
            charge.refunded += input.cents;
            return { leftCents: charge.cents - charge.refunded };
          },
        },
      ];
    },
  }),
  plantSequence({
    name: 'the price of stock is null after a delivery of nothing',
    service: 'Stock of a warehouse.',
    smallest: [call('receiveStock', { sku: '', quantity: 0, price: 0 }), call('stockReport', { sku: '' })],
    open: () => {
      const stock = new Map<string, { quantity: number; cost: number }>();
      const sku = text('Article number', { maxLength: 20 });
      return [
        {
          name: 'receiveStock',
          description: 'Books a delivery; quantity 0 announces one.',
          parameters: object({
            sku,
            quantity: integer('Pieces', { minimum: 0, maximum: 10_000 }),
            price: number('Price of a piece', { minimum: 0, maximum: 100_000 }),
          }),
          returns: object({ quantity: integer('Pieces in stock.', { minimum: 0 }) }),
          examples: [{ sku: 'M8-40', quantity: 200, price: 0.12 }],
          run: (input: { sku: string; quantity: number; price: number }) => {
            const known = stock.get(input.sku) ?? { quantity: 0, cost: 0 };
            const quantity = known.quantity + input.quantity;
            stock.set(input.sku, { quantity, cost: known.cost + input.quantity * input.price });
            return { quantity };
          },
        },
        {
          name: 'stockReport',
          description: 'Pieces of an article and their average price.',
          parameters: object({ sku }),
          returns: object({ quantity: integer('Pieces.'), averagePrice: number('Of a piece.') }),
          run: (input: { sku: string }) => {
            const { quantity, cost } = found(stock, input.sku, 'article');
            return { quantity, averagePrice: cost / quantity };
          },
        },
      ];
    },
  }),
  plantSequence({
    name: 'swapping with a booking that was cancelled crashes',
    service: 'Tennis courts.',
    craft: EXPRESS_PAGE,
    smallest: [
      call('bookCourt', { hour: 8 }),
      call('bookCourt', { hour: 9 }),
      call('cancelBooking', { bookingId: '$2/bookingId' }),
      call('swapBookings', { bookingId: '$1/bookingId', otherId: '$2/bookingId' }),
    ],
    open: () => {
      const next = counter();
      const hours = new Map<number, number>();
      const courts = new Map<number, { booking: number }>();
      const bookingId = integer('Number of a booking', { minimum: 1 });
      const hour = integer('Hour of the day', { minimum: 8, maximum: 20 });
      return [
        {
          name: 'bookCourt',
          description: 'Books the court for an hour.',
          parameters: object({ hour }),
          returns: object({ bookingId }),
          examples: [{ hour: 18 }],
          run: (input: { hour: number }) => {
            if (courts.has(input.hour)) throw conflict(`${input.hour} o'clock is booked`);
            const booking = next();
            hours.set(booking, input.hour);
            courts.set(input.hour, { booking });
            return { bookingId: booking };
          },
        },
        {
          name: 'cancelBooking',
          description: 'Cancels a booking, so that others can book the hour.',
          parameters: object({ bookingId }),
          returns: object({ hour }),
          run: (input: { bookingId: number }) => {
            const freed = found(hours, input.bookingId, 'booking');
            if (courts.get(freed)?.booking !== input.bookingId) throw conflict('It is cancelled already');
            courts.delete(freed);
            return { hour: freed };
          },
        },
        {
          name: 'swapBookings',
          description: 'Two players swap their hours.',
          parameters: object({ bookingId, otherId: bookingId }),
          returns: object({ hour }),
          run: (input: { bookingId: number; otherId: number }) => {
            const mine = found(hours, input.bookingId, 'booking');
            const others = found(hours, input.otherId, 'booking');
            if (courts.get(mine)?.booking !== input.bookingId) throw conflict('The first one is cancelled');
            (courts.get(others) as { booking: number }).booking = input.bookingId;
            (courts.get(mine) as { booking: number }).booking = input.otherId;
            hours.set(input.bookingId, others);
            hours.set(input.otherId, mine);
            return { hour: others };
          },
        },
      ];
    },
  }),
];
