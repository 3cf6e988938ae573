import type { VNode } from 'preact';

/** A command to copy. The script adds the button, which is useless without it. */
export function Command({ label, text }: { readonly label: string; readonly text: string }): VNode {
  return (
    <div class="command">
      <p>{label}</p>
      <pre>
        <code>{text}</code>
      </pre>
    </div>
  );
}
