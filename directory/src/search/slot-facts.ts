import {
  PROTOCOLS,
  type Protocol,
  SERVER_STATUSES,
  type ServerStatus,
  type Sort,
  type Transport,
  VERDICTS,
  type Verdict,
} from 'probity/model';
import { type SearchQuery, TRANSPORTS } from './search-query.ts';
import { SlotOrder } from './slot-order.ts';
import { grown, has, keepOnly, keepWhere, type SlotSet, union } from './slot-sets.ts';
import { SlotValues } from './slot-values.ts';

/** What of a listed entry changes with its probes and tests, and other facts that are no texts. */
export interface Facts {
  readonly audited: boolean;
  readonly openSource: boolean;
  readonly transport: readonly Transport[];
  readonly protocol: Protocol;
  readonly status: ServerStatus;
  /** Of the last test. */
  readonly verdict: Verdict | null;
  readonly uptime: number | null;
  readonly responseTimeMs: number | null;
  readonly figuresClaimed: boolean;
  /** Percentage of the functions that gave a result. */
  readonly coverage: number | null;
  /** When it was listed for the first time, in milliseconds since 1970. */
  readonly listedAtMs: number | null;
  /** When its status changed last. */
  readonly statusAtMs: number | null;
  /** Null: it never changed since changes are noted. */
  readonly changedAtMs: number | null;
}

const FLAGS = ['audited', 'openSource', 'figuresClaimed'] as const;
/** What is missing comes last in its order, and is outside every bound of a query. */
const MISSING = {
  uptime: Number.NEGATIVE_INFINITY,
  responseTimeMs: Number.POSITIVE_INFINITY,
  coverage: Number.NEGATIVE_INFINITY,
  listedAtMs: Number.NEGATIVE_INFINITY,
  statusAtMs: Number.NEGATIVE_INFINITY,
  changedAtMs: Number.NEGATIVE_INFINITY,
} as const;
type Figure = keyof typeof MISSING;
const FIGURES = Object.keys(MISSING) as readonly Figure[];

/** The facts of the slots of an index, and the orders by them. */
export class SlotFacts {
  readonly #flags: SlotValues<(typeof FLAGS)[number]>;
  readonly #figures: Record<Figure, Float64Array<ArrayBuffer>>;
  readonly transports: SlotValues<Transport>;
  readonly protocols: SlotValues<Protocol>;
  readonly statuses: SlotValues<ServerStatus>;
  readonly verdicts: SlotValues<Verdict>;
  readonly #orders: Readonly<Record<Sort, SlotOrder>>;

  /** `byName` compares two slots. */
  constructor(capacity: number, byName: (one: number, other: number) => number) {
    this.#flags = new SlotValues(FLAGS, capacity);
    this.transports = new SlotValues(TRANSPORTS, capacity);
    this.protocols = new SlotValues(PROTOCOLS, capacity);
    this.statuses = new SlotValues(SERVER_STATUSES, capacity);
    this.verdicts = new SlotValues(VERDICTS, capacity);
    const figures = FIGURES.map((figure) => [figure, new Float64Array(capacity)] as const);
    this.#figures = Object.fromEntries(figures) as Record<Figure, Float64Array<ArrayBuffer>>;
    const ascending = (figure: Figure, one: number, other: number): number => {
      const [value = 0, otherValue = 0] = [this.#figures[figure][one], this.#figures[figure][other]];
      return value < otherValue ? -1 : value > otherValue ? 1 : 0;
    };
    // Otherwise a claim would be enough to come first.
    const observedFirst = (one: number, other: number): number =>
      Number(this.#has('figuresClaimed', one)) - Number(this.#has('figuresClaimed', other));
    const name = new SlotOrder(byName);
    const by = (compare: (one: number, other: number) => number): SlotOrder => new SlotOrder(compare, name);
    this.#orders = {
      name,
      uptime: by((one, other) => observedFirst(one, other) || ascending('uptime', other, one)),
      responseTime: by((one, other) => observedFirst(one, other) || ascending('responseTimeMs', one, other)),
      coverage: by((one, other) => ascending('coverage', other, one)),
      newest: by((one, other) => ascending('listedAtMs', other, one)),
      changed: by((one, other) => ascending('statusAtMs', other, one)),
    };
  }

  put(slot: number, facts: Facts, isNew: boolean): void {
    const claimed = this.#has('figuresClaimed', slot);
    const figures = this.#figures;
    const before = FIGURES.map((figure) => figures[figure][slot]);
    this.#flags.put(
      slot,
      FLAGS.filter((flag) => facts[flag]),
    );
    this.transports.put(slot, facts.transport);
    this.protocols.put(slot, [facts.protocol]);
    this.statuses.put(slot, [facts.status]);
    this.verdicts.put(slot, facts.verdict === null ? [] : [facts.verdict]);
    for (const figure of FIGURES) figures[figure][slot] = facts[figure] ?? MISSING[figure];
    const moves = (figure: Figure): boolean => before[FIGURES.indexOf(figure)] !== figures[figure][slot];
    const turned = claimed !== facts.figuresClaimed;
    if (isNew) this.#orders.name.note(slot);
    if (isNew || turned || moves('uptime')) this.#orders.uptime.note(slot);
    if (isNew || turned || moves('responseTimeMs')) this.#orders.responseTime.note(slot);
    if (isNew || moves('coverage')) this.#orders.coverage.note(slot);
    if (isNew || moves('listedAtMs')) this.#orders.newest.note(slot);
    if (isNew || moves('statusAtMs')) this.#orders.changed.note(slot);
  }

  grow(capacity: number): void {
    for (const values of [this.#flags, this.transports, this.protocols, this.statuses, this.verdicts])
      values.grow(capacity);
    for (const figure of FIGURES)
      this.#figures[figure] = grown(this.#figures[figure], new Float64Array(capacity));
  }

  /** Forgets the slots that are not listed. */
  keepOrdered(listed: SlotSet): void {
    for (const order of Object.values(this.#orders)) order.keepOnly(listed);
  }

  /** Listed slots in an order, with some that are no longer listed. */
  ordered(sort: Sort, listed: SlotSet): Int32Array {
    return this.#orders[sort].slots(listed);
  }

  /** Keeps the slots that meet the conditions of a query on facts. */
  keepMatching(found: SlotSet, query: SearchQuery): void {
    const { transport, protocol, statuses, verdict, audited, openSource } = query;
    const { minUptime, maxResponseTimeMs, updatedSince } = query;
    if (transport !== null) keepOnly(found, this.transports.having(transport));
    if (protocol !== null) keepOnly(found, this.protocols.having(protocol));
    if (statuses.length > 0) keepOnly(found, union(statuses.map((status) => this.statuses.having(status))));
    if (verdict !== null) keepOnly(found, this.verdicts.having(verdict));
    if (audited !== null) keepOnly(found, this.#flags.having('audited'), audited);
    if (openSource !== null) keepOnly(found, this.#flags.having('openSource'), openSource);
    const { uptime, responseTimeMs, changedAtMs } = this.#figures;
    if (minUptime !== null) keepWhere(found, (slot) => (uptime[slot] ?? 0) >= minUptime);
    if (maxResponseTimeMs !== null)
      keepWhere(found, (slot) => (responseTimeMs[slot] ?? 0) <= maxResponseTimeMs);
    if (updatedSince !== null) {
      const sinceMs = updatedSince.getTime();
      keepWhere(found, (slot) => (changedAtMs[slot] ?? 0) >= sinceMs);
    }
  }

  #has(flag: (typeof FLAGS)[number], slot: number): boolean {
    return has(this.#flags.having(flag), slot);
  }
}
