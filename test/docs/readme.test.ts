import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { checks } from '../../src/generated/checks.ts';
import { pickers } from '../../src/pickers/index.ts';
import { parseConfig } from '../../src/suite/config/parse-config.ts';
import { parseSuites } from '../../src/suite/language/parse-suites.ts';
import { loadSuites } from '../../src/suite/load-suites.ts';
import { schemaProblem } from '../../src/suite/yaml/schema-problem.ts';
import { runCommand } from '../cli/run-command.ts';

const pages = ['README.md', 'CONTRIBUTING.md', ...readdirSync('docs').map((name) => `docs/${name}`)];

function blocks(file: string, language: string): readonly string[] {
  const text = readFileSync(file, 'utf8');
  return [...text.matchAll(new RegExp(`\`\`\`${language}\n(.*?)\`\`\``, 'gs'))].map(
    ([, block = '']) => block,
  );
}

describe('the pages', () => {
  it('show a configuration and a suite that the loader accepts', async () => {
    const config = blocks('docs/configuration.md', 'yaml').find((text) => text.includes('config: v1')) ?? '';
    expect(parseConfig(config, 'docs/configuration.md').samples).toHaveLength(1);
    const { suites, registry } = await loadSuites();
    const file = 'docs/writing-a-suite.md';
    const text = blocks(file, 'yaml').find((block) => block.includes('suite: v1')) ?? '';
    const source = { file, text, digest: 'sha256:0' };
    expect(parseSuites([source], { registry, checks, pickers, schemaProblem }, suites)).toHaveLength(1);
  });

  it('show the tested example', () => {
    expect(blocks('README.md', 'js')).toEqual([readFileSync('examples/check-in-code.mjs', 'utf8')]);
  });

  it('name only options and commands that exist', async () => {
    const help = (
      await Promise.all(
        [
          ['--help'],
          ...['check', 'bench', 'reference', 'watch', 'init', 'baseline', 'diff', 'directory serve'].map(
            (name) => [...name.split(' '), '--help'],
          ),
        ].map((args) => runCommand(args)),
      )
    )
      .map(({ stdout }) => stdout)
      .join('\n');
    const ofProbity = ['README.md', 'docs/checking.md', 'docs/reports.md', 'docs/untrusted-servers.md'];
    for (const file of ofProbity) {
      const text = readFileSync(file, 'utf8');
      for (const [, option = ''] of text.matchAll(/`(--[a-z-]+)/g)) expect(help, file).toContain(option);
      for (const [, command = ''] of text.matchAll(/`(?:npx )?probity ([a-z]+)/g))
        expect(help, file).toMatch(new RegExp(`^  ${command} `, 'm'));
    }
  });

  it('link only to files that exist', () => {
    for (const file of pages)
      for (const [, target = ''] of readFileSync(file, 'utf8').matchAll(/\]\(([^)#:]+)\)/g))
        expect(existsSync(path.resolve(path.dirname(file), target)), `${file}: ${target}`).toBe(true);
  });

  it('are all in the index', () => {
    const index = readFileSync('docs/README.md', 'utf8');
    const missing = readdirSync('docs').filter(
      (name) => name !== 'README.md' && !index.includes(`](${name})`),
    );
    expect(missing, `Add ${missing.join(', ')} to docs/README.md.`).toEqual([]);
  });
});
