// Audits of a fleet with planted faults, on both stores: the outcomes are compared with what was planted, and what each
// host received with the budget. With a second worker, during an outage of the resolver, and with all suites.
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import os, { loadavg } from 'node:os';
import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { importSources } from './built-from-sources.mjs';
import { endedChildrenCpuMs, endProcess, forkScript, startProcess } from './children.mjs';
import { judged, note } from './sheet.mjs';

const BUDGET = { perSecond: 20, inFlight: 8 };
const MIN_PER_SECOND = { health: 34, contract: 12 };
/** Of the command, for a look at the health of one entry. */
const MAX_HEALTH_CPU_MS = 1.2;
const CONCURRENCY = 64;
/** A check takes many seconds at the pace of the budget, however fast the machine is: beginning and end count for little. */
const CONTRACT = { entries: 960, concurrency: 128 };
/** More entries are audited once, on PostgreSQL, and not with all suites, so that it ends within the hour. */
const MAX_OFTEN = 10_000;
/** Targets of one host, or of one address. */
const TOGETHER = 20;
const INCOMPLETE = 4;

/** Of a thousand entries, and the outcome that each must have. The others are `right`. */
const KINDS = {
  right: { of1000: 0, outcome: 'up' },
  conforming: { of1000: 40, outcome: 'up' },
  slow: { of1000: 20, outcome: 'up' },
  crowded: { of1000: 20, outcome: 'up' },
  neighbour: { of1000: 20, outcome: 'up' },
  refused: { of1000: 20, outcome: 'down connection-refused' },
  hanging: { of1000: 10, outcome: 'down timeout' },
  nameless: { of1000: 30, outcome: 'down name-not-found' },
  failing: { of1000: 20, outcome: 'down status-500' },
  wrong: { of1000: 20, outcome: 'down not-operational' },
  moved: { of1000: 20, outcome: 'down status-301' },
  limited: { of1000: 10, outcome: 'undecided asked-to-wait' },
  flapping: { of1000: 20, outcome: 'down status-503', evenRounds: 'up' },
  unusable: { of1000: 10, outcome: 'refused not-sent' },
  paused: { of1000: 5, outcome: 'paused operator-decision' },
  zgone: { of1000: 5, outcome: 'gone', evenRounds: null },
};

/** Audited first, so that the start of the command and of its code are no part of the figure. */
const FEW = 300;
const MANY = 1500;

export const probe = {
  title: 'A probe of one server of a fleet: its health and its functions are read, and stored in PostgreSQL',
  onlyHere: true,
  goals: {
    cpu: { figure: 'processor time of the audit, for each server', most: MAX_HEALTH_CPU_MS, unit: 'ms' },
  },
  measure: async () => {
    const functions = await importSources('directory/bench/fleet-store.ts');
    const folder = mkdtempSync(path.join(os.tmpdir(), 'probity-bench-'));
    const targets = forkScript('scripts/bench/fleet-targets.mjs', []);
    const cluster = await functions.startCluster({ fast: false });
    try {
      const [ports] = await once(targets, 'message');
      const store = { databaseUrl: `${cluster.url}/postgres`, dataFolder: folder };
      const planted = Array.from({ length: FEW + MANY }, (_, number) =>
        plantedOf('right', number, number, ports),
      );
      const ofAudit = async (entries) => {
        await functions.fill(store, entries);
        return runAudit({ functions, store, ask: askerOf(targets), folder }, ['--all']);
      };
      const few = await ofAudit(planted.slice(0, FEW));
      const all = await ofAudit(planted.slice(FEW));
      return { cpu: (all.cpuMs - few.cpuMs) / MANY };
    } finally {
      await cluster.stop();
      await endProcess(targets);
      rmSync(folder, { recursive: true, force: true });
    }
  },
};

