import type { AddressInfo } from 'node:net';
import { type FastifyInstance, fastify } from 'fastify';
import type { CheckPool, ConnectionPool } from 'probity/service';
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';
import type { Store } from '../db/open-store.ts';
import { readQueueStates } from '../jobs/queues.ts';

const REQUEST_SECONDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60];
const ADDED_SECONDS = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5];
const TEST_SECONDS = [0.25, 0.5, 1, 2, 3, 5, 10, 15, 20, 30, 45, 60];

/** What the service counts and measures of its own work, for Prometheus. */
export class Metrics {
  readonly #registry = new Registry();
  readonly #registers = [this.#registry];
  readonly #tests = this.#counter(
    'probity_tests_total',
    'Finished tests, by verdict of the suites and decision of the listing checks.',
    ['verdict', 'decision', 'reachable'],
  );
  readonly #testSeconds = this.#histogram(
    'probity_test_duration_seconds',
    'From the start of a test to its result, without its time in the queue.',
    TEST_SECONDS,
  );
  readonly jobs = this.#counter(
    'probity_jobs_total',
    'Attempts at jobs of this process, by outcome: ended, interrupted or delayed (another attempt follows), or failed.',
    ['queue', 'outcome'],
  );
  readonly probes = this.#counter('probity_probes_total', 'Probes of targets, by outcome.', ['outcome']);
  readonly #leases = this.#counter(
    'probity_target_leases_total',
    'Leases to send something to a target within the budget of its host and address: granted, or asked for again later.',
    ['outcome'],
  );
  readonly #turnSeconds = this.#counter(
    'probity_target_lease_wait_seconds_total',
    'How long granted leases waited for the budget of their host and address.',
  );
  readonly spans = this.#counter(
    'probity_spans_total',
    'Spans of sampled traces, by outcome: exported, or dropped because the collector did not accept them in time.',
    ['outcome'],
  );
  readonly #calls = this.#counter(
    'probity_gateway_calls_total',
    'Calls of the gateway, by outcome: succeeded, or the code of the problem.',
    ['outcome'],
  );
  readonly #callSeconds = this.#histogram(
    'probity_gateway_call_duration_seconds',
    'From the admission of a call to its outcome, the target included.',
    REQUEST_SECONDS,
  );
  readonly addedSeconds = this.#histogram(
    'probity_gateway_added_seconds',
    'The time of a call from the arrival of its request to its outcome, without that of the request to the target.',
    ADDED_SECONDS,
  );
  /** 0 when a failure of a target was blamed on the network of this process. */
  readonly ownNetwork = this.#gauge(
    'probity_own_network_believed',
    '1: failures of targets are believed; 0: the last one was blamed on the network of this process.',
  );

  constructor({ connections, db }: Pick<Store, 'connections' | 'db'>) {
    collectDefaultMetrics({ register: this.#registry });
    this.ownNetwork.set(1);
    this.#gauge(
      'probity_database_connections',
      'Connections to the database, by state; waiting: work that waits for one.',
      ['state'],
      (gauge) => {
        const { open, idle, waiting } = connections();
        gauge.set({ state: 'used' }, open - idle);
        gauge.set({ state: 'idle' }, idle);
        gauge.set({ state: 'waiting' }, waiting);
      },
    );
    // Without a database, the other metrics are more useful than none.
    const queueStates = () => readQueueStates(db).catch(() => []);
    this.#gauge(
      'probity_queue_jobs',
      'Jobs of all processes, by state: waiting, delayed until a repetition, running, or failed in the last day.',
      ['queue', 'state'],
      async (gauge) => {
        const states = await queueStates();
        gauge.reset();
        for (const { queue, waiting, delayed, running, failed } of states)
          for (const [state, count] of Object.entries({ waiting, delayed, running, failed }))
            gauge.set({ queue, state }, count);
      },
    );
    // Its own read, because metrics are collected at the same time.
    this.#gauge(
      'probity_queue_oldest_waiting_seconds',
      'How long the oldest waiting job of a queue could have started; 0 without one.',
      ['queue'],
      async (gauge) => {
        const states = await queueStates();
        gauge.reset();
        for (const { queue, oldestWaitingSeconds } of states) gauge.set({ queue }, oldestWaitingSeconds);
      },
    );
  }

  /** A finished test, and whether the listing checks list its server now. */
  noteTest(test: {
    readonly verdict: string;
    readonly decision: string;
    readonly reachable: boolean;
    readonly durationMs: number;
  }): void {
    const { durationMs, reachable, ...labels } = test;
    this.#tests.inc({ ...labels, reachable: String(reachable) });
    this.#testSeconds.observe(durationMs / 1000);
  }

  /** A lease to send something to a target was granted after a wait, or has to be asked for again. */
  noteLease(outcome: 'granted' | 'later', waitMs: number): void {
    this.#leases.inc({ outcome });
    if (outcome === 'granted') this.#turnSeconds.inc(waitMs / 1000);
  }

  /** A call of the gateway begins. Call the returned function with `succeeded` or the code of the problem. */
  startCall(): (outcome: string) => void {
    const end = this.#callSeconds.startTimer();
    return (outcome) => {
      this.#calls.inc({ outcome });
      end();
    };
  }

  /** Measures the connections to targets, and the threads in which they are checked. */
  measureTargets(pool: Pick<ConnectionPool, 'open'>, checks: Pick<CheckPool, 'busyMs'>): void {
    this.#gauge(
      'probity_target_connections',
      'Open connections of probes and calls to targets.',
      [],
      (gauge) => gauge.set(pool.open()),
    );
    new Counter({
      name: 'probity_check_busy_seconds_total',
      help: 'How long the threads of checks were busy: about their CPU time.',
      registers: this.#registers,
      collect() {
        this.reset();
        this.inc(checks.busyMs() / 1000);
      },
    });
  }

  /** Counts the requests of an application, their statuses and their durations. */
  measureRequests(app: FastifyInstance): void {
    const answered = this.#counter('probity_http_requests_total', 'Requests that were answered.', [
      'method',
      'route',
      'status',
    ]);
    const seconds = this.#histogram(
      'probity_http_request_duration_seconds',
      'From the request’s arrival to the end of its answer.',
      REQUEST_SECONDS,
      ['method', 'route'],
    );
    const underWay = this.#gauge('probity_http_requests_under_way', 'Requests that are being answered.');
    app.addHook('onRequest', (_request, reply, done) => {
      underWay.inc();
      // `close` fires after the answer, and also when the client disconnects.
      reply.raw.once('close', () => underWay.dec());
      done();
    });
    app.addHook('onResponse', (request, reply, done) => {
      // The pattern of the path, not the path: otherwise strangers could create any number of series.
      const route = request.routeOptions.url ?? 'none';
      const { method } = request;
      answered.inc({ method, route, status: reply.statusCode });
      seconds.observe({ method, route }, reply.elapsedTime / 1000);
      done();
    });
  }

  /** Serves /metrics at an address of the operator, because callers must not read it. Rejects when it cannot be bound. */
  async serve({ host, port }: Readonly<{ host: string; port: number }>) {
    const app = fastify({ forceCloseConnections: true });
    app.get('/metrics', async (_request, reply) =>
      reply
        .header('cache-control', 'no-store')
        .type(this.#registry.contentType)
        .send(await this.#registry.metrics()),
    );
    await app.listen({ host, port });
    const { port: bound } = app.server.address() as AddressInfo;
    return {
      url: `http://${host.includes(':') ? `[${host}]` : host}:${bound}`,
      stop: (): Promise<void> => app.close(),
    };
  }

  #counter<Label extends string>(
    name: string,
    help: string,
    labelNames: readonly Label[] = [],
  ): Counter<Label> {
    return new Counter({ name, help, labelNames, registers: this.#registers });
  }

  #histogram(
    name: string,
    help: string,
    buckets: readonly number[],
    labelNames: readonly string[] = [],
  ): Histogram {
    return new Histogram({ name, help, labelNames, buckets: [...buckets], registers: this.#registers });
  }

  #gauge(
    name: string,
    help: string,
    labelNames: readonly string[] = [],
    collect: (gauge: Gauge) => void | Promise<void> = () => undefined,
  ): Gauge {
    const gauge: Gauge = new Gauge({
      name,
      help,
      labelNames,
      registers: this.#registers,
      collect: () => collect(gauge),
    });
    return gauge;
  }
}
