import { type Json, ownText, showJson } from '../../json/json.ts';
import type { SelectedNode } from '../../json/selector.ts';
import { type Finding, failed, passed } from '../../model/judgement.ts';
import type { SchemaEvaluator } from '../../model/schema-evaluator.ts';
import type { NodeExpectation } from '../../model/suite.ts';
import { judgeEach, notApplied } from '../define-check.ts';
import { describeSchema } from './schema-words.ts';

/** Judges the nodes that a selector found. A selector that finds nothing fails, unless nothing was expected. */
export function judgeNodes(
  nodes: readonly SelectedNode[],
  at: string,
  expectation: NodeExpectation,
  schemas: SchemaEvaluator,
): Finding | readonly Finding[] {
  if (expectation.kind === 'absent') {
    const [found] = nodes;
    if (found === undefined) return passed;
    const { value, pointer } = found;
    return failed({ message: `${at} exists`, expected: 'nothing', received: showJson(value), pointer });
  }
  const { kind, schema } = expectation;
  const expected = describeExpectation(expectation);
  if (kind === 'count') {
    const verdict = schemas.apply(schema, nodes.length);
    if (verdict.kind === 'valid') return passed;
    if (verdict.kind === 'undecided') return undecidedAt(at, verdict.reason);
    return failed({
      message: `${at} finds ${nodes.length} values`,
      expected: `${expected} of them`,
      received: String(nodes.length),
    });
  }
  if (nodes.length === 0)
    return failed({ message: `${wordsFor(at)} is missing`, expected, received: 'nothing' });
  if (kind === 'is' && nodes.length > 1) {
    return failed({
      message: `${at} finds ${nodes.length} values where one is expected`,
      expected,
      received: `${nodes.length} values`,
    });
  }
  const judged = nodes.map((node) => ({ node, verdict: schemas.apply(schema, node.value) }));
  const valid = judged.find(({ verdict }) => verdict.kind === 'valid');
  const doubts = judged.flatMap(({ verdict }) => (verdict.kind === 'undecided' ? [verdict.reason] : []));
  if (kind === 'any') {
    if (valid !== undefined) return passed;
    if (doubts[0] !== undefined) return undecidedAt(at, doubts[0]);
    return failed({ message: `nothing at ${at} is as expected`, expected, received: showList(nodes) });
  }
  if (kind === 'none') {
    if (valid === undefined) return doubts[0] === undefined ? passed : undecidedAt(at, doubts[0]);
    return failed({
      message: `${at} has a forbidden value`,
      expected: `no ${expected}`,
      received: showJson(valid.node.value),
      pointer: valid.node.pointer,
    });
  }
  return judgeEach(judged, ({ node, verdict }): Finding => {
    if (verdict.kind === 'valid') return passed;
    if (verdict.kind === 'undecided') return undecidedAt(at, verdict.reason, node.pointer);
    const { expected: wanted, received, pointer: below } = verdict.problem;
    const pointer = node.pointer + below;
    const message = `${wordsFor(at, pointer)}${nameOf(node.value)} is invalid`;
    return failed({ message, expected: wanted, received, pointer });
  });
}

function undecidedAt(at: string, reason: string, pointer?: string): Finding {
  return notApplied(`the schema cannot be applied to ${wordsFor(at, pointer)}`, reason, pointer);
}

export function describeExpectation(expectation: NodeExpectation): string {
  if (expectation.kind === 'absent') return 'nothing';
  return describeSchema(expectation.schema) ?? `a value valid against ${JSON.stringify(expectation.schema)}`;
}

/** The name of a member if the selector is as plain as `$.name`; otherwise its place in the answer. */
function wordsFor(at: string, pointer = ''): string {
  const plain = /^\$\.([A-Za-z0-9_.]+)$/.exec(at)?.[1];
  if (plain !== undefined && pointer.split('/').length - 1 <= plain.split('.').length) return plain;
  return pointer === '' ? (at === '$' ? 'the body' : at) : pointer.slice(1).replaceAll('/', '.');
}

/** The name of a list entry says more than its index. */
function nameOf(value: Json): string {
  const name = ownText(value, 'name') ?? '';
  return name === '' ? '' : ` (${JSON.stringify(name)})`;
}

function showList(nodes: readonly SelectedNode[]): string {
  const shown = nodes.slice(0, 5).map(({ value }) => showJson(value));
  const more = nodes.length - shown.length;
  return `${shown.join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
}
