import { createHash } from 'node:crypto';
import { type Json, ownProperty, showJson } from '../json/json.ts';
import { type ServerRecord, specifiedRecord } from '../model/saved/server-record.ts';
import { type ShapeProblem, shapedAs } from './answer-shapes.ts';
import { parsed } from './directory-problem.ts';

/** The end of a dump that is complete: its number of records and its digest hold. */
export interface DumpEnd {
  readonly count: number;
  /** Where `changes` goes on. */
  readonly cursor: string;
}

/** Takes each record of a dump; a promise holds the next ones back. */
export type OnRecord = (record: ServerRecord) => void | Promise<void>;

type DumpOutcome =
  | { readonly kind: 'complete'; readonly end: DumpEnd }
  | { readonly kind: 'broken'; readonly problem: ShapeProblem }
  /** The user's function threw it. */
  | { readonly kind: 'refused'; readonly error: unknown };

export interface DumpReader {
  /** False when the rest is of no use. */
  receive(chunk: Uint8Array): Promise<boolean>;
  outcome(): DumpOutcome;
}

/** Reads the lines of a dump as they arrive. */
export function createDumpReader(onRecord: OnRecord): DumpReader {
  const decoder = new TextDecoder('utf-8', { fatal: true });
  const digest = createHash('sha256');
  let rest = '';
  let lines = 0;
  let outcome: DumpOutcome | null = null;

  const broken = (expected: string, received: string, at = ''): DumpOutcome => ({
    kind: 'broken',
    problem: { at: `/line ${lines}${at}`, expected, received },
  });
  const endsWith = (last: Json): DumpOutcome => {
    const end = endOf(last);
    if (end === null) return broken('the count, the digest and the cursor of the dump', showJson(last));
    const received = { count: lines - 1, digest: `sha256:${digest.digest('hex')}` };
    return end.count === received.count && end.digest === received.digest
      ? { kind: 'complete', end: { count: end.count, cursor: end.cursor } }
      : broken(showJson({ count: end.count, digest: end.digest }), showJson(received));
  };
  const take = async (line: string): Promise<DumpOutcome | null> => {
    if (outcome !== null) return broken('nothing after the last line', showJson(line));
    const json = parsed(line);
    if (json === undefined) return broken('JSON', showJson(line));
    const last = ownProperty(json, 'dump');
    if (last !== undefined) return endsWith(last);
    const record = shapedAs<ServerRecord>(specifiedRecord, json);
    if ('problem' in record) {
      const { at, expected, received } = record.problem;
      return broken(expected, received, at);
    }
    digest.update(`${line}\n`);
    try {
      await onRecord(record.value);
      return null;
    } catch (error) {
      return { kind: 'refused', error };
    }
  };
  return {
    receive: async (chunk) => {
      try {
        rest += decoder.decode(chunk, { stream: true });
      } catch {
        outcome = broken('UTF-8', 'other bytes');
        return false;
      }
      const ended = rest.split('\n');
      rest = ended.pop() ?? '';
      for (const line of ended) {
        lines += 1;
        outcome = await take(line);
        if (outcome !== null && outcome.kind !== 'complete') return false;
      }
      return true;
    },
    outcome: () =>
      outcome === null || (outcome.kind === 'complete' && rest !== '')
        ? broken('a last line with the count, the digest and the cursor', 'an incomplete dump')
        : outcome,
  };
}

function endOf(last: Json): (DumpEnd & { readonly digest: string }) | null {
  const [count, digest, cursor] = ['count', 'digest', 'cursor'].map((name) => ownProperty(last, name));
  return typeof count === 'number' && typeof digest === 'string' && typeof cursor === 'string'
    ? { count, digest, cursor }
    : null;
}
