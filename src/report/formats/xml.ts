import XmlBuilder from 'fast-xml-builder';

/** Attributes have names that begin with `@_`; text is `#text`. */
export interface XmlNode {
  readonly [name: string]: string | number | XmlNode | readonly XmlNode[] | undefined;
}

// Otherwise an attribute with the value "true" would lose its value, which is not valid XML.
const builder = new XmlBuilder({
  ignoreAttributes: false,
  format: true,
  suppressEmptyNode: true,
  suppressBooleanAttributes: false,
});

/** Escapes every text. The texts must not contain characters that XML does not allow. */
export function xmlText(root: XmlNode): string {
  return builder.build(root);
}

export const XML_DECLARATION: XmlNode = { '@_version': '1.0', '@_encoding': 'UTF-8' };
