import type { AddressInfo } from 'node:net';
import { type FastifyInstance, fastify } from 'fastify';
import type { CheckPool, ConnectionPool } from 'probity/service';
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';
import type { Store } from '../db/open-store.ts';
import { readQueueStates } from '../jobs/queues.ts';

/** What the service counts and measures of its own work, for Prometheus. */
export interface Metrics {
  readonly registry: Registry;
  /** A finished test, and whether the listing checks list its server now. */
  noteTest(test: {
    readonly verdict: string;
    readonly decision: string;
    readonly reachable: boolean;
    readonly durationMs: number;
  }): void;
  /** An attempt at a job ended. */
  noteJob(queue: string, outcome: string): void;
  /** A probe; `unknown` when it shows nothing about its target, for example because our network is down. */
  noteProbe(outcome: 'up' | 'down' | 'unknown' | 'refused'): void;
  /** A turn to send something to a target was granted after a wait, or has to be asked for again. */
  noteTurn(outcome: 'granted' | 'later', waitMs: number): void;
  /** Spans of traces, exported or lost. */
  noteSpans(outcome: 'exported' | 'dropped', count: number): void;
  /** Whether failures of targets are believed: false when one was blamed on the network of this process. */
  noteOwnNetwork(isBelieved: boolean): void;
  /** The time of a call that was not the target's, from the arrival of the request. */
  noteAdded(ms: number): void;
  /** A call of the gateway begins. Call the returned function with `succeeded` or the code of the problem. */
  startCall(): (outcome: string) => void;
}

const REQUEST_SECONDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60];
const ADDED_SECONDS = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5];
const TEST_SECONDS = [0.25, 0.5, 1, 2, 3, 5, 10, 15, 20, 30, 45, 60];

export function createMetrics({ connections, db }: Pick<Store, 'connections' | 'db'>): Metrics {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  const registers = [registry];
  const tests = new Counter({
    name: 'probity_tests_total',
    help: 'Finished tests, by verdict of the suites and decision of the listing checks.',
    labelNames: ['verdict', 'decision', 'reachable'],
    registers,
  });
  const testSeconds = new Histogram({
    name: 'probity_test_duration_seconds',
    help: 'From the start of a test to its result, without its time in the queue.',
    buckets: TEST_SECONDS,
    registers,
  });
  const jobs = new Counter({
    name: 'probity_jobs_total',
    help: 'Attempts at jobs of this process, by outcome: ended, interrupted or delayed (another attempt follows), or failed.',
    labelNames: ['queue', 'outcome'],
    registers,
  });
  const probes = new Counter({
    name: 'probity_probes_total',
    help: 'Probes of targets, by outcome.',
    labelNames: ['outcome'],
    registers,
  });
  const turns = new Counter({
    name: 'probity_target_turns_total',
    help: 'Turns to send something to a target within the budget of its host and address: granted, or asked for again later.',
    labelNames: ['outcome'],
    registers,
  });
  const turnSeconds = new Counter({
    name: 'probity_target_turn_wait_seconds_total',
    help: 'How long granted turns waited for the budget of their host and address.',
    registers,
  });
  const spans = new Counter({
    name: 'probity_spans_total',
    help: 'Spans of sampled traces, by outcome: exported, or dropped because the collector did not accept them in time.',
    labelNames: ['outcome'],
    registers,
  });
  const calls = new Counter({
    name: 'probity_gateway_calls_total',
    help: 'Calls of the gateway, by outcome: succeeded, or the code of the problem.',
    labelNames: ['outcome'],
    registers,
  });
  const callSeconds = new Histogram({
    name: 'probity_gateway_call_duration_seconds',
    help: 'From the admission of a call to its outcome, the target included.',
    buckets: REQUEST_SECONDS,
    registers,
  });
  const addedSeconds = new Histogram({
    name: 'probity_gateway_added_seconds',
    help: 'The time of a call from the arrival of its request to its outcome, without that of the request to the target.',
    buckets: ADDED_SECONDS,
    registers,
  });
  const ownNetwork = new Gauge({
    name: 'probity_own_network_believed',
    help: '1: failures of targets are believed; 0: the last one was blamed on the network of this process.',
    registers,
  });
  ownNetwork.set(1);
  new Gauge({
    name: 'probity_database_connections',
    help: 'Connections to the database, by state; waiting: work that waits for one.',
    labelNames: ['state'],
    registers,
    collect() {
      const { open, idle, waiting } = connections();
      this.set({ state: 'used' }, open - idle);
      this.set({ state: 'idle' }, idle);
      this.set({ state: 'waiting' }, waiting);
    },
  });
  // Without a database, the other metrics are more useful than none.
  const queueStates = () => readQueueStates(db).catch(() => []);
  new Gauge({
    name: 'probity_queue_jobs',
    help: 'Jobs of all processes, by state: waiting, delayed until a repetition, running, or failed in the last day.',
    labelNames: ['queue', 'state'],
    registers,
    async collect() {
      const states = await queueStates();
      this.reset();
      for (const { queue, waiting, delayed, running, failed } of states)
        for (const [state, count] of Object.entries({ waiting, delayed, running, failed }))
          this.set({ queue, state }, count);
    },
  });
  // Its own read, because metrics are collected at the same time.
  new Gauge({
    name: 'probity_queue_oldest_waiting_seconds',
    help: 'How long the oldest waiting job of a queue could have started; 0 without one.',
    labelNames: ['queue'],
    registers,
    async collect() {
      const states = await queueStates();
      this.reset();
      for (const { queue, oldestWaitingSeconds } of states) this.set({ queue }, oldestWaitingSeconds);
    },
  });
  return {
    registry,
    noteTest: ({ verdict, decision, reachable, durationMs }) => {
      tests.inc({ verdict, decision, reachable: String(reachable) });
      testSeconds.observe(durationMs / 1000);
    },
    noteJob: (queue, outcome) => jobs.inc({ queue, outcome }),
    noteProbe: (outcome) => probes.inc({ outcome }),
    noteTurn: (outcome, waitMs) => {
      turns.inc({ outcome });
      if (outcome === 'granted') turnSeconds.inc(waitMs / 1000);
    },
    noteSpans: (outcome, count) => spans.inc({ outcome }, count),
    noteOwnNetwork: (isBelieved) => ownNetwork.set(isBelieved ? 1 : 0),
    noteAdded: (ms) => addedSeconds.observe(Math.max(0, ms) / 1000),
    startCall: () => {
      const end = callSeconds.startTimer();
      return (outcome) => {
        calls.inc({ outcome });
        end();
      };
    },
  };
}

