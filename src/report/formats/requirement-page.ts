const PAGE = 'https://github.com/probity-mcp/probity/blob/main/docs/requirements.md';

/** The section about a requirement of the registry; undefined for one of the user's, which has no page. */
export function requirementPage(id: string, text: string | undefined): string | undefined {
  if (text === undefined || !/^[a-z0-9-]+\/[a-z0-9-]+$/.test(id)) return undefined;
  // GitHub leaves out the slash when it makes an anchor of a heading.
  return `${PAGE}#${id.replace('/', '')}`;
}
