import { compareContracts } from '../../contract/compare-contracts.ts';
import { contractIn, describedFunctions, unreadOf } from '../../contract/read-contract.ts';
import { type Json, jsonPointer, ownProperty, pointerSteps, shorten, showJson } from '../../json/json.ts';
import type { Contract, ContractChange } from '../../model/contract.ts';
import { type Answer, type Exchange, isAnswer } from '../../model/exchange.ts';
import { failed, inapplicable, passed, type Shortcoming, undecided } from '../../model/judgement.ts';
import { messageMethod } from '../../model/sent.ts';
import { entriesOn, LISTS } from '../../wires/mcp/lists.ts';
import { cannotJudge, defineCheck } from '../define-check.ts';
import { valueAt } from '../json/local-reference.ts';

export const contractKept = defineCheck(
  'step',
  'contract-kept',
  'nothing changed that breaks callers of the contract that the user gave (`contract`)',
  ({ demands: { contract }, exchanges }) => {
    if (contract === undefined) return inapplicable('no contract was given');
    const now = contractIn(exchanges);
    if (now === null) return cannotJudge('not-listed');
    const places = new Places(exchanges);
    const found = compareContracts(contract, now).flatMap((change) =>
      change.kind === 'breaking' || change.kind === 'unclear' ? [findingFor(change, now, places)] : [],
    );
    const unread = unreadOf(contract, now);
    const gap = unread.length === 0 ? [] : [notWhole(unread)];
    return found.length + gap.length === 0 ? passed : [...found, ...gap];
  },
  {
    reasons: { 'not-listed': 'the functions were not listed' },
    isDemanded: (_options, { contract }) => contract !== undefined,
  },
);

function notWhole(unread: readonly string[]): Shortcoming {
  return undecided({
    message: `not all pages were read of ${unread.join(', ')}, so that nothing is known of what they lack`,
    expected: 'the whole list',
    received: 'a part of it',
    fault: 'server',
    advice: 'Answer every page of the list that a cursor announces, and end the pages.',
  });
}

function findingFor(change: ContractChange, now: Contract, places: Places): Shortcoming {
  const { kind, of, name, message, before, after } = change;
  const what = name === null ? WORDS.server : `${wordOf(of, now)} ${JSON.stringify(name)}`;
  const found = {
    message: `${what}: ${message}`,
    expected: before === undefined ? 'as in the contract' : shown(before),
    received: after === undefined ? absent(change) : shown(after),
    ...(of === 'function' && name !== null ? { function: name } : {}),
    ...places.of(change, now),
  };
  if (kind === 'breaking') return failed(found);
  return undecided({ ...found, because: 'not-exercised', advice: UNCLEAR_ADVICE });
}

const UNCLEAR_ADVICE =
  'Whether this breaks callers cannot be told from the lists. If it breaks none, accept it with `--accept`.';

const WORDS: Readonly<Record<ContractChange['of'], string>> = {
  server: 'the server',
  function: 'the function',
  prompt: 'the prompt',
  resource: 'the resource',
  resourceTemplate: 'the template',
};

/** What there is instead of an entry, or of a part of it. */
function absent({ pointer, before }: ContractChange): string {
  const isEntry = pointerSteps(pointer).length === 2;
  return before === undefined && !isEntry ? 'another one' : 'nothing';
}

function wordOf(of: ContractChange['of'], { wire }: Contract): string {
  return of === 'function' && wire === 'mcp' ? 'the tool' : WORDS[of];
}

function shown(value: Json): string {
  return typeof value === 'string' ? shorten(JSON.stringify(value)) : showJson(value);
}

interface Place {
  readonly pointer?: string;
  readonly exchangeKey?: string;
}

/** Where the answers of a run list the entries of its contract. */
class Places {
  readonly #answers: readonly Answer[];

  constructor(exchanges: readonly Exchange[]) {
    this.#answers = exchanges.filter(isAnswer);
  }

  /** Of what was removed, the answer that no longer has it. */
  of({ of, name, pointer }: ContractChange, now: Contract): Place {
    const [list = '', , ...rest] = pointerSteps(pointer);
    const isMcp = now.wire === 'mcp';
    if (of === 'server') return {};
    for (const exchange of this.#answers) {
      const entries = isMcp ? this.#listed(exchange, list) : this.#described(exchange);
      if (entries === null) continue;
      const found = entries.find(({ entry }) => KEYS.some((key) => ownProperty(entry, key) === name));
      if (found !== undefined) {
        const inner = memberPointer(rest, found.entry, now.wire);
        return { exchangeKey: exchange.request.key, pointer: `${found.pointer}${inner}` };
      }
    }
    const lister = this.#answers.find(
      (one) => (isMcp ? this.#listed(one, list) : this.#described(one)) !== null,
    );
    return lister === undefined ? {} : { exchangeKey: lister.request.key };
  }

  #listed(exchange: Answer, list: string) {
    const listed = (['functions', 'prompts', 'resources', 'templates'] as const).find(
      (one) => (one === 'functions' ? one : LISTS[one].member) === list,
    );
    if (listed === undefined || messageMethod(exchange.request) !== LISTS[listed].method) return null;
    return entriesOn(exchange, listed);
  }

  #described(exchange: Answer) {
    const functions = describedFunctions(exchange);
    return functions === null
      ? null
      : functions.map((entry, index) => ({ entry, pointer: `/functions/${index}` }));
  }
}

const KEYS = ['uri', 'uriTemplate', 'name'] as const;

/** The names that the parts of a function have in a contract, and on the wires. */
const NAMES: Readonly<Record<Contract['wire'], Readonly<Record<string, string>>>> = {
  A: { input: 'inputs', output: 'outputs' },
  B: { input: 'parameters', output: 'returns' },
  mcp: { input: 'inputSchema', output: 'outputSchema' },
};

/** The part of an entry that changed, or the nearest that exists. */
function memberPointer([part, ...rest]: readonly string[], entry: Json, wire: Contract['wire']): string {
  if (part === undefined) return '';
  const steps = part === 'more' ? rest : [NAMES[wire][part] ?? part, ...(wire === 'A' ? [] : rest)];
  let length = steps.length;
  while (length > 0 && valueAt(entry, jsonPointer(steps.slice(0, length))) === undefined) length -= 1;
  return jsonPointer(steps.slice(0, length));
}
