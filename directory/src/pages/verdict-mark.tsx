import type { VNode } from 'preact';
import type { ServerRow } from '../registry/read-servers.ts';

const KINDS: Readonly<Record<string, string>> = { pass: 'passed', fail: 'failed', incomplete: 'warning' };

/** The verdict of the last test, which was of the latest version; `unchecked` where nothing was tested. */
export function VerdictMark({ row: { verdict, isLatest } }: { readonly row: ServerRow }): VNode {
  const word = isLatest && verdict !== null ? verdict : 'unchecked';
  return <span class={`mark ${KINDS[word] ?? ''}`}>{word}</span>;
}
