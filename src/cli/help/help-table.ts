// The groups and examples of the help. With the program itself, this table is the source of --help, of the completion
// scripts and of the manual page.

interface CommandHelp {
  readonly group: CommandGroup;
  /** A whole command line that the program accepts. */
  readonly example: string;
}

type CommandGroup = (typeof COMMAND_GROUPS)[number];

export const COMMAND_GROUPS = [
  'Check and gate',
  'Write a server',
  'Reports',
  'MCP and directories',
  'Shell',
] as const;

export const COMMANDS: Readonly<Record<string, CommandHelp>> = {
  check: {
    group: 'Check and gate',
    example: 'probity check http://localhost:3000 --start "node server.js" --format html,junit',
  },
  baseline: {
    group: 'Check and gate',
    example: 'probity baseline reports/old.json --reason "old clients need it" --until 2030-12-31',
  },
  diff: {
    group: 'Check and gate',
    example: 'probity diff reports/old.json reports/new.json --fail-on-slower',
  },
  bench: {
    group: 'Check and gate',
    example: 'probity bench http://localhost:3000 --rate 200 --duration 30s',
  },
  fuzz: {
    group: 'Check and gate',
    example: 'probity fuzz http://localhost:3000 --function "get_*" --calls 1000',
  },
  watch: {
    group: 'Write a server',
    example: 'probity watch http://localhost:3000 --start "node server.js" --watch server.js',
  },
  init: { group: 'Write a server', example: 'probity init http://localhost:3000' },
  plan: { group: 'Write a server', example: 'probity plan http://localhost:3000 --only "execute/*"' },
  explain: { group: 'Write a server', example: 'probity explain health/status-string' },
  lint: { group: 'Write a server', example: 'probity lint probity.config.yaml mine.suite.yaml' },
  reference: { group: 'Write a server', example: 'probity reference --form A --port 3000' },
  demo: { group: 'Write a server', example: 'probity demo' },
  trend: { group: 'Reports', example: 'probity trend --format html --output trend.html' },
  show: { group: 'Reports', example: 'probity show reports/new.json health/status-string' },
  judge: { group: 'Reports', example: 'probity judge reports/new.json --json' },
  render: {
    group: 'Reports',
    example: 'probity render reports/new.json --format markdown --output comment.md',
  },
  merge: { group: 'Reports', example: 'probity merge shards/*.json --format junit --output all.junit.xml' },
  send: {
    group: 'MCP and directories',
    example: `probity send "npx -y @example/mcp-server" '{"method":"tools/list"}'`,
  },
  bridge: { group: 'MCP and directories', example: 'probity bridge --port 3000 npx -y @example/mcp-server' },
  search: {
    group: 'MCP and directories',
    example: 'probity search weather --tag forecast --min-uptime 99.5',
  },
  directory: { group: 'MCP and directories', example: 'probity directory serve --help' },
  completion: { group: 'Shell', example: 'probity completion bash' },
  help: { group: 'Shell', example: 'probity help check' },
};

/** The group of every option, in the order of the help. A command may use a name in its own sense. */
export const OPTION_GROUPS = {
  Target: [
    ...[
      'check --target',
      '--wire',
      '--from',
      '--mcp',
      '--env',
      '--server',
      '--directory',
      '--entry',
      '--wire',
      '--form',
      '--start',
      '--wait',
      '--watch',
      '--era',
    ],
    ...['--listing', '--against', '--config', '--regressions', '--raw', '--no-open'],
  ],
  Listening: ['--host', '--port', '--base-path', '--sessions'],
  Access: [
    ...['--header', '--bearer-env', '--directory-key-env', '--allow-insecure', '--ca', '--public-only'],
    '--trusted-root',
  ],
  Selection: [
    ...['--only', '--skip', '--last-failed', '--suite', '--function', '--read-only', '--mutating'],
    ...['--only-reading', '--allow-mutating', '--max-functions', '--try-rate-limit', '--calls', '--seed'],
    ...['--category', '--tag', 'search --transport', '--min-uptime', '--max-response-time', '--audited'],
    ...['--open-source', '--limit', '--offset', 'search --all'],
  ],
  Load: [
    ...['--operation', '--rate', '--arrivals', '--connections', '--max-connections', '--requests', '--ramp'],
    ...['--max-p99', '--max-errors', '--runs', '--warm-up', '--transport', '--yes-load'],
  ],
  'Response times': ['--samples', '--budget', '--latency', '--no-latency'],
  Limits: [
    ...['--deadline', '--timeout', '--start-timeout', '--duration', '--concurrency', '--jobs', '--max-rate'],
  ],
  Gate: ['--fail-on', '--fail-on-slower', '--min-coverage', '--baseline', '--reason', '--until', '--all'],
  Output: [
    ...['--verbose', '--quiet', '--json', '--format', '--output', '--reports', '--keep', '--no-store'],
    ...['--checks', '--force', '--webhook-env', '--target'],
  ],
  Help: ['--help', '--version'],
} as const satisfies Readonly<Record<string, readonly string[]>>;

const GROUP_OF: ReadonlyMap<string, string> = new Map(
  Object.entries(OPTION_GROUPS).flatMap(([group, flags]) => flags.map((flag) => [flag, group] as const)),
);

/** Undefined for an option that has no group yet. */
export function optionGroup(command: string, flag: string): string | undefined {
  return GROUP_OF.get(`${command} ${flag}`) ?? GROUP_OF.get(flag);
}
