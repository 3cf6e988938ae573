import { randomUUID } from 'node:crypto';
import { Refused } from '../natural-server.ts';
import { EXPRESS_PAGE, FASTIFY_BODY } from '../planted-inputs/unhandled.ts';
import { flag, integer, list, number, object, text } from '../shapes.ts';
import { call, conflict, counter, found, type PlantedSequenceBug, plantSequence } from './plant-sequence.ts';

/** The last part of something is taken away, and the rest does not expect to be empty. */
export const emptiedThings: readonly PlantedSequenceBug[] = [
  plantSequence({
    name: 'a queue that has become empty crashes',
    service: 'Queue of print jobs.',
    craft: EXPRESS_PAGE,
    smallest: [call('pushJob', { file: '' }), call('popJob'), call('popJob')],
    open: () => {
      let jobs: { file: string; copies: number }[] | undefined;
      return [
        {
          name: 'pushJob',
          description: 'Puts a job at the end of the queue.',
          parameters: object(
            { file: text('File to print'), copies: integer('How many', { minimum: 1, maximum: 50 }) },
            ['copies'],
          ),
          returns: object({ waiting: integer('Length of the queue.', { minimum: 1 }) }),
          examples: [{ file: 'report.pdf', copies: 2 }],
          run: ({ file, copies = 1 }: { file: string; copies?: number }) => {
            jobs ??= [];
            return { waiting: jobs.push({ file, copies }) };
          },
        },
        {
          name: 'popJob',
          description: 'Takes the first job from the queue.',
          parameters: object({}),
          returns: object({ file: text('File to print.'), copies: integer('How many.', { minimum: 1 }) }),
          run: () => {
            if (jobs === undefined) throw new Refused('QUEUE_EMPTY', 'No job is waiting', 404);
            const { file, copies } = jobs.shift() as { file: string; copies: number };
            return { file, copies };
          },
        },
        {
          name: 'queueLength',
          description: 'Number of waiting jobs.',
          parameters: object({}),
          returns: object({ waiting: integer('Length of the queue.', { minimum: 0 }) }),
          run: () => ({ waiting: jobs?.length ?? 0 }),
        },
      ];
    },
  }),
  plantSequence({
    name: 'checkout of a cart whose item was removed crashes',
    service: 'Carts of a shop.',
    craft: FASTIFY_BODY,
    smallest: [
      call('createCart'),
      call('addItem', { cart_id: '$1/cart_id', sku: '', price: 0 }),
      call('removeItem', { cart_id: '$1/cart_id', sku: '' }),
      call('checkout', { cart_id: '$1/cart_id' }),
    ],
    open: () => {
      const carts = new Map<string, { readonly order: string[]; readonly prices: Map<string, number> }>();
      const cart_id = text('Identifier of the cart', { format: 'uuid' });
      const sku = text('Article number', { maxLength: 20 });
      return [
        {
          name: 'createCart',
          description: 'Opens an empty cart.',
          parameters: object({}),
          returns: object({ cart_id }),
          run: () => {
            const id = randomUUID();
            carts.set(id, { order: [], prices: new Map() });
            return { cart_id: id };
          },
        },
        {
          name: 'addItem',
          description: 'Puts an article into a cart. An article that is in it already gets the new price.',
          parameters: object({ cart_id, sku, price: number('In euros', { minimum: 0, maximum: 10_000 }) }),
          returns: object({ items: integer('Articles in the cart.', { minimum: 1 }) }),
          run: (input: { cart_id: string; sku: string; price: number }) => {
            const { order, prices } = found(carts, input.cart_id, 'cart');
            if (!order.includes(input.sku)) order.push(input.sku);
            prices.set(input.sku, input.price);
            return { items: prices.size };
          },
        },
        {
          name: 'removeItem',
          description: 'Takes an article out of a cart.',
          parameters: object({ cart_id, sku }),
          returns: object({ items: integer('Articles in the cart.', { minimum: 0 }) }),
          run: (input: { cart_id: string; sku: string }) => {
            const { prices } = found(carts, input.cart_id, 'cart');
            found(prices, input.sku, 'article');
            prices.delete(input.sku);
            return { items: prices.size };
          },
        },
        {
          name: 'checkout',
          description: 'Writes the receipt of a cart, in the order in which the articles were added.',
          parameters: object({ cart_id }),
          returns: object({ lines: list({ type: 'string' }, 'Article and price.') }),
          run: (input: { cart_id: string }) => {
            const { order, prices } = found(carts, input.cart_id, 'cart');
            if (order.length === 0) throw conflict('The cart is empty');
            return { lines: order.map((one) => `${one} ${(prices.get(one) as number).toFixed(2)}`) };
          },
        },
      ];
    },
  }),
  plantSequence({
    name: 'the average of a product without its only review is null',
    service: 'Reviews of products.',
    smallest: [
      call('submitReview', { product: '', stars: 1 }),
      call('deleteReview', { reviewId: '$1/reviewId' }),
      call('productRating', { product: '' }),
    ],
    open: () => {
      const next = counter();
      const reviews = new Map<string, { product: string; stars: number }>();
      const sums = new Map<string, { stars: number; reviews: number }>();
      const product = text('Name of the product', { maxLength: 60 });
      return [
        {
          name: 'submitReview',
          description: 'Rates a product with one to five stars.',
          parameters: object({ product, stars: integer('Rating', { minimum: 1, maximum: 5 }) }),
          returns: object({ reviewId: text('Identifier.', { pattern: '^rev-\\d+$' }) }),
          examples: [{ product: 'Kettle', stars: 4 }],
          run: (review: { product: string; stars: number }) => {
            const reviewId = `rev-${next()}`;
            reviews.set(reviewId, review);
            const sum = sums.get(review.product) ?? { stars: 0, reviews: 0 };
            sums.set(review.product, { stars: sum.stars + review.stars, reviews: sum.reviews + 1 });
            return { reviewId };
          },
        },
        {
          name: 'deleteReview',
          description: 'Deletes a review.',
          parameters: object({ reviewId: text('Identifier of the review', { pattern: '^rev-\\d+$' }) }),
          returns: object({ deleted: flag('Always true.') }),
          run: ({ reviewId }: { reviewId: string }) => {
            const review = found(reviews, reviewId, 'review');
            const sum = found(sums, review.product, 'product');
            sums.set(review.product, { stars: sum.stars - review.stars, reviews: sum.reviews - 1 });
            return { deleted: reviews.delete(reviewId) };
          },
        },
        {
          name: 'productRating',
          description: 'Average rating of a product; 0 if nobody has rated it.',
          parameters: object({ product }),
          returns: object({ average: number('Stars.', { minimum: 0, maximum: 5 }) }),
          run: ({ product: name }: { product: string }) => {
            const sum = sums.get(name);
            return { average: sum === undefined ? 0 : sum.stars / sum.reviews };
          },
        },
      ];
    },
  }),
  plantSequence({
    name: 'the shares of a poll are null after the only vote was withdrawn',
    service: 'Polls.',
    smallest: [
      call('createPoll', { question: '' }),
      call('vote', { pollId: '$1/pollId', voter: '', answer: 'yes' }),
      call('withdrawVote', { pollId: '$1/pollId', voter: '' }),
      call('pollResult', { pollId: '$1/pollId' }),
    ],
    open: () => {
      const next = counter();
      const polls = new Map<number, { votes: Map<string, string>; tally: Map<string, number> }>();
      const pollId = integer('Number of the poll', { minimum: 1 });
      const voter = text('Name of the voter', { maxLength: 40 });
      const share = number('From 0 to 1.', { minimum: 0, maximum: 1 });
      const add = (tally: Map<string, number>, answer: string, votes: number): unknown =>
        tally.set(answer, (tally.get(answer) ?? 0) + votes);
      return [
        {
          name: 'createPoll',
          description: 'Asks a question that is answered by yes or no.',
          parameters: object({ question: text('The question', { maxLength: 200 }) }),
          returns: object({ pollId }),
          examples: [{ question: 'Shall we meet on Monday?' }],
          run: () => {
            const id = next();
            polls.set(id, { votes: new Map(), tally: new Map() });
            return { pollId: id };
          },
        },
        {
          name: 'vote',
          description: 'Votes once. A second vote of the same voter is refused.',
          parameters: object({ pollId, voter, answer: text('Answer', { enum: ['yes', 'no'] }) }),
          returns: object({ votes: integer('Votes so far.', { minimum: 1 }) }),
          run: (input: { pollId: number; voter: string; answer: string }) => {
            const { votes, tally } = found(polls, input.pollId, 'poll');
            if (votes.has(input.voter)) throw conflict(`${input.voter} has voted`);
            votes.set(input.voter, input.answer);
            add(tally, input.answer, 1);
            return { votes: votes.size };
          },
        },
        {
          name: 'withdrawVote',
          description: 'Takes a vote back.',
          parameters: object({ pollId, voter }),
          returns: object({ votes: integer('Votes that are left.', { minimum: 0 }) }),
          run: (input: { pollId: number; voter: string }) => {
            const { votes, tally } = found(polls, input.pollId, 'poll');
            add(tally, found(votes, input.voter, 'voter'), -1);
            votes.delete(input.voter);
            return { votes: votes.size };
          },
        },
        {
          name: 'pollResult',
          description: 'Shares of the answers, 0 without votes.',
          parameters: object({ pollId }),
          returns: object({ yes: share, no: share }),
          run: (input: { pollId: number }) => {
            const { votes, tally } = found(polls, input.pollId, 'poll');
            if (tally.size === 0) return { yes: 0, no: 0 };
            return {
              yes: (tally.get('yes') ?? 0) / votes.size,
              no: (tally.get('no') ?? 0) / votes.size,
            };
          },
        },
      ];
    },
  }),
];
