import type { Verdict } from '../../src/model/judgement.ts';

export interface PackagedServer {
  readonly package: string;
  /** Its name in `node_modules/.bin`. */
  readonly bin: string;
  readonly args?: readonly string[];
  /** Environment variables that name a file or folder; relative to the working folder. */
  readonly paths?: Readonly<Record<string, string>>;
  /** Instead of two minutes for each call, where a tool is slow on purpose. */
  readonly timeoutS?: number;
  readonly verdict: Verdict;
  readonly findings: readonly ExpectedFinding[];
}

export interface ExpectedFinding {
  readonly outcome: 'failed' | 'undecided';
  readonly requirement: string;
  /** Absent for a finding about the whole server. */
  readonly functions?: readonly string[];
  /** Why it is true. */
  readonly because: string;
}

/** Servers that are not checked, each with the reason. */
export const LEFT_OUT = {
  'mcp-server-commands': 'it runs any text that it gets as a shell command, with the rights of this user',
} as const;

/** The SDK answers for the server, which cannot change it. */
const OTHER_RESOURCE_CODE: ExpectedFinding = {
  outcome: 'failed',
  requirement: 'mcp/unknown-resource-code',
  because: 'It answers with -32602, the code that revision 2026-07-28 asks for, and not with -32002.',
};
const OTHER_LEVEL_CODE: ExpectedFinding = {
  outcome: 'failed',
  requirement: 'mcp/unknown-log-level',
  because: 'It answers with -32603 and the words of its validator.',
};