export async function fleet(entries = 2000) {
  const functions = await importSources('directory/bench/fleet-store.ts');
  const folder = mkdtempSync(path.join(os.tmpdir(), 'probity-bench-'));
  const targets = forkScript('scripts/bench/fleet-targets.mjs', []);
  try {
    const [ports] = await once(targets, 'message');
    const planted = plant(entries, ports);
    for (const kind of isOnce(planted) ? ['postgres'] : ['postgres', 'embedded']) {
      const cluster = kind === 'postgres' ? await functions.startCluster({ fast: false }) : null;
      try {
        const databaseUrl = cluster === null ? null : `${cluster.url}/postgres`;
        const store = { databaseUrl, dataFolder: path.join(folder, kind) };
        console.log(
          `\nfleet: ${planted.length} entries, ${kind}, ${CONCURRENCY} at once, load average ${loadavg()[0].toFixed(1)}`,
        );
        await auditFleet({ functions, store, planted, ask: askerOf(targets), folder });
      } finally {
        await cluster?.stop();
      }
    }
  } finally {
    await endProcess(targets);
    rmSync(folder, { recursive: true, force: true });
  }
}

function isOnce({ length }) {
  return length > MAX_OFTEN;
}

/** The entries with their endpoints. The numbers of a kind are spread over the addresses. */
function plant(entries, ports) {
  const planted = [];
  for (const [kind, { of1000 }] of Object.entries(KINDS)) {
    const least = kind === 'conforming' ? CONTRACT.entries : 0;
    for (let number = 0; number < Math.max(least, Math.ceil((entries * of1000) / 1000)); number += 1)
      planted.push({ kind, number });
  }
  for (let number = 0; planted.length < entries; number += 1) planted.push({ kind: 'right', number });
  return planted.map(({ kind, number }, index) => plantedOf(kind, number, index, ports));
}

function plantedOf(kind, number, index, ports) {
  return { kind, id: `${kind}-${number}`, endpoint: endpointOf(kind, number, addressOf(index), ports) };
}

function addressOf(index) {
  return [127, 10 + (index >> 16), (index >> 8) & 255, index & 255];
}

function endpointOf(kind, number, address, { port, conformingPort }) {
  const host = (parts, name = '') => `${name}${parts.join('-')}.fleet.example`;
  const group = Math.floor(number / TOGETHER);
  switch (kind) {
    case 'conforming':
      return `http://${host(address)}:${conformingPort}`;
    case 'crowded':
      return `http://${host([127, 5, group >> 8, group & 255])}:${port}/${kind}/${number}`;
    case 'neighbour':
      return `http://${host([127, 6, group >> 8, group & 255], `n${number}.`)}:${port}/${kind}/${number}`;
    case 'refused':
      return `http://${host(address)}:1/${kind}/${number}`;
    case 'nameless':
      return `http://nameless-${number}.fleet.example:${port}/${kind}/${number}`;
    case 'unusable':
      return `ftp://${host(address)}/${number}`;
    // Half of the right ones without a name.
    case 'right':
      if (number % 2 === 1) return `http://${address.join('.')}:${port}/${kind}/${number}`;
  }
  return `http://${host(address)}:${port}/${kind}/${number}`;
}

function askerOf(targets) {
  return async (message) => {
    const answered = once(targets, 'message');
    targets.send(message);
    return (await answered)[0];
  };
}

