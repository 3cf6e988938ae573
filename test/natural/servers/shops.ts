import { Refused } from '../natural-server.ts';
import { natural } from '../serve-natural.ts';
import { flag, integer, list, number, object, text } from '../shapes.ts';

export const shoppingCart = natural({
  name: 'cart',
  description: 'A shopping cart for one customer.',
  changes: ['addItem', 'checkout'],
  undecidedInA: ['addItem', 'checkout'],
  open: () => {
    const prices: Record<string, number> = { apple: 0.4, bread: 2.75, cheese: 6.1 };
    let items: { sku: string; quantity: number }[] = [];
    const totalOf = (): number =>
      Math.round(items.reduce((sum, { sku, quantity }) => sum + (prices[sku] ?? 0) * quantity, 0) * 100) /
      100;
    return [
      {
        name: 'addItem',
        description: 'Adds an article to the cart.',
        parameters: object({
          sku: text('Article', { enum: Object.keys(prices) }),
          quantity: integer('How many', { minimum: 1, maximum: 99 }),
        }),
        returns: object({ items: integer('Positions in the cart.'), total: number('Total in euros.') }),
        run: ({ sku, quantity }: { sku: string; quantity: number }) => {
          items.push({ sku, quantity });
          return { items: items.length, total: totalOf() };
        },
      },
      {
        name: 'viewCart',
        description: 'What is in the cart.',
        parameters: object({}),
        returns: object({
          items: list(object({ sku: text('Article.'), quantity: integer('How many.') }), 'Positions.'),
          total: number('Total in euros.'),
        }),
        run: () => ({ items, total: totalOf() }),
      },
      {
        name: 'checkout',
        description: 'Orders what is in the cart and empties it.',
        parameters: object({}),
        returns: object({ orderNumber: text('Number of the order.'), total: number('What was charged.') }),
        run: () => {
          if (items.length === 0) throw new Refused('CART_EMPTY', 'The cart is empty', 409);
          const total = totalOf();
          items = [];
          return { orderNumber: `O-${Date.now()}`, total };
        },
      },
    ];
  },
});

export const warehouse = natural({
  name: 'warehouse',
  description: 'Stock of a small warehouse.',
  changes: ['takeFromStock'],
  once: ['takeFromStock'],
  open: () => {
    const stock = new Map([
      ['BOLT-M8', 12],
      ['NUT-M8', 3],
    ]);
    const sku = text('Stock code, such as BOLT-M8', { pattern: '^[A-Z]+-M\\d+$', examples: ['BOLT-M8'] });
    const left = (code: string): number => {
      const count = stock.get(code);
      if (count === undefined) throw new Refused('UNKNOWN_SKU', `Nothing is stocked as ${code}`, 404);
      return count;
    };
    return [
      {
        name: 'stockOf',
        description: 'How many pieces are left.',
        parameters: object({ sku }),
        returns: object({ sku: text('Stock code.'), pieces: integer('Pieces left.', { minimum: 0 }) }),
        examples: [{ sku: 'BOLT-M8' }],
        run: ({ sku: code }: { sku: string }) => ({ sku: code, pieces: left(code) }),
      },
      {
        name: 'takeFromStock',
        description: 'Takes pieces out. Refuses when there are not enough.',
        parameters: object({ sku, pieces: integer('How many', { minimum: 1 }) }),
        returns: object({ pieces: integer('Pieces left.') }),
        examples: [{ sku: 'NUT-M8', pieces: 2 }],
        run: ({ sku: code, pieces }: { sku: string; pieces: number }) => {
          const rest = left(code) - pieces;
          if (rest < 0)
            throw new Refused('OUT_OF_STOCK', `Only ${left(code)} pieces of ${code} are left`, 409);
          stock.set(code, rest);
          return { pieces: rest };
        },
      },
    ];
  },
});

export const coupons = natural({
  name: 'coupons',
  description: 'Gift coupons that can be redeemed once.',
  changes: ['redeemCoupon'],
  once: ['redeemCoupon'],
  open: () => {
    const open = new Map([
      ['SPRING-2026', 10],
      ['WELCOME', 5],
    ]);
    const redeemed = new Set<string>();
    const code = text('The code printed on the coupon');
    return [
      {
        name: 'couponValue',
        description: 'Value of a coupon in euros, and whether it can still be used.',
        parameters: object({ code }),
        returns: object({ value: { type: ['number', 'null'] }, usable: flag('It can be redeemed.') }),
        examples: [{ code: 'WELCOME' }],
        run: ({ code: given }: { code: string }) => ({
          value: open.get(given) ?? null,
          usable: open.has(given) && !redeemed.has(given),
        }),
      },
      {
        name: 'redeemCoupon',
        description: 'Redeems a coupon.',
        parameters: object({ code }),
        returns: object({ value: number('Euros that were credited.') }),
        examples: [{ code: 'SPRING-2026' }],
        run: ({ code: given }: { code: string }) => {
          const value = open.get(given);
          if (value === undefined) throw new Refused('UNKNOWN_COUPON', 'There is no such coupon', 404);
          if (redeemed.has(given)) throw new Refused('ALREADY_REDEEMED', 'This coupon was redeemed', 409);
          redeemed.add(given);
          return { value };
        },
      },
    ];
  },
});

