import { referenceCatalog } from '../../../src/reference/mcp/offers/reference-catalog.ts';
import type { Catalog, Subject } from '../../../src/reference/mcp/protocol/catalog.ts';

export interface LiveCatalog {
  readonly catalog: Catalog;
  /** Tells all who watch the subject that it has changed. */
  readonly change: (subject: Subject) => void;
  /** How many watch anything. */
  readonly watchers: () => number;
}

/** What the reference server offers, with changes that the test makes. */
export function liveCatalog(more: Partial<Catalog> = {}): LiveCatalog {
  const watching = new Set<{ readonly key: string; readonly changed: () => void }>();
  return {
    catalog: {
      ...referenceCatalog,
      watch: (subject, changed) => {
        const watcher = { key: JSON.stringify(subject), changed };
        watching.add(watcher);
        return () => watching.delete(watcher);
      },
      ...more,
    },
    change: (subject) => {
      for (const { key, changed } of watching) if (key === JSON.stringify(subject)) changed();
    },
    watchers: () => watching.size,
  };
}
