/** Content of an XML document that is escaped already. */
export interface Xml {
  readonly xml: string;
}

/** Characters that XML 1.0 forbids even when they are escaped. */
const FORBIDDEN =
  /[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]|[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g;

const ESCAPES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };

/** An element; texts among its children are escaped. Pure. */
export function element(
  name: string,
  attributes: Readonly<Record<string, string>>,
  ...children: readonly (string | Xml)[]
): Xml {
  const given = Object.entries(attributes).map(([key, value]) => ` ${key}="${escaped(value)}"`);
  const content = children.map((child) => (typeof child === 'string' ? escaped(child) : child.xml)).join('');
  return { xml: `<${name}${given.join('')}>${content}</${name}>` };
}

export function xmlDocument(root: Xml): string {
  return `<?xml version="1.0" encoding="utf-8"?>\n${root.xml}\n`;
}

export function escaped(text: string): string {
  return text
    .replaceAll(FORBIDDEN, '\ufffd')
    .replaceAll(/[&<>"]/g, (character) => ESCAPES[character] ?? character);
}
