import { type Json, ownProperty, showJson } from '../../json/json.ts';
import type { SelectedNode } from '../../json/selector.ts';
import { type Finding, failed, passed } from '../../model/judgement.ts';
import type { SchemaEvaluator } from '../../model/schema-evaluator.ts';
import type { NodeExpectation } from '../../model/suite.ts';
import { notApplied } from '../define-check.ts';
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
    return found === undefined
      ? passed
      : failed({
          message: `${at} exists`,
          expected: 'nothing',
          received: showJson(found.value),
          pointer: found.pointer,
        });
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
  const findings = judged.flatMap(({ node, verdict }): readonly Finding[] => {
    if (verdict.kind === 'valid') return [];
    if (verdict.kind === 'undecided') return [undecidedAt(at, verdict.reason, node.pointer)];
    const { problem } = verdict;
    const pointer = node.pointer + problem.pointer;
    return [
      failed({
        message: `${wordsFor(at, pointer)}${nameOf(node.value)} is invalid`,
        expected: problem.expected,
        received: problem.received,
        pointer,
      }),
    ];
  });
  return findings.length > 0 ? findings : passed;
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
  const name = ownProperty(value, 'name');
  return typeof name === 'string' && name !== '' ? ` (${JSON.stringify(name)})` : '';
}

function showList(nodes: readonly SelectedNode[]): string {
  const values: readonly Json[] = nodes.slice(0, 5).map(({ value }) => value);
  return nodes.length > values.length
    ? `${values.map(showJson).join(', ')} and ${nodes.length - values.length} more`
    : values.map(showJson).join(', ');
}
