import ts from 'typescript'

/** A text that code spells out, and the node that spells it. */
export interface SpelledText {
  text: string
  node: ts.Node
}

/** The texts an expression may be, as far as this file spells them; `known` is false when there may be others. */
export interface Spelled {
  texts: SpelledText[]
  known: boolean
}

const unknown: Spelled = { texts: [], known: false }

/** Follows literals, arrays, choices, and constants of the same file. */
export function spell(node: ts.Expression, depth = 0): Spelled {
  if (depth > 8) return unknown
  const next = (expression: ts.Expression) => spell(expression, depth + 1)
  if (ts.isStringLiteralLike(node)) return { texts: [{ text: node.text, node }], known: true }
  if (ts.isAsExpression(node) || ts.isSatisfiesExpression(node)) return next(node.expression)
  if (ts.isParenthesizedExpression(node) || ts.isNonNullExpression(node)) return next(node.expression)
  if (ts.isConditionalExpression(node)) return join([next(node.whenTrue), next(node.whenFalse)])
  if (ts.isArrayLiteralExpression(node)) return join(node.elements.map(next))
  if (ts.isBinaryExpression(node) && isChoice(node)) return join([next(node.left), next(node.right)])
  if (ts.isIdentifier(node)) {
    const value = constantValue(node)
    return value ? next(value) : unknown
  }
  return unknown
}

function join(parts: Spelled[]): Spelled {
  return { texts: parts.flatMap((part) => part.texts), known: parts.every((part) => part.known) }
}

function isChoice({ operatorToken: { kind } }: ts.BinaryExpression): boolean {
  return kind === ts.SyntaxKind.QuestionQuestionToken || kind === ts.SyntaxKind.BarBarToken
}

/** The initializer of the constant a name stands for; null for parameters, imports and variables. */
export function constantValue(name: ts.Identifier): ts.Expression | null {
  for (let scope: ts.Node | undefined = name.parent; scope; scope = scope.parent) {
    const value = declaredIn(scope, name.text)
    if (value !== undefined) return value
  }
  return null
}

// undefined: not declared here, look further out; null: declared here, but not as a constant.
function declaredIn(scope: ts.Node, name: string): ts.Expression | null | undefined {
  if (ts.isFunctionLike(scope)) return scope.parameters.some((p) => binds(p.name, name)) ? null : undefined
  if (ts.isForOfStatement(scope) && ts.isVariableDeclarationList(scope.initializer)) {
    return scope.initializer.declarations.some((d) => binds(d.name, name)) ? scope.expression : undefined
  }
  if (!ts.isBlock(scope) && !ts.isSourceFile(scope) && !ts.isCaseOrDefaultClause(scope)) return undefined
  for (const statement of scope.statements) {
    if (ts.isFunctionDeclaration(statement) && statement.name?.text === name) return null
    if (!ts.isVariableStatement(statement)) continue
    for (const declaration of statement.declarationList.declarations) {
      if (!binds(declaration.name, name)) continue
      const constant =
        statement.declarationList.flags & ts.NodeFlags.Const && ts.isIdentifier(declaration.name)
      return constant ? (declaration.initializer ?? null) : null
    }
  }
  return undefined
}

function binds(binding: ts.BindingName, name: string): boolean {
  if (ts.isIdentifier(binding)) return binding.text === name
  return binding.elements.some((element) => ts.isBindingElement(element) && binds(element.name, name))
}
