import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { choices } from '../../src/choices/index.ts';
import { checks } from '../../src/generated/checks/registry.ts';
import { loadRegistry, loadSuites } from '../../src/suite/load-suites.ts';
import { parseConfig } from '../../src/suite/parse-config.ts';
import { parseSuites } from '../../src/suite/parse-suites.ts';
import { schemaProblem } from '../../src/suite/schema-problem.ts';
import { runCommand } from '../cli/run-command.ts';

const readme = readFileSync('README.md', 'utf8');

function blocks(language: string): readonly string[] {
  return [...readme.matchAll(new RegExp(`\`\`\`${language}\n(.*?)\`\`\``, 'gs'))].map(
    ([, text = '']) => text,
  );
}

describe('the README', () => {
  it('shows a configuration and a suite that the loader accepts', async () => {
    const yaml = blocks('yaml');
    const config = yaml.find((text) => text.includes('config: v1')) ?? '';
    expect(parseConfig(config, 'README.md').samples).toHaveLength(1);
    const { suites, registry } = await loadSuites();
    const text = yaml.find((block) => block.includes('suite: v1')) ?? '';
    const source = { file: 'README.md', text, digest: 'sha256:0' };
    expect(parseSuites([source], { registry, checks, choices, schemaProblem }, suites)).toHaveLength(1);
  });

  it('shows the example that is tested', () => {
    expect(blocks('js')).toEqual([readFileSync('examples/check-in-code.mjs', 'utf8')]);
  });

  it('counts the requirements right', async () => {
    expect(readme).toContain(`There are ${(await loadRegistry()).size} requirements`);
  });

  it('names only options and commands that exist', async () => {
    const help = (
      await Promise.all(
        [
          ['--help'],
          ...['check', 'bench', 'reference', 'watch', 'init', 'baseline', 'directory serve'].map((name) => [
            ...name.split(' '),
            '--help',
          ]),
        ].map((args) => runCommand(args)),
      )
    )
      .map(({ stdout }) => stdout)
      .join('\n');
    for (const [, option = ''] of readme.matchAll(/`(--[a-z-]+)/g)) expect(help).toContain(option);
    for (const [, command = ''] of readme.matchAll(/`(?:npx )?probity ([a-z]+)/g))
      expect(help).toMatch(new RegExp(`^  ${command} `, 'm'));
  });

  it('links only to files that are there', () => {
    for (const [, target = ''] of readme.matchAll(/\]\(([^)#:]+)\)/g))
      expect(existsSync(path.resolve(target)), target).toBe(true);
  });
});
