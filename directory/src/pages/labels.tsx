import type { VNode } from 'preact';
import { labelAddress } from './search-address.ts';
import { visibleText } from './visible-text.tsx';

const MAX_TAGS = 30;

/** Category and tags, each with a link to all servers that have it. */
export function Labels({
  category,
  tags,
}: {
  readonly category: string;
  readonly tags: readonly string[];
}): VNode {
  return (
    <ul class="labels" aria-label="Category and tags">
      <li class="category">
        <Label name="category" label={category} />
      </li>
      {tags.slice(0, MAX_TAGS).map((tag, index) => (
        <li key={index}>
          <Label name="tags" label={tag} />
        </li>
      ))}
      {tags.length > MAX_TAGS ? <li>and {tags.length - MAX_TAGS} more</li> : null}
    </ul>
  );
}

function Label({ name, label }: { readonly name: 'tags' | 'category'; readonly label: string }): VNode {
  const href = labelAddress(name, label);
  const text = visibleText(label, 'label');
  if (href === null) return <bdi>{text}</bdi>;
  return (
    <a href={href}>
      <bdi>{text}</bdi>
    </a>
  );
}
