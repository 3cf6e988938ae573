import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { emptyFolder, runCommand } from '../../../test/cli/run-command.ts';
import { openStore } from '../../src/db/open-store.ts';
import { startPostgres, type TestPostgres } from '../db/stores.ts';
import { listingOf } from '../entries/listings.ts';

let postgres: TestPostgres;
let databaseUrl: string;
beforeAll(async () => {
  postgres = await startPostgres();
});
beforeEach(async () => {
  databaseUrl = await postgres.database('policies');
});
afterAll(() => postgres?.stop());

const probity = (...args: readonly string[]) =>
  runCommand(['directory', ...args], { env: { DATABASE_URL: databaseUrl } });

function file(name: string, text: string): string {
  const path_ = path.join(emptyFolder(), name);
  writeFileSync(path_, text);
  return path_;
}

const POLICY = `policy: v1
rejectOn: should
minimumCoverage: 50
duplicates: refuse
holdOn: [breaking]
pace:
  probeSeconds: { min: 120, max: 600 }
operator:
  name: "Example: Foundation"
  contact: mailto:directory@example.org
`;

describe('the policy from the command line', () => {
  it('is printed as a file that gives the same policy, with its defaults', async () => {
    const store = await openStore({ databaseUrl, dataFolder: '', share: false });
    await store.close();
    const before = await probity('policy');
    expect(before.stdout).toContain('rejectOn: must');
    expect((await probity('policy', file('policy.yaml', POLICY), '--by', 'ada')).code).toBe(0);
    const { stdout } = await probity('policy');
    for (const line of [
      'rejectOn: should',
      'minimumCoverage: 50',
      'requireAudit: false',
      'duplicates: refuse',
    ])
      expect(stdout).toContain(`${line}\n`);
    expect((await probity('policy', file('again.yaml', stdout))).code).toBe(0);
    expect((await probity('policy')).stdout).toBe(stdout);
    const log = await probity('log', '--json');
    const lines = log.stdout.trim().split('\n');
    // The second file changed nothing.
    expect(lines).toHaveLength(1);
    expect(JSON.parse(lines[0] ?? '')).toMatchObject({ action: 'policy', operator: 'ada' });
  });

  it('refuses a second entry with the same endpoint when it says so', async () => {
    await probity('policy', file('policy.yaml', POLICY));
    const listings = (...all: readonly object[]) =>
      file('l.ndjson', all.map((one) => `${JSON.stringify({ listing: 'v1', ...one })}\n`).join(''));
    const [one, two] = [
      listingOf('one', 'https://twin.example/a'),
      listingOf('two', 'https://TWIN.example/a/'),
    ];
    const both = await probity('add', listings(one, two), '--no-fetch');
    expect([both.code, both.stderr]).toMatchObject([2, expect.stringContaining('one (like two)')]);
    expect((await probity('add', listings(one), '--no-fetch')).code).toBe(0);
    for (const command of [['add', '--no-fetch'], ['import']]) {
      const [name = '', ...flags] = command;
      const refused = await probity(name, listings(two), ...flags);
      expect([refused.code, refused.stderr]).toMatchObject([2, expect.stringContaining('two (like one)')]);
    }
    // The entry itself, and one that takes its place.
    expect((await probity('update', listings({ ...one, name: 'New' }), '--no-fetch')).code).toBe(0);
    const moved = listings({ ...one, endpoint: 'https://moved.example' }, two);
    expect((await probity('import', moved)).code).toBe(0);
  });

  it('says nothing of a refusal of tests that it does not allow', async () => {
    const of = { listing: 'v1', ...listingOf('tested', 'https://tested.example'), tests: false };
    await probity('policy', file('policy.yaml', 'policy: v1\npace: { mayRefuseTests: false }\n'));
    const added = await probity('add', file('l.ndjson', `${JSON.stringify(of)}\n`), '--no-fetch');
    expect(added.stderr).toContain('tests new servers');
    expect(added.stderr).not.toContain('refuses tests');
  });

  it('lets two that shared an endpoint before be changed, and refuses only another one', async () => {
    const listings = (...all: readonly object[]) =>
      file('l.ndjson', all.map((one) => `${JSON.stringify({ listing: 'v1', ...one })}\n`).join(''));
    const [one, copy, third] = [
      listingOf('one', 'https://twin.example/a'),
      listingOf('copy', 'https://twin.example/a'),
      listingOf('third', 'https://third.example'),
    ];
    expect((await probity('add', listings(one, copy, third), '--no-fetch')).code).toBe(0);
    await probity('policy', file('policy.yaml', POLICY));
    const changed = { ...one, endpoint: 'https://TWIN.example/a/', description: 'Corrected.' };
    expect((await probity('update', listings(changed), '--no-fetch')).code).toBe(0);
    expect((await probity('import', listings(one, copy, third))).code).toBe(0);
    const moved = listings({ ...third, endpoint: one.endpoint });
    const refused = await probity('update', moved, '--no-fetch');
    expect([refused.code, refused.stderr]).toMatchObject([2, expect.stringContaining('third (like copy)')]);
  });

  it('is refused with the line of every mistake, also before the service starts', async () => {
    const wrong = file(
      'wrong.yaml',
      'policy: v1\nrejectOn: may\nminimumCoverage: 101\npace: { probeSeconds: { min: 9, max: 3 } }\noperator: { contact: "javascript:1" }\nduplicate: show\n',
    );
    for (const command of [
      ['policy', wrong],
      ['serve', '--port', '0', '--policy', wrong],
    ]) {
      const { code, stderr } = await probity(...command);
      expect(code).toBe(2);
      for (const part of [':2:', ':3:', ':4:', ':5:', ':6:', 'Did you mean "duplicates"'])
        expect(stderr).toContain(part);
    }
    expect((await probity('policy', '/nowhere.yaml')).stderr).toContain('/nowhere.yaml');
    const nobody = 'policy: v1\nholdOn: [breaking, breaking]\noperator: { contact: "mailto:" }\n';
    const { code, stderr } = await probity('policy', file('nobody.yaml', nobody));
    expect(code).toBe(2);
    for (const part of [':2:', 'given twice', ':3:', '"mailto:" is not an address'])
      expect(stderr).toContain(part);
  });

  it('is stored when the service starts', async () => {
    const strict = file('policy.yaml', 'policy: v1\nrequireAudit: true\n');
    let isStopping = false;
    const { code } = await runCommand(
      ['directory', 'serve', '--port', '0', '--policy', strict, '--log-level', 'silent'],
      {
        env: { DATABASE_URL: databaseUrl },
        onOutput: (stderr, kill) => {
          if (isStopping || !stderr.includes('The directory serves')) return;
          isStopping = true;
          kill('SIGTERM');
        },
      },
    );
    expect(code).toBe(0);
    expect((await probity('policy')).stdout).toContain('requireAudit: true\n');
  });
});
