import { startMcpReferenceServer } from '../../src/reference/mcp/http.ts';
import { referenceTools } from '../../src/reference/mcp/offers/tools.ts';
import type { RunningServer } from '../../src/reference/server.ts';
import { CLIENT_MUTANTS } from '../../test/mutants/mcp/client-mutants.ts';
import { CONDUCT_MUTANTS } from '../../test/mutants/mcp/conduct-mutants.ts';
import { MCP_MUTANTS, type Mutant } from '../../test/mutants/mcp/mcp-mutants.ts';
import { OFFER_MUTANTS } from '../../test/mutants/mcp/offer-mutants.ts';
import { type Fault, startFaultyProxy } from './faulty-proxy.ts';
import { fixtures } from './fixtures.ts';

/** Serves what the official suite expects with the code of the reference server. */
export const serveFixtures = (): Promise<RunningServer> => startMcpReferenceServer({ catalog: fixtures() });

/** The same with a fault, and with the tools that faults are about. */
export const serveFaulty = async ({ subject }: Pick<Mutant, 'subject'>): Promise<RunningServer> => {
  const catalog = fixtures();
  const tools = [...referenceTools, ...catalog.tools];
  const server = await startMcpReferenceServer({ catalog: { ...catalog, tools } });
  const proxy = await startFaultyProxy(server.url, subject());
  const close = async (): Promise<void> => {
    await proxy.close();
    await server.close();
  };
  return { url: proxy.url, close };
};

/** How a mutant changes messages. All others change what the server of its tests does. */
const FAULTS: readonly (keyof Fault)[] = [
  'change',
  'reply',
  'intercept',
  'notified',
  'notifiedText',
  'unreadable',
  'sessionId',
  'neverCloses',
];

/** Those that can be given to any server over HTTP, and the number of the others. */
export const faults = (): { readonly mutants: readonly Mutant[]; readonly others: number } => {
  const all = [...MCP_MUTANTS, ...OFFER_MUTANTS, ...CONDUCT_MUTANTS, ...CLIENT_MUTANTS].filter(
    ({ channel }) => channel !== 'stdio',
  );
  const mutants = all.filter(({ subject }) => {
    const given = subject();
    return FAULTS.some((name) => name in given);
  });
  return { mutants, others: all.length - mutants.length };
};
