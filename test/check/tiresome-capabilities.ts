/** Capabilities with two thousand different schemas, which take many seconds to judge. */
export function tiresomeCapabilities(): string {
  const functions = Array.from({ length: 2000 }, (_, index) => ({
    name: `f${index}`,
    description: `The function of number ${index} does something`,
    parameters: {
      type: 'object',
      properties: {},
      patternProperties: Object.fromEntries(
        Array.from({ length: 90 }, (_unused, at) => [`^p${at}x${index}$`, {}]),
      ),
    },
    returns: { type: 'object', properties: { [`r${index}`]: { type: 'string' } } },
  }));
  return JSON.stringify({ mcpVersion: '1.0', server: { name: 'tiresome', version: '1.0.0' }, functions });
}
