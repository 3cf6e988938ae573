import type { VNode } from 'preact';
import type { ServerRecord } from 'probity/model';

/** A figure of a list of figures. Beside a claim is a word, not only a style: a screen reader and a print have it too. */
export function Figure({
  words,
  figures,
}: {
  readonly words: string;
  readonly figures: ServerRecord['figures'];
}): VNode {
  return (
    <dd>
      {words}
      {figures === 'claimed' ? <span class="claim"> (claimed)</span> : null}
    </dd>
  );
}