async function auditFleet(fleet) {
  const { functions, store, planted, ask } = fleet;
  const tookMs = await functions.fill(store, planted);
  note('import', `${Math.round((1000 * planted.length) / tookMs)} entries/s`);
  const begin = (round) => ask({ kind: 'round', round });

  await begin(1);
  const gone = planted.filter(({ kind }) => kind === 'zgone').map(({ id }) => id);
  const first = await runAudit(fleet, ['--all'], () => functions.remove(store, gone));
  judgeRates(store, 'health', first);
  judgeMatrix(first, planted, 1);
  await judgeBudget(ask);
  if (isOnce(planted)) return;

  await begin(2);
  const second = await withSecondWorker(fleet, () => runAudit(fleet, ['--all']));
  note(store.databaseUrl === null ? 'health, again' : 'health, a second worker', ratesOf(second));
  judgeMatrix(second, planted, 2);
  await judgeBudget(ask);
  const csv = await printed(fleet, ['audits', second.id, '--csv']);
  const changed = csv.trim().split('\n').slice(1);
  const flapping = planted.filter(({ kind }) => kind === 'flapping').length;
  judged(
    'changes since the first audit',
    `${changed.length}`,
    changed.length === flapping && changed.every((line) => line.startsWith('flapping-')),
    `the ${flapping} that flap`,
  );

  await begin(4);
  await judgeOutage(fleet, second);

  await begin(6);
  const tier = ['--tier', 'contract', '--query', 'conforming', '--concurrency', String(CONTRACT.concurrency)];
  const contract = await runAudit(fleet, tier);
  judgeRates(store, 'contract', contract);
  const seen = contract.matrix.map(({ kind, seen: text, count }) => `${count} ${kind}: ${text}`).join('; ');
  judged(
    'outcomes',
    seen,
    contract.matrix.every((row) => /^up (pass|incomplete)$/.test(row.seen)),
    'no failed rule',
  );
  await judgeBudget(ask);
  if (store.databaseUrl === null) return;

  await begin(8);
  const beside = await withSecondWorker(fleet, () => runAudit(fleet, tier), CONTRACT.concurrency);
  note('contract, a second worker', ratesOf(beside));
  await judgeBudget(ask);
}

/** A resolver that fails for every name from the middle of an audit on, and then works again. */
async function judgeOutage(fleet, before) {
  const { planted, ask, folder } = fleet;
  const file = outageFile(folder);
  const half = before.requests / 2;
  const failing = async () => {
    while ((await ask({ kind: 'report' })).requests < half) await pause(50);
    writeFileSync(file, '');
  };
  const frozen = await runAudit(fleet, ['--all'], failing);
  rmSync(file, { force: true });
  const believed = expectedOf(planted, 4);
  const wrong = frozen.matrix.filter(
    ({ kind, seen }) => seen.startsWith('down') && seen !== believed[kind]?.seen,
  );
  const isSame = JSON.stringify(sorted(frozen.down)) === JSON.stringify(sorted(before.down));
  judged(
    'outage of the resolver',
    `${frozen.state}, exit code ${frozen.exitCode}, ${wrong.length} kinds wrongly down, states ${isSame ? 'kept' : 'CHANGED'}`,
    frozen.state === 'frozen' && frozen.exitCode === INCOMPLETE && wrong.length === 0 && isSame,
    'frozen, and nothing is marked as down',
  );
  note('its reason', frozen.reason ?? 'none');
  const ended = await runAudit(fleet, ['--continue', frozen.id]);
  judgeMatrix(ended, planted, 4);
  await judgeBudget(ask);
}

function sorted(counts) {
  return Object.entries(counts).sort(([one], [other]) => (one < other ? -1 : 1));
}

/** The goals are those of PostgreSQL. */
function judgeRates({ databaseUrl }, tier, run) {
  if (databaseUrl === null) return note(tier, ratesOf(run));
  return judged(
    tier,
    ratesOf(run),
    run.perSecond >= MIN_PER_SECOND[tier],
    `at least ${MIN_PER_SECOND[tier]}/s`,
  );
}

function ratesOf({ entries, perSecond, tookMs, cpuMs }) {
  const cpu = cpuMs === null ? '' : `, ${(cpuMs / entries).toFixed(1)} ms of CPU of the command for each`;
  return `${perSecond.toFixed(1)}/s (${entries} in ${(tookMs / 1000).toFixed(1)} s${cpu})`;
}

/** What an audit must show of each kind in this round. */
function expectedOf(planted, round) {
  const expected = {};
  for (const { kind } of planted) {
    const { outcome, evenRounds } = KINDS[kind];
    const seen = round % 2 === 0 && evenRounds !== undefined ? evenRounds : outcome;
    if (seen !== null) expected[kind] = { seen, count: (expected[kind]?.count ?? 0) + 1 };
  }
  return expected;
}