export const boxOffice = natural({
  name: 'box-office',
  description: 'Sells tickets for tonight’s concert.',
  changes: ['buyTickets'],
  once: ['buyTickets'],
  undecidedInA: ['buyTickets'],
  open: () => {
    let left = 40;
    let sold = 0;
    return [
      {
        name: 'availability',
        description: 'Seats that are left.',
        parameters: object({}),
        returns: object({ seatsLeft: integer('Seats left.'), soldOut: flag('None is left.') }),
        run: () => ({ seatsLeft: left, soldOut: left === 0 }),
      },
      {
        name: 'buyTickets',
        description: 'Buys tickets and returns their numbers.',
        parameters: object({ seats: integer('How many seats', { minimum: 1, maximum: 8 }) }),
        returns: object({ ticketNumbers: list({ type: 'string' }, 'One for each seat.') }),
        run: ({ seats }: { seats: number }) => {
          if (seats > left) throw new Refused('SOLD_OUT', `Only ${left} seats are left`, 409);
          left -= seats;
          const first = sold + 1;
          sold += seats;
          return {
            ticketNumbers: Array.from(
              { length: seats },
              (_, at) => `T${String(first + at).padStart(4, '0')}`,
            ),
          };
        },
      },
    ];
  },
});

export const newsletter = natural({
  name: 'newsletter',
  description: 'Subscriptions to the newsletter.',
  changes: ['subscribe', 'unsubscribe'],
  once: ['subscribe'],
  open: () => {
    const subscribers = new Map<string, string>();
    const email = text('E-mail address', { format: 'email' });
    return [
      {
        name: 'subscribe',
        description: 'Subscribes an address. It cannot be subscribed twice.',
        parameters: object({ email }),
        returns: object({ since: text('Start of the subscription.', { format: 'date-time' }) }),
        run: ({ email: address }: { email: string }) => {
          if (subscribers.has(address))
            throw new Refused('ALREADY_SUBSCRIBED', `${address} is subscribed`, 409);
          const since = new Date().toISOString();
          subscribers.set(address, since);
          return { since };
        },
      },
      {
        name: 'unsubscribe',
        description: 'Ends a subscription.',
        parameters: object({ email }),
        returns: object({ unsubscribed: flag('Always true.') }),
        run: ({ email: address }: { email: string }) => {
          if (!subscribers.delete(address)) throw new Refused('NOT_SUBSCRIBED', 'Not a subscriber', 404);
          return { unsubscribed: true };
        },
      },
      {
        name: 'subscriberCount',
        description: 'How many addresses are subscribed.',
        parameters: object({}),
        returns: object({ subscribers: integer('Addresses.') }),
        examples: [{}],
        run: () => ({ subscribers: subscribers.size }),
      },
    ];
  },
});

export const orderDesk = natural({
  name: 'order-desk',
  description: 'Quotes and takes orders. Schemas share definitions.',
  changes: ['placeOrder'],
  undecidedInA: ['quoteOrder', 'placeOrder'],
  open: () => {
    const $defs = {
      address: {
        type: 'object',
        properties: {
          street: { type: 'string', minLength: 1 },
          postcode: { type: 'string', pattern: '^\\d{5}$' },
          country: { $ref: '#/$defs/country' },
        },
        required: ['street', 'postcode', 'country'],
      },
      country: { type: 'string', enum: ['DE', 'FR', 'NL'] },
      line: {
        type: 'object',
        properties: {
          article: { type: 'string', pattern: '^[A-Z]{3}-\\d{4}$' },
          pieces: { type: 'integer', minimum: 1 },
        },
        required: ['article', 'pieces'],
        additionalProperties: false,
      },
    };
    const properties = {
      shipTo: { $ref: '#/$defs/address', description: 'Where to deliver.' },
      lines: { type: 'array', items: { $ref: '#/$defs/line' }, minItems: 1, description: 'What is ordered.' },
    };
    const parameters = { type: 'object', $defs, properties, required: ['shipTo', 'lines'] };
    interface Order {
      readonly shipTo: { readonly country: string };
      readonly lines: readonly { readonly pieces: number }[];
    }
    const priceOf = ({ shipTo, lines }: Order): number =>
      lines.reduce((sum, { pieces }) => sum + pieces * 1250, shipTo.country === 'DE' ? 490 : 1490);
    let last = 1000;
    return [
      {
        name: 'quoteOrder',
        description: 'Price of an order with delivery, in cents.',
        parameters,
        returns: object({ totalCents: integer('Price with delivery.') }),
        run: (order: Order) => ({ totalCents: priceOf(order) }),
      },
      {
        name: 'placeOrder',
        description: 'Places an order.',
        parameters,
        returns: object({
          orderId: integer('Number of the order.'),
          totalCents: integer('Price with delivery.'),
        }),
        run: (order: Order) => {
          last += 1;
          return { orderId: last, totalCents: priceOf(order) };
        },
      },
    ];
  },
});
