import { serverIdentity } from '../../functions.ts';
import type { Catalog } from '../protocol/catalog.ts';
import { askingTools } from './asking-tools.ts';
import { referencePrompts } from './prompts.ts';
import { clockUri, referenceResources, referenceTemplates } from './resources.ts';
import { referenceTools } from './tools.ts';

/** What `probity reference --wire mcp` offers. */
export const referenceCatalog: Catalog = {
  identity: serverIdentity,
  tools: [...referenceTools, ...askingTools],
  prompts: referencePrompts,
  resources: referenceResources,
  templates: referenceTemplates,
  // Few, so that clients have more than one page to read.
  pageSizes: { tools: 4, prompts: 2, resources: 1 },
  watch: (subject, changed) => {
    // Nothing else changes.
    if (typeof subject === 'string' || subject.uri !== clockUri) return () => undefined;
    const timer = setInterval(changed, 1_000);
    return () => clearInterval(timer);
  },
};
