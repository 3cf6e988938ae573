import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { eventually } from '../../../test/eventually.ts';
import { whyNoPostgres } from '../../../test/set-up/postgres-programs.ts';
import { unless } from '../../../test/set-up/skips.ts';
import { openStore } from '../../src/db/open-store.ts';
import { allRows } from '../../src/db/rows.ts';
import { readSources } from '../../src/registry/sources.ts';
import { startPostgres } from '../db/stores.ts';
import { answerFor, PACKAGE, remoteAt, sendJson, startRegistry } from '../registry/fake-registry.ts';
import { diceOf } from '../seeded.ts';
import { connectBeside, startService } from '../service-process.ts';

/** `PROBITY_FOLLOWED=20000` for the whole measurement. */
const SERVERS = Number(process.env.PROBITY_FOLLOWED ?? 3000);
const KILLS = SERVERS >= 20_000 ? 20 : 4;
const SEED = Number(process.env.PROBITY_SEED ?? Date.now() % 1e9);
const PAGE = 100;

const folders: string[] = [];
afterAll(async () => {
  for (const folder of folders) await rm(folder, { recursive: true, force: true });
});

describe.each(['embedded', 'postgres'] as const)(`following ${SERVERS} servers, seed ${SEED}`, (kind) => {
  it(
    `loses and doubles none when the process is killed at ${KILLS} random pages, on the store ${kind}`,
    unless(kind === 'postgres' ? whyNoPostgres() : null),
    async () => {
      const dice = diceOf(SEED);
      const registry = await startRegistry(
        Array.from({ length: SERVERS }, (_, number) => ({
          name: `com.example/server-${number}`,
          more: number % 2 === 0 ? PACKAGE : remoteAt(`http://127.0.0.1:9/${number}`),
        })),
      );
      const postgres = kind === 'postgres' ? await startPostgres() : null;
      const databaseUrl = (await postgres?.database('follow')) ?? null;
      const data = mkdtempSync(path.join(os.tmpdir(), 'probity-follow-'));
      folders.push(data);
      const pages = Math.ceil(SERVERS / PAGE);
      const killedAt = Array.from({ length: KILLS }, () => dice.below(pages)).sort(
        (one, other) => one - other,
      );
      const requests: number[] = [];
      let killed = 0;
      let onRequest = (_page: number): void => undefined;
      const list = registry.servers;
      registry.respond = (_request, response, url) => {
        const from = Number(url.searchParams.get('cursor') ?? 0);
        requests.push(from / PAGE);
        onRequest(from / PAGE);
        const next = from + PAGE < SERVERS ? { nextCursor: String(from + PAGE) } : {};
        sendJson(response, { servers: list.slice(from, from + PAGE).map(answerFor), metadata: next });
      };
      for (const page of killedAt) {
        const following = spawn(
          process.execPath,
          ['dist/probity.js', 'directory', 'follow', registry.url, '--data', data, '--allow-private'],
          {
            stdio: 'ignore',
            env: { ...process.env, ...(databaseUrl === null ? {} : { DATABASE_URL: databaseUrl }) },
          },
        );
        const ended = once(following, 'exit');
        await new Promise<void>((resolve) => {
          onRequest = (requested) => {
            // In the transaction of the page before, or while this page is stored.
            if (requested >= page) setTimeout(resolve, dice.below(30));
          };
        });
        following.kill('SIGKILL');
        if ((await ended)[1] === 'SIGKILL') killed += 1;
      }
      onRequest = () => undefined;
      const more = ['--follow', registry.url, '--queues', 'follow', '--log-level', 'silent'];
      const last = startService({ data, databaseUrl, more });
      await last.url;
      const beside = connectBeside({ data, databaseUrl });
      await eventually(
        async () => (await readSources(beside))[0]?.finishedAt ?? null,
        (finishedAt) => finishedAt !== null,
      );
      await beside.destroy();
      await last.stop();
      const store = await openStore({ databaseUrl, dataFolder: data, share: false });
      const [count] = await allRows(store.db)`
        select count(*)::integer as versions, count(distinct name)::integer as names,
          count(distinct entry_id)::integer as linked, (select count(*)::integer from entries) as entries
        from registry_servers`;
      expect(killed).toBe(KILLS);
      expect(count).toEqual({ versions: SERVERS, names: SERVERS, linked: SERVERS / 2, entries: SERVERS / 2 });
      // Each kill costs the page that it interrupted, and not those before.
      expect(requests.length).toBeLessThanOrEqual(pages + 2 * KILLS);
      await store.close();
      await postgres?.stop();
      await registry.stop();
    },
  );
});