/** Measures the connections to targets, and the threads in which they are checked. */
export function measureTargets(
  { registry }: Pick<Metrics, 'registry'>,
  pool: Pick<ConnectionPool, 'open'>,
  checks: Pick<CheckPool, 'busyMs'>,
): void {
  const registers = [registry];
  new Gauge({
    name: 'probity_target_connections',
    help: 'Open connections of probes and calls to targets.',
    registers,
    collect() {
      this.set(pool.open());
    },
  });
  new Counter({
    name: 'probity_check_busy_seconds_total',
    help: 'How long the threads of checks were busy: about their CPU time.',
    registers,
    collect() {
      this.reset();
      this.inc(checks.busyMs() / 1000);
    },
  });
}

/** Counts the requests of an application, their statuses and their durations. */
export function measureRequests(app: FastifyInstance, { registry }: Pick<Metrics, 'registry'>): void {
  const registers = [registry];
  const answered = new Counter({
    name: 'probity_http_requests_total',
    help: 'Requests that were answered.',
    labelNames: ['method', 'route', 'status'],
    registers,
  });
  const seconds = new Histogram({
    name: 'probity_http_request_duration_seconds',
    help: 'From the request’s arrival to the end of its answer.',
    labelNames: ['method', 'route'],
    buckets: REQUEST_SECONDS,
    registers,
  });
  const underWay = new Gauge({
    name: 'probity_http_requests_under_way',
    help: 'Requests that are being answered.',
    registers,
  });
  app.addHook('onRequest', async (_request, reply) => {
    underWay.inc();
    // `close` fires after the answer, and also when the client disconnects.
    reply.raw.once('close', () => underWay.dec());
  });
  app.addHook('onResponse', async (request, reply) => {
    // The pattern of the path, not the path: otherwise strangers could create any number of series.
    const route = request.routeOptions.url ?? 'none';
    const { method } = request;
    answered.inc({ method, route, status: reply.statusCode });
    seconds.observe({ method, route }, reply.elapsedTime / 1000);
  });
}

interface MetricsServer {
  /** `http://host:port`, without a trailing slash. */
  readonly url: string;
  stop(): Promise<void>;
}

/** Serves /metrics at an address of the operator, because callers must not read it. Rejects when it cannot be bound. */
export async function serveMetrics(
  { registry }: Pick<Metrics, 'registry'>,
  { host, port }: { readonly host: string; readonly port: number },
): Promise<MetricsServer> {
  const app = fastify({ forceCloseConnections: true });
  app.get('/metrics', async (_request, reply) =>
    reply
      .header('cache-control', 'no-store')
      .type(registry.contentType)
      .send(await registry.metrics()),
  );
  await app.listen({ host, port });
  const { port: bound } = app.server.address() as AddressInfo;
  return {
    url: `http://${host.includes(':') ? `[${host}]` : host}:${bound}`,
    stop: () => app.close(),
  };
}
