import type { VNode } from 'preact';
import type { ServerRow } from '../registry/read-servers.ts';

const KINDS: Readonly<Record<string, string>> = { pass: 'passed', fail: 'failed', incomplete: 'warning' };

/** The verdict of the last test, or of the check of a package, of the latest version; `unchecked` without one. */
export function VerdictMark({
  row: { verdict, packageVerdict, isLatest },
}: {
  readonly row: ServerRow;
}): VNode {
  const word = (isLatest ? (verdict ?? packageVerdict) : null) ?? 'unchecked';
  return <span class={`mark ${KINDS[word] ?? ''}`}>{word}</span>;
}
