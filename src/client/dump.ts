import { createHash } from 'node:crypto';
import { type Json, ownProperty, showJson } from '../json/json.ts';
import { type ServerRecord, specifiedRecord } from '../model/saved/server-record.ts';
import { mismatch, parsed } from './answer-shapes.ts';
import type { ShapeProblem } from './directory-error.ts';

/** The end of a dump that is complete: its number of records and its digest hold. */
export interface DumpEnd {
  readonly count: number;
  /** Where `changes` goes on. */
  readonly cursor: string;
}

/** Takes each record of a dump; a promise holds the next ones back. */
export type OnRecord = (record: ServerRecord) => void | Promise<void>;

/** Reads the lines of a dump as they arrive. It throws the errors of `fail` and of `onRecord`. */
export class DumpReader {
  readonly #onRecord: OnRecord;
  readonly #fail: (problem: ShapeProblem) => Error;
  readonly #digest = createHash('sha256');
  #lines = 0;
  #rest = '';
  #end: DumpEnd | null = null;

  constructor(onRecord: OnRecord, fail: (problem: ShapeProblem) => Error) {
    this.#onRecord = onRecord;
    this.#fail = fail;
  }

  async read(body: AsyncIterable<Uint8Array>): Promise<void> {
    const decoder = new TextDecoder('utf-8', { fatal: true });
    for await (const chunk of body) {
      try {
        this.#rest += decoder.decode(chunk, { stream: true });
      } catch {
        throw this.#broken('UTF-8', 'other bytes');
      }
      const lines = this.#rest.split('\n');
      this.#rest = lines.pop() ?? '';
      for (const line of lines) await this.#take(line);
    }
  }

  end(): DumpEnd {
    if (this.#end !== null && this.#rest === '') return this.#end;
    throw this.#broken('a last line with the count, the digest and the cursor', 'an incomplete dump');
  }

  async #take(line: string): Promise<void> {
    this.#lines += 1;
    if (this.#end !== null) throw this.#broken('nothing after the last line', showJson(line));
    const json = parsed(line);
    if (json === undefined) throw this.#broken('JSON', showJson(line));
    const last = ownProperty(json, 'dump');
    if (last !== undefined) {
      this.#end = this.#endIn(last);
      return;
    }
    const problem = mismatch(specifiedRecord, json);
    if (problem !== null) throw this.#broken(problem.expected, problem.received, problem.at);
    this.#digest.update(`${line}\n`);
    await this.#onRecord(json as unknown as ServerRecord);
  }

  #endIn(last: Json): DumpEnd {
    const [count, digest, cursor] = ['count', 'digest', 'cursor'].map((name) => ownProperty(last, name));
    if (typeof count !== 'number' || typeof digest !== 'string' || typeof cursor !== 'string')
      throw this.#broken('the count, the digest and the cursor of the dump', showJson(last));
    const received = { count: this.#lines - 1, digest: `sha256:${this.#digest.digest('hex')}` };
    if (count !== received.count || digest !== received.digest)
      throw this.#broken(showJson({ count, digest }), showJson(received));
    return { count, cursor };
  }

  #broken(expected: string, received: string, at = ''): Error {
    return this.#fail({ at: `/line ${this.#lines}${at}`, expected, received });
  }
}
