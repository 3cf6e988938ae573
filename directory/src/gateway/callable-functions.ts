import { capabilitiesForm, descriptorsIn, type Form, type Json, ownProperty } from 'probity/model';

/** What a call needs of capabilities. */
export interface CallableFunctions {
  readonly names: ReadonlySet<string>;
  /** The form to call the target in. */
  readonly form: Form;
}

/** Form A, the default of the platform, unless the capabilities show form B. Pure. */
export function callableFunctions(capabilities: Json): CallableFunctions {
  const names = descriptorsIn(capabilities).map(({ descriptor }) => ownProperty(descriptor, 'name'));
  return {
    names: new Set(names.filter((name) => typeof name === 'string')),
    form: capabilitiesForm(capabilities, 'auto').form ?? 'A',
  };
}
