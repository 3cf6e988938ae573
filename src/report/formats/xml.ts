import XmlBuilder from 'fast-xml-builder';

/** Attributes have names that begin with `@_`; text is `#text`. */
export interface XmlNode {
  readonly [name: string]: string | number | XmlNode | readonly XmlNode[] | undefined;
}

// An attribute of the value "true" would lose it otherwise, and the document would not be XML.
const builder = new XmlBuilder({
  ignoreAttributes: false,
  format: true,
  suppressEmptyNode: true,
  suppressBooleanAttributes: false,
});

/** Every text is escaped; what XML cannot hold at all must not be in it. */
export function xmlText(root: XmlNode): string {
  return builder.build(root);
}

export const XML_DECLARATION: XmlNode = { '@_version': '1.0', '@_encoding': 'UTF-8' };
