// Installs servers of the Model Context Protocol from npm, reads what each lists, without a network, and prints two tables:
// what the rules about texts find there, and the estimate of tokens beside the count of a public tokenizer
// (docs/safe-texts.md, docs/definition-tokens.md). After `npm run build`:
//
//   node scripts/measure-definitions.mjs scripts/definitions/packages.txt FOLDER
//
// FOLDER keeps what was installed and read; with `--offline`, only what it holds is judged again. No script of a package
// is run while it is installed. A line of the list is the name of a package, then what the server is started with:
// arguments, and NAME=VALUE for its environment.
import { existsSync, mkdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { importSources } from './bench/built-from-sources.mjs';
import { installed, read } from './definitions/read-definitions.mjs';

const [list, folder] = process.argv.slice(2).filter((word) => !word.startsWith('--'));
const isOffline = process.argv.includes('--offline');
const { judgeDefinitions } = await importSources('scripts/definitions/judge-definitions.ts');
const { encode } = await import('gpt-tokenizer/encoding/o200k_base');

const servers = [];
for (const line of readFileSync(list, 'utf8').split('\n')) {
  const [name = '', ...words] = line.replace(/#.*/, '').trim().split(/\s+/);
  if (name === '') continue;
  const home = path.join(folder, name.replaceAll(/[/@]/g, '_'));
  mkdirSync(home, { recursive: true });
  const answers = path.join(home, 'result.json');
  if (!isOffline && installed(name, home)) read(name, words, home, answers);
  const judged = existsSync(answers) ? judgeDefinitions(JSON.parse(readFileSync(answers, 'utf8'))) : null;
  if (judged !== null && judged.tools > 0) servers.push({ name, ...judged });
  else console.error(`${name}: no list of tools`);
}

const tools = servers.reduce((sum, server) => sum + server.tools, 0);
console.log(
  `${servers.length} servers, ${tools} tools\n\n| package | subject | finding | received |\n| --- | --- | --- | --- |`,
);
for (const { name, alarms } of servers)
  for (const { subject, message, received } of alarms)
    console.log(`| ${[name, subject, message, received].map(cell).join(' | ')} |`);

console.log(
  '\n| package | tools | estimate | o200k_base | difference |\n| --- | ---: | ---: | ---: | ---: |',
);
for (const { name, tools: count, tokens, definitions } of servers) {
  const counted = definitions.reduce((sum, text) => sum + encode(text).length, 0);
  const percent = ((tokens / counted - 1) * 100).toFixed(1);
  console.log(`| ${name} | ${count} | ${tokens} | ${counted} | ${percent} % |`);
}

function cell(text) {
  return text.replaceAll('|', '\\|').replaceAll('\n', ' ');
}
