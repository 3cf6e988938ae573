import type { Verdict } from '../model/judgement.ts';

// The choices of a search of a directory, once for its server, its client and the command line.

/** `endpoints`: the server has /health, /capabilities and /execute. */
export const PROTOCOLS = ['mcp', 'endpoints'] as const;
export type Protocol = (typeof PROTOCOLS)[number];
export const VERDICTS = ['pass', 'fail', 'incomplete'] as const satisfies readonly Verdict[];
/** Equal entries are in the order of their names. */
export const SORTS = ['name', 'uptime', 'responseTime', 'coverage', 'newest', 'changed'] as const;
export type Sort = (typeof SORTS)[number];
