import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { PROFILE_IDS } from '../../../src/model/profile.ts';
import { COMMAND, emptyFolder, runCommand } from '../run-command.ts';

const SERVER = `${process.execPath} ${COMMAND} reference --wire mcp`;

describe('probity portable', () => {
  it('prints the matrix of a server, and only information without a profile', async () => {
    const { code, stdout } = await runCommand(['portable', SERVER]);
    expect(code).toBe(0);
    expect(stdout).toMatch(/^greet +✓ +1 /m);
    expect(stdout).toMatch(/^openai-strict: closed-objects 10, all-required 1$/m);
  });

  it('fails with a profile that does not accept every definition, and lists the changes', async () => {
    const { code, stdout } = await runCommand(['portable', SERVER, '--profile', 'openai,openai-strict']);
    expect(code).toBe(1);
    expect(stdout).toContain('openai-strict/closed-objects add /inputSchema');
    expect((await runCommand(['portable', SERVER, '--profile', 'openai'])).code).toBe(0);
  });

  it('reads a saved report without its server, also as JSON', async () => {
    const cwd = emptyFolder();
    await runCommand(['check', SERVER, '--only', 'mcp/tools-listed', '--no-latency'], { cwd });
    const [report = ''] = readdirSync(path.join(cwd, 'reports')).filter((name) => name.endsWith('.json'));
    const { code, stdout } = await runCommand(['portable', `reports/${report}`, '--json'], { cwd });
    expect(code).toBe(0);
    const { functions, profiles } = JSON.parse(stdout);
    expect(functions).toHaveLength(10);
    expect(profiles.map(({ profile }: { profile: string }) => profile)).toEqual(PROFILE_IDS);
    expect(profiles[0].portable).toEqual(functions);
  });

  it('writes the definitions as profiles need them', async () => {
    const cwd = emptyFolder();
    const wanted = ['--profile', 'openai-strict', '--rewrite', '--output', 'made'];
    const { code } = await runCommand(['portable', SERVER, ...wanted], { cwd });
    expect(code).toBe(0);
    const { functions } = JSON.parse(readFileSync(path.join(cwd, 'made/openai-strict.json'), 'utf8'));
    expect(functions).toHaveLength(10);
    expect(functions[0]).toMatchObject({
      definition: { name: 'add', inputSchema: { additionalProperties: false } },
      lost: [],
      unfit: [],
    });
  });

  it.each([
    ['a server without tools has an empty matrix', { prompts: {} }, 0, 'stdout', /^accepted of 0 /m],
    ['a server whose tools were not listed is an error', { tools: {} }, 4, 'stderr', /was not read/],
  ] as const)('%s', async (_, capabilities, expected, stream, words) => {
    const script = path.join(emptyFolder(), 'server.mjs');
    const opened = { protocolVersion: '2025-06-18', capabilities, serverInfo: { name: 'p', version: '1' } };
    writeFileSync(
      script,
      `import { createInterface } from 'node:readline';
      createInterface({ input: process.stdin }).on('line', (line) => {
        const { id, method } = JSON.parse(line);
        if (id === undefined) return;
        const error = { code: -32603, message: 'Internal error' };
        const answer = method === 'initialize' ? { result: ${JSON.stringify(opened)} } : { error };
        process.stdout.write(JSON.stringify({ jsonrpc: '2.0', id, ...answer }) + '\\n');
      });`,
    );
    const result = await runCommand(['portable', `${process.execPath} ${script}`]);
    expect(result.code).toBe(expected);
    expect(result[stream]).toMatch(words);
  });

  it.each([
    [['http://127.0.0.1:9'], 3, 'does not answer'],
    [['missing.json'], 2, 'the file does not exist'],
    [[SERVER, '--profile', 'gemni'], 2, 'Did you mean "gemini"?'],
    [[SERVER, '--output', 'made'], 2, 'Add --rewrite'],
    [[], 2, 'No target'],
  ])('says what is wrong: %j', async (args, expected, words) => {
    const { code, stderr } = await runCommand(['portable', ...args]);
    expect(stderr).toContain(words);
    expect(code).toBe(expected);
  });
});