export const SERVERS: readonly PackagedServer[] = [
  {
    package: '@modelcontextprotocol/server-everything',
    bin: 'mcp-server-everything',
    // Its tool "trigger-long-running-operation" takes ten seconds unless it is told otherwise, as it is.
    timeoutS: 8,
    verdict: 'pass',
    findings: [
      OTHER_RESOURCE_CODE,
      OTHER_LEVEL_CODE,
      {
        outcome: 'failed',
        requirement: 'documentation/parameter-descriptions',
        functions: ['get-resource-reference'],
        because: 'resourceType has a default and an enum, but no description.',
      },
      {
        outcome: 'undecided',
        requirement: 'mcp/calls-served',
        functions: ['gzip-file-as-resource'],
        because: 'By default it fetches a file from the internet, and there is no network.',
      },
      {
        outcome: 'undecided',
        requirement: 'mcp/calls-served',
        functions: ['trigger-sampling-request'],
        because: 'It asks the client for a model, and no answer is configured.',
      },
    ],
  },
  {
    package: '@modelcontextprotocol/server-filesystem',
    bin: 'mcp-server-filesystem',
    args: ['files'],
    verdict: 'pass',
    findings: [
      {
        outcome: 'failed',
        requirement: 'mcp/structured-text',
        functions: [
          ...['write_file', 'edit_file', 'create_directory', 'list_allowed_directories', 'list_directory'],
          ...['get_file_info', 'list_directory_with_sizes', 'directory_tree', 'search_files'],
          'read_multiple_files',
        ],
        because: 'The text is only the value of the member content of structuredContent, not its JSON.',
      },
      {
        outcome: 'failed',
        requirement: 'documentation/parameter-descriptions',
        functions: [
          ...[
            'read_file',
            'read_text_file',
            'read_media_file',
            'write_file',
            'edit_file',
            'create_directory',
          ],
          ...['list_directory', 'list_directory_with_sizes', 'directory_tree', 'move_file', 'search_files'],
          'get_file_info',
        ],
        because:
          'path, source, destination, content, edits, pattern and excludePatterns have no descriptions.',
      },
      {
        outcome: 'undecided',
        requirement: 'mcp/calls-served',
        functions: ['read_file', 'read_text_file', 'read_media_file'],
        because: 'No file has the guessed name when they are called.',
      },
      {
        outcome: 'undecided',
        requirement: 'mcp/calls-served',
        functions: ['move_file'],
        because: 'The guessed source and destination are the same file.',
      },
    ],
  },
  {
    package: '@modelcontextprotocol/server-memory',
    bin: 'mcp-server-memory',
    // By default, it writes to the folder of its package.
    paths: { MEMORY_FILE_PATH: 'memory.jsonl' },
    verdict: 'pass',
    findings: [
      OTHER_RESOURCE_CODE,
      {
        outcome: 'failed',
        requirement: 'mcp/structured-text',
        functions: ['create_entities', 'create_relations', 'add_observations'],
        because: 'The text is the JSON of the list in structuredContent, without the object around it.',
      },
      {
        outcome: 'failed',
        requirement: 'mcp/structured-text',
        functions: ['delete_entities', 'delete_observations', 'delete_relations'],
        because: 'The text is only the message in structuredContent.',
      },
      {
        outcome: 'failed',
        requirement: 'documentation/parameter-descriptions',
        functions: ['create_entities', 'create_relations', 'add_observations', 'delete_observations'],
        because: 'Their only parameter, a list, has no description; the members of its items have one.',
      },
    ],
  },
  {
    package: '@modelcontextprotocol/server-sequential-thinking',
    bin: 'mcp-server-sequential-thinking',
    verdict: 'pass',
    findings: [],
  },
  {
    package: '@modelcontextprotocol/server-basic-vanillajs',
    bin: 'mcp-server-basic-vanillajs',
    args: ['--stdio'],
    verdict: 'pass',
    findings: [
      OTHER_RESOURCE_CODE,
      {
        outcome: 'failed',
        requirement: 'mcp/structured-text',
        functions: ['get-time'],
        because: 'The text is only the time in structuredContent.',
      },
    ],
  },
  {
    package: '@modelcontextprotocol/server-budget-allocator',
    bin: 'mcp-budget-allocator-server',
    args: ['--stdio'],
    verdict: 'pass',
    findings: [
      OTHER_RESOURCE_CODE,
      {
        outcome: 'failed',
        requirement: 'mcp/structured-text',
        functions: ['get-budget-data'],
        because: 'The text describes the budget for people.',
      },
    ],
  },
  {
    package: 'mcp-hello-world',
    bin: 'mcp-hello-world',
    verdict: 'fail',
    findings: [
      OTHER_RESOURCE_CODE,
      {
        outcome: 'failed',
        requirement: 'mcp/only-messages',
        because:
          'Its tools print lines such as "[Mock SDK Server] Executing add tool with a=1, b=1" on standard output.',
      },
      {
        outcome: 'failed',
        requirement: 'inputs/invalid-refused',
        functions: ['echo', 'add'],
        because: 'Their schemas forbid other properties, and they accept the property x.',
      },
    ],
  },
  {
    package: 'time-mcp',
    bin: 'time-mcp',
    verdict: 'fail',
    findings: [
      OTHER_LEVEL_CODE,
      {
        outcome: 'failed',
        requirement: 'mcp/only-messages',
        because: 'It prints "Starting Time MCP server..." on standard output.',
      },
    ],
  },
  {
    package: '@eslint/mcp',
    bin: 'mcp',
    verdict: 'incomplete',
    findings: [
      {
        outcome: 'failed',
        requirement: 'documentation/parameter-descriptions',
        functions: ['lint-files'],
        because: 'filePaths has no description; a comment in its source says that this is on purpose.',
      },
      {
        outcome: 'undecided',
        requirement: 'mcp/calls-served',
        functions: ['lint-files'],
        because: 'No file has the guessed name.',
      },
    ],
  },
  {
    package: 'tailwindcss-mcp-server',
    bin: 'tailwindcss-server',
    verdict: 'fail',
    findings: [
      {
        outcome: 'failed',
        requirement: 'mcp/only-messages',
        because: 'It prints "DocumentationScraperService initialized" on standard output.',
      },
      {
        outcome: 'failed',
        requirement: 'mcp/errors-in-results',
        functions: [
          ...['search_tailwind_docs', 'install_tailwind', 'generate_color_palette'],
          'generate_component_template',
        ],
        because: 'They answer with the JSON-RPC error -32603 if they fail.',
      },
      {
        outcome: 'failed',
        requirement: 'mcp/unknown-tool-code',
        functions: ['__proto__', 'constructor', 'probity_unknown_tool', 'toString'],
        because: 'It answers an unknown tool with the JSON-RPC error -32601, that of an unknown method.',
      },
      {
        outcome: 'failed',
        requirement: 'mcp/inputs-validated',
        functions: ['get_tailwind_utilities', 'get_tailwind_colors', 'get_tailwind_config_guide'],
        because: 'category, colorName and topic are texts, and a list is answered with a result.',
      },
      {
        outcome: 'failed',
        requirement: 'inputs/invalid-refused',
        functions: ['get_tailwind_utilities', 'get_tailwind_colors', 'get_tailwind_config_guide'],
        because: 'category, colorName and topic are texts, and an empty list is answered with a result.',
      },
      {
        outcome: 'failed',
        requirement: 'inputs/invalid-refused',
        functions: ['convert_css_to_tailwind'],
        because: 'mode has an enum without the empty text, and that is answered with a result.',
      },
      {
        outcome: 'undecided',
        requirement: 'mcp/calls-served',
        functions: ['search_tailwind_docs'],
        because: 'It reads a site on the internet, and there is no network.',
      },
      {
        outcome: 'undecided',
        requirement: 'mcp/calls-served',
        functions: ['install_tailwind', 'generate_component_template'],
        because: 'It knows a fixed list of names, which only its description mentions.',
      },
      {
        outcome: 'undecided',
        requirement: 'mcp/calls-served',
        functions: ['generate_color_palette'],
        because: 'The guessed text is no colour; only the description says how a colour is written.',
      },
    ],
  },
  {
    package: 'howtocook-mcp',
    bin: 'howtocook-mcp',
    verdict: 'pass',
    findings: [
      OTHER_LEVEL_CODE,
      {
        outcome: 'failed',
        requirement: 'inputs/invalid-refused',
        functions: ['mcp_howtocook_getRecipesByCategory'],
        because: 'Its schema forbids other properties, and it accepts the property x.',
      },
    ],
  },
  {
    package: '@knip/mcp',
    bin: 'knip-mcp',
    verdict: 'incomplete',
    findings: [
      {
        outcome: 'undecided',
        requirement: 'mcp/calls-served',
        functions: ['knip-run'],
        because: 'The working folder has no package.json.',
      },
      {
        outcome: 'undecided',
        requirement: 'mcp/calls-served',
        functions: ['knip-docs'],
        because: 'It knows a fixed list of topics, which only its description mentions.',
      },
    ],
  },
];
