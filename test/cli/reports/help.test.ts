import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import type { Command } from 'commander';
import { describe, expect, it } from 'vitest';
import { commandModels } from '../../../src/cli/help/command-model.ts';
import { EXAMPLES } from '../../../src/cli/help/describe-commands.ts';
import { manPage } from '../../../src/cli/help/man-page.ts';
import { OPTION_GROUPS } from '../../../src/model/option.ts';
import { unless } from '../../set-up/skips.ts';
import { programFromSource } from '../program.ts';
import { COMMAND, runCommand } from '../run-command.ts';

const commandsOf = (program: Command): readonly Command[] => program.createHelp().visibleCommands(program);
const NAMES = commandsOf(programFromSource()).map((command) => command.name());

/** The words of a command line in which only double quotes are special. */
function wordsOf(line: string): readonly string[] {
  return [...line.matchAll(/"([^"]*)"|(\S+)/g)].map(([, quoted, plain]) => quoted ?? plain ?? '');
}

describe('the help', () => {
  it('has a group for every command and option', () => {
    const program = programFromSource();
    expect(commandsOf(program).filter((command) => command.helpGroup() === '')).toEqual([]);
    const groups = OPTION_GROUPS.map((group) => `${group}:`);
    const without = commandsOf(program).flatMap((command) =>
      command.options
        .filter(({ hidden, helpGroupHeading = '' }) => !hidden && !groups.includes(helpGroupHeading))
        .map(({ long }) => `${command.name()} ${long}`),
    );
    expect(without, 'give them a group of OPTION_GROUPS').toEqual([]);
  });

  it.each(NAMES.filter((name) => name !== 'help'))(
    'of %s ends with an example that the program accepts',
    async (name) => {
      const program = programFromSource();
      const { [name]: example = '' } = EXAMPLES;
      const called: string[] = [];
      for (const command of program.commands)
        command.exitOverride().action(() => {
          called.push(command.name());
        });
      const [probity, ...words] = wordsOf(example);
      expect(probity).toBe('probity');
      await program.parseAsync(words, { from: 'user' });
      expect(called).toEqual([name]);
      // The directory’s own program prints its help.
      if (name === 'directory') return;
      const { code, stdout } = await runCommand([name, '--help']);
      expect(code).toBe(0);
      expect(stdout).toContain(`\nExample:\n  ${example}\n`);
      expect(stdout).toMatch(/^Help:\n {2}-h, --help/m);
      expect(stdout).not.toMatch(/^(Options|Commands):$/m);
    },
  );

  it('lists the commands in groups', async () => {
    const { stdout } = await runCommand(['--help']);
    const headings = [...stdout.matchAll(/^(\w[\w ]*):$/gm)].map(([, heading]) => heading);
    expect(headings).toEqual([
      'Help',
      'Check and gate',
      'Write a server',
      'Reports',
      'MCP and directories',
      'Shell',
    ]);
  });

  it('does not load the completion scripts', () => {
    const folder = path.join(path.dirname(COMMAND), 'chunks');
    const withScripts = readdirSync(folder).filter((file) =>
      readFileSync(path.join(folder, file), 'utf8').includes('compgen'),
    );
    expect(withScripts).toEqual([expect.stringMatching(/^completion-/)]);
  });
});

const hasMan = spawnSync('man', ['--version']).status === 0;
const hasMandoc = spawnSync('mandoc', ['-V']).error === undefined;

describe('the manual page', () => {
  const page = readFileSync('docs/probity.1', 'utf8');

  it('is current, and has every command and option', () => {
    const program = programFromSource();
    const version = (JSON.parse(readFileSync('package.json', 'utf8')) as { readonly version: string })
      .version;
    const commands = commandModels(program);
    expect(manPage({ version, description: program.description(), commands })).toBe(page);
    for (const { name, options } of commands) {
      expect(page).toContain(`.B ${name}\n`);
      const start = page.indexOf(`.SH PROBITY ${name.toUpperCase()}\n`);
      expect(start, name).toBeGreaterThan(0);
      const section = page.slice(start, page.indexOf('.SH ', start + 1));
      for (const { flags } of options.flatMap(([, items]) => items))
        for (const flag of flags) expect(section).toContain(flag.replaceAll('-', '\\-'));
    }
  });

  it('protects what the formatter would read as a request', () => {
    const known = /^\.(\\"|TH|SH|SS|TP|B|I|RI|PP|nf|fi)( |$)/;
    expect(page.split('\n').filter((line) => /^[.']/.test(line) && !known.test(line))).toEqual([]);
  });

  it('is shown by man without a warning', unless(hasMan ? null : 'man is not installed'), () => {
    const { status, stdout, stderr } = spawnSync('man', ['--warnings', '-l', 'docs/probity.1'], {
      encoding: 'utf8',
      env: { ...process.env, MANWIDTH: '100', LC_ALL: 'C.UTF-8', MANPAGER: 'cat' },
    });
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
    expect(stdout).toContain('probity check [options] [target]');
    expect(stdout).toContain('--fail-on <level>');
  });

  it('has no mistake for mandoc', unless(hasMandoc ? null : 'mandoc is not installed'), () => {
    const { status, stdout } = spawnSync('mandoc', ['-Tlint', '-Wwarning', 'docs/probity.1'], {
      encoding: 'utf8',
    });
    expect({ status, stdout }).toEqual({ status: 0, stdout: '' });
  });
});
