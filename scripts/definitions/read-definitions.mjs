import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';

/** Installs a package into its folder; none of its scripts is run. Whether it is there afterwards. */
export function installed(name, home) {
  const manifest = path.join(home, 'node_modules', name, 'package.json');
  if (existsSync(manifest)) return true;
  writeFileSync(path.join(home, 'package.json'), '{"private":true}');
  const words = ['install', '--ignore-scripts', '--no-audit', '--no-fund', '--omit=dev', name];
  spawnSync('npm', words, { cwd: home, stdio: 'ignore', timeout: 300_000 });
  return existsSync(manifest);
}

/** Starts the server and writes the result of a check that reads its lists, and calls nothing. */
export function read(name, words, home, file) {
  const { bin } = JSON.parse(readFileSync(path.join(home, 'node_modules', name, 'package.json'), 'utf8'));
  const program = typeof bin === 'string' ? bin : preferred(bin ?? {}, name);
  if (program === undefined) return;
  const isVariable = (word) => /^[A-Z][A-Z0-9_]*=/.test(word);
  const command = [
    'unshare --map-root-user --net --',
    'node',
    path.join('node_modules', name, program),
    ...words.filter((word) => !isVariable(word)),
  ].join(' ');
  const variables = Object.fromEntries(words.filter(isVariable).map((word) => word.split(/=(.*)/s)));
  const { stdout, stderr } = spawnSync(
    process.execPath,
    [
      path.resolve('dist/probity.js'),
      ...['check', command, '--only', LISTS, '--deadline', '60s', '--json'],
      ...Object.keys(variables).flatMap((variable) => ['--env', variable]),
    ],
    { cwd: home, env: { ...process.env, HOME: home, ...variables }, encoding: 'utf8', maxBuffer: 1 << 28 },
  );
  if (stdout !== '') writeFileSync(file, stdout);
  else console.error(`${name}: ${stderr.trim().split('\n').at(-1)}`);
}

const LISTS = 'mcp/tools-listed,mcp/prompts-listed,mcp/resources-listed,mcp/resource-templates';

/** Of several programs, the one that is named like the package, or like a server. */
function preferred(bin, name) {
  const last = name.split('/').at(-1);
  const [found] = Object.entries(bin).toSorted(([one], [other]) => rank(other) - rank(one));
  return found?.[1];

  function rank(program) {
    return program === last ? 2 : /mcp|server/.test(program) ? 1 : 0;
  }
}
