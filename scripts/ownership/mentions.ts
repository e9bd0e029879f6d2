import ts from 'typescript'
import { constantValue, spell } from './constants.ts'
import { findTables, readTokens, type SqlToken } from './sql-tables.ts'

/** A place in code that names a table to the database. */
export interface Mention {
  /** As written: camelCase in Kysely calls, snake_case in SQL text. */
  table: string
  line: number
  writes: boolean
}

export interface FileMentions {
  mentions: Mention[]
  /** Table names and SQL text that the file does not spell out, so that nobody can check them. */
  hidden: { line: number; what: string }[]
}

const reading =
  /^(selectFrom|(inner|left|right|full|cross)Join(Lateral)?|(cross|outer)Apply|from|using|table)$/
const writing = /^(insertInto|updateTable|deleteFrom|mergeInto|replaceInto)$/
// Names that other libraries use as well: a text that is a table name counts, anything else is none of our business.
const ambiguous = /^(from|using|table)$/

/** Finds every table that a TypeScript file names in Kysely calls and in SQL text. */
export function findMentions(file: string, text: string): FileMentions {
  const source = ts.createSourceFile(file, text, ts.ScriptTarget.ES2023, true)
  const sqlTags = sqlNames(source)
  const found: FileMentions = { mentions: [], hidden: [] }
  const lineOf = (at: number) => source.getLineAndCharacterOfPosition(at).line + 1

  const visit = (node: ts.Node): void => {
    if (ts.isTaggedTemplateExpression(node) && isSqlTag(node.tag, sqlTags)) {
      for (const { name, at, writes } of findTables(templateTokens(node.template, sqlTags))) {
        found.mentions.push({ table: name, line: lineOf(at), writes })
      }
    }
    if (ts.isCallExpression(node)) visitCall(node)
    ts.forEachChild(node, visit)
  }

  const visitCall = (call: ts.CallExpression): void => {
    const name = calledName(call.expression)
    const [first] = call.arguments
    if (!name || !first) return
    const onSql = isSqlTag(receiver(call.expression), sqlTags)
    if (name === 'raw' || (name === 'query' && isQueryText(first))) return visitText(first, name === 'raw')
    if (!reading.test(name) && !writing.test(name)) return
    const strict = onSql || !ambiguous.test(name)
    if (!strict && /^[A-Z]/.test(receiver(call.expression)?.getText() ?? '')) return
    const { texts, known } = spell(first)
    for (const { text: spelled, node } of texts) {
      const table = /^\s*(?:"?\w+"?\.)?"?(\w+)"?(?:\s+as\s+\w+)?\s*$/i.exec(spelled)?.[1]
      if (table) found.mentions.push({ table, line: lineOf(node.getStart()), writes: writing.test(name) })
    }
    if (strict && !known && !isSubquery(first)) {
      found.hidden.push({ line: lineOf(first.getStart()), what: `the table of ${name}()` })
    }
  }

  const visitText = (argument: ts.Expression, strict: boolean): void => {
    const { texts, known } = spell(argument)
    for (const { text: spelled, node } of texts) {
      for (const { name, at, writes } of findTables(readTokens(spelled, node.getStart() + 1))) {
        found.mentions.push({ table: name, line: lineOf(at), writes })
      }
    }
    if (strict && !known) found.hidden.push({ line: lineOf(argument.getStart()), what: 'the text of raw()' })
  }

  visit(source)
  return found
}

/** The names under which a file has Kysely's `sql`. */
function sqlNames(source: ts.SourceFile): Set<string> {
  const names = new Set(['sql'])
  for (const statement of source.statements) {
    if (!ts.isImportDeclaration(statement)) continue
    const bindings = statement.importClause?.namedBindings
    if (!bindings || !ts.isNamedImports(bindings)) continue
    for (const element of bindings.elements) {
      if (element.propertyName?.text === 'sql') names.add(element.name.text)
    }
  }
  return names
}

function isSqlTag(tag: ts.Expression | undefined, names: Set<string>): boolean {
  if (!tag) return false
  if (ts.isIdentifier(tag)) return names.has(tag.text)
  return ts.isPropertyAccessExpression(tag) && tag.name.text === 'sql'
}

/** The tokens of a template, with nested templates and spelled names in their places. */
function templateTokens(template: ts.TemplateLiteral, sqlTags: Set<string>): SqlToken[] {
  const read = (part: ts.TemplateLiteralLikeNode) =>
    readTokens(part.rawText ?? part.text, part.getStart() + 1)
  if (!ts.isTemplateExpression(template)) return read(template)
  const tokens = read(template.head)
  for (const span of template.templateSpans) {
    tokens.push(...expressionTokens(span.expression, sqlTags), ...read(span.literal))
  }
  return tokens
}

function expressionTokens(expression: ts.Expression, sqlTags: Set<string>, depth = 0): SqlToken[] {
  const start = expression.getStart()
  const placeholder: SqlToken[] = [{ text: '?', at: start, kind: 'mark' }]
  if (depth > 8) return placeholder
  if (ts.isTaggedTemplateExpression(expression) && isSqlTag(expression.tag, sqlTags)) {
    return templateTokens(expression.template, sqlTags)
  }
  if (ts.isIdentifier(expression)) {
    const value = constantValue(expression)
    return value ? expressionTokens(value, sqlTags, depth + 1) : placeholder
  }
  if (!ts.isCallExpression(expression) || !isSqlTag(receiver(expression.expression), sqlTags))
    return placeholder
  const name = calledName(expression.expression) ?? ''
  if (!/^(raw|table|id|ref)$/.test(name)) return placeholder
  return expression.arguments.flatMap((argument, i) => [
    ...(i > 0 ? [{ text: '.', at: start, kind: 'mark' } as const] : []),
    ...spell(argument).texts.flatMap(({ text, node }) => readTokens(text, node.getStart() + 1)),
  ])
}

function calledName(callee: ts.Expression): string | undefined {
  if (ts.isIdentifier(callee))
    return writing.test(callee.text) || callee.text === 'selectFrom' ? callee.text : undefined
  if (ts.isPropertyAccessExpression(callee)) return callee.name.text
  if (ts.isElementAccessExpression(callee)) return spell(callee.argumentExpression).texts[0]?.text
  return undefined
}

function receiver(callee: ts.Expression): ts.Expression | undefined {
  return ts.isPropertyAccessExpression(callee) || ts.isElementAccessExpression(callee)
    ? callee.expression
    : undefined
}

function isQueryText(argument: ts.Expression): boolean {
  return spell(argument).texts.some(({ text }) => /\s/.test(text))
}

// A callback, or something that was given an alias: a query or an expression of its own, visited as such.
function isSubquery(argument: ts.Expression): boolean {
  if (ts.isArrowFunction(argument) || ts.isFunctionExpression(argument)) return true
  if (ts.isArrayLiteralExpression(argument)) {
    return argument.elements.every((element) => spell(element).known || isSubquery(element))
  }
  if (ts.isIdentifier(argument)) {
    const value = constantValue(argument)
    return value !== null && isSubquery(value)
  }
  if (!ts.isCallExpression(argument)) return false
  return /^(as|table)$/.test(calledName(argument.expression) ?? '')
}
