import { type Exchange, isAnswer } from '../model/exchange.ts';
import type { Finding } from '../model/judgement.ts';
import type { RunSettings } from '../model/report.ts';
import { messageMethod } from '../model/sent.ts';
import { repeatedIn } from './replaced-secrets.ts';

/** Placeholders of secrets: `$API_KEY`. */
const PLACEHOLDER = /\$[A-Za-z_]/;

/**
 * While a run goes on: whether a finding may turn out to be due to a secret that was replaced by its variable, as it is
 * judged after the run.
 */
export class ReplacedSoFar {
  /** Nothing is certain before the schemas were read, and with a secret in them. */
  #schemas: 'unread' | 'clean' | 'spoilt' = 'unread';
  readonly #hasSecrets: boolean;

  constructor({ mcp, headerNames, bearerEnv }: RunSettings) {
    this.#hasSecrets =
      mcp !== undefined &&
      ((mcp.env ?? []).length > 0 ||
        headerNames.length > 0 ||
        bearerEnv !== undefined ||
        mcp.bearerEnv !== undefined);
  }

  note(exchange: Exchange): void {
    if (!this.#hasSecrets || messageMethod(exchange.request) !== 'tools/list' || !isAnswer(exchange)) return;
    if (this.#schemas !== 'spoilt') this.#schemas = repeatedIn(exchange).length > 0 ? 'spoilt' : 'clean';
  }

  mayBeWhy(finding: Finding, exchange: Exchange): boolean {
    if (!this.#hasSecrets) return false;
    return this.#schemas !== 'clean' || PLACEHOLDER.test(JSON.stringify([finding, exchange]));
  }
}
