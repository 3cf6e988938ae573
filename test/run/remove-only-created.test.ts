import { afterEach, describe, expect, it } from 'vitest';
import { checkHere } from '../check/check-here.ts';
import { type NaturalFunction, Refused, type RunningServer } from '../natural/natural-server.ts';
import { serveNatural } from '../natural/serve-natural.ts';
import { integer, list, object, text } from '../natural/shapes.ts';
import { PATIENT } from '../patience.ts';

const running: RunningServer[] = [];
afterEach(async () => {
  for (const server of running.splice(0)) await server.close();
});

/** Things of other users, with the numbers from 2 to 60, and those that the check creates, from 1001. */
class Store {
  readonly owners = new Map<number, string>(
    Array.from({ length: 59 }, (_, index) => [index + 2, 'somebody else']),
  );
  #next = 1001;

  add(): number {
    const id = this.#next;
    this.#next += 1;
    this.owners.set(id, 'check');
    return id;
  }

  get others(): number {
    return [...this.owners.values()].filter((owner) => owner !== 'check').length;
  }
}

function creating(name: string, run: () => object, returns: object): NaturalFunction {
  return {
    name,
    description: 'Creates something.',
    parameters: object({ label: text('Label') }),
    returns: object({ ...returns }),
    examples: [{ label: 'red' }],
    run: () => ({ ...run() }),
  };
}

function deleting(name: string, parameter: string, store: Store, description = 'Number'): NaturalFunction {
  return {
    name,
    description: 'Deletes something.',
    parameters: object({ [parameter]: integer(description) }),
    returns: object({ state: text('State') }),
    examples: [{ [parameter]: 1000 }],
    run: (input: Record<string, number>) => {
      // What the example names is made anew.
      if (input[parameter] === 1000) return { state: 'deleted' };
      if (!store.owners.delete(input[parameter] ?? 0))
        throw new Refused('NOT_FOUND', 'There is no such thing.');
      return { state: 'deleted' };
    },
  };
}

async function check(functions: readonly NaturalFunction[], form: 'A' | 'B' = 'B'): Promise<void> {
  const service = { name: 'store', version: '1.0.0', description: 'A store.', functions };
  const server = await serveNatural(service, form);
  running.push(server);
  const signal = new AbortController().signal;
  await checkHere(server.url, { seed: 7, latency: { off: true }, ...PATIENT }, { signal });
}

describe('things of somebody else', () => {
  it('stay if their number equals a count that a creating function returned', async () => {
    const store = new Store();
    let total = 2;
    await check([
      creating(
        'addItem',
        () => {
          store.add();
          total += 1;
          return { total };
        },
        { total: integer('Total') },
      ),
      creating('createItem', () => ({ itemId: store.add() }), { itemId: integer('Number') }),
      deleting('removeItem', 'itemId', store, 'Number of the item, see addItem and createItem'),
    ]);
    expect(store.others).toBe(59);
  });

  it('stay if their number equals that of another kind of thing', async () => {
    const store = new Store();
    let notes = 20;
    await check([
      creating(
        'createOrderNote',
        () => {
          notes += 1;
          return { id: notes };
        },
        { id: integer('Number') },
      ),
      deleting('deleteOrder', 'orderId', store),
    ]);
    expect(store.others).toBe(59);
  });

  it('stay if a function only handed them out', async () => {
    const store = new Store();
    let next = 1;
    await check([
      creating(
        'claimTask',
        () => {
          next += 1;
          return { taskId: next };
        },
        { taskId: integer('Number') },
      ),
      deleting('deleteTask', 'taskId', store),
    ]);
    expect(store.others).toBe(59);
  });

  it('stay if a creating function returns the latest of all', async () => {
    const store = new Store();
    let seen = 60;
    await check([
      creating(
        'addTag',
        () => {
          const tagIds = [seen, store.add()];
          seen -= 1;
          return { tags: tagIds.map((tagId) => ({ tagId })) };
        },
        { tags: list(object({ tagId: integer('Number') }), 'Tags.') },
      ),
      deleting('deleteTag', 'tagId', store),
    ]);
    expect(store.others).toBe(59);
  });
});

describe('what is in something', () => {
  it.for(['A', 'B'] as const)('is deleted from where it was put, in form %s', async (form) => {
    const carts = new Map<string, string>();
    const deleted: string[] = [];
    const place = { cartId: text('Cart') };
    await check(
      [
        {
          name: 'addItem',
          description: 'Adds an item to a cart.',
          parameters: object({ ...place, label: text('Label') }),
          returns: object({ itemId: text('Identifier') }),
          examples: [{ cartId: 'cart-1', label: 'red' }],
          run: ({ cartId }: { cartId: string }) => {
            const itemId = `item-${(carts.size + 1) * 7919}`;
            carts.set(itemId, cartId);
            return { itemId };
          },
        },
        {
          name: 'removeItem',
          description: 'Removes an item from a cart.',
          parameters: object({ ...place, itemId: text('Identifier') }),
          returns: object({ state: text('State') }),
          examples: [{ cartId: 'cart-1', itemId: 'item-1' }],
          run: ({ cartId, itemId }: { cartId: string; itemId: string }) => {
            if (carts.has(itemId)) deleted.push(`${itemId} from ${cartId}`);
            return { state: 'removed' };
          },
        },
      ],
      form,
    );
    expect(deleted.length).toBeGreaterThan(0);
    expect(deleted.filter((one) => !one.endsWith(` from ${carts.get(one.split(' ')[0] ?? '')}`))).toEqual([]);
  });
});
