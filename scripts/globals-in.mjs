// Finds the globals of the language and the platform that a program uses. A name that is declared around its use is not
// a global; a name that is only `declare`d, or imported as a type, is still one.

/** Members that lead from any value to the whole program or the whole platform. */
const LEADING_OUT = new Set(['constructor', 'getBuiltinModule']);

/** Nodes that exist only for the compiler. */
const TYPE_NODES = new Set([
  'TSDeclareFunction',
  'TSEmptyBodyFunctionExpression',
  'TSIndexSignature',
  'TSInterfaceDeclaration',
  'TSTypeAliasDeclaration',
]);
const TYPE_KEYS = new Set([
  'implements',
  'returnType',
  'superTypeArguments',
  'typeAnnotation',
  'typeArguments',
  'typeParameters',
]);

/**
 * Every use of a global, such as `fetch`, or with its first member, such as `process.env`, in the order of the text.
 * `new Date()` counts, `new Date(value)` does not. Leaves out what `isImport` accepts.
 */
export function globalsIn(program, isImport) {
  const uses = within({ uses: [] }, (scope) => visit(program.body, scope), { holdsVars: true, isImport });
  return uses.sort((left, right) => left.start - right.start);
}

/** The static name of a member: `a.b` and `a['b']` have one, `a[b]` does not. */
export function memberName({ computed, property }) {
  return computed ? textOf(property) : (property.name ?? null);
}

/** The text of a literal, if it is one. */
export function textOf(node) {
  if (node.type === 'Literal') return typeof node.value === 'string' ? node.value : null;
  return node.type === 'TemplateLiteral' && node.expressions.length === 0
    ? node.quasis[0].value.cooked
    : null;
}

/** What remains of an expression without parentheses and types. */
export function bare(node) {
  return /^(ParenthesizedExpression|ChainExpression|TS\w+(Expression|Assertion))$/.test(node.type)
    ? bare(node.expression)
    : node;
}

/** The name of an expression that can be a global: `fetch`, or `import.meta`. */
export function globalName(node) {
  if (node.type === 'Identifier') return node.name;
  return node.type === 'MetaProperty' && node.meta.name === 'import' ? 'import.meta' : null;
}

const VISITS = {
  Identifier: use,
  MetaProperty: use,
  MemberExpression(node, scope) {
    const object = bare(node.object);
    const member = memberName(node);
    if (node.computed) visit(node.property, scope);
    if (LEADING_OUT.has(member)) scope.uses.push({ name: member, root: null, start: node.start });
    if (globalName(object) === null) visit(object, scope);
    else if (!LEADING_OUT.has(member)) use(object, scope, member === null ? '' : `.${member}`);
  },
  NewExpression(node, scope) {
    if (scope.isImport(node)) return;
    const [first] = node.arguments;
    const isDate = globalName(bare(node.callee)) === 'Date';
    if (isDate && (first === undefined || first.type === 'SpreadElement'))
      scope.uses.push({ name: 'new Date()', root: 'Date', start: node.start });
    if (!isDate) visit(node.callee, scope);
    visit(node.arguments, scope);
  },

  Property: visitMember,
  MethodDefinition: visitMember,
  PropertyDefinition: visitMember,
  AccessorProperty: visitMember,
  TSAbstractMethodDefinition: visitMember,
  TSAbstractPropertyDefinition: visitMember,
  ObjectPattern(node, scope) {
    useKeys(node, scope);
    visit(node.properties, scope);
  },

  // `instanceof` uses nothing of the class.
  BinaryExpression({ left, operator, right }, scope) {
    visit(left, scope);
    if (operator !== 'instanceof' || globalName(bare(right)) === null) visit(right, scope);
  },

  LabeledStatement: (node, scope) => visit(node.body, scope),
  BreakStatement() {},
  ContinueStatement() {},

  JSXOpeningElement(node, scope) {
    let name = node.name;
    while (name.type === 'JSXMemberExpression') name = name.object;
    if (name !== node.name || /^[A-Z_$]/.test(name.name))
      scope.uses.push({ name: name.name, root: name.name, start: name.start });
    visit(node.attributes, scope);
  },
  JSXClosingElement() {},
  JSXAttribute: (node, scope) => visit(node.value, scope),

  ImportDeclaration(node, scope) {
    const values = node.importKind === 'type' ? [] : node.specifiers;
    for (const { importKind, local } of values) if (importKind !== 'type') scope.declared.add(local.name);
  },
  ExportAllDeclaration() {},
  // Names that are exported are declared in the file.
  ExportNamedDeclaration: (node, scope) => visit(node.declaration, scope),
  TSImportEqualsDeclaration(node, scope) {
    if (node.importKind !== 'type') scope.declared.add(node.id.name);
    visit(node.moduleReference, scope);
  },

  VariableDeclaration(node, scope) {
    for (const { id, init } of node.declarations) {
      declare(id, node.kind === 'var' ? scope.ofVars : scope, scope);
      visit(init, scope);
    }
  },
  FunctionDeclaration(node, scope) {
    if (node.id !== null) scope.declared.add(node.id.name);
    visitFunction(node, scope);
  },
  FunctionExpression: visitFunction,
  ArrowFunctionExpression: visitFunction,
  ClassDeclaration(node, scope) {
    if (node.id !== null) scope.declared.add(node.id.name);
    visitClass(node, scope);
  },
  ClassExpression: visitClass,
  CatchClause(node, scope) {
    within(scope, (own) => {
      if (node.param !== null) declare(node.param, own, own);
      visit(node.body, own);
    });
  },
  SwitchStatement(node, scope) {
    visit(node.discriminant, scope);
    within(scope, (own) => visit(node.cases, own));
  },
  StaticBlock: (node, scope) => within(scope, (own) => visit(node.body, own), { holdsVars: true }),
  BlockStatement: visitBlock,
  ForStatement: visitBlock,
  ForInStatement: visitBlock,
  ForOfStatement: visitBlock,
};

