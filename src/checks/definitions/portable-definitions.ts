import { contractIn } from '../../contract/read-contract.ts';
import { PROFILES } from '../../generated/portability.ts';
import { type Json, ownText } from '../../json/json.ts';
import { isAnswer } from '../../model/exchange.ts';
import { failed, inapplicable, undecided } from '../../model/judgement.ts';
import { definitionsIn, problemsOf } from '../../portability/fit.ts';
import { descriptorsIn } from '../capabilities/descriptor.ts';
import { type Asked, defineCheck, judgeEach } from '../define-check.ts';
import { jsonBody } from '../json/json-body.ts';
import { toolsIn } from '../mcp/received.ts';

export const portableDefinitions = defineCheck(
  'step',
  'portable-definitions',
  'a client or provider accepts the definition of every function',
  ({ asked, options }) => {
    const profile = PROFILES.find(({ id }) => id === options.profile);
    const contract = contractIn(asked.map(({ exchange }) => exchange));
    if (profile === undefined || contract === null || contract.functions.length === 0)
      return inapplicable('the server lists no functions');
    const definitions = definitionsIn(contract);
    const problems = problemsOf(definitions, profile);
    const places = placesIn(asked);
    const unread = definitions.functions.find(({ isWhole }) => !isWhole);
    if (problems.length === 0 && unread !== undefined)
      return undecided({
        message: `the schema of ${JSON.stringify(unread.name)} is too large to be read whole`,
        expected: 'a schema of up to 20,000 schemas, nested up to 256 levels deep',
        received: 'a larger one',
        ...places.get(unread.name),
      });
    return judgeEach(problems, (problem) => {
      const { pointer = '', exchangeKey } = places.get(problem.function ?? '') ?? places.get('') ?? {};
      return failed({
        message: `${profile.title}: ${problem.message}`,
        expected: problem.rule.says,
        received: problem.message,
        pointer: `${pointer}${problem.pointer}`,
        exchangeKey,
        advice: `${capitalised(problem.change)}. ${problem.rule.why} Read: ${problem.rule.page}`,
        ...(problem.function === null ? {} : { function: problem.function }),
      });
    });
  },
  {
    options: { profile: { doc: 'The name of a file in suites/portability.', required: true } },
    isDemanded: ({ profile }, { portable }) => portable?.some((one) => one === profile) === true,
  },
);

function capitalised(text: string): string {
  return `${text.slice(0, 1).toUpperCase()}${text.slice(1)}`;
}

interface ListedAt {
  readonly pointer: string;
  readonly exchangeKey: string;
}

/** Where the answers list each function, by name; under the empty name the list itself. */
function placesIn(asked: readonly Asked[]): ReadonlyMap<string, ListedAt> {
  const tools = toolsIn(asked).map(({ tool, pointer, exchangeKey }) => ({
    entry: tool,
    pointer,
    exchangeKey,
  }));
  const listed =
    tools.length > 0
      ? tools
      : asked.flatMap(({ exchange }) => (isAnswer(exchange) ? restEntries(exchange) : []));
  const places = new Map<string, ListedAt>();
  for (const { entry, pointer, exchangeKey } of listed) {
    const name = ownText(entry, 'name');
    const list = pointer.slice(0, pointer.lastIndexOf('/'));
    if (!places.has('')) places.set('', { pointer: list, exchangeKey });
    // Of equal names the first one counts, as for clients.
    if (name !== null && !places.has(name)) places.set(name, { pointer, exchangeKey });
  }
  return places;
}

function restEntries(
  exchange: Parameters<typeof jsonBody>[0],
): readonly (ListedAt & { readonly entry: Json })[] {
  const { value } = jsonBody(exchange);
  return value === undefined
    ? []
    : descriptorsIn(value).map(({ descriptor, pointer }) => ({
        entry: descriptor,
        pointer,
        exchangeKey: exchange.request.key,
      }));
}
