import type { VNode } from 'preact';

/** A command to copy. Without scripts the button is not shown, because it needs one. */
export function Command({ label, text }: { readonly label: string; readonly text: string }): VNode {
  return (
    <div class="command">
      <p class="label">
        {label}{' '}
        <button type="button" data-copy hidden aria-label={`Copy: ${label}`}>
          Copy
        </button>
      </p>
      <pre>
        <code>{text}</code>
      </pre>
    </div>
  );
}