function visit(node, scope) {
  if (node === null || typeof node !== 'object') return;
  if (Array.isArray(node)) for (const one of node) visit(one, scope);
  else if (node.declare !== true && !TYPE_NODES.has(node.type))
    (VISITS[node.type] ?? visitChildren)(node, scope);
}

function visitChildren(node, scope) {
  for (const key of Object.keys(node)) if (!TYPE_KEYS.has(key)) visit(node[key], scope);
}

function visitBlock(node, scope) {
  within(scope, (own) => visitChildren(node, own));
}

function visitMember({ computed, decorators, key, value }, scope) {
  if (computed) visit(key, scope);
  visit(decorators ?? null, scope);
  visit(value, scope);
}

function visitFunction(node, scope) {
  within(scope, (own) => {
    if (node.type === 'FunctionExpression' && node.id !== null) own.declared.add(node.id.name);
    for (const param of node.params) declare(param, own, own);
    const inner = node.body.type === 'BlockStatement' ? node.body.body : node.body;
    // The defaults of the parameters do not see the variables of the body.
    within(own, (body) => visit(inner, body), { holdsVars: true });
  });
}

function visitClass(node, scope) {
  within(scope, (own) => {
    if (node.id !== null) own.declared.add(node.id.name);
    visit([...node.decorators, node.superClass, node.body], own);
  });
}

/** Adds the names that a pattern binds to a scope; its defaults and computed keys are uses in another. */
function declare(pattern, into, scope) {
  if (pattern === null) return;
  if (pattern.type === 'Identifier') into.declared.add(pattern.name);
  else if (pattern.type === 'AssignmentPattern') {
    declare(pattern.left, into, scope);
    visit(pattern.right, scope);
  } else if (pattern.type === 'ObjectPattern') {
    useKeys(pattern, scope);
    for (const property of pattern.properties) {
      if (property.computed) visit(property.key, scope);
      declare(property.value ?? property, into, scope);
    }
  } else if (pattern.type === 'ArrayPattern')
    for (const element of pattern.elements) declare(element, into, scope);
  else declare(pattern.argument ?? pattern.parameter, into, scope);
}

function use(node, scope, member = '') {
  const root = globalName(node);
  if (root !== null) scope.uses.push({ name: `${root}${member}`, root, start: node.start });
}

function useKeys({ properties }, scope) {
  for (const { computed, key, start } of properties) {
    const name = key && memberName({ computed, property: key });
    if (LEADING_OUT.has(name)) scope.uses.push({ name, root: null, start });
  }
}

/** Visits in a new scope, and passes the names that it does not declare to the outer scope. */
function within(around, visitOwn, { holdsVars = false, isImport = around.isImport } = {}) {
  const own = { declared: new Set(), uses: [], isImport };
  own.ofVars = holdsVars ? own : around.ofVars;
  visitOwn(own);
  const free = own.uses.filter(({ root }) => !own.declared.has(root));
  around.uses.push(...free);
  return free;
}
