import type { StdioSubjectOptions } from '../../mcp/bridges.ts';

/** A server over standard streams that breaks one rule. */
export interface StdioMutant {
  /** The rule that it breaks. */
  readonly requirement: string;
  readonly what: string;
  readonly subject: StdioSubjectOptions;
}

export const STDIO_MUTANTS: readonly StdioMutant[] = [
  { requirement: 'mcp/only-messages', what: 'writes its log to standard output', subject: { noise: true } },
  { requirement: 'mcp/ends-with-input', what: 'stays when its input ends', subject: { lingering: true } },
  { requirement: 'mcp/survives-invalid-message', what: 'ends on invalid JSON', subject: { fragile: true } },
  { requirement: 'mcp/ping-answered', what: 'ends on ping', subject: { ends: 'ping' } },
  {
    requirement: 'mcp/unknown-method',
    what: 'ends on an unknown method',
    subject: { ends: 'probity/unknown' },
  },
  {
    requirement: 'mcp/unknown-method',
    what: 'ignores unknown methods',
    subject: { deafTo: 'probity/unknown' },
  },
  { requirement: 'mcp/tools-listed', what: 'ends on tools/list', subject: { ends: 'tools/list' } },
  { requirement: 'mcp/tools-listed', what: 'ignores tools/list', subject: { deafTo: 'tools/list' } },
  { requirement: 'mcp/unknown-tool', what: 'ends on every call', subject: { ends: 'tools/call' } },
];
