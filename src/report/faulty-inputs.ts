import { isJsonObject, type Json, type JsonObject, ownProperty } from '../model/json.ts';
import type { TestResult } from '../model/report.ts';
import { liveFreeJson } from '../model/visible.ts';

/** A generated input that showed a fault. */
export interface FaultyInput {
  readonly function: string;
  readonly requirement: string;
  readonly input: JsonObject;
  readonly message: string;
}

/** The inputs of the failed findings about generated inputs. Pure. */
export function faultyInputs({ findings, exchanges }: TestResult): readonly FaultyInput[] {
  const bodies = new Map(exchanges.map(({ request }) => [request.key, request.body]));
  return findings.flatMap((finding): readonly FaultyInput[] => {
    const { outcome, id, where, message } = finding;
    if (outcome !== 'failed' || !id.startsWith('inputs/') || where.function === undefined) return [];
    const body = where.exchange === undefined ? null : (bodies.get(where.exchange) ?? null);
    const input = body !== null && 'text' in body ? inputIn(body.text) : null;
    return input === null ? [] : [{ function: where.function, requirement: id, input, message }];
  });
}

function inputIn(text: string): JsonObject | null {
  try {
    const body = JSON.parse(text) as Json;
    const input = ownProperty(body, 'parameters') ?? ownProperty(body, 'input');
    return isJsonObject(input) ? input : null;
  } catch {
    // A body that was shortened cannot be sent again.
    return null;
  }
}

/** What the suite language would replace. */
const REFERENCE = '${';

/** What the suite expects, by requirement. The others need several calls, which a suite does not repeat. */
const EXPECTED: ReadonlyMap<string, (own: string) => string> = new Map([
  ['inputs/valid-answered', (own: string) => `status: { not: 5xx, ${own} }`],
  ['inputs/invalid-refused', (own: string) => `status: { not: 200, ${own} }`],
  ['inputs/result-matches-returns', (own: string) => `checks: [{ check: result-matches-returns, ${own} }]`],
]);

/** A suite that repeats the calls, as a user can keep it; null if it has none. Pure. */
export function suiteOf(found: readonly FaultyInput[]): string | null {
  const expressible = found.filter(
    ({ requirement, input, message }) =>
      EXPECTED.has(requirement) && !JSON.stringify([input, message]).includes(REFERENCE),
  );
  if (expressible.length === 0) return null;
  const steps = expressible.map(({ function: name, requirement, input, message }, index) => {
    const id = `fault-${index + 1}`;
    return [
      `  - id: ${id}`,
      `    title: ${liveFreeJson(message)}`,
      '    needs: [capabilities/read]',
      `    request: { execute: ${liveFreeJson(name)}, arguments: ${liveFreeJson(input)} }`,
      `    expect: { ${EXPECTED.get(requirement)?.(`id: ${id}, level: MUST`)} }`,
    ].join('\n');
  });
  return `suite: v1\nid: fuzz\ntitle: Inputs that showed a fault\nsteps:\n${steps.join('\n\n')}\n`;
}
