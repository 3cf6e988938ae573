import { type Command, type Help, Option } from 'commander';
import { OPTION_GROUPS } from '../../model/option.ts';

/** For each command a whole command line that the program accepts. */
export const EXAMPLES: Readonly<Record<string, string>> = {
  check: 'probity check http://localhost:3000 --start "node server.js" --format html,junit',
  portable: 'probity portable "node server.js" --profile openai-strict,anthropic',
  baseline: 'probity baseline reports/old.json --reason "old clients need it" --until 2030-12-31',
  contract: 'probity contract "npx -y @example/mcp-server" -o contract.json',
  diff: 'probity diff reports/old.json reports/new.json --fail-on-slower',
  bench: 'probity bench http://localhost:3000 --rate 200 --duration 30s',
  fuzz: 'probity fuzz http://localhost:3000 --function "get_*" --calls 1000',
  watch: 'probity watch http://localhost:3000 --start "node server.js" --watch server.js',
  init: 'probity init http://localhost:3000',
  plan: 'probity plan http://localhost:3000 --only "execute/*"',
  explain: 'probity explain health/status-string',
  lint: 'probity lint probity.config.yaml mine.suite.yaml',
  reference: 'probity reference --form A --port 3000',
  demo: 'probity demo',
  trend: 'probity trend --format html --output trend.html',
  show: 'probity show reports/new.json health/status-string',
  judge: 'probity judge reports/new.json --json',
  render: 'probity render reports/new.json --format markdown --output comment.md',
  merge: 'probity merge shards/*.json --format junit --output all.junit.xml',
  send: `probity send "npx -y @example/mcp-server" '{"method":"tools/list"}'`,
  login: 'probity login https://example.com/mcp',
  bridge: 'probity bridge --port 3000 npx -y @example/mcp-server',
  search: 'probity search weather --tag forecast --min-uptime 99.5',
  directory: 'probity directory serve --help',
  completion: 'probity completion bash',
  help: 'probity help check',
};

/** Adds the examples, and puts the groups of options in their order. */
export function describeCommands(program: Command): void {
  for (const command of [program, ...program.commands]) {
    const example = EXAMPLES[command.name()];
    command.configureHelp({ groupItems: inOrder });
    if (example !== undefined) command.addHelpText('after', `\nExample:\n  ${example}`);
  }
}

const ORDER: readonly string[] = OPTION_GROUPS.map((group) => `${group}:`);

/** Options in the order of their groups, as commands declare those that they share in another one. */
function inOrder<Item extends Command | Option>(
  this: Help,
  _unsorted: Item[],
  visible: Item[],
  groupOf: (item: Item) => string,
): Map<string, Item[]> {
  const groups = [...new Set(visible.map(groupOf))];
  if (visible[0] instanceof Option) groups.sort((left, right) => ORDER.indexOf(left) - ORDER.indexOf(right));
  return new Map(groups.map((group) => [group, visible.filter((item) => groupOf(item) === group)]));
}
