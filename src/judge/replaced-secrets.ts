import type { CheckMetadata } from '../checks/define-check.ts';
import { checks } from '../generated/checks.ts';
import type { Exchange } from '../model/exchange.ts';
import { undecided } from '../model/judgement.ts';
import type { Assertion } from '../model/suite.ts';
import type { Conversation } from '../model/wire.ts';
import { functionsIn, type RunRecord } from '../run/state/record.ts';
import type { JudgedAssertion } from './judge-context.ts';

/** Secrets that were replaced by their variables, somewhere in what came from the server. */
export interface Replaced {
  readonly variables: readonly string[];
  /** Where a replaced value spoils every call: what is sent follows from it. */
  readonly schemasText: string;
}

export function replacedIn(record: RunRecord): Replaced {
  const variables = [...new Set([...record.exchanges, ...record.conversations].flatMap(repeatedIn))];
  // Thousands of schemas are written only for a run that needs them.
  const schemasText = variables.length === 0 ? '' : JSON.stringify(functionsIn(record), withoutProse);
  return { variables, schemasText };
}

export function repeatedIn(one: Exchange | Conversation): readonly string[] {
  if ('unasked' in one) return one.unasked.flatMap(({ repeatedSecrets }) => repeatedSecrets);
  if (one.kind === 'answered') return one.response.repeatedSecrets;
  return (one.heard ?? []).flatMap(({ repeatedSecrets }) => repeatedSecrets);
}

function withoutProse(key: string, value: unknown): unknown {
  return key === 'description' || key === 'title' ? undefined : value;
}

/** A replaced value may be why a name, an input or a result is invalid. */
export function undecidedIfReplaced(
  judged: JudgedAssertion,
  { variables, schemasText }: Replaced,
): JudgedAssertion {
  const { assertion, finding, exchange } = judged;
  const meaning = meaningFor(assertion);
  if (finding.outcome !== 'failed' || variables.length === 0 || meaning === 'looked-for') return judged;
  const { outcome: _, ...evidence } = finding;
  // Whether a call succeeds may depend on what was sent, but not on what its answer repeats.
  const shown =
    meaning === 'irrelevant'
      ? [schemasText, finding.message, exchange?.request]
      : [schemasText, evidence, exchange];
  const texts = JSON.stringify(shown);
  const variable = variables.find((name) => new RegExp(`\\$${name}(?![A-Za-z0-9_])`).test(texts));
  if (variable === undefined) return judged;
  const advice = `The value of the variable ${variable} may be secret, so $${variable} was put in its place where the server repeats it. If it is not secret, give it in another way, such as before the program in the command, or use another value, and check again.`;
  return { ...judged, finding: undecided({ ...evidence, fault: 'harness', advice }) };
}

function meaningFor(assertion: Assertion): CheckMetadata['replacedSecret'] | undefined {
  if (assertion.kind === 'check') return checks.get(assertion.check)?.replacedSecret;
  return assertion.kind === 'outcome' || assertion.kind === 'status' ? 'irrelevant' : 'may-be-why';
}