function judgeMatrix({ matrix, entries, state }, planted, round) {
  const expected = expectedOf(planted, round);
  const isRight = ({ kind, seen, count }) => expected[kind]?.seen === seen && expected[kind].count === count;
  const wrong = matrix.filter((row) => !isRight(row));
  const sum = matrix.reduce((total, { count }) => total + count, 0);
  judged(
    'outcomes as planted',
    `${matrix.length} kinds, ${sum} of ${entries} entries${wrong.map(({ kind, seen, count }) => `; ${count} ${kind}: ${seen}`).join('')}`,
    state === 'ended' &&
      wrong.length === 0 &&
      matrix.length === Object.keys(expected).length &&
      sum === entries,
    'exact',
  );
}

async function judgeBudget(ask) {
  const { addresses, requests, perSecond, inFlight } = await ask({ kind: 'report' });
  judged(
    'requests to one address',
    `${perSecond} in a second, ${inFlight} at once; ${requests} to ${addresses} addresses`,
    perSecond <= BUDGET.perSecond && inFlight <= BUDGET.inFlight,
    `${BUDGET.perSecond} in a second, ${BUDGET.inFlight} at once`,
  );
}

/** Runs the command to its end. `meanwhile` begins as soon as the audit has begun. */
async function runAudit(fleet, args, meanwhile = async () => {}) {
  const { functions, store, ask } = fleet;
  const cpuBefore = endedChildrenCpuMs();
  const child = startDirectory(fleet, ['audit', '--concurrency', String(CONCURRENCY), ...args, ...POLITE]);
  const exited = once(child, 'close');
  let complaint = '';
  const id = await new Promise((resolve, reject) => {
    child.stderr.setEncoding('utf8').on('data', (text) => {
      complaint += text;
      const [, found] = /^Audit (\S+):/m.exec(complaint) ?? [];
      if (found !== undefined) resolve(found);
    });
    child.stdout.resume();
    void exited.then(() => reject(new Error(`the audit did not begin: ${complaint}`)));
  });
  const [[exitCode]] = await Promise.all([exited, meanwhile()]);
  const cpuAfter = endedChildrenCpuMs();
  const rows = await functions.auditOf(store, id);
  const { requests } = await ask({ kind: 'report' });
  const cpuMs = cpuBefore === null || cpuAfter === null ? null : cpuAfter - cpuBefore;
  return { ...rows, id, exitCode, requests, cpuMs, perSecond: (1000 * rows.entries) / rows.tookMs };
}

const POLITE = [
  '--allow-private',
  '--target-rate',
  String(BUDGET.perSecond),
  '--target-in-flight',
  String(BUDGET.inFlight),
];

/** The embedded store has one process. */
async function withSecondWorker(fleet, work, concurrency = CONCURRENCY) {
  if (fleet.store.databaseUrl === null) return work();
  const options = [
    '--queues',
    'audit',
    '--concurrency',
    String(concurrency),
    '--log-level',
    'silent',
    ...POLITE,
  ];
  const worker = startDirectory(fleet, ['worker', ...options]);
  try {
    await once(worker.stderr, 'data');
    return await work();
  } finally {
    await endProcess(worker);
  }
}

async function printed(fleet, args) {
  const child = startDirectory(fleet, args);
  const exited = once(child, 'close');
  let text = '';
  child.stdout.setEncoding('utf8').on('data', (piece) => {
    text += piece;
  });
  child.stderr.resume();
  const [code] = await exited;
  if (code !== 0) throw new Error(`${args.join(' ')} ended with ${code}`);
  return text;
}

function startDirectory({ store, folder }, args) {
  const { DATABASE_URL: _other, ...environment } = process.env;
  const names = pathToFileURL(path.resolve('scripts/bench/fleet-names.mjs')).href;
  return startProcess(
    process.execPath,
    ['--import', names, 'dist/probity.js', 'directory', ...args, '--data', store.dataFolder],
    {
      stdio: ['ignore', 'pipe', 'pipe'],
      env: {
        ...environment,
        PROBITY_FLEET_OUTAGE: outageFile(folder),
        ...(store.databaseUrl === null ? {} : { DATABASE_URL: store.databaseUrl }),
      },
    },
  );
}

function outageFile(folder) {
  return path.join(folder, 'outage');
}
